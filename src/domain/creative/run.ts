/**
 * One creative run (spec §2.7): it generates the one version that was asked for, and records the exact payload, the
 * raw response, the channel, the stored result and what it was derived from. The record is the invocation's result,
 * so that readers of the receipt may read the run.
 */
import { isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import type { Job } from '../job.ts';
import type { Result } from '../context.ts';
import { formOf, givenFields, type CreativeInput, type Engine } from './engines.ts';
import { exactly } from '../../model/exact.ts';
import { Created } from '../../model/outside.ts';

/** What an engine made, before it is stored. */
export interface EngineOutput {
  readonly bytes: Uint8Array;
  /** What was sent, as it was sent; pictures inside are named by their hash. */
  readonly payload: JsonValue;
  readonly rawResponse: JsonValue;
  readonly model: string;
  readonly warnings: readonly string[];
  /** Plain words on how it came about. */
  readonly note: string;
}

/** A result that is kept: its hash is in the receipt, its address is stable. A type, so that it counts as JSON. */
export type StoredOutput = {
  readonly sha256: string;
  readonly bytes: number;
  readonly media_type: string;
  readonly url: string;
};

/** What reaches outside for a run. */
export interface Creative {
  readonly engines: readonly Engine[];
  /** What is missing for an engine to be asked at all. */
  lacks(engine: Engine): Fault | undefined;
  generate(
    engine: Engine,
    input: CreativeInput,
    signal: AbortSignal,
    job: Job,
  ): Promise<EngineOutput | Fault>;
  /** Goes on with what a provider took on under `reference`. */
  resume(engine: Engine, reference: JsonObject, signal: AbortSignal, job: Job): Promise<EngineOutput | Fault>;
  store(bytes: Uint8Array): Promise<StoredOutput | Fault>;
  /** Hash of a result of ours that a reference address names; nothing for any other address. */
  ownResult(url: string): string | undefined;
}

export async function creativeRun(
  creative: Creative,
  engine: Engine,
  input: CreativeInput,
  job: Job,
  made: EngineOutput | Fault,
): Promise<Result | Fault> {
  if (isFault(made)) return made;
  const stored = await creative.store(made.bytes);
  // What was no picture was paid for all the same: the receipt has what was sent and what came.
  if (isFault(stored))
    return {
      ...stored,
      details: { ...stored.details, payload: made.payload, raw_response: made.rawResponse },
    };
  const parent = input.reference_url === undefined ? undefined : creative.ownResult(input.reference_url);
  const run = {
    id: `run_${job.inv.slice('inv_'.length)}`,
    engine: engine.id,
    provider: engine.provider,
    model: made.model,
    form: formOf(engine, input),
    prompt: input.prompt,
    product_id: input.product_id ?? null,
    payload: made.payload,
    raw_response: made.rawResponse,
    channel: job.channel,
    stored,
    lineage: {
      invocation: job.inv,
      reference_url: input.reference_url ?? null,
      // The picture it started from, else the run that it replays or repairs.
      parent: parent ?? job.parent,
    },
    honoured: givenFields(input),
    warnings: [...made.warnings],
    note: made.note,
  };
  return {
    result: exactly(Created, {
      url: stored.url,
      media_type: stored.media_type,
      sha256: stored.sha256,
      creative_run: run,
    }),
    text: `${engine.id} made ${stored.media_type} of ${stored.bytes} bytes: ${stored.url}. ${made.note}`,
    material: [{ kind: run.form, id: stored.sha256, url: stored.url }],
  };
}
