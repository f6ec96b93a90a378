/** One call of the owner's over a kept connection, and numbers that look drawn: what the groups with mixed work share. */
import { type Agent, request } from 'node:http';
import type { Colophon } from './processes.ts';

/** Resolves with the answer, parsed where it is JSON; rejects unless it is answered with 200. */
export function ask(
  colophon: Colophon,
  agent: Agent,
  method: string,
  path: string,
  body?: object,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const sent = request(
      {
        agent,
        method,
        port: colophon.port,
        host: '127.0.0.1',
        path,
        headers: {
          'x-terminal-key': colophon.ownerKey,
          ...(text === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
        },
      },
      (answer) => {
        let said = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => (said += chunk));
        answer.on('end', () => {
          if (answer.statusCode !== 200)
            reject(new Error(`${path} answered ${answer.statusCode}: ${said.slice(0, 300)}`));
          else resolve(said.startsWith('{') ? JSON.parse(said) : said);
        });
      },
    );
    sent.on('error', reject).end(text);
  });
}

/** The same numbers in every run. */
export function draws(below: number): () => number {
  let state = 12345;
  return () => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
