/**
 * What every kind of credential can do on every row, for its own article, another, an absent one and one of another
 * workspace (contract §3, §4, §7), against the reviewed table in `access-table.txt`. A changed cell is a changed
 * authority: update the table with `vitest -u` only after reading the difference against the contract.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { storeKinds } from '../support/stores.ts';
import { articleCalls, otherCalls } from './access-calls.ts';
import { openCallers, openLeases, prepareArticles, type Caller } from './access-credentials.ts';
import { openLocal, type LocalServer, type Reply } from './local.ts';

const tableFile = new URL('access-table.txt', import.meta.url);

const head = `What a dry run says of each row, by credential.
Rows that name an article, in columns: own article | other article | absent article | article of another
workspace, by its slug | the same with the workspace named.
"ok": every gate passes. "waits": only the owner's approval lets it fire. "no article": the gates pass and there is no
such article for this caller. Anything else is the gate that refuses, and its code. "=" repeats the column before.
`;

describe.each(storeKinds().map(({ name }) => name))('access on %s', (store) => {
  let server: LocalServer;
  let database: TestDatabases | undefined;
  let callers: readonly Caller[];

  beforeAll(async () => {
    if (store === 'postgres') database = await sharedPostgres();
    server = await openLocal(database === undefined ? {} : { databaseUrl: await database.database() });
    await prepareArticles(server);
    callers = [...(await openCallers(server)), ...(await openLeases(server))];
  }, 120_000);
  afterAll(async () => {
    await server.end();
    await database?.stop();
  });

  async function blockOf(caller: Caller): Promise<string> {
    const lines = new Map<string, string[]>();
    const put = (outcome: string, name: string): void => {
      const names = lines.get(outcome) ?? [];
      lines.set(outcome, [...names, name]);
    };
    const ask = async (name: string, body: string | object, place: object = {}): Promise<string> => {
      const [key] = name.split(' ') as [string];
      const more = { ...caller.more, ...place, shape: true };
      return outcomeOf(await server.call(key, body, more, { ...caller.headers }));
    };
    for (const [name, body] of Object.entries(articleCalls)) {
      const cells = await Promise.all([
        ...[caller.own ?? 'alpha', 'beta', 'gamma', 'survey--notes'].map((slug) => ask(name, body(slug))),
        ask(name, body('survey--notes'), { workspace: 'survey' }),
      ]);
      put(cells.map((cell, i) => (i > 0 && cell === cells[i - 1] ? '=' : cell)).join(' | '), name);
    }
    const others = new Map<string, string[]>();
    for (const [name, body] of Object.entries(otherCalls)) {
      const outcome = await ask(name, body);
      others.set(outcome, [...(others.get(outcome) ?? []), name]);
    }
    return [
      `## ${caller.name}`,
      ...[...lines].sort(byOutcome).map(([outcome, names]) => `${outcome} : ${names.join(', ')}`),
      '-- rows that name no article',
      ...[...others].sort(byOutcome).map(([outcome, names]) => `${outcome} : ${names.join(', ')}`),
      '',
    ].join('\n');
  }

  it('is tested for every row', () => {
    const called = [...Object.keys(articleCalls), ...Object.keys(otherCalls)].map(
      (name) => name.split(' ')[0],
    );
    expect(new Set(called)).toEqual(new Set(server.deployment.service.rows.keys()));
  });

  it('matches every cell of the reviewed table', async () => {
    // PostgreSQL repeats a sample: the gates are the same code over rows that its transaction holds.
    const asked = store === 'postgres' ? callers.filter((_, i) => i % 6 === 0) : callers;
    const blocks: string[] = [];
    for (const caller of asked) blocks.push(await blockOf(caller));
    if (store === 'postgres') {
      const reviewed = readFileSync(tableFile, 'utf8');
      for (const block of blocks) expect(reviewed).toContain(block);
    } else await expect([head, ...blocks].join('\n')).toMatchFileSnapshot(tableFile.pathname);
  }, 180_000);
});

function byOutcome([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

function outcomeOf({ status, json, body }: Reply): string {
  if (status !== 200) return `${String(json['error'])} (${status})`;
  const trace = json['gates'] as { gate: string; ok: boolean; note: string }[] | undefined;
  if (trace === undefined) throw new Error(body);
  const last = trace.at(-1);
  if (last?.ok === false) return `${last.gate} ${last.note}`;
  if (trace.some(({ note }) => note === 'waits for the owner')) return 'waits';
  const refusal = json['refusal'] as { error: string } | undefined;
  return refusal?.error === 'not_found' ? 'no article' : 'ok';
}
