import Fastify from 'fastify'
import { getUser, hello, ping } from '../../../lib/answers.js'

const User = {
  type: 'object',
  properties: { id: { type: 'integer' }, name: { type: 'string' }, email: { type: 'string' } },
}

const Hello = { type: 'object', properties: { message: { type: 'string' } } }

const fastify = Fastify()

fastify.get('/users/:id', { schema: { response: { 200: User } } }, async (request, reply) => {
  return getUser(Number(request.params.id)) ?? reply.callNotFound()
})

fastify.get('/hello', { schema: { response: { 200: Hello } } }, async () => hello())

fastify.get('/ping', async () => ping())

await fastify.listen({ port: Number(process.env.PORT), host: process.env.HOST })
