/** Sequential models of what several nodes share: the text of a DIV under compare-and-set, and the budgets of shares. */
import type { Model } from './linearizability.ts';

/** Texts are named by their hash. */
export type DivInput =
  { readonly do: 'read' } | { readonly do: 'edit'; readonly expected: string; readonly text: string };

export type DivOutput = { readonly is: string } | { readonly edited: true } | { readonly stale: string };

export function divModel(text: string): Model<string, DivInput, DivOutput> {
  return {
    initial: text,
    step(current, input, output) {
      if (input.do === 'read')
        return output !== undefined && 'is' in output && output.is === current ? [current] : [];
      const fits = input.expected === current;
      if (output === undefined || 'edited' in output) return fits ? [input.text] : [];
      return !fits && 'stale' in output && output.stale === current ? [current] : [];
    },
  };
}

/** A share and the one that it was cut from. */
export interface BudgetLink {
  readonly name: string;
  readonly max: number;
  readonly parent?: string;
}

export interface BudgetInput {
  readonly do: 'use' | 'count';
  readonly share: string;
}

export type BudgetOutput = { readonly used: true } | { readonly spent: string } | { readonly uses: number };

/** How often each link was used, in the order of `links`. A use counts for the share and all that it was cut from. */
export function budgetModel(
  links: readonly BudgetLink[],
): Model<readonly number[], BudgetInput, BudgetOutput> {
  const indexOf = (name: string): number => links.findIndex((link) => link.name === name);
  const chainOf = (name: string): readonly number[] => {
    const chain: number[] = [];
    for (let at: string | undefined = name; at !== undefined; at = links[indexOf(at)]?.parent)
      chain.push(indexOf(at));
    return chain;
  };
  return {
    initial: links.map(() => 0),
    step(uses, input, output) {
      if (input.do === 'count') {
        const counted = uses[indexOf(input.share)];
        return output !== undefined && 'uses' in output && output.uses === counted ? [uses] : [];
      }
      const chain = chainOf(input.share);
      const spent = chain.filter((i) => (uses[i] ?? 0) >= (links[i] as BudgetLink).max);
      if (output !== undefined && !('used' in output))
        return 'spent' in output && spent.includes(indexOf(output.spent)) ? [uses] : [];
      return spent.length > 0 ? [] : [uses.map((count, i) => (chain.includes(i) ? count + 1 : count))];
    },
  };
}
