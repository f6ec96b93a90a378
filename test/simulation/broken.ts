/**
 * Broken builds that the simulation must find (`npm run simulate -- --broken`). Each is one change of the product's source,
 * or of what stands for a database, a disk or a restored machine, and stands for a class of mistakes.
 */
import type { Sabotage } from './simulate.ts';

interface BrokenBuild {
  readonly name: string;
}

/** One text of one file, which holds it exactly once, replaced. */
export interface BrokenSource extends BrokenBuild {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

export interface BrokenPart extends BrokenBuild {
  readonly sabotage: Sabotage;
}

export const brokenParts: readonly BrokenPart[] = [
  { name: 'budget counted outside of the transaction', sabotage: { countsOutside: true } },
  { name: 'commit acknowledged before the standby has it', sabotage: { commitsWithoutStandby: true } },
  { name: 'two sequencers and no fence', sabotage: { integratesUnfenced: true } },
  { name: 'disk that has less than it says', sabotage: { diskLies: true } },
  { name: 'keyring that sets without comparing', sabotage: { setsWithoutComparing: true } },
  { name: 'copy of a witness that is written after the answer', sabotage: { answersBeforeCopy: true } },
  { name: 'restored witness that keeps its keys', sabotage: { keepsKeys: true } },
];

export const brokenSources: readonly BrokenSource[] = [
  {
    name: 'embedded store answers before its batch is on disk',
    file: 'src/store/sqlite/commits.ts',
    from: 'void whenDurable(batch, disk.durable(ticket), () => {',
    to: 'tell();\n    void whenDurable(batch, disk.durable(ticket), () => {',
  },
  {
    name: 'disk counts what was committed after its call began',
    file: 'src/store/sqlite/disk.ts',
    from: 'else if (each.ticket <= covered) each.done();',
    to: 'else if (each.ticket >= 0) each.done();',
  },
  {
    name: 'sequencer forgets a pending batch with a lower number',
    file: 'src/store/postgres/sequencer.ts',
    from: '    if (rows.length === 0) return false;\n',
    to: '    const seen = this as unknown as { last?: number };\n    while ((rows[0]?.first ?? Infinity) <= (seen.last ?? -1)) rows.shift();\n    seen.last = rows.at(-1)?.first ?? seen.last;\n    if (rows.length === 0) return false;\n',
  },
  {
    name: 'unknown commit is tried again as a new act',
    file: 'src/store/postgres/writer.ts',
    from: 'if (!(await this.#session.isCommitted(entry.seq, entry.text, deadline))) throw error;',
    to: 'throw error;',
  },
  {
    name: 'commit is looked for while it may still happen',
    file: 'src/store/postgres/writer-session.ts',
    from: "          { text: 'SELECT pg_advisory_xact_lock($1)', values: [this.ownLock] },\n          { text: 'SELECT text FROM entry",
    to: "          { text: 'SELECT 1' },\n          { text: 'SELECT text FROM entry",
  },
  {
    name: 'acknowledged before the commit is answered',
    file: 'src/store/postgres/writer.ts',
    from: 'if (error instanceof Unconfirmed) throw new OutcomeUnknown(error.message, { cause: error });\n      if (!(error instanceof Lost) || entry === undefined) throw error;',
    to: 'if (error instanceof Unconfirmed || error instanceof Lost || entry === undefined) return;',
  },
  {
    name: 'rollback guard compares nothing',
    file: 'src/store/postgres/rollback-guard.ts',
    from: '    if (size < head.size)\n',
    to: "    if (size >= 0) return { kind: 'sound' };\n    if (size < head.size)\n",
  },
  {
    name: 'store without compare-and-set on the hash',
    file: 'src/domain/articles/edit-div.ts',
    from: 'if (div.vx_hash !== expectedHash) {',
    to: 'if (div.vx_hash === "") {',
  },
  {
    name: 'budget with one use too many',
    file: 'src/domain/capabilities/life-cycle.ts',
    from: 'Math.max(0, record.max_uses - uses)',
    to: 'Math.max(0, record.max_uses + 1 - uses)',
  },
  {
    name: 'time of an entry from the raw clock',
    file: 'src/ledger/entry.ts',
    from: "  if (name === 'ts' && head !== null && head.ts > draft.ts) return head.ts;\n",
    to: '',
  },
  {
    name: 'chain that counts from its head without linking to it',
    file: 'src/ledger/entry.ts',
    from: "if (name === 'prev') return head === null ? genesis : head.hash;",
    to: "if (name === 'prev') return genesis;",
  },
  {
    name: 'witness without compare-and-set',
    file: 'src/app/witness.ts',
    from: 'if (stored !== value && !(await keyring.compareAndSet(name, stored, value))) return undefined;',
    to: 'if (stored !== value) await keyring.set(name, value);',
  },
  {
    name: 'witness cosigns before its record is durable',
    file: 'src/app/witness.ts',
    from: 'if (stored !== value && !(await keyring.compareAndSet(name, stored, value))) return undefined;\n    await copy.put(origin, next);',
    to: 'if (stored !== value) void keyring.compareAndSet(name, stored, value);\n    void copy.put(origin, next);',
  },
  {
    name: 'witness ignores its copy',
    file: 'src/app/witness.ts',
    from: 'larger(recordIn(stored), copy.get(origin))',
    to: 'recordIn(stored)',
  },
  {
    name: 'witness checks no consistency',
    file: 'src/ledger/witness.ts',
    from: 'if (record !== undefined && verifyConsistency(oldSize, size, proof, record.root, root))',
    to: 'if (record !== undefined && proof.length >= 0)',
  },
  {
    name: 'witness takes another tree of the same size',
    file: 'src/ledger/witness.ts',
    from: '  if (isFork) return no(',
    to: '  if (isFork && oldSize > size) return no(',
  },
  {
    name: 'collector forgets the cosigned checkpoint that was stored',
    file: 'src/app/background/cosigning-records.ts',
    from: '    if (isMore(found, this.#newest)) this.#newest = found;',
    to: '    void isMore;',
  },
  {
    name: 'signatures are not verified',
    file: 'src/ledger/note.ts',
    from: '    if (!key.verifies(text, bytes)) return refuse(`the signature of ${key.name} is wrong`);\n',
    to: '',
  },
  {
    name: 'quorum of one',
    file: 'src/ledger/policy.ts',
    from: 'if (members.filter((member) => met.has(member)).length >= threshold) met.add(name);',
    to: 'if (threshold > 0 && members.some((member) => met.has(member))) met.add(name);',
  },
];
