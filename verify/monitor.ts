/**
 * The judgement of a monitor (contract §6): what signed checkpoints of one log say beside the history that was seen of it. A
 * larger one must continue it, entry by entry; a smaller one must be its beginning, wherever it was served. Two that
 * contradict each other become evidence against their key.
 */
import { equal, hex } from './bytes.ts';
import type { Checkpoint } from './checkpoint.ts';
import type { VerifierKey } from './cosignature.ts';
import { formatEvidence, verifyEvidence } from './evidence.ts';
import { readTile, type LogFetch } from './files.ts';
import type { Progress } from './log-audit.ts';
import { consistencyRoots, rootOf } from './merkle.ts';
import { follow } from './monitor-follow.ts';
import { keptCheckpoint, keptTree, type KeptLog } from './monitor-kept.ts';
import { openCheckpoint } from './note.ts';
import { InvalidEvidence } from './report.ts';
import { TileTree } from './tile-tree.ts';

export interface MonitoredKey {
  readonly key: VerifierKey;
  /** `name+hash+key`. */
  readonly text: string;
}

/** What one look at a log came to. */
export type Finding =
  | { readonly kind: 'grown'; readonly from: number; readonly size: number; readonly root: string }
  /** The log was read, and is as it was. */
  | { readonly kind: 'unchanged'; readonly size: number }
  /** What was served is an earlier state of what was seen, which no signature forbids. */
  | { readonly kind: 'behind'; readonly size: number; readonly seen: number }
  | { readonly kind: 'problem'; readonly id: string; readonly detail: string }
  /** The key signed two histories; `evidence` is the file that proves it. */
  | { readonly kind: 'fork'; readonly sizes: readonly [number, number]; readonly evidence: string };

export interface LookOptions {
  /** Ids to report entries about. */
  readonly watched?: readonly string[];
  readonly progress?: Progress | undefined;
}

interface Signed {
  readonly note: string;
  readonly checkpoint: Checkpoint;
}

/** The text of a checkpoint beyond which evidence would not fit into its file. */
const noteTextCharsMax = 8 * 1024;

/** Checkpoints that could not be followed; further ones are reported and not remembered. */
const unfollowedMax = 16;

export class LogMonitor {
  readonly #kept: KeptLog;
  readonly #key: MonitoredKey;

  constructor(kept: KeptLog, key: MonitoredKey) {
    this.#kept = kept;
    this.#key = key;
  }

