/** Every HTTP route of `src/doors` is a declaration and a handler: only `route` adds routes and sends answers. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../../src/doors/', import.meta.url));

/** Files that send: the wrapper, what it sends with, and what answers before a route is reached. */
const senders = new Set([
  'http/route.ts',
  'http/replies.ts',
  'http/cached-bytes.ts',
  'http/send-raw.ts',
  'http/transport-errors.ts',
]);
/** Files whose faces or error handlers send faults with a function of `replies.ts`. */
const faces: Readonly<Record<string, string>> = {
  'server.ts': 'sendProblem',
  'web/error-page.tsx': 'sendFaultPage',
  'mcp/mcp-route.ts': 'sendJsonText',
};
/** A stream is written for as long as it lasts, and hijacks its reply. */
const streams = new Set(['http/event-routes.ts', 'http/event-stream.ts']);

const sending =
  /\bsend(?:Problem|FaultPage|Page|Json|JsonText|Tagged|Bytes|Raw)\b|\breply\b[^;]*?\.send\((?!request, reply|reply, request)|\breply\.(?:redirect|hijack)\(|\braw\.(?:end|write)\(|\bwriteHead\(/g;
const adding =
  /\b(?:app|scope|server|door)\s*\.(?:get|head|post|put|patch|delete|route|all)\(|\.(?:get|head|post|put|patch|delete|all)\(\s*[`'"]\/|\.route\(\s*\{/;

function violations(name: string, text: string): string[] {
  if (senders.has(name)) return [];
  const sends = (text.match(sending) ?? []).filter((found) => found !== faces[name]);
  return [
    ...(adding.test(text) ? [`${name} adds a route without route()`] : []),
    ...(sends.length > 0 && !streams.has(name) ? [`${name} sends an answer by itself`] : []),
  ];
}

describe('routes', () => {
  it('are registered and answered by route() only', () => {
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
      (name) => /\.tsx?$/.test(name) && !name.startsWith('cli/'),
    );
    expect(names).toEqual(
      expect.arrayContaining([
        'http/article-routes.ts',
        'web/page-routes.ts',
        'web/owner/owner-routes.ts',
        'mcp/mcp-route.ts',
        ...senders,
        ...Object.keys(faces),
      ]),
    );
    expect(names.flatMap((name) => violations(name, readFileSync(folder + name, 'utf8')))).toEqual([]);
  });

  const adds = 'web/x-routes.ts adds a route without route()';
  const sends = 'web/x-routes.ts sends an answer by itself';
  it.each([
    ["app.get('/x', async () => ({}));", adds],
    ['scope.get(path, async () => ({}));', adds],
    ['inner.post(`/owner${path}`, async () => ({}));', adds],
    ["inner.route({ method: 'GET', url, handler });", adds],
    ['return sendProblem(reply, request, base, refusal);', sends],
    ["return reply.code(200)\n  .header('a', 'b')\n  .send(text);", sends],
    ['return sendTagged(request, reply, value);', sends],
    ['return sendFaultPage(reply, refusal, html);', sends],
    ["return reply.redirect('/owner');", sends],
    ['reply.raw.end(text);', sends],
  ])('that bypass route() are reported: %s', (text, violation) => {
    expect(violations('web/x-routes.ts', text)).toEqual([violation]);
  });

  it('may return values and replies', () => {
    const text = "route(door, { get: '/x' }, () => mediaReply('text/plain', 'x'));";
    expect(violations('web/x-routes.ts', text)).toEqual([]);
  });
});
