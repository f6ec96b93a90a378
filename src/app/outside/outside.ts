/** Adapters of everything outside the store, by the deployment's configuration; made once, in `compose.ts`. */
import type { Outside } from '../../domain/outside/outside.ts';
import type { EgressAllow } from '../../guard/egress.ts';
import type { Blobs } from '../../engine/store.ts';
import { creativeWith, type CreativeConfig } from './creative.ts';
import { callHttpWith, httpLacksWith } from './call-http-row.ts';
import { fetchTextWith, readPageWith } from './fetch-body.ts';
import { fetcher, urlJudge } from './fetch.ts';
import { imagesWith } from './images.ts';
import { mailerWith, noMail, type MailConfig } from './mail.ts';
import { noRepository, repositoryReader, type RepositoryConfig } from './read-repository.ts';
import type { SizeLimits } from '../../kernel/size-limits.ts';
import type { RowSecrets } from '../service.ts';
import type { Prices } from './prices.ts';
import { moduleLacksIn, runModuleFrom } from './run-module.ts';
import { modelWith, type ModelConfig } from './write-model.ts';

export interface OutsideConfig extends RepositoryConfig {
  readonly baseUrl: string;
  readonly egressAllow: EgressAllow;
  readonly moduleFolder: string | undefined;
  readonly creative: CreativeConfig;
  readonly model: ModelConfig | undefined;
  readonly prices: Prices;
  readonly mail: MailConfig | undefined;
  readonly limits: { readonly sizes: Pick<SizeLimits, 'providerBytesMax'> };
}

export function outsideOf(config: OutsideConfig, secrets: RowSecrets, blobs: Blobs): Outside {
  const fetch = fetcher({
    allow: config.egressAllow,
    userAgent: `Colophon/0.2 (+${config.baseUrl}/protocol)`,
  });
  const judgeUrl = urlJudge(config.egressAllow);
  return {
    fetch,
    judgeUrl,
    fetchText: fetchTextWith(fetch),
    readPage: readPageWith(fetch),
    callHttp: callHttpWith(fetch, secrets),
    httpLacks: httpLacksWith(judgeUrl, secrets),
    runModule: runModuleFrom(config.moduleFolder),
    moduleLacks: moduleLacksIn(config.moduleFolder),
    readRepository: repositoryReader(config),
    repositoryLacks: () => (config.repository === undefined ? noRepository() : undefined),
    creative: creativeWith(config.creative, {
      base: config.baseUrl,
      fetch,
      blobs,
      prices: config.prices,
      answerBytesMax: config.limits.sizes.providerBytesMax,
    }),
    images: imagesWith(config.baseUrl, fetch, blobs),
    model: modelWith(config.model, config.prices),
    sendMail: mailerWith(config.mail),
    mailLacks: () => (config.mail === undefined ? noMail() : undefined),
  };
}
