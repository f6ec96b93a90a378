/** Everything outside the store that an effect may name as a need; it gets what it names and nothing else. */
import type { Creative } from '../creative/run.ts';
import type { Fetch, FetchText, JudgeUrl, ReadPage } from './fetch.ts';
import type { Model } from './model.ts';
import type { CallHttp, HttpLacks, ModuleLacks, RunModule } from './own-rows.ts';
import type { ReadRepository, RepositoryLacks } from './repository.ts';

export interface Outside {
  /** Requests to hosts that a caller named, behind the egress guard. */
  readonly fetch: Fetch;
  readonly judgeUrl: JudgeUrl;
  readonly fetchText: FetchText;
  readonly readPage: ReadPage;
  readonly callHttp: CallHttp;
  readonly httpLacks: HttpLacks;
  readonly runModule: RunModule;
  readonly moduleLacks: ModuleLacks;
  readonly readRepository: ReadRepository;
  readonly repositoryLacks: RepositoryLacks;
  readonly creative: Creative;
  /** Undefined where none is configured. */
  readonly model: Model | undefined;
}