  /** Compares notes that one address serves, whose files `read` reads, with what was seen of the log anywhere. */
  async look(
    read: LogFetch,
    notes: readonly string[],
    options: LookOptions = {},
  ): Promise<readonly Finding[]> {
    const findings: Finding[] = [];
    const signed: Signed[] = [];
    for (const note of new Set(notes))
      await this.#finding(findings, async () => void signed.push(await this.#open(note)));
    signed.sort((a, b) => b.checkpoint.size - a.checkpoint.size);
    // The largest first: it has the others below it, unless the log forked.
    for (const each of signed) await this.#finding(findings, () => this.#growOrRemember(read, each, options));
    const seen = keptCheckpoint(this.#kept);
    for (const note of this.#kept.unfollowed())
      await this.#finding(findings, () => this.#recall(note, seen, signed));
    if (seen !== undefined)
      for (const each of signed)
        if (each.checkpoint.size <= seen.size)
          await this.#finding(findings, () => this.#compare(each, { note: seen.note, checkpoint: seen }));
    const [newest] = signed;
    if (newest !== undefined && seen !== undefined && findings.length === 0)
      findings.push(
        newest.checkpoint.size < seen.size
          ? { kind: 'behind', size: newest.checkpoint.size, seen: seen.size }
          : { kind: 'unchanged', size: seen.size },
      );
    for (const detail of this.#kept.problems()) findings.push({ kind: 'problem', id: 'chain', detail });
    return findings;
  }

  /** What a step finds, a refusal of what was served included. */
  async #finding(findings: Finding[], step: () => Promise<Finding | undefined>): Promise<void> {
    try {
      const found = await step();
      if (found !== undefined) findings.push(found);
    } catch (error) {
      if (!(error instanceof InvalidEvidence)) throw error;
      findings.push({ kind: 'problem', id: error.id, detail: error.message });
    }
  }

  async #open(note: string): Promise<Signed> {
    if (note.lastIndexOf('\n\n') > noteTextCharsMax)
      throw new InvalidEvidence('checkpoint', `the checkpoint has more than ${noteTextCharsMax} characters`);
    return { note, checkpoint: await openCheckpoint(note, this.#key.key) };
  }

  /**
   * What the log has signed is remembered where it does not show the entries: it may have signed another history, and
   * return to the one that was seen.
   */
  async #growOrRemember(read: LogFetch, each: Signed, options: LookOptions): Promise<Finding | undefined> {
    try {
      return await this.#grow(read, each, options);
    } catch (error) {
      if (this.#kept.unfollowed().length < unfollowedMax) this.#kept.putUnfollowed(each.note);
      throw error;
    }
  }

  /** A checkpoint that could not be followed: compared as soon as what was seen covers it. */
  async #recall(
    note: string,
    seen: (Checkpoint & { readonly note: string }) | undefined,
    served: readonly Signed[],
  ): Promise<Finding | undefined> {
    const each = await this.#open(note);
    if (seen !== undefined && each.checkpoint.size <= seen.size) {
      const found = await this.#compare(each, { note: seen.note, checkpoint: seen });
      this.#kept.removeUnfollowed(note);
      return found;
    }
    // What is served now was reported already.
    if (served.some((now) => now.note === note)) return undefined;
    throw new InvalidEvidence(
      'unfollowed',
      `the log has signed ${each.checkpoint.size} entries before, and does not show them any more`,
    );
  }

  /** Follows the log to a checkpoint that is larger than what was seen; nothing for any other. */
  async #grow(read: LogFetch, each: Signed, options: LookOptions): Promise<Finding | undefined> {
    const { note, checkpoint: signed } = each;
    const { watched = [], progress } = options;
    const seen = keptCheckpoint(this.#kept);
    const from = seen?.size ?? 0;
    if (seen !== undefined && signed.size <= from) return undefined;
    if (seen !== undefined && from > 0) {
      const tree = new TileTree((level, n, width) => readTile(read, level, n, width), signed.size);
      const proof = await tree.consistencyProof(from);
      const led = await consistencyRoots(from, signed.size, proof);
      if (led === undefined || !equal(led.second, signed.root))
        throw new InvalidEvidence(
          'tile',
          `the served tiles do not lead to the root that was signed for ${signed.size} entries, so that nothing shows how it continues the ${from} entries seen`,
        );
      if (!equal(led.first, seen.root))
        return this.#fork({ note: seen.note, checkpoint: seen }, { note, checkpoint: signed }, proof);
    }
    if (!(await follow(this.#kept, { read, note, signed, from, watched, progress })))
      return this.#grow(read, each, options);
    return { kind: 'grown', from, size: signed.size, root: hex(signed.root) };
  }

  /** A checkpoint within what was seen must be of its beginning. The kept tree shows what the log showed before. */
  async #compare(each: Signed, seen: Signed): Promise<Finding | undefined> {
    const { size, root } = each.checkpoint;
    const tree = keptTree(this.#kept, seen.checkpoint.size);
    const expected = size === 0 ? await rootOf([]) : await tree.rootAt(size);
    if (equal(expected, root)) return undefined;
    const needsProof = size > 0 && size < seen.checkpoint.size;
    // Of one size, the one that was seen first stands first.
    const [first, second] = size < seen.checkpoint.size ? [each, seen] : [seen, each];
    return this.#fork(first, second, needsProof ? await tree.consistencyProof(size) : undefined);
  }

  async #fork(first: Signed, second: Signed, proof: readonly Uint8Array[] | undefined): Promise<Finding> {
    const evidence = formatEvidence(this.#key.text, this.#key.key, [first.note, second.note], proof);
    const failure = (await verifyEvidence(evidence, this.#key.text)).checks.find(({ ok }) => !ok);
    if (failure !== undefined)
      throw new InvalidEvidence(
        failure.id,
        `two checkpoints differ, and no evidence can be made of them: ${failure.detail}`,
      );
    return { kind: 'fork', sizes: [first.checkpoint.size, second.checkpoint.size], evidence };
  }
}
