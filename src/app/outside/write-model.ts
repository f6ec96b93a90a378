/**
 * The language model of this deployment (contract §5 "Ask"), through the AI SDK: `COLOPHON_MODEL` names it; the
 * provider's variables have key and address. Tasks are sent once, without retries or redirects, and the key is
 * removed from error messages.
 */
import type { Provider } from '../../domain/creative/engines.ts';
import type { Model } from '../../domain/outside/outside.ts';
import { redactionMarker } from '../../guard/secrets.ts';
import { fault } from '../../kernel/fault.ts';
import { recordingFetch, type Wire } from './creative-wire.ts';
import { usageOf, type Prices } from './prices.ts';

export interface ModelConfig {
  readonly provider: Exclude<Provider, 'local'>;
  readonly model: string;
  readonly key: string;
  /** The provider's address, if not its default. */
  readonly baseUrl: string | undefined;
}

/** A model's text and usage. */
const answerBytesMax = 4 * 1024 * 1024;
/** A caller waits for the answer. */
const timeoutMs = 45_000;

export function modelWith(config: ModelConfig | undefined, prices: Prices): Model | undefined {
  if (config === undefined) return undefined;
  const name = `${config.provider}:${config.model}`;
  return {
    name,
    async write({ system, prompt, tokensOutMax }, signal) {
      const wire = recordingFetch(config.key, { bytesMax: answerBytesMax });
      try {
        const { generateText } = await import('ai');
        const { text, usage } = await generateText({
          model: await languageModel(config, wire),
          system,
          prompt,
          maxOutputTokens: tokensOutMax,
          maxRetries: 0,
          abortSignal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
        });
        return { text, usage: usageOf(config.model, usage, prices) };
      } catch (error) {
        const why = (error instanceof Error ? error.message : String(error)).replaceAll(
          config.key,
          redactionMarker,
        );
        return fault('runner_failed', `${name} did not answer: ${why.slice(0, 500)}`, 'Ask again later.', {
          reason: 'provider',
          raw_response: wire.last().response,
        });
      }
    },
  };
}

async function languageModel({ provider, model, key, baseUrl }: ModelConfig, wire: Wire) {
  const settings = { apiKey: key, fetch: wire.fetch, ...(baseUrl === undefined ? {} : { baseURL: baseUrl }) };
  if (provider === 'google') {
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google');
    return createGoogleGenerativeAI(settings)(model);
  }
  const { createOpenAI } = await import('@ai-sdk/openai');
  return createOpenAI(settings)(model);
}
