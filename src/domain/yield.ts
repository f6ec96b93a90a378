/**
 * What a call yielded (contract §3 `yield`): the tokens and the money that a provider counted, and the objects that
 * came of it. It is recorded with the outcome and read from there by everything that shows it. Counts stand in the
 * entry, which is public; the objects' names are content. Money is in millionths of a dollar, since entries hold
 * integers only; null means that the cost is unknown.
 */
import type { Content } from '../engine/act.ts';
import type { JsonValue } from '../kernel/json.ts';
import type { Draft, Entry } from '../ledger/entry.ts';
import type { Receipt } from '../model/invocation.ts';
import type { Material, Result } from './context.ts';

export interface Usage {
  readonly tokensIn: number;
  readonly tokensOut: number;
  readonly usdMicros: number | null;
  /** Tokens whose output was thrown away. */
  readonly tokensWasted: number;
}

export interface Yielded {
  readonly usage: Usage;
  readonly material: readonly Material[];
}

export const noUsage: Usage = { tokensIn: 0, tokensOut: 0, usdMicros: 0, tokensWasted: 0 };
/** What a provider that counts no tokens was paid for its work. */
export const uncounted: Usage = { ...noUsage, usdMicros: null };
export const nothingYielded: Yielded = { usage: noUsage, material: [] };

/** Tokens that no object came of are wasted, whatever they were spent on. */
export function callYield(result: Result | undefined, usage: Usage = noUsage): Yielded {
  const material = result?.material ?? [];
  const total = usage.tokensIn + usage.tokensOut;
  const wasted = material.length === 0 || result?.wasted === true;
  return { material, usage: { ...usage, tokensWasted: wasted ? total : usage.tokensWasted } };
}

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    tokensIn: a.tokensIn + b.tokensIn,
    tokensOut: a.tokensOut + b.tokensOut,
    usdMicros: a.usdMicros === null || b.usdMicros === null ? null : a.usdMicros + b.usdMicros,
    tokensWasted: a.tokensWasted + b.tokensWasted,
  };
}

/** Members of the entry that records an outcome; none where nothing was counted and nothing was spent. */
export function usageMembers({ usage }: Yielded): Partial<Draft> {
  if (usage.tokensIn + usage.tokensOut === 0 && usage.usdMicros !== null) return {};
  return {
    tokens_in: usage.tokensIn,
    tokens_out: usage.tokensOut,
    tokens_wasted: usage.tokensWasted === 0 ? undefined : usage.tokensWasted,
    usd_micros: usage.usdMicros ?? undefined,
  };
}

/** Content of the same entry; none where nothing came of the call. */
export function materialContent({ material }: Yielded, withheld: boolean): Content[] {
  return material.length === 0 ? [] : [{ field: 'material_sha', value: [...material], withheld }];
}

export function usageIn(entry: Entry): Usage {
  const count = (name: string): number => (typeof entry[name] === 'number' ? entry[name] : 0);
  const [tokensIn, tokensOut] = [count('tokens_in'), count('tokens_out')];
  // An entry without a count is of a call that spent nothing.
  const priced = entry['tokens_in'] === undefined || typeof entry['usd_micros'] === 'number';
  return {
    tokensIn,
    tokensOut,
    usdMicros: priced ? count('usd_micros') : null,
    tokensWasted: count('tokens_wasted'),
  };
}

export function materialIn(content: JsonValue | null): readonly Material[] {
  return (content as readonly Material[] | null) ?? [];
}

export function usd(usdMicros: number | null): number | null {
  return usdMicros === null ? null : usdMicros / 1_000_000;
}

/** As every door shows it. `cost.usd` is null where a provider was paid and no price is known. */
export function yieldJson({ usage, material }: Yielded): Receipt['yield'] {
  return {
    tokens: { in: usage.tokensIn, out: usage.tokensOut, total: usage.tokensIn + usage.tokensOut },
    cost: { usd: usd(usage.usdMicros) },
    material: [...material],
    waste: usage.tokensWasted,
  };
}
