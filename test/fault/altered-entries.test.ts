/**
 * Entries that somebody altered behind the server's back (contract §1.8) keep nobody from the rest of the log: what
 * follows it names them once and goes on.
 */
import { DatabaseSync } from 'node:sqlite';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { slugPath, slugTable } from '../../src/domain/articles/tables.ts';
import { FileGuard } from '../../src/store/sqlite/file-guard.ts';
import { EventClient } from '../http/event-client.ts';
import { storeEnvironments } from '../support/store-environments.ts';
import { startServer, terminalKey, type Answer, type TestServer } from '../support/server.ts';

describe.each(storeEnvironments())('an altered entry on $name', (store) => {
  let server: TestServer;
  let url: string | undefined;
  const told: string[] = [];
  const troubles: unknown[] = [];

  beforeAll(async () => {
    // As if a bad disk had altered the file: a second process that writes to it would end all writing.
    vi.spyOn(FileGuard.prototype, 'check').mockReturnValue(undefined);
    await store.start();
    const env = await store.env();
    url = env['DATABASE_URL'];
    server = await startServer(
      { ...env, COLOPHON_AUDIT: 'off' },
      {
        onAltered: (finding) => told.push(finding),
        onTrouble: (error) => {
          // The copied checkpoint is that of the ledger before it was altered.
          if (!String(error).includes('It is not replaced.')) troubles.push(error);
        },
      },
    );
  }, 60_000);

  afterAll(async () => {
    await server.stopAltered();
    await store.stop();
    vi.restoreAllMocks();
  });

  /** One statement on the stored ledger, past the server. */
  async function alter(statement: string): Promise<void> {
    if (url === undefined) {
      const db = new DatabaseSync(join(server.deployment.config.dataFolder, 'colophon.db'));
      db.exec(statement);
      db.close();
      return;
    }
    const client = new pg.Client(url);
    await client.connect();
    await client.query(statement);
    await client.end();
  }

  async function chainsOf(slug: string): Promise<string> {
    const row = await server.deployment.service.store.read.row(slugTable, slugPath('main', slug));
    return `${String(row?.aid)}.`;
  }

  const results = async (word: string): Promise<string[]> =>
    ((await server.read(`/api/search?q=${word}`))['results'] as Answer[]).map(
      ({ kind, id }) => `${kind} ${id}`,
    );
  const metric = async (name: string): Promise<string | undefined> =>
    (await (await server.fetch('/metrics')).text())
      .split('\n')
      .find((line) => line.startsWith(`colophon_${name} `));
  const scrub = async (body: object, more: object = {}): Promise<Answer> => {
    const response = await server.fetch('/api/dispatch', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-terminal-key': terminalKey },
      body: JSON.stringify({ key: 'SECRET_SCRUB', body, ...more }),
    });
    return (await response.json()) as Answer;
  };

  it('is skipped by the search index, which reports it once and indexes what follows', async () => {
    await server.article('# First\n\nA numbat digs for tangerine-4711.\n', { slug: 'first' });
    await server.article('# Second\n\nA bilby digs.\n', { slug: 'second' });
    await expect.poll(() => results('bilby')).toEqual(['div d2']);
    expect(await metric('search_passed_over_entries')).toBe('colophon_search_passed_over_entries 0');
    await alter(
      `UPDATE entry SET text = 'no JSON, "chain":"art_"' WHERE chain = '${await chainsOf('second')}d2'`,
    );
    // After a scrub the index begins anew, and goes over all entries again.
    const { result } = await scrub({ secret: 'tangerine-4711' });
    expect(result).toMatchObject({ contents: 2, occurrences: 2, unreadable: 0 });
    await server.article('# Third\n\nA possum climbs.\n', { slug: 'third' });
    await expect.poll(() => results('possum'), { timeout: 10_000 }).toEqual(['div d2']);
    expect(await results('numbat')).toEqual(['div d2']);
    await scrub({ secret: 'climbs.' });
    await expect.poll(() => results('possum'), { timeout: 10_000 }).toEqual(['div d2']);
    expect(told).toEqual([
      expect.stringMatching(/^entry \d+: the search index passed over it, since it cannot be read$/),
    ]);
    expect(await metric('search_passed_over_entries')).toBe('colophon_search_passed_over_entries 1');
    expect(troubles).toEqual([]);
  }, 30_000);

  it.runIf(store.name === 'sqlite')(
    'is skipped when its contents cannot be told apart, and its current text is searchable',
    async () => {
      await server.article('# Fourth\n\nA wombat holds kumquat-12.\n\nA quoll hunts.\n', { slug: 'fourth' });
      await alter("UPDATE entry SET fields = 'text_sha=9' WHERE packed = 'A quoll hunts.'");
      const { result } = await scrub({ secret: 'climbs no more' });
      const chains = await chainsOf('fourth');
      expect(result).toMatchObject({ contents: 0, unreadable: 1, unreadable_names: [chains] });
      await expect.poll(() => results('quoll'), { timeout: 10_000 }).toEqual(['div d3']);
      expect(troubles).toEqual([]);
    },
    30_000,
  );

  it('does not stop a scrub of sound entries, and the answer names what could not be scrubbed', async () => {
    await server.article('# Fifth\n\nHere is mandarin-0815.\n', { slug: 'fifth' });
    await server.article('# Sixth\n\nThere is mandarin-0815.\n', { slug: 'sixth' });
    const fifth = await chainsOf('fifth');
    await alter(`UPDATE entry SET text = 'no JSON' WHERE chain = '${fifth}provenance'`);
    // On PostgreSQL the log takes in what was written a moment later.
    await expect.poll(() => metric('store_unlogged_entries')).toBe('colophon_store_unlogged_entries 0');
    // Held by both articles and by the receipts of what made them.
    const dry = await scrub({ secret: 'mandarin-0815' }, { shape: true });
    expect(dry['would_scrub']).toMatchObject({ contents: 3 });
    expect((dry['would_scrub'] as Answer)['unreadable_names']).toContain(fifth);
    const { ok, result, result_text: said } = await scrub({ secret: 'mandarin-0815' });
    expect([ok, (result as Answer)['contents'], (result as Answer)['occurrences']]).toEqual([true, 3, 3]);
    expect((result as Answer)['unreadable_names']).toContain(fifth);
    expect(said).toContain('Run colophon verify');
    const sixth = await (await server.fetch('/api/articles/sixth?format=markdown&raw=1')).text();
    expect(sixth).toContain('There is [redacted:secret].');
  }, 30_000);

  it('does not end a stream of the log: followers receive all sound entries', async () => {
    const headers = { 'x-terminal-key': terminalKey };
    const stream = await EventClient.open(server.base, '/api/events?after=-1', headers);
    await server.article('# Seventh\n\nA dingo sleeps.\n', { slug: 'seventh' });
    await expect.poll(() => metric('store_unlogged_entries')).toBe('colophon_store_unlogged_entries 0');
    const size = (await server.deployment.service.store.read.checkpoint())?.size ?? 0;
    const ids = new Set((await stream.untilId(size - 1)).map(({ id }) => Number(id)));
    await stream.close();
    const untold = Array.from({ length: size }, (_, index) => index).filter((index) => !ids.has(index));
    // Those that this file made into no JSON; an entry whose contents were altered is still an entry.
    expect(untold).toHaveLength(2);
  }, 30_000);
});
