import { createServer } from "node:http";

const body = JSON.stringify({ hello: "world" });

const server = createServer((request, response) => {
  if (request.method === "GET" && request.url === "/") {
    response.writeHead(200, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
    response.end(body);
  } else {
    response.writeHead(404).end();
  }
});

server.listen(Number(process.env.PORT), process.env.HOST);
