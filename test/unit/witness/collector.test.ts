/**
 * The collector of cosignatures (contract §6) against real witnesses in memory: rounds, corrected sizes, back-off, what is
 * stored and served, and answers of witnesses that fail, lie or hold another history.
 */
import { beforeEach, describe, expect, it } from 'vitest';
import { CosignatureCollector, type CosigningOptions } from '../../../src/app/background/cosigning.ts';
import { CosigningRecords } from '../../../src/app/background/cosigning-records.ts';
import type { WitnessAnswer } from '../../../src/app/background/witness-request.ts';
import { Witness } from '../../../src/app/witness.ts';
import type { Keyring } from '../../../src/engine/store.ts';
import { cosignerFromSeed, type Cosigner } from '../../../src/ledger/cosignature.ts';
import { judgeNote, parsePolicy, type Policy } from '../../../src/ledger/policy.ts';
import { isRefusal } from '../../../src/ledger/refusal.ts';
import { history, WitnessedLog } from '../../support/witnessed-log.ts';
import { leafOf } from '../ledger/support.ts';

function memoryKeyring(): Keyring & { readonly rows: Map<string, string> } {
  const rows = new Map<string, string>();
  return {
    rows,
    get: async (name) => rows.get(name),
    under: async (prefix) =>
      Array.from(rows, ([name, value]) => ({ name, value })).filter(({ name }) => name.startsWith(prefix)),
    async claim(name, value) {
      if (!rows.has(name)) rows.set(name, value);
      return rows.get(name) as string;
    },
    set: async (name, value) => void rows.set(name, value),
    async compareAndSet(name, expected, value) {
      if (rows.get(name) !== expected) return false;
      rows.set(name, value);
      return true;
    },
  };
}

/** The witness of one address, as the service has it. */
class Peer {
  readonly cosigner: Cosigner;
  readonly requests: string[] = [];
  /** Replaces what the witness would answer. */
  answers: ((body: string) => Promise<WitnessAnswer> | WitnessAnswer) | undefined;
  readonly witness: Witness;

  constructor(name: string, seed: number, log: WitnessedLog) {
    this.cosigner = cosignerFromSeed(`${name}.example/witness`, 'ed25519', Buffer.alloc(32, seed));
    this.witness = new Witness({
      logs: [log.signer.key],
      cosigners: [this.cosigner],
      keyring: memoryKeyring(),
      copy: { get: () => undefined, put: async () => undefined },
      now: () => 1_790_000_000_000,
      keepEvidence: async () => undefined,
      onTwoKeys: () => undefined,
    });
  }

  async honest(body: string): Promise<WitnessAnswer> {
    const { status, text } = await this.witness.addCheckpoint(Buffer.from(body));
    return { status, text: status === 200 ? text : `${text}\n` };
  }
}

const peerNames = ['a', 'b', 'c'] as const;
const log = new WitnessedLog('log.example', 7);
let peers: Record<(typeof peerNames)[number], Peer>;
let leaves: number[];
let nowMs: number;
let isLeader: boolean;
let troubles: string[];
let keyring: ReturnType<typeof memoryKeyring>;
let copied: string[];

function policyText(quorum: string): string {
  const witnesses = peerNames.map(
    (name) => `witness ${name} ${peers[name].cosigner.key.text} https://${name}.example/witness/\n`,
  );
  return `log ${log.signer.key.text}\n${witnesses.join('')}group most ${quorum} a b c\nquorum most\n`;
}

function policyOf(quorum = '2'): Policy {
  const policy = parsePolicy(policyText(quorum));
  if (isRefusal(policy)) throw new Error(policy.refused);
  return policy;
}

