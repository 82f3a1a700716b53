import { createServer } from 'node:http'

const users = Array.from({ length: 1000 }, (_, i) => ({
  id: i + 1,
  name: `User ${i + 1}`,
  email: `user${i + 1}@example.com`,
}))

function send(res, type, body) {
  res.writeHead(200, { 'Content-Type': type, 'Content-Length': Buffer.byteLength(body) }).end(body)
}

createServer((req, res) => {
  const { url } = req
  if (url === '/ping') return send(res, 'text/plain', 'pong')
  if (url === '/hello') return send(res, 'application/json', JSON.stringify({ message: 'Hello, world!' }))
  if (url.startsWith('/users/')) {
    const user = users[Number(url.slice('/users/'.length)) - 1]
    if (user) return send(res, 'application/json', JSON.stringify(user))
  }
  res.writeHead(404).end()
}).listen(process.env.PORT, process.env.HOST)
