/**
 * The engines of this deployment (contract §3 CREATIVE_GENERATE): their providers, where results are stored, and how
 * reference pictures are fetched. Provider code is loaded on first use.
 */
import { keyVariable, notConfigured, type Engine, type Provider } from '../../domain/creative/engines.ts';
import type { Creative } from '../../domain/creative/run.ts';
import { links } from '../../domain/links.ts';
import type { Fetch } from '../../domain/outside/outside.ts';
import type { ProviderAccess } from './creative-providers.ts';
import type { Prices } from './prices.ts';
import type { Blobs } from '../../engine/store.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { mediaTypeOf } from '../../represent/media-type.ts';

export interface CreativeConfig {
  readonly engines: readonly Engine[];
  /** By environment variable, as set. */
  readonly keys: Readonly<Record<string, string | undefined>>;
  /** The provider's address, if not its default. */
  readonly baseUrls: Readonly<Partial<Record<Provider, string | undefined>>>;
  readonly pollMs?: number | undefined;
}

/** Maximum bytes of a stored result and of a reference picture. */
const resultBytesMax = 64 * 1024 * 1024;
const referenceBytesMax = 8 * 1024 * 1024;

export interface ProviderEnvironment {
  readonly base: string;
  readonly fetch: Fetch;
  readonly blobs: Blobs;
  readonly prices: Prices;
  /** Maximum bytes of a provider's answer and of a downloaded video. */
  readonly answerBytesMax: number;
}

export function creativeWith(
  config: CreativeConfig,
  { base, fetch, blobs, prices, answerBytesMax }: ProviderEnvironment,
): Creative {
  const keyOf = (variable: string | undefined): string =>
    variable === undefined ? '' : (config.keys[variable] ?? '');
  const lacks = (engine: Engine): Fault | undefined => {
    const variable = keyVariable[engine.provider];
    return variable !== undefined && keyOf(variable) === '' ? notConfigured(engine, variable) : undefined;
  };
  const provider = async (engine: Engine): Promise<ProviderAccess | Fault> => {
    const missing = lacks(engine);
    if (missing !== undefined) return missing;
    return {
      key: keyOf(keyVariable[engine.provider]),
      baseUrl: config.baseUrls[engine.provider],
      pollMs: config.pollMs,
      prices,
      answerBytesMax,
      download,
      reference,
    };
  };
  const ownResult = (url: string): string | undefined =>
    new RegExp(`^${RegExp.escape(links.blob(base, ''))}([0-9a-f]{64})$`).exec(url)?.[1];
  const download = async (url: string, bytesMax = answerBytesMax): Promise<Uint8Array | Fault> => {
    const fetched = await fetch({ url, bytesMax, timeoutMs: 120_000 });
    if (isFault(fetched)) return fetched;
    return fetched.status === 200
      ? fetched.bytes
      : fault('runner_failed', `The file was answered with ${fetched.status}.`, 'Check its address.');
  };
  /** Results of this deployment are read from the store; other URLs go through the egress guard. */
  const reference = async (url: string): Promise<Uint8Array | Fault> => {
    const own = ownResult(url);
    const bytes = own === undefined ? await download(url, referenceBytesMax) : await blobs.get(own);
    if (bytes === undefined) return fault('not_found', 'There is no such result.', 'Take it from a receipt.');
    if (isFault(bytes)) return bytes;
    return mediaTypeOf(bytes)?.startsWith('image/') === true
      ? bytes
      : fault('runner_failed', 'reference_url is no picture.', 'Send the address of a PNG, JPEG or WebP.');
  };
  return {
    engines: config.engines,
    ownResult,
    lacks,
    async generate(engine, input, signal, job) {
      const access = await provider(engine);
      if (isFault(access)) return access;
      if (engine.provider === 'local')
        return (await import('./creative-local.ts')).drawLocally(input, signal);
      const providers = await import('./creative-providers.ts');
      return providers.generate(engine, input, access, signal, job);
    },
    async resume(engine, given, signal, job) {
      const access = await provider(engine);
      if (isFault(access)) return access;
      const providers = await import('./creative-providers.ts');
      return providers.awaitVideo(engine, access, given, signal, job);
    },
    async store(bytes) {
      const type = mediaTypeOf(bytes);
      if (type === undefined || bytes.length > resultBytesMax)
        return fault('runner_failed', 'The engine answered with no image or video.', 'Read the receipt.');
      const sha256 = await blobs.put(bytes);
      return { sha256, bytes: bytes.length, media_type: type, url: links.blob(base, sha256) };
    },
  };
}