function collector(more: Partial<CosigningOptions> = {}): CosignatureCollector {
  return new CosignatureCollector({
    policy: policyOf(),
    logKey: log.signer.key,
    read: {
      checkpoint: async () => {
        const note = log.checkpoint(leaves);
        const root = Buffer.from(note.split('\n')[2] as string, 'base64');
        return { size: leaves.length, root, note };
      },
      tile: async (_level, n, width) =>
        Buffer.concat(leaves.slice(n * 256, n * 256 + width).map((leaf) => leafOf(leaf))),
    },
    keyring,
    copy: {
      get: async () => copied.at(-1),
      put: async (note) => void copied.push(note),
    },
    leads: () => isLeader,
    async post(url, body) {
      const peer = peers[new URL(url).host.slice(0, 1) as 'a'];
      expect(url).toBe(`https://${new URL(url).host}/witness/add-checkpoint`);
      peer.requests.push(body);
      return peer.answers === undefined ? peer.honest(body) : peer.answers(body);
    },
    now: () => nowMs,
    random: () => 0.5,
    sleep: (_ms, signal) =>
      new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true })),
    onTrouble: (error) => troubles.push((error as Error).message),
    ...more,
  });
}

/** Looks at the log after some time, waits until every witness that can has answered, and looks again. */
async function after(ms: number, of: CosignatureCollector): Promise<void> {
  nowMs += ms;
  await of.tick();
  for (let i = 0; i < 20; i++) await new Promise((resolve) => setImmediate(resolve));
  nowMs += 200;
  await of.tick();
}

const stateOf = (of: CosignatureCollector, name: string) =>
  of.status().find((each) => each.name === name)?.state;
const sizeOf = (note: string | undefined) => Number(note?.split('\n')[1]);
const olds = (peer: Peer) => peer.requests.map((body) => Number(body.split('\n', 1)[0]?.slice(4)));

beforeEach(() => {
  peers = { a: new Peer('a', 1, log), b: new Peer('b', 2, log), c: new Peer('c', 3, log) };
  leaves = history(5);
  nowMs = 1_000_000;
  isLeader = true;
  troubles = [];
  keyring = memoryKeyring();
  copied = [];
});

