/**
 * Token prices from `COLOPHON_MODEL_PRICES`, in dollars per million tokens, which is millionths of a dollar per
 * token. Providers report tokens and no price; without a configured price the cost is unknown.
 */
import type { Usage } from '../../domain/yield.ts';

/** By model id. */
export type Prices = ReadonlyMap<string, { readonly in: number; readonly out: number }>;

/** `counted` is the provider's report; missing counts are 0. */
export function usageOf(
  model: string,
  counted:
    { readonly inputTokens?: number | undefined; readonly outputTokens?: number | undefined } | undefined,
  prices: Prices,
): Usage {
  const [tokensIn, tokensOut] = [whole(counted?.inputTokens), whole(counted?.outputTokens)];
  const price = prices.get(model);
  return {
    tokensIn,
    tokensOut,
    usdMicros: price === undefined ? null : Math.round(tokensIn * price.in + tokensOut * price.out),
    tokensWasted: 0,
  };
}

/** Counts of a provider are validated like any foreign input. */
function whole(count: number | undefined): number {
  return count !== undefined && Number.isSafeInteger(count) && count > 0 ? Math.min(count, 1e12) : 0;
}
