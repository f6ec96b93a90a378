/**
 * Beyond one database (docs/scaling.md): a seeded simulation of a deployment that is divided by workspace into
 * partitions, each with a database, a log and nodes of its own. Workspaces are used as a Zipf law says. A partition
 * commits in batches, one after the other, with the times that `npm run bench -- postgres` measured; a balancer moves
 * workspaces away from partitions that are full. Nothing of it is a measurement of a divided deployment.
 */
import { pathToFileURL } from 'node:url';
import { alone, type Row, type Settings } from './row.ts';

export type Placement = 'by hash' | 'by hash, then moved';

export interface Parameters {
  readonly seed: number;
  readonly partitions: number;
  readonly workspaces: number;
  /** The exponent of the Zipf law: at 1, the second workspace is used half as much as the first. */
  readonly zipf: number;
  /** Acts a second that arrive, as a share of what all partitions can commit. */
  readonly offered: number;
  readonly seconds: number;
  /** Seconds at the start that are not counted: the balancer needs some to find out. */
  readonly warmUp: number;
  readonly placement: Placement;
}

/** What a partition takes, in milliseconds: 64 acts a batch are 4,960 acts a second, as measured. */
export const service = { batchMs: 2, actMs: 0.17, batchMax: 64, queueMax: 4096 } as const;
/** Acts a second that one partition commits at most. */
export const capacity = (service.batchMax * 1000) / (service.batchMs + service.batchMax * service.actMs);

/**
 * What moving a workspace costs: its entries are copied with a fifth of either server, whose batches take a quarter
 * longer meanwhile. A partition holds a million entries, which belong to workspaces as their use does.
 */
const move = {
  entriesPerPartition: 1_000_000,
  entryMs: 0.05,
  ofServer: 0.2,
  slower: 1.25,
  frozenMs: 200,
} as const;
const balance = { everyMs: 1000, above: 0.75, gap: 0.1 } as const;
/** Every partition has its own log, and all logs the same witnesses. */
const witness = { witnesses: 3, checkpointsPerSecond: 1, requestMs: 1 } as const;
/** A node learns of a move from the first request that it sends to the wrong partition. */
const nodesPerPartition = 2;

export interface Result {
  readonly offeredPerSecond: number;
  readonly committedPerSecond: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  /** What the busiest and the idlest partition committed, as shares of their capacity. */
  readonly busiest: number;
  readonly idlest: number;
  readonly moves: number;
  /** The share of acts that were refused because too many waited. */
  readonly refused: number;
  /** Requests that went to the partition that a workspace had left. */
  readonly forwarded: number;
  /** The share of all acts that the most used workspace asks for, and of one partition's capacity. */
  readonly largestShare: number;
  readonly largestOfPartition: number;
  /** Requests a second that each witness answers, and the share of one core that they take. */
  readonly witnessRequests: number;
  readonly witnessLoad: number;
}

interface Waiting {
  readonly arrived: number;
  /** When it may be committed: later than it arrived where its workspace is frozen for a move. */
  readonly from: number;
}

class Partition {
  /** In order of `from`. */
  #queue: Waiting[] = [];
  #head = 0;
  #freeAt = 0;
  /** Acts committed. */
  done = 0;
  copiesUntil = 0;