describe('the collector of cosignatures', () => {
  it('stores and serves the checkpoint that a quorum has cosigned', async () => {
    const asking = collector();
    expect(asking.newest).toBeUndefined();

    await after(0, asking);

    const note = asking.newest?.note as string;
    expect(judgeNote(note, policyOf('3'))).toMatchObject({ hasQuorum: true, checkpoint: { size: 5 } });
    expect(JSON.parse(keyring.rows.get('cosigned/log.example') as string)).toMatchObject({ note });
    expect(copied.at(-1)).toBe(note);
    expect(asking.status().map(({ name, size, state }) => [name, size, state])).toEqual([
      ['a', 5, 'cosigned'],
      ['b', 5, 'cosigned'],
      ['c', 5, 'cosigned'],
    ]);
    expect(troubles).toEqual([]);
  });

  it('asks nothing again of a log that does not grow', async () => {
    const asking = collector();
    for (let i = 0; i < 5; i++) await after(10_000, asking);
    expect(peers.a.requests).toHaveLength(1);
  });

  it('proves the growth from the size that each witness has cosigned', async () => {
    const asking = collector();
    await after(0, asking);
    leaves = history(130);
    await after(1000, asking);
    expect(olds(peers.a)).toEqual([0, 5]);
    expect(sizeOf(asking.newest?.note)).toBe(130);
  });

  it('begins no round before the pace of rounds, so that a busy log asks its witnesses seldom', async () => {
    const asking = collector();
    await after(0, asking);
    leaves = history(6);
    await after(500, asking);
    expect(peers.a.requests).toHaveLength(1);
    leaves = history(9);
    await after(500, asking);
    expect(peers.a.requests.map(sizeOfRequest)).toEqual([5, 9]);
  });

  it('takes the size that a witness names, where it remembers less or more', async () => {
    await after(0, collector());
    leaves = history(40);
    keyring.rows.clear();
    copied = [];
    const forgetful = collector();
    await after(0, forgetful);
    expect(olds(peers.b)).toEqual([0, 0, 5]);
    expect(sizeOf(forgetful.newest?.note)).toBe(40);
    expect(troubles).toEqual([]);
  });

  it('goes on after a restart with what was stored', async () => {
    await after(0, collector());
    const restarted = collector();
    await after(0, restarted);
    expect(sizeOf(restarted.newest?.note)).toBe(5);
    leaves = history(6);
    await after(1000, restarted);
    // Once more about what it has cosigned: a restart may follow a ledger that was set back.
    expect(olds(peers.c)).toEqual([0, 5, 5]);
  });

  it('serves the larger of the row and the copy, so that a restored store lowers nothing', async () => {
    const asking = collector();
    await after(0, asking);
    const older = keyring.rows.get('cosigned/log.example') as string;
    leaves = history(8);
    await after(1000, asking);
    keyring.rows.set('cosigned/log.example', older);
    const restored = collector();
    await after(0, restored);
    expect(sizeOf(restored.newest?.note)).toBe(8);
  });

  it('serves nothing that lacks the quorum, or that the log does not cover yet', async () => {
    const asking = collector();
    peers.b.answers = peers.c.answers = () => ({ status: 503, text: '' });
    await after(0, asking);
    expect(asking.newest).toBeUndefined();
    peers.b.answers = peers.c.answers = undefined;
    await after(5000, asking);
    expect(sizeOf(asking.newest?.note)).toBe(5);

    leaves = history(3);
    isLeader = false;
    const behind = collector();
    await after(0, behind);
    expect(behind.newest).toBeUndefined();
    leaves = history(5);
    await after(1000, behind);
    expect(sizeOf(behind.newest?.note)).toBe(5);
  });

  it('does not take a stored note for cosigned that was altered or is of another policy', async () => {
    await after(0, collector());
    const row = JSON.parse(keyring.rows.get('cosigned/log.example') as string) as { note: string };
    copied = [];
    isLeader = false;
    keyring.rows.set(
      'cosigned/log.example',
      JSON.stringify({ ...row, note: row.note.replace('\n5\n', '\n4\n') }),
    );
    const altered = collector();
    await after(0, altered);
    expect(altered.newest).toBeUndefined();
    keyring.rows.set('cosigned/log.example', '{"note":');
    const damaged = collector();
    await after(0, damaged);
    expect(damaged.newest).toBeUndefined();

    peers.a = new Peer('a', 11, log);
    peers.b = new Peer('b', 12, log);
    keyring.rows.set('cosigned/log.example', JSON.stringify(row));
    const stricter = collector();
    await after(0, stricter);
    expect(stricter.newest).toBeUndefined();
  });

  it('asks from one node, and the others serve what it stored', async () => {
    isLeader = false;
    const follower = collector();
    await after(0, follower);
    expect(peers.a.requests).toEqual([]);
    isLeader = true;
    await after(0, collector());
    isLeader = false;
    await after(1000, follower);
    expect(sizeOf(follower.newest?.note)).toBe(5);
    expect(stateOf(follower, 'a')).toBe('cosigned');
  });

  it('keeps the larger checkpoint where two nodes stored at once', async () => {
    const [first, second] = [collector(), collector()];
    await after(0, first);
    await second.tick();
    leaves = history(7);
    await after(1000, first);
    leaves = history(6);
    await after(1000, second);
    const { note } = JSON.parse(keyring.rows.get('cosigned/log.example') as string) as { note: string };
    expect(sizeOf(note)).toBe(7);
    expect(sizeOf(copied.at(-1))).toBe(7);
  });

  it('stores no smaller checkpoint over a larger one that another node has stored', async () => {
    const cosigned = (size: number) => {
      const text = log.text(history(size));
      const lines = [peers.a, peers.b].map(({ cosigner }) => cosigner.cosign(text, 1_790_000_000) as string);
      const note = log.checkpoint(history(size)) + lines.join('');
      const judged = judgeNote(note, policyOf(), [log.signer.key]);
      if (isRefusal(judged)) throw new Error(judged.refused);
      return { size, root: judged.checkpoint.root, note, cosigned: judged.cosigned };
    };
    const records = () =>
      new CosigningRecords({
        keyring,
        copy: { get: async () => copied.at(-1), put: async (note) => void copied.push(note) },
        logKey: log.signer.key,
        policy: policyOf(),
        onTrouble: (error) => troubles.push((error as Error).message),
      });
    const [first, second] = [records(), records()];
    await first.load();
    await second.load();
    await first.save(cosigned(9));
    await second.save(cosigned(7));
    await first.save(cosigned(8));
    const { note } = JSON.parse(keyring.rows.get('cosigned/log.example') as string) as { note: string };
    expect([note, ...copied].map(sizeOf)).toEqual([9, 9]);
    expect([first, second].map(({ newest }) => newest?.size)).toEqual([9, 9]);
  });

  it('asks each witness once at a time, and does not wait for a silent one when the quorum is met', async () => {
    let answer: ((answer: WitnessAnswer) => void) | undefined;
    peers.c.answers = () => new Promise((resolve) => (answer = resolve));
    const asking = collector();
    await after(0, asking);
    expect(sizeOf(asking.newest?.note)).toBe(5);
    leaves = history(6);
    await after(1000, asking);
    await after(1000, asking);
    expect(peers.c.requests).toHaveLength(1);
    expect(sizeOf(asking.newest?.note)).toBe(6);
    peers.c.answers = undefined;
    answer?.(await peers.c.honest(peers.c.requests[0] as string));
    await after(0, asking);
    // What came late changes nothing that is served.
    expect(sizeOf(asking.newest?.note)).toBe(6);
    await after(1000, asking);
    expect(stateOf(asking, 'c')).toBe('cosigned');
  });

  it('waits longer after each failure, and says so once', async () => {
    peers.c.answers = () => ({ status: 500, text: 'no' });
    const asking = collector();
    for (let i = 0; i < 40; i++) await after(1000, asking);
    expect(peers.c.requests.length).toBeGreaterThan(3);
    expect(peers.c.requests.length).toBeLessThan(8);
    expect(troubles).toEqual(['witness c did not cosign: it answered 500']);
    expect(stateOf(asking, 'c')).toBe('failing');
    peers.c.answers = undefined;
    await after(60_000, asking);
    expect(stateOf(asking, 'c')).toBe('cosigned');
  });

  it.each([
    [
      'a cosignature of another text',
      async (peer: Peer) => peer.cosigner.cosign(log.text(history(6)), 1_790_000_000),
    ],
    ['a cosignature with a flipped byte', async (peer: Peer) => flip(await cosign(peer))],
    ['the cosignature of an unknown witness', async () => cosign(new Peer('z', 9, log))],
    ['a whole note', async (peer: Peer) => `${log.text(leaves)}\n${await cosign(peer)}`],
    ['nothing', async () => ''],
    ['text', async () => 'done\n'],
  ] as const)('refuses %s', async (_what, lines) => {
    peers.b.answers = async () => ({ status: 200, text: (await lines(peers.b)) as string });
    peers.c.answers = () => ({ status: 500, text: '' });
    const asking = collector();
    await after(0, asking);
    expect(asking.newest).toBeUndefined();
    expect(stateOf(asking, 'b')).toBe('failing');
    expect(troubles.join('\n')).toContain('witness b did not cosign: its cosignature is refused');
  });

  it('raises an alarm where a witness has cosigned more than the log has', async () => {
    await after(0, collector());
    leaves = history(3);
    keyring.rows.clear();
    copied = [];
    const setBack = collector();
    await after(0, setBack);
    expect(stateOf(setBack, 'a')).toBe('ahead');
    expect(setBack.newest).toBeUndefined();
    expect(troubles[0]).toBe(
      'witness a did not cosign: it says that it has cosigned 5 entries of this log, which has 3',
    );
  });

  it.each([
    ['of the same size', 5],
    ['that grew', 9],
  ])('raises an alarm where a witness holds another history %s', async (_what, size) => {
    await after(0, collector());
    leaves = history(size, 2);
    keyring.rows.clear();
    copied = [];
    const forked = collector();
    await after(0, forked);
    expect(stateOf(forked, 'a')).toBe('contradicts');
    expect(forked.newest).toBeUndefined();
    expect(troubles).toHaveLength(3);
  });

  it('says before anything is signed that a witness has cosigned more, or that none contradicts', async () => {
    const probe = async (): Promise<(string | undefined)[]> => {
      const starting = collector({ leads: () => false });
      await starting.probe(1000);
      return starting.status().map(({ state }) => state);
    };
    await after(0, collector());
    expect(await probe()).toEqual(['cosigned', 'cosigned', 'cosigned']);
    leaves = history(9);
    await after(1000, collector());
    leaves = history(5);
    keyring.rows.clear();
    copied = [];
    peers.b.answers = () => ({ status: 500, text: '' });
    expect(await probe()).toEqual(['ahead', 'failing', 'ahead']);
  });

  it('forgets what a witness said at the start on a node that does not ask', async () => {
    await after(0, collector());
    leaves = history(3);
    keyring.rows.clear();
    copied = [];
    peers.b.answers = () => ({ status: 500, text: '' });
    isLeader = false;
    const serving = collector();
    await serving.probe(1000);
    expect(serving.status().map(({ state }) => state)).toEqual(['ahead', 'failing', 'ahead']);
    await after(1000, serving);
    expect(serving.status().map(({ state }) => state)).toEqual(['behind', 'behind', 'behind']);
  });

  it('keeps an alarm while the witness fails, until it cosigns again', async () => {
    await after(0, collector());
    leaves = history(3);
    keyring.rows.clear();
    copied = [];
    const setBack = collector();
    await after(0, setBack);
    peers.a.answers = () => ({ status: 500, text: '' });
    await after(60_000, setBack);
    expect(stateOf(setBack, 'a')).toBe('ahead');
    peers.a.answers = undefined;
    leaves = history(8);
    await after(600_000, setBack);
    await after(600_000, setBack);
    expect(stateOf(setBack, 'a')).toBe('cosigned');
  });

  it('serves what a quorum has cosigned where the copy cannot be written', async () => {
    const asking = collector({
      copy: { get: async () => undefined, put: () => Promise.reject(new Error('no room')) },
    });
    await after(0, asking);
    expect(sizeOf(asking.newest?.note)).toBe(5);
    expect(troubles).toEqual(['the cosigned checkpoint was not copied beside the checkpoint: no room']);
  });

  it('asks a witness that names one size after another only a few times', async () => {
    let size = 1;
    peers.a.answers = () => ({ status: 409, text: `${(size = (size % 4) + 1)}\n` });
    const asking = collector();
    await after(0, asking);
    expect(peers.a.requests).toHaveLength(4);
    expect(stateOf(asking, 'a')).toBe('failing');
  });

  it('takes both keys of one address with one request', async () => {
    const both = cosignerFromSeed('a.example/witness', 'ml-dsa-44', Buffer.alloc(32, 1));
    const policy = parsePolicy(
      `witness a ${peers.a.cosigner.key.text} https://a.example/witness\nwitness aq ${both.key.text} https://a.example/witness/\ngroup g all a aq\nquorum g\n`,
    );
    if (isRefusal(policy)) throw new Error(policy.refused);
    peers.a.answers = async (body) => {
      const { status, text } = await peers.a.honest(body);
      return { status, text: text + (both.cosign(log.text(leaves), 1_790_000_000) as string) };
    };
    const asking = collector({ policy });
    await after(0, asking);
    expect(peers.a.requests).toHaveLength(1);
    expect(asking.newest?.cosigned.map(({ witness }) => witness)).toEqual(['a', 'aq']);
  });

  it('ends while a witness is silent', async () => {
    peers.a.answers = peers.b.answers = () => new Promise<never>(() => undefined);
    const asking = collector({
      post: (_url, _body, signal) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new Error('ended')))),
    });
    asking.start();
    await new Promise((resolve) => setTimeout(resolve, 10));
    await asking.stop();
    expect(troubles).toEqual([]);
  });
});

async function cosign(peer: Peer): Promise<string> {
  return peer.cosigner.cosign(log.text(leaves), 1_790_000_000) as string;
}

function flip(line: string): string {
  const [mark, name, encoded = ''] = line.trim().split(' ');
  const bytes = Buffer.from(encoded, 'base64');
  bytes[40] = (bytes[40] as number) ^ 1;
  return `${mark} ${name} ${bytes.toString('base64')}\n`;
}

function sizeOfRequest(body: string): number {
  return sizeOf(body.slice(body.indexOf('\n\n') + 2));
}
