/**
 * Evidence from strangers is often bad, so judging it answers with a value: what was read, or a `Refusal`
 * that says what is wrong with it. (Faults are for callers of the product; a bad proof is not one.)
 */

export interface Refusal {
  /** What is wrong, as a clause without a full stop. */
  readonly refused: string;
}

export function refuse(refused: string): Refusal {
  return { refused };
}

export function isRefusal<T extends object>(value: T | Refusal): value is Refusal {
  return Object.hasOwn(value, 'refused');
}

/** The bytes of strict RFC 4648 §4 base64, or nothing: no line breaks, exact padding, no stray bits. */
export function fromBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}

/** A count as the C2SP formats write it: ASCII decimal without leading zeros, within 2^53. */
export function fromDecimal(text: string): number | undefined {
  if (!/^(?:0|[1-9]\d{0,15})$/.test(text)) return undefined;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value : undefined;
}
