/**
 * What tokens cost, as the operator says (`COLOPHON_MODEL_PRICES`): dollars for a million tokens, in and out, which is
 * millionths of a dollar for one. Providers count tokens and name no price; where nobody does, the cost is unknown.
 */
import type { Usage } from '../../domain/yield.ts';

/** By model id. */
export type Prices = ReadonlyMap<string, { readonly in: number; readonly out: number }>;

/** `counted` is what a provider reports; what it does not report counts as nothing. */
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

/** A provider's count is a stranger's number. */
function whole(count: number | undefined): number {
  return count !== undefined && Number.isSafeInteger(count) && count > 0 ? Math.min(count, 1e12) : 0;
}
