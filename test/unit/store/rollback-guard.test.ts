/** What a node concludes from the database's evidence, held against what the node has seen (contract §6). */
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../../src/kernel/hash.ts';
import { RollbackGuard, type EvidenceRow } from '../../../src/store/postgres/rollback-guard.ts';

const root = '11'.repeat(32);
const other = '22'.repeat(32);
const older = '00'.repeat(32);
const entry = { seq: 4097, chain: 'art_a.provenance', n: 3, text: '{"n":3}' };
const ownEntry = `art_a.provenance#3 ${sha256Hex('{"n":3}')}`;

interface Evidence {
  readonly database: string;
  readonly started: string;
  readonly standby: boolean;
  readonly units: number;
  readonly size: number;
  readonly root: string | null;
  readonly note: string | null;
  readonly rootAtKnown: string | null;
  readonly own: string | null;
  readonly lost: string | null;
  readonly signedIn: string | null;
}

/** Evidence of a database that holds exactly what the node has seen. */
const unchanged: Evidence = {
  database: '5 16400 00000001',
  started: '1767323045',
  standby: false,
  units: 2,
  size: 10,
  root,
  note: null,
  rootAtKnown: root,
  own: ownEntry,
  lost: null,
  signedIn: '5 16400 00000001',
};
const rowOf = (given: Partial<Evidence>): EvidenceRow => {
  const all = { ...unchanged, ...given };
  return [
    all.database,
    all.started,
    all.standby,
    all.units,
    all.size,
    all.root,
    all.note,
    all.rootAtKnown,
    all.own,
    all.lost,
    all.signedIn,
  ];
};

/** A node that has seen ten entries of the log, committed entry number 4097 and read a state stamped 8192. */
const informed = (onChange: () => void = () => undefined): RollbackGuard => {
  const guard = new RollbackGuard(onChange);
  guard.sawHead({ size: 10, root, note: 'ten' });
  guard.acknowledged(entry);
  guard.sawStamp(8192);
  return guard;
};
const judge = (guard: RollbackGuard, given: Partial<Evidence>): string => {
  const { kind, reason } = guard.judge(guard.known, rowOf(given));
  return reason === undefined ? kind : `${kind}: ${reason}`;
};
const rootDiffers = 'contradicts: the first 10 entries of the log are not those that this node has seen';
const ownMissing = 'contradicts: entry number 4097, which this node acknowledged, is missing';

describe('evidence about the database', () => {
  it.each<[string, Partial<Evidence>, string]>([
    ['with the known head is sound', {}, 'sound'],
    ['with a longer log over the known root is sound', { size: 12, root: other }, 'sound'],
    [
      'with a longer log and no root at the known size is unproven',
      { size: 12, rootAtKnown: null },
      'unproven',
    ],
    ['without a root of the known head is unproven', { root: null }, 'unproven'],
    ['with another root at the known size is a rollback', { root: other }, rootDiffers],
    ['with a longer log over another root is a rollback', { size: 12, rootAtKnown: other }, rootDiffers],
    [
      'with a shorter log is a rollback',
      { size: 9, root: older, rootAtKnown: null },
      'contradicts: the log has 9 entries, and this node has seen 10',
    ],
    ['without the own entry is a rollback', { own: null }, ownMissing],
    [
      'with another entry under the own number is a rollback',
      { own: `art_b.provenance#3 ${sha256Hex('{"n":3}')}` },
      ownMissing,
    ],
    [
      'with another text of the own entry is a rollback',
      { own: `art_a.provenance#3 ${sha256Hex('{"n":4}')}` },
      ownMissing,
    ],
    [
      'with fewer units drawn than were seen in use is a rollback',
      { units: 1 },
      'contradicts: entry numbers that this node has seen in use are to be given out again',
    ],
    ['with more units drawn is sound', { units: 3 }, 'sound'],
    [
      'with the checkpoint that another node lost is a rollback, named by its first line',
      { lost: 'the log has 9 entries\nledger.example\n10\n' },
      'contradicts: another node found that the database was set back (the log has 9 entries)',
    ],
    ['of a standby says nothing about it', { standby: true, size: 9, own: null, units: 0 }, 'standby'],
  ])('%s', (_condition, given, verdict) => {
    expect(judge(informed(), given)).toBe(verdict);
  });

  it('is a rollback if there is no head of the log', () => {
    const guard = informed();
    expect([null, undefined].map((row) => guard.judge(guard.known, row).kind)).toEqual([
      'contradicts',
      'contradicts',
    ]);
  });

  it('is sound for a node without a known head', () => {
    expect(judge(new RollbackGuard(() => undefined), { size: 0, root: null, own: null, units: 0 })).toBe(
      'sound',
    );
  });

  it('identifies the own entry by chain and number alone if the entry begins a chain', () => {
    const guard = informed();
    guard.acknowledged({ ...entry, n: 0 });
    expect([
      judge(guard, { own: `art_a.provenance#0 ${sha256Hex('altered')}` }),
      judge(guard, { own: `art_b.provenance#0 ${sha256Hex('{"n":3}')}` }),
    ]).toEqual(['sound', ownMissing]);
  });

  it('is compared with the head known at the time of the request', () => {
    const guard = informed();
    const { known } = guard;
    guard.sawHead({ size: 11, root: other, note: 'eleven' });
    expect(guard.judge(known, rowOf({})).kind).toBe('sound');
    expect(guard.judge(guard.known, rowOf({})).kind).toBe('contradicts');
  });
});

describe('the known head of a node', () => {
  it.each<[string, Partial<Evidence>, number]>([
    ['grows with a proven longer log', { size: 12, root: other }, 12],
    ['stays if the longer log is unproven', { size: 12, rootAtKnown: null }, 10],
    ['stays if the longer log is another one', { size: 12, rootAtKnown: other }, 10],
    ['stays if a standby answers', { size: 12, root: other, standby: true }, 10],
  ])('%s', (_condition, given, size) => {
    const guard = informed();
    judge(guard, given);
    expect(guard.known.head.size).toBe(size);
  });

  it('is kept as evidence once a rollback was found', () => {
    const guard = informed();
    expect(() => guard.check()).not.toThrow();
    expect([guard.found('the log is shorter'), guard.found('again')]).toEqual([
      { reason: 'the log is shorter', checkpoint: 'ten' },
      { reason: 'the log is shorter', checkpoint: 'ten' },
    ]);
    expect(() => guard.check()).toThrow('the database was set back behind this node');
  });
});

describe('the caches of a node', () => {
  it.each<[string, Partial<Evidence>, number]>([
    ['are kept while server and database are the same', {}, 0],
    ['are dropped after a restart', { started: '1767323046' }, 1],
    ['are dropped after a promotion', { database: '5 16400 00000002' }, 1],
  ])('%s', (_condition, given, epoch) => {
    let changes = 0;
    const guard = informed(() => changes++);
    judge(guard, {});
    judge(guard, given);
    expect([guard.epoch, changes]).toEqual([epoch, epoch]);
  });
});
