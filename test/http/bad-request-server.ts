/** A server in a process of its own, with one article, that is sent what nothing may take: it refuses, and stays sound. */
import { expect } from 'vitest';
import { removeFolders, startServer, type RunningServer } from '../support/process-server.ts';
import type { Case } from './bad-requests.ts';
import { logSize, send } from './client.ts';
import { expectProblem } from './problem.ts';

export interface RefusingServer {
  readonly server: RunningServer;
  readonly base: string;
  readonly owner: Record<string, string>;
  /** Reaches every row of scope act, as often as one likes. */
  readonly share: string;
  /** Fails where the server has logged an error. */
  end(): Promise<void>;
}

export async function startRefusing(): Promise<RefusingServer> {
  const server = await startServer();
  const { base } = server;
  const owner = { 'x-terminal-key': server.terminalKey };
  const made = await send(base, {
    path: '/api/protocol/voxel-batch',
    headers: owner,
    body: { document: { slug: 'alpha', title: 'Alpha', markdown: '# Alpha\n\nOne.\n' } },
  });
  expect(made.status).toBe(200);
  const minted = await send(base, {
    path: '/api/dispatch',
    headers: owner,
    body: { key: 'CAP_MINT', body: { scope: 'act', max_uses: 0 } },
  });
  const { share } = JSON.parse(minted.body) as { share: string };
  return {
    server,
    base,
    owner,
    share,
    async end() {
      const lost = server
        .output()
        .split('\n')
        .filter((line) => /"level":(?:50|60)/.test(line));
      await server.kill();
      removeFolders();
      expect(lost).toEqual([]);
    },
  };
}

/** Refused with its code, named as the case says, and nothing written but the receipts that the case allows. */
export async function expectRefusal(
  base: string,
  { request, code, names, entries = 0 }: Case,
): Promise<void> {
  const before = await logSize(base);
  const problem = expectProblem(await send(base, typeof request === 'function' ? request() : request), code);
  if (names !== undefined)
    expect(`${problem.detail} ${JSON.stringify(problem['parameter'] ?? '')}`).toMatch(names);
  expect(await logSize(base)).toBe(before + entries);
}
