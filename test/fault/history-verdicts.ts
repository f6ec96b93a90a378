/** Judges a recorded history: by its models alone, and by what the ledger holds in the end. */
import { expect } from 'vitest';
import { sha256Hex } from '../../src/kernel/hash.ts';
import { checkLinearizable, explainVerdict, type Verdict } from '../support/linearizability.ts';
import { budgetModel, divModel, type DivInput, type DivOutput } from '../support/linearizable-models.ts';
import { textOf, textsSlug, usesSlug, type Recorded, type World } from './histories.ts';

/** The histories that have no order; empty where all have one. */
export function violations(world: World): readonly string[] {
  const divs = [...world.divs.keys()].map((div) => [`text of ${div}`, judgeDiv(world, div)] as const);
  const budgets = [...world.history.budgets].map(
    ([{ links }, operations]) =>
      [`budgets of ${links[0]?.name}`, checkLinearizable(budgetModel(links), operations)] as const,
  );
  return [...divs, ...budgets].flatMap(([object, verdict]) =>
    verdict.ok ? [] : [`${object}: ${explainVerdict(verdict)}`],
  );
}

function judgeDiv({ divs, history }: World, div: string): ReturnType<typeof checkDiv> {
  return checkDiv(divs.get(div) as string, history.divs.get(div) ?? []);
}

function checkDiv(
  text: string,
  operations: readonly Recorded<DivInput, DivOutput>[],
): Verdict<string, DivInput, DivOutput> {
  return checkLinearizable(divModel(text), operations);
}

export interface StoredEntry {
  readonly chain: string;
  readonly action?: string;
  readonly charged?: readonly string[];
}

/** What the ledger holds is what the histories say: no acknowledged write is missing, and none was done that was not. */
export async function expectLedger(
  world: World,
  base: string,
  entries: readonly StoredEntry[],
): Promise<void> {
  const succeeded = new Map(
    entries.filter(({ action }) => action === 'success').map((entry) => [entry.chain, entry]),
  );
  await expectChains(world, base, succeeded);

  const { contributions } = await get<{ contributions: { body: string; receipt: string }[] }>(
    `${base}/api/articles/${usesSlug}/mirror`,
  );
  const done = new Map<string, string[]>();
  for (const { body, receipt } of contributions) {
    const id = /op-\d+/.exec(body)?.[0] ?? body;
    done.set(id, [...(done.get(id) ?? []), receipt]);
  }
  expect([...done].filter(([, receipts]) => receipts.length > 1)).toEqual([]);
  const uses = [...world.history.budgets.values()].flat().filter(({ input }) => input.do === 'use');
  const acknowledged = uses.filter(({ output }) => output !== undefined && 'used' in output);
  const missing = acknowledged.filter(
    ({ id, invocation }) => done.get(id)?.[0] !== invocation || !succeeded.has(invocation as string),
  );
  expect(missing).toEqual([]);
  const explained = new Set(
    uses.filter(({ output }) => output === undefined || 'used' in output).map(({ id }) => id),
  );
  expect([...done.keys()].filter((id) => !explained.has(id))).toEqual([]);
  expect(world.history.unwritten.filter((id) => done.has(id))).toEqual([]);

  const charges = entries.flatMap(({ chain, charged = [] }) => charged.map((name) => ({ chain, name })));
  expect(new Set(charges.map(({ chain }) => chain))).toEqual(new Set([...done.values()].flat()));
  for (const { links } of world.families)
    for (const { name, max } of links)
      expect(charges.filter((charge) => charge.name === name).length).toBeLessThanOrEqual(max);
}

/** Each DIV's chain holds the edits of its history, in the one order in which they can have taken effect. */
async function expectChains(
  world: World,
  base: string,
  succeeded: ReadonlyMap<string, StoredEntry>,
): Promise<void> {
  interface Div {
    readonly div_id: string;
    readonly chain: readonly { readonly text_sha: string; readonly inv: string }[];
  }
  const { divs, verification } = await get<{ divs: Div[]; verification: object }>(
    `${base}/api/articles/${textsSlug}/voxels`,
  );
  expect(verification).toMatchObject({ valid: true });
  expect(divs.map(({ div_id: div }) => div)).toEqual([...world.divs.keys()]);
  const unwritten = new Set(world.history.unwritten.map((id) => sha256Hex(textOf(id))));
  for (const { div_id: div, chain } of divs) {
    const { order } = judgeDiv(world, div);
    const edits = (order as readonly Recorded<DivInput, DivOutput>[]).filter(
      ({ input, output }) => input.do === 'edit' && (output === undefined || 'edited' in output),
    );
    const written = chain.slice(1);
    expect(written.map(({ text_sha: text }) => text)).toEqual(
      edits.map(({ input }) => (input.do === 'edit' ? input.text : '')),
    );
    const otherwise = edits.filter(
      ({ output, invocation }, i) => output !== undefined && invocation !== written[i]?.inv,
    );
    expect(otherwise).toEqual([]);
    expect(written.filter(({ text_sha: text }) => unwritten.has(text))).toEqual([]);
    expect(written.filter(({ inv }) => !succeeded.has(inv))).toEqual([]);
  }
}

async function get<T>(address: string): Promise<T> {
  const response = await fetch(address);
  expect(response.status).toBe(200);
  return (await response.json()) as T;
}
