/**
 * Image and video providers through the AI SDK (contract §3 CREATIVE_GENERATE). Requests are sent once: the SDK's
 * retries are off, and a video operation is recorded before it is polled. Payloads and responses are recorded, with
 * pictures replaced by hashes and keys removed.
 */
import { setTimeout as wait } from 'node:timers/promises';
import {
  experimental_getVideoStatus as getVideoStatus,
  experimental_startVideo as startVideo,
  generateImage,
  type ImageModel,
} from 'ai';
import { uncounted } from '../../domain/yield.ts';
import { pixelsOf, type CreativeInput, type Engine } from '../../domain/creative/engines.ts';
import type { EngineOutput } from '../../domain/creative/run.ts';
import type { Job } from '../../domain/job.ts';
import { redactionMarker } from '../../guard/secrets.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { recordingFetch, type Wire } from './creative-wire.ts';
import { usageOf, type Prices } from './prices.ts';

/** What the code behind a provider is given. */
export interface ProviderAccess {
  readonly key: string;
  readonly baseUrl: string | undefined;
  /** Milliseconds between polls. */
  readonly pollMs: number | undefined;
  readonly prices: Prices;
  readonly answerBytesMax: number;
  download(url: string): Promise<Uint8Array | Fault>;
  reference(url: string): Promise<Uint8Array | Fault>;
}

const pollEveryMs = 5_000;
const note = (engine: Engine, model: string): string => `Made by ${model} of ${engine.provider}.`;

export async function generate(
  engine: Engine,
  input: CreativeInput,
  access: ProviderAccess,
  signal: AbortSignal,
  job: Job,
): Promise<EngineOutput | Fault> {
  const reference =
    input.reference_url === undefined ? undefined : await access.reference(input.reference_url);
  if (isFault(reference)) return reference;
  const wire = wireOf(access);
  const order = { engine, input, access, reference, model: input.model ?? engine.model, wire, signal };
  try {
    return engine.form === 'video' ? await makeVideo(order, job) : await makeImage(order, job);
  } catch (error) {
    return refusedBy(engine, error, access.key, wire);
  }
}

function wireOf({ key, answerBytesMax }: ProviderAccess): Wire {
  return recordingFetch(key, { bytesMax: answerBytesMax, extractBase64: true });
}

interface Order {
  readonly engine: Engine;
  readonly input: CreativeInput;
  readonly access: ProviderAccess;
  /** The reference picture. */
  readonly reference: Uint8Array | undefined;
  readonly model: string;
  readonly wire: Wire;
  readonly signal: AbortSignal;
}

/** The provider's error with the payload, so that the body can be corrected. */
function refusedBy(engine: Engine, error: unknown, key: string, wire: Wire): Fault {
  const { request, response } = wire.last();
  // Providers may quote the key.
  const why = (error instanceof Error ? error.message : String(error)).replaceAll(key, redactionMarker);
  const { status, retry_after: retryAfter } = (response ?? {}) as JsonObject;
  return fault(
    'runner_failed',
    `${engine.id} refused: ${why.slice(0, 500)}`,
    wire.isCutOff()
      ? 'Ask for a smaller picture or film; the operator sets how large an answer may be with provider_bytes in COLOPHON_LIMITS.'
      : status === 429
        ? `The provider is asked too often: repair the invocation ${typeof retryAfter === 'string' ? `after what it asks for (Retry-After: ${retryAfter})` : 'later'}.`
        : 'Read raw_response, correct the body and repair the invocation.',
    { reason: 'provider', payload: request, raw_response: response },
  );
}

async function makeVideo(order: Order, job: Job): Promise<EngineOutput | Fault> {
  const { engine, input, access, reference, model, wire, signal } = order;
  const started = await startVideo({
    model: await videoModel(access, model, wire),
    prompt: reference === undefined ? input.prompt : { image: reference, text: input.prompt },
    ...(input.aspect_ratio === undefined ? {} : { aspectRatio: input.aspect_ratio as `${number}:${number}` }),
    ...(input.resolution === undefined
      ? {}
      : { resolution: pixelsOf(input.resolution) as `${number}x${number}` }),
    ...(input.duration === undefined ? {} : { duration: input.duration }),
    ...(input.enhance === undefined ? {} : { providerOptions: { google: { enhancePrompt: input.enhance } } }),
    maxRetries: 0,
    abortSignal: signal,
  });
  const sent = wire.last();
  const taken: JsonObject = { operation: started.operation, model, payload: sent.request };
  await job.submitted(taken);
  return awaitVideo(engine, access, taken, signal, job);
}

