/**
 * The same random calls on SQLite, on PostgreSQL and on an in-memory model, compared after every step. At the end
 * both ledgers verify, are equal, and rebuild every projection on replay.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { schema } from '../../src/domain/schema.ts';
import { verifyChain } from '../../src/ledger/chain.ts';
import { leafHash, type Entry } from '../../src/ledger/entry.ts';
import { logged, storeKinds, type Place } from '../support/stores.ts';
import { command, slugs, type Command } from './commands.ts';
import { Model } from './model.ts';
import { logOf, masked, maskedStore, replay, rowsOf } from './replay.ts';
import { System } from './system.ts';

const start = Date.parse('2026-03-01T12:00:00.000Z') / 1000;
const kinds = storeKinds();

describe('random calls', () => {
  beforeAll(async () => {
    for (const kind of kinds) await kind.start();
  });
  afterAll(async () => {
    for (const kind of kinds) await kind.stop();
  });

  test('have the same results on every store and on the model, and replay from the ledger', async () => {
    const seen = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(fc.array(command, { minLength: 130, maxLength: 130 }), (commands) =>
        live(commands, seen),
      ),
      { numRuns: 2, seed: 20260301, endOnFailure: true },
    );
    // A run that never gets anywhere would agree about nothing.
    const common = [
      'mint success',
      'document success',
      'edit success',
      'move success',
      'claim success',
      'source success',
      'append success',
      'feed success',
    ];
    for (const each of common)
      expect([each, seen.get(each) ?? 0]).toEqual([each, expect.toSatisfy((count: number) => count >= 3)]);
    const refusals = [
      'scope_denied',
      'token_exhausted',
      'token_revoked',
      'hash_stale',
      'order_stale',
      'duplicate_claim',
      'duplicate_source',
      'credential_required',
    ];
    const refused = new Set([...seen.keys()].map((each) => each.split(' ')[1]));
    expect(refusals.filter((code) => !refused.has(code))).toEqual([]);
  }, 60_000);
});

async function live(commands: readonly Command[], seen: Map<string, number>): Promise<void> {
  const clock = { seconds: start };
  const model = new Model(start);
  const places: Place[] = [];
  const systems: System[] = [];
  try {
    for (const kind of kinds) {
      const place = await kind.place();
      places.push(place);
      systems.push(await System.at(place, clock));
    }
    for (const [i, next] of commands.entries()) {
      const waited = next.do === 'wait' ? next.seconds : 1;
      clock.seconds += waited;
      model.wait(waited);
      if (next.do === 'wait') continue;
      if (next.do === 'restart') {
        for (const system of systems) await system.restart();
        continue;
      }
      const expected = model.apply(next);
      seen.set(`${next.do} ${expected.code}`, (seen.get(`${next.do} ${expected.code}`) ?? 0) + 1);
      const outcomes = [];
      for (const system of systems) outcomes.push(await system.apply(next));
      for (const { ending } of outcomes) expect({ i, next, ...ending }).toEqual({ i, next, ...expected });
      const [first, ...others] = outcomes.map(({ answers }) => masked(answers));
      for (const other of others) expect(other).toEqual(first);
      if ('slug' in next) {
        for (const system of systems)
          expect(await system.article(slugs[next.slug] as string)).toEqual(
            model.articles.get(slugs[next.slug] as string),
          );
      }
      const counts = model.shares.map(({ uses, denials, revoked }) => ({ uses: uses, denials, revoked }));
      for (const system of systems) expect(await system.shares()).toEqual(counts);
    }
    await expectSameLedgers(systems);
  } finally {
    for (const place of places) await place.remove();
  }
}

async function expectSameLedgers(systems: readonly System[]): Promise<void> {
  const ledgers = [];
  const [sqlite] = systems as [System];
  const size = (await sqlite.store.read.checkpoint())?.size ?? 0;
  for (const { store } of systems) {
    await logged(store, size);
    const log = await logOf(store.read);
    expect(log).toHaveLength(size);
    for (const [chain, events] of Map.groupBy(log, (entry) => (JSON.parse(entry.text) as Entry).chain)) {
      const links = events.map(({ text }) => ({
        entry: text,
        hash: Buffer.from(leafHash(text)).toString('hex'),
      }));
      expect(verifyChain(links, { chain })).toMatchObject({ valid: true });
    }
    const rows = await rowsOf(store, schema);
    expect(replay(schema, log)).toEqual(rows);
    ledgers.push(maskedStore(log, rows));
  }
  for (const ledger of ledgers.slice(1)) expect(ledger).toEqual(ledgers[0]);
}
