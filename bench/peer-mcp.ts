/**
 * The peer of dispatch: the official Model Context Protocol server package answering a tool that does nothing,
 * over streamable HTTP as its own stateless handler serves it, nothing recorded. The bridge from `node:http`
 * hands the parsed body over, as the package's option for that allows, and is as thin as it can be.
 */
import { createServer } from 'node:http';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';

const { fetch: answer } = createMcpHandler(() => {
  const server = new McpServer({ name: 'noop', version: '1.0.0' });
  server.registerTool('noop', { description: 'Does nothing.' }, () => ({
    content: [{ type: 'text', text: 'ok' }],
  }));
  return server;
});

const server = createServer((request, response) => {
  if (request.method === 'GET') {
    response.end('{"ok":true}');
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const parsedBody = JSON.parse(Buffer.concat(chunks).toString('utf8')) as unknown;
    const asked = new Request(`http://127.0.0.1${request.url ?? '/'}`, {
      method: 'POST',
      headers: request.headers as Record<string, string>,
    });
    void answer(asked, { parsedBody }).then(async (given) => {
      const text = await given.text();
      response
        .writeHead(given.status, {
          ...Object.fromEntries(given.headers),
          'content-length': Buffer.byteLength(text),
        })
        .end(text);
    });
  });
});
server.listen(Number(process.env['PORT']), '127.0.0.1');