async function makeImage(order: Order, job: Job): Promise<EngineOutput | Fault> {
  const { engine, input, access, reference, model, wire, signal } = order;
  const made = await generateImage({
    model: await imageModel(engine, access, model, wire),
    prompt: reference === undefined ? input.prompt : { images: [reference], text: input.prompt },
    ...(engine.provider === 'openai' && input.size !== undefined
      ? { size: input.size as `${number}x${number}` }
      : {}),
    ...(engine.provider === 'google' && input.aspect_ratio !== undefined
      ? { aspectRatio: input.aspect_ratio as `${number}:${number}` }
      : {}),
    maxRetries: 0,
    abortSignal: signal,
  });
  job.spent(usageOf(model, made.usage, access.prices));
  const { request, response } = wire.last();
  return {
    bytes: wire.bytesFrom(made.image.base64),
    payload: request,
    rawResponse: response,
    model,
    warnings: made.warnings.map((warning) => JSON.stringify(warning)),
    note: note(engine, model),
  };
}

/** Polls a video until it is ready or the signal aborts. `taken` was recorded on submission. */
export async function awaitVideo(
  engine: Engine,
  access: ProviderAccess,
  taken: JsonObject,
  signal: AbortSignal,
  job: Pick<Job, 'spent'>,
): Promise<EngineOutput | Fault> {
  // Videos are priced by the second, and operations do not report the price.
  job.spent(uncounted);
  const wire = wireOf(access);
  const model = String(taken['model']);
  const handle = await videoModel(access, model, wire);
  for (;;) {
    const status = await getVideoStatus(handle, {
      operation: taken['operation'] as never,
      maxRetries: 2,
      abortSignal: signal,
    });
    if (status.status === 'error')
      return fault(
        'runner_failed',
        `The provider gave up: ${status.error.replaceAll(access.key, redactionMarker)}`,
        'Change the prompt and repair.',
        {
          raw_response: wire.last().response,
        },
      );
    if (status.status === 'completed') {
      const bytes = await bytesOf(status.videos[0], access, wire);
      if (isFault(bytes)) return bytes;
      return {
        bytes,
        payload: taken['payload'] ?? null,
        rawResponse: wire.last().response,
        model,
        warnings: status.warnings.map((warning) => JSON.stringify(warning)),
        note: note(engine, model),
      };
    }
    await wait(access.pollMs ?? pollEveryMs, undefined, { signal });
  }
}

type Video = Extract<Awaited<ReturnType<typeof getVideoStatus>>, { status: 'completed' }>['videos'][number];

async function bytesOf(
  video: Video | undefined,
  access: ProviderAccess,
  wire: Wire,
): Promise<Uint8Array | Fault> {
  if (video === undefined || video.type === 'uploaded')
    return fault('runner_failed', 'The provider answered without a film.', 'Repair the invocation.');
  if (video.type === 'url') return withoutKey(await access.download(video.url), access.key);
  return video.type === 'base64' ? wire.bytesFrom(video.data) : video.data;
}

/** The download URL contains the key. */
function withoutKey(fetched: Uint8Array | Fault, key: string): Uint8Array | Fault {
  if (!isFault(fetched)) return fetched;
  return JSON.parse(JSON.stringify(fetched).replaceAll(key, redactionMarker)) as Fault;
}

async function imageModel(
  engine: Engine,
  access: ProviderAccess,
  model: string,
  wire: Wire,
): Promise<ImageModel> {
  if (engine.provider === 'google') return (await google(access, wire)).image(model);
  const { createOpenAI } = await import('@ai-sdk/openai');
  return createOpenAI(settings(access, wire)).image(model);
}

async function videoModel(access: ProviderAccess, model: string, wire: Wire) {
  return (await google(access, wire)).video(model);
}

async function google(access: ProviderAccess, wire: Wire) {
  const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
  return createGoogleGenerativeAI(settings(access, wire));
}

function settings({ key, baseUrl }: ProviderAccess, wire: Wire) {
  return { apiKey: key, fetch: wire.fetch, ...(baseUrl === undefined ? {} : { baseURL: baseUrl }) };
}
