/** Every HTTP route of `src/doors/http` is a declaration and a handler: only `route` adds routes and sends answers. */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const folder = fileURLToPath(new URL('../../src/doors/http/', import.meta.url));

/** Files that send: the wrapper, what it sends with, and what answers before a route is reached. */
const senders = new Set([
  'route.ts',
  'envelope.ts',
  'cached-bytes.ts',
  'send-now.ts',
  'warm-reads.ts',
  'transport-errors.ts',
]);
/** A stream is written for as long as it lasts, and hijacks its reply. */
const streams = new Set(['event-routes.ts', 'event-stream.ts']);

const sending = /\bsend(?:Problem|Json|JsonText|Tagged|Bytes|Now)\b|\breply\b[^;]*?\.send\(|\bwriteHead\(/;
const adding = /\b(?:app|scope)\s*\.(?:get|head|post|put|patch|delete|route|all)\(/;

function violations(name: string, text: string): string[] {
  if (senders.has(name)) return [];
  return [
    ...(adding.test(text) ? [`${name} adds a route without route()`] : []),
    ...(sending.test(text) && !streams.has(name) ? [`${name} sends an answer by itself`] : []),
  ];
}

describe('routes', () => {
  it('are added and answered by route() alone', () => {
    const names = readdirSync(folder).filter((name) => name.endsWith('.ts'));
    expect(names).toContain('article-routes.ts');
    expect(names.flatMap((name) => violations(name, readFileSync(folder + name, 'utf8')))).toEqual([]);
  });

  it.each([
    ["app.get('/x', async () => ({}));", 'x-routes.ts adds a route without route()'],
    ['return sendProblem(reply, request, base, refusal);', 'x-routes.ts sends an answer by itself'],
    ["return reply.code(200)\n  .header('a', 'b')\n  .send(text);", 'x-routes.ts sends an answer by itself'],
    ['return sendTagged(request, reply, value);', 'x-routes.ts sends an answer by itself'],
  ])('that do otherwise are noticed: %s', (text, violation) => {
    expect(violations('x-routes.ts', text)).toEqual([violation]);
  });

  it('may return values and replies', () => {
    const text = "route(door, { get: '/x' }, () => mediaReply('text/plain', 'x'));";
    expect(violations('x-routes.ts', text)).toEqual([]);
  });
});
