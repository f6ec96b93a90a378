/**
 * The batch engine, written once. A batch of acts is one transaction: load every key, decide each act in
 * turn over an overlay, write all changes, commit. It is a generator that yields its I/O as requests, so
 * that SQLite drives it synchronously inside one call and PostgreSQL drives the same code with `await`.
 */
import { writes, type Act, type Key, type Schema } from './act.ts';
import type { ActOutcome, BatchResult, ForeignBatch, Reply, Request } from './batch-io.ts';
import { Batch } from './batch-tx.ts';
import { addKeys, byName } from './keys.ts';
import type { AggregateSnapshot } from './state.ts';

/** How often a batch may meet undeclared keys: each operation of an act may need some. */
const meetingsMax = 4096;

/** `foreign`: what other versions committed and this one has not projected yet. It is projected before the acts decide. */
export function* runBatch(
  acts: readonly Act<unknown>[],
  schema: Schema,
  foreign: readonly ForeignBatch[] = [],
): Generator<Request, BatchResult, Reply> {
  const keys = new Map<string, Key>();
  for (const act of acts) addKeys(keys, act.keys);
  for (let meetings = 0; meetings < meetingsMax; meetings++) {
    const sorted = [...keys].sort(byName).map(([, key]) => key);
    yield { io: 'begin', keys: sorted };
    const states = (yield { io: 'load', keys: sorted }) as readonly AggregateSnapshot[];
    const batch = new Batch(schema, sorted, states, (yield { io: 'seq' }) as number);
    const outcomes: ActOutcome[] = [];
    const follows = foreign.map((each): Act<unknown> => ({
      name: 'follow',
      keys: [],
      decide: () => {
        batch.follow(each);
      },
    }));
    for (const act of [...follows, ...acts]) {
      let outcome = batch.decide(act);
      for (
        let more = batch.loadableKeys();
        more.length > 0 && meetings < meetingsMax;
        more = batch.loadableKeys()
      ) {
        meetings++;
        const given = (yield { io: 'more', keys: more }) as readonly AggregateSnapshot[] | undefined;
        if (given === undefined) break;
        // Where nothing is locked, what was met by reading may be written without being met again.
        batch.hold(
          more.map(({ aggregate, id }) => writes(aggregate, id)),
          given,
        );
        outcome = batch.decide(act);
      }
      outcomes.push(outcome);
    }
    if (batch.missingKeys.size > 0) {
      // A decision met an undeclared key; locks are taken in one order, so the batch starts over.
      yield { io: 'rollback' };
      addKeys(keys, batch.missingKeys.values());
      continue;
    }
    const failed = outcomes.splice(0, follows.length).find(({ error }) => error !== undefined);
    if (failed !== undefined) throw failed.error;
    if (batch.entries.length === 0 && follows.length === 0) {
      yield { io: 'rollback' };
      return { outcomes, promoted: new Map(), entries: 0 };
    }
    yield { io: 'write', writes: batch.writes() };
    yield { io: 'commit' };
    return { outcomes, promoted: batch.promoted(), entries: batch.entries.length };
  }
  throw new Error(`a batch asked for more keys ${meetingsMax} times`);
}
