// What the routes answer. The variants import it, so a change here changes them.
const users = Array.from({ length: 1000 }, (_, i) => ({
  id: i + 1,
  name: `User ${i + 1}`,
  email: `user${i + 1}@example.com`,
}))

export function getUser(id) {
  return users[id - 1]
}

export function hello() {
  return { message: 'Hello, world!' }
}

export function ping() {
  return 'pong'
}