  /** Answers whether there was room. */
  add(waiting: Waiting): boolean {
    if (this.#queue.length - this.#head >= service.queueMax) return false;
    let at = this.#queue.length;
    while (at > this.#head && (this.#queue[at - 1] as Waiting).from > waiting.from) at--;
    this.#queue.splice(at, 0, waiting);
    return true;
  }

  /** Runs all batches that begin before `until`; natural group commit takes what waits when the last one ends. */
  run(until: number, committed: (arrived: number, at: number) => void): void {
    for (;;) {
      const first = this.#queue[this.#head];
      if (first === undefined) break;
      const begins = Math.max(this.#freeAt, first.from);
      if (begins >= until) break;
      let end = this.#head;
      while (
        end < this.#queue.length &&
        end - this.#head < service.batchMax &&
        (this.#queue[end] as Waiting).from <= begins
      )
        end++;
      const slower = begins < this.copiesUntil ? move.slower : 1;
      const took = (service.batchMs + (end - this.#head) * service.actMs) * slower;
      this.#freeAt = begins + took;
      this.done += end - this.#head;
      for (let i = this.#head; i < end; i++) committed((this.#queue[i] as Waiting).arrived, this.#freeAt);
      this.#head = end;
      if (this.#head > 4096) {
        this.#queue = this.#queue.slice(this.#head);
        this.#head = 0;
      }
    }
  }
}

export function simulate(parameters: Parameters): Result {
  const { partitions: count, workspaces, seconds, warmUp } = parameters;
  const random = generator(parameters.seed);
  const cumulative = zipf(workspaces, parameters.zipf);
  const largestShare = cumulative[0] as number;
  const offeredPerSecond = parameters.offered * count * capacity;
  const placed = Array.from({ length: workspaces }, () => Math.floor(random() * count));
  /** Where moves that have begun will have led. */
  const planned = [...placed];
  const partitions = Array.from({ length: count }, () => new Partition());
  const used = new Float64Array(workspaces);
  const frozenUntil = new Map<number, number>();
  const movedAt = new Map<number, { readonly at: number; readonly to: number }>();
  /** Nodes that do not know of a move yet. */
  const unaware = new Map<number, number>();
  const took: number[] = [];
  let moves = 0;
  let forwarded = 0;
  let refused = 0;
  const from = warmUp * 1000;
  const end = from + seconds * 1000;
  const committed = (arrived: number, at: number): void => {
    if (arrived >= from && at <= end) took.push(at - arrived);
  };
  let nextBalance: number = balance.everyMs;
  let isWarm = false;
  for (let now = pause(random, offeredPerSecond); now < end; now += pause(random, offeredPerSecond)) {
    if (!isWarm && now >= from) {
      isWarm = true;
      for (const partition of partitions) {
        partition.run(from, committed);
        partition.done = 0;
      }
    }
    if (now >= nextBalance) {
      for (const partition of partitions) partition.run(nextBalance, committed);
      if (parameters.placement === 'by hash, then moved') {
        for (let i = 0; i < count; i++) {
          const chosen = chooseMove(partitions, planned, used, frozenUntil, nextBalance);
          if (chosen === undefined) break;
          const { workspace, to } = chosen;
          const pair = [partitions[planned[workspace] as number], partitions[to]] as [Partition, Partition];
          const entries = share(cumulative, workspace) * count * move.entriesPerPartition;
          // Copied beside the writes, then frozen for the last entries and the switch.
          const copied = nextBalance + (entries * move.entryMs) / move.ofServer;
          for (const partition of pair) partition.copiesUntil = copied;
          planned[workspace] = to;
          movedAt.set(workspace, { at: copied, to });
          frozenUntil.set(workspace, copied + move.frozenMs);
          unaware.set(workspace, count * nodesPerPartition - nodesPerPartition);
          moves++;
        }
      }
      used.fill(0);
      nextBalance += balance.everyMs;
    }
    const workspace = draw(cumulative, random());
    used[workspace] = (used[workspace] as number) + 1;
    const moving = movedAt.get(workspace);
    if (moving !== undefined && now >= moving.at) placed[workspace] = moving.to;
    let starts = now;
    if (moving !== undefined && now >= moving.at) {
      starts = Math.max(now, frozenUntil.get(workspace) ?? 0);
      const left = unaware.get(workspace) ?? 0;
      if (left > 0) {
        unaware.set(workspace, left - 1);
        forwarded++;
      } else if (now >= (frozenUntil.get(workspace) ?? 0)) {
        movedAt.delete(workspace);
        frozenUntil.delete(workspace);
      }
    }
    const partition = partitions[placed[workspace] as number] as Partition;
    partition.run(now, committed);
    if (!partition.add({ arrived: now, from: starts }) && now >= from) refused++;
  }
  for (const partition of partitions) partition.run(end, committed);
  const shares = partitions.map(({ done }) => done / seconds / capacity).sort((a, b) => a - b);
  took.sort((a, b) => a - b);
  const requests = count * witness.checkpointsPerSecond;
  return {
    offeredPerSecond,
    committedPerSecond: took.length / seconds,
    p50: took[Math.floor(took.length * 0.5)] ?? NaN,
    p99: took[Math.floor(took.length * 0.99)] ?? NaN,
    busiest: shares.at(-1) as number,
    idlest: shares[0] as number,
    moves,
    refused: refused / (offeredPerSecond * seconds),
    forwarded,
    largestShare,
    largestOfPartition: (largestShare * offeredPerSecond) / capacity,
    witnessRequests: requests,
    witnessLoad: (requests * witness.requestMs) / 1000,
  };
}

/** The workspace whose move evens out the fullest partition and the emptiest best. */
function chooseMove(
  partitions: readonly Partition[],
  placed: readonly number[],
  used: Float64Array,
  moving: ReadonlyMap<number, number>,
  now: number,
): { readonly workspace: number; readonly to: number } | undefined {
  // By what is asked of them: a full partition commits no more than it can, and group commit keeps an idle one busy.
  const asked = partitions.map(() => 0);
  used.forEach((n, workspace) => {
    asked[placed[workspace] as number] = (asked[placed[workspace] as number] as number) + n;
  });
  // A partition that copies already has no time for a second copy.
  const free = asked.filter((_, i) => (partitions[i] as Partition).copiesUntil <= now);
  const full = asked.indexOf(Math.max(...free));
  const to = asked.indexOf(Math.min(...free));
  if (free.length < 2) return undefined;
  const shareOf = (partition: number): number =>
    ((asked[partition] as number) * 1000) / balance.everyMs / capacity;
  if (shareOf(full) < balance.above || shareOf(full) - shareOf(to) < balance.gap) return undefined;
  const wanted = ((asked[full] as number) - (asked[to] as number)) / 2;
  let best: number | undefined;
  for (let workspace = 0; workspace < used.length; workspace++) {
    const n = used[workspace] as number;
    if (placed[workspace] !== full || n === 0 || (moving.get(workspace) ?? 0) > now) continue;
    const isBetter = best === undefined || Math.abs(n - wanted) < Math.abs((used[best] as number) - wanted);
    // One that is moved into a worse place than it leaves would be moved back.
    if (isBetter && n < wanted * 2) best = workspace;
  }
  return best === undefined ? undefined : { workspace: best, to };
}

/** Shares of the first, the first two, … workspaces. */
function zipf(workspaces: number, exponent: number): Float64Array {
  const cumulative = new Float64Array(workspaces);
  let sum = 0;
  for (let i = 0; i < workspaces; i++) cumulative[i] = sum += 1 / (i + 1) ** exponent;
  return cumulative.map((value) => value / sum);
}

function share(cumulative: Float64Array, workspace: number): number {
  return (cumulative[workspace] as number) - (workspace === 0 ? 0 : (cumulative[workspace - 1] as number));
}

function draw(cumulative: Float64Array, at: number): number {
  let low = 0;
  let high = cumulative.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((cumulative[middle] as number) > at) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Milliseconds to the next arrival of a Poisson process. */
function pause(random: () => number, perSecond: number): number {
  return (-Math.log(1 - random()) * 1000) / perSecond;
}

/** Mulberry32: the same numbers for the same seed everywhere. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export const usual: Parameters = {
  seed: 1,
  partitions: 1,
  workspaces: 10_000,
  zipf: 0.9,
  offered: 0.6,
  seconds: 20,
  warmUp: 300,
  placement: 'by hash, then moved',
};

const cases: readonly Partial<Parameters>[] = [
  ...[1, 2, 4, 8, 16].map((partitions) => ({ partitions, placement: 'by hash' as const })),
  ...[2, 4, 8, 16].map((partitions) => ({ partitions })),
  ...[8, 16].map((partitions) => ({ partitions, zipf: 1.1 })),
];

export function run(settings: Settings): Promise<Row[]> {
  const rows = cases.flatMap((each) => {
    const parameters = { ...usual, ...each, ...(settings.quick && { seconds: 2, warmUp: 5 }) };
    const result = simulate(parameters);
    const name = `${parameters.partitions} partitions ${parameters.placement}, Zipf ${parameters.zipf}`;
    const text = `offered ${result.offeredPerSecond.toFixed(0)}/s, p50 ${result.p50.toFixed(0)} ms, p99 ${result.p99.toFixed(0)} ms, busiest ${result.busiest.toFixed(2)}, idlest ${result.idlest.toFixed(2)}, refused ${(result.refused * 100).toFixed(1)} %, ${result.moves} moves, ${result.forwarded} forwarded, largest workspace ${result.largestOfPartition.toFixed(2)} of a partition, witness ${result.witnessRequests}/s`;
    return [alone(name, result.committedPerSecond, 'acts/s', '', { note: text })];
  });
  return Promise.resolve(rows);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  for (const row of await run({ quick: false, full: false, say: () => undefined }))
    console.log(`${row.name}: ${row.value.toFixed(0)}/s; ${row.note ?? ''}`);
