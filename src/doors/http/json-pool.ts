/**
 * Parses large JSON bodies strictly in a worker thread, one after another (contract §4). The main thread only runs
 * the native parse of bodies that are valid and whose sender is authorized.
 */
import { extname } from 'node:path';
import { WorkerQueue } from '../../app/outside/worker-queue.ts';
import { fault, isFault, type Fault, type FaultCode } from '../../kernel/fault.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';

export interface ParseJob {
  readonly bytes: Uint8Array;
  readonly valuesMax: number;
}

/** A refusal, or the bytes with the credential in them. */
export type ParseVerdict =
  | { readonly refusal: { readonly code: FaultCode; readonly message: string; readonly fix: string } }
  | { readonly bytes: Uint8Array; readonly token: string | undefined };

/** The credential in a body: `share` of a dispatch call, `key` of other writes. */
export function tokenIn(value: JsonValue): string | undefined {
  const { key, share } = (value ?? {}) as JsonObject;
  return [share, key].find((each) => typeof each === 'string' && /^(?:sh\.|[ct]k_)/.test(each)) as
    string | undefined;
}

export class JsonPool {
  readonly #queue = new WorkerQueue<ParseJob, ParseVerdict>(
    new URL(`./json-worker${extname(import.meta.url)}`, import.meta.url),
    { resourceLimits: { maxYoungGenerationSizeMb: 16 } },
    ({ bytes }) => [bytes.buffer as ArrayBuffer],
  );

  /** The parsed value, after `admit` accepted the credential in it. */
  async parse(
    bytes: Uint8Array,
    valuesMax: number,
    admit: (token: string | undefined) => Promise<Fault | undefined>,
  ): Promise<{ readonly value: JsonValue } | Fault> {
    const verdict = await this.#queue.run({ bytes, valuesMax });
    if ('refusal' in verdict) {
      const { code, message, fix } = verdict.refusal;
      return fault(code, message, fix);
    }
    const refusal = await admit(verdict.token);
    if (isFault(refusal)) return refusal;
    const { buffer, byteOffset, byteLength } = verdict.bytes;
    return { value: JSON.parse(Buffer.from(buffer, byteOffset, byteLength).toString('utf8')) as JsonValue };
  }

  async close(): Promise<void> {
    await this.#queue.close();
  }
}
