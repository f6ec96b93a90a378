/** What every act and question of the application works with; put together once, in `compose.ts`. */
import type { Row } from '../domain/capabilities/row.ts';
import type { Outside } from '../domain/outside/outside.ts';
import type { Store } from '../engine/store.ts';
import type { SizeLimits } from '../kernel/size-limits.ts';
import type { Denials } from './calls/denials.ts';
import type { Jobs } from './calls/jobs.ts';
import type { CallTally } from './calls/tally.ts';
import type { RowSecrets } from './credentials/row-secrets.ts';
import type { ClockWatch } from './background/clock.ts';
import type { IntegrityPass } from './background/integrity.ts';
import type { Searcher } from './background/indexing.ts';
import type { Secrets } from './credentials/secrets.ts';

export interface ServiceLimits extends SizeLimits {
  /** Open assignments that free credentials may hold from one client address. */
  readonly openLeasesPerClientMax: number;
}

export interface Service {
  readonly store: Store;
  /** The store answers from the past of one article (`reads/past-reader.ts`). */
  readonly isPast?: true;
  readonly rows: ReadonlyMap<string, Row>;
  readonly secrets: Secrets;
  /** Base address without a final slash. */
  readonly base: string;
  readonly limits: ServiceLimits;
  readonly search: Searcher;
  /** Stands on no public surface (spec §1). */
  readonly ownerName: string | undefined;
  /** Refusals that are no longer recorded one by one. */
  readonly denials: Denials;
  /** What runs behind requests that were answered. */
  readonly jobs: Jobs;
  /** What the background pass over the ledger finds. */
  readonly integrity: Pick<IntegrityPass, 'judged' | 'findings' | 'finishedAt'>;
  /** How calls ended, for whoever watches the process. */
  readonly calls: CallTally;
  readonly rowSecrets: RowSecrets;
  /** Where modules of fn rows lie; undefined where none may run. */
  readonly moduleFolder: string | undefined;
  /** What effects may ask for, each by its name. */
  readonly outside: Outside;
  /** Milliseconds since 1970. */
  now(): number;
  /** Counts how often the clock of the machine jumped. */
  readonly clock: ClockWatch;
}
