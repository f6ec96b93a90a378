/** The peer of reads and writes: bare Fastify routes that send given bytes, echo a JSON body, or answer 304. */
import { readFileSync } from 'node:fs';
import Fastify from 'fastify';

const app = Fastify();
/** Bytes and type of what our server answers with, as it was sent. */
const file = process.env['PEER_BYTES'];
const type = process.env['PEER_TYPE'] ?? 'application/json; charset=utf-8';
const bytes = file === undefined ? Buffer.alloc(0) : readFileSync(file);

app.get('/healthz', async () => ({ ok: true }));
app.post('/echo', async (request) => request.body);
app.get('/bytes', async (_request, reply) => reply.header('content-type', type).send(bytes));
app.get('/unchanged', async (_request, reply) => reply.code(304).send());
await app.listen({ port: Number(process.env['PORT']), host: '127.0.0.1' });
