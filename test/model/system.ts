/** The real product on one store: the same commands, sent as calls through `dispatch`, with answers as they come. */
import { ClockWatch } from '../../src/app/background/clock.ts';
import { LogAlarms } from '../../src/app/log-alarms.ts';
import { dispatch } from '../../src/app/pipeline/dispatch.ts';
import type { Answer, Call } from '../../src/app/plans/call.ts';
import { Denials, CallCounter, Jobs, type Service } from '../../src/app/service.ts';
import { outsideOf, type OutsideConfig } from '../../src/app/outside/outside.ts';
import { rowSecrets, deriveSecrets, hashTerminalKey } from '../../src/app/credentials/secrets.ts';
import { leaseLimits } from '../../src/guard/limits.ts';
import { sizeLimits } from '../../src/kernel/size-limits.ts';
import { activeDivs, claimsOf, sourcesOf, type ArticleState } from '../../src/domain/articles/state.ts';
import {
  articleTable,
  claimTable,
  divTable,
  slugPath,
  slugTable,
  sourceTable,
} from '../../src/domain/articles/tables.ts';
import { fingerprintOf } from '../../src/domain/capabilities/share-codec.ts';
import { capabilityTable } from '../../src/domain/capabilities/tables.ts';
import { contributionTable } from '../../src/domain/mirror/tables.ts';
import { schema } from '../../src/domain/schema.ts';
import type { Store } from '../../src/engine/store.ts';
import { isFault, type Fault } from '../../src/kernel/fault.ts';
import type { JsonObject } from '../../src/kernel/json.ts';
import { builtInRows } from '../../src/rows/index.ts';
import type { Place } from '../support/stores.ts';
import { bodies, choose, claims, paragraphs, quotes, slugs, type Command, type Who } from './commands.ts';
import type { Ending } from './model.ts';

const secrets = deriveSecrets('5e'.repeat(32), 'log.test', hashTerminalKey('tk_model'));
const tenant = 'main';

const outsideConfig: OutsideConfig = {
  baseUrl: 'http://log.test',
  egressAllow: [],
  moduleFolder: undefined,
  repository: undefined,
  ownerName: undefined,
  creative: { engines: [], keys: {}, baseUrls: {} },
  model: undefined,
  prices: new Map(),
  mail: undefined,
  limits: { sizes: sizeLimits },
};

export class System {
  readonly #place: Place;
  readonly #clock: { seconds: number };
  readonly #tokens: string[] = [];
  #service: Service;

  private constructor(place: Place, clock: { seconds: number }, store: Store) {
    this.#place = place;
    this.#clock = clock;
    this.#service = this.#serve(store);
  }

  static async at(place: Place, clock: { seconds: number }): Promise<System> {
    return new System(place, clock, await place.open(schema));
  }

  get store(): Store {
    return this.#service.store;
  }

  async restart(): Promise<void> {
    await this.store.close();
    this.#service = this.#serve(await this.#place.open(schema));
  }

  #serve(store: Store): Service {
    return {
      store,
      read: store.read,
      logKey: secrets.signer.key,
      rows: new Map(builtInRows.map((row) => [row.key, row])),
      secrets,
      base: 'http://log.test',
      search: {
        passedOver: 0,
        catchUp: async () => 0,
        find: () => Promise.reject(new Error('nothing is searched for')),
        termsBeginning: () => Promise.reject(new Error('nothing is searched for')),
      },
      limits: { ...sizeLimits, openLeasesPerClientMax: leaseLimits.openPerClientMax },
      integrity: { judged: 0, findings: [], finishedAt: undefined },
      ownerName: undefined,
      denials: new Denials(),
      jobs: new Jobs(),
      calls: new CallCounter(),
      onCall: () => undefined,
      rowSecrets: rowSecrets(store.keyring, secrets.sealingKey),
      moduleFolder: undefined,
      outside: outsideOf(outsideConfig, rowSecrets(store.keyring, secrets.sealingKey), store.blobs),
      now: () => this.#clock.seconds * 1000,
      witness: { addCheckpoint: () => Promise.reject(new Error('no log is witnessed')) },
      logAlarms: new LogAlarms({ keyring: store.keyring }),
      clock: new ClockWatch(Date.now, () => undefined),
      backedUpAtMs: async () => 0,
    };
  }

  /** How the command ended, and the whole answers that said so. */
  async apply(
    command: Exclude<Command, { readonly do: 'wait' | 'restart' }>,
  ): Promise<{ readonly ending: Ending; readonly answers: readonly unknown[] }> {
    if (command.do === 'burst') {
      const body = JSON.stringify({
        slug: slugs[command.slug],
        claim_id: '',
        kind: 'question',
        actor: 'ada',
        body: 'all at once',
      });
      const answers = await Promise.all(
        Array.from({ length: command.calls }, () => this.#call(command.who, 'MIRROR_APPEND', body)),
      );
      return {
        ending: { code: 'success', says: answers.map((answer) => endingOf(command, answer).code).sort() },
        answers: [],
      };
    }
    const [key, body] = await this.#requestOf(command);
    const answer = await this.#call(
      command.who,
      key,
      body,
      command.do === 'append' ? command.idem : undefined,
    );
    const ending = endingOf(command, answer);
    if (command.do === 'mint' && ending.code === 'success') this.#tokens.push(revealed(answer));
    return { ending, answers: [comparable(answer)] };
  }

  #call(who: Who, key: string, body: string, idem?: number): Promise<Answer | Fault> {
    const share = typeof who === 'number' ? this.#tokens[choose(who, this.#tokens.length)] : undefined;
    const call: Call = {
      key,
      body,
      presented: who === 'owner' ? { terminal: 'tk_model' } : share === undefined ? {} : { share },
      tenant,
      method: 'POST',
      idempotencyKey: idem === undefined ? undefined : `again-${idem}`,
      channel: 'http',
      client: '192.0.2.1',
      meter: undefined,
    };
    return dispatch(this.#service, call);
  }

  async #requestOf(
    command: Exclude<Command, { readonly do: 'wait' | 'restart' | 'burst' }>,
  ): Promise<readonly [string, string]> {
    const slug = 'slug' in command ? (slugs[command.slug] as string) : '';
    switch (command.do) {
      case 'mint':
        return [
          'CAP_MINT',
          JSON.stringify({ scope: 'rows', keys: command.keys, max_uses: command.maxUses, ttl: command.ttl }),
        ];
      case 'revoke': {
        const token = this.#tokens[choose(command.share, this.#tokens.length)];
        return ['CAP_REVOKE', token === undefined ? 'cap_0000000000000000' : fingerprintOf(token)];
      }
      case 'document':
        return [
          'VOXEL_BATCH',
          JSON.stringify({
            document: {
              slug,
              title: `About ${slug}`,
              markdown: `${command.paragraphs.map((i) => paragraphs[i]).join('\n\n')}\n`,
            },
          }),
        ];
      case 'edit': {
        const divs = (await this.#divs(slug)) ?? [];
        const div = divs[choose(command.div, divs.length, 1)];
        const expected = div === undefined || command.stale ? 'f'.repeat(64) : div.vx_hash;
        return [
          'VOXEL_EDIT',
          JSON.stringify({
            slug,
            div_id: div?.div_id ?? 'd999',
            expected_hash: expected,
            text: paragraphs[command.paragraph],
          }),
        ];
      }
      case 'move': {
        const divs = (await this.#divs(slug)) ?? [];
        const at = choose(command.div, divs.length, 1);
        const order = at + 1 + (command.off ? 1 : 0);
        return [
          'VOXEL_MOVE',
          JSON.stringify({
            slug,
            div_id: divs[at]?.div_id ?? 'd999',
            expected_order: order,
            direction: command.direction,
          }),
        ];
      }
      case 'claim': {
        const grounds =
          command.source === undefined
            ? { why_material: 'It is measured.' }
            : { source_ids: [`s${command.source + 1}`] };
        return [
          'CLAIM_POST',
          JSON.stringify({
            slug,
            text: claims[command.claim],
            tier: 'human',
            who_claims: 'The survey',
            ...grounds,
          }),
        ];
      }
      case 'source':
        return [
          'SOURCE_POST',
          JSON.stringify({
            slug,
            sources: command.quotes.map((i) => ({
              type: 'review',
              url: `https://example.org/${i}`,
              title: 'A page',
              quote: quotes[i],
            })),
          }),
        ];
      case 'append':
        return [
          'MIRROR_APPEND',
          `${slug}|${command.claim === 0 ? '' : `c${command.claim}`}|question|ada|${bodies[command.body]}`,
        ];
      default:
        return ['MIRROR_FEED', `${slug}|${command.limit}`];
    }
  }

  // What can be read

  async #divs(slug: string) {
    const article = await this.#article(slug);
    return article === undefined ? undefined : activeDivs(article);
  }

  async #article(slug: string): Promise<ArticleState | undefined> {
    const { read } = this.store;
    const aid = (await read.row(slugTable, slugPath(tenant, slug)))?.aid;
    if (aid === undefined) return undefined;
    const [row, divs, allClaims, sources] = await Promise.all([
      read.row(articleTable, aid),
      read.rows(divTable, aid),
      read.rows(claimTable, aid),
      read.rows(sourceTable, aid),
    ]);
    return row === undefined ? undefined : { row, divs, claims: allClaims, sources };
  }

  /** An article as the model has it. */
  async article(slug: string) {
    const article = await this.#article(slug);
    if (article === undefined) return undefined;
    const contributions = await this.store.read.list(contributionTable, article.row.aid, { limit: 1000 });
    return {
      divs: activeDivs(article).map(({ div_id: id, text }) => ({ id, text })),
      made: article.row.divs_made,
      revision: article.row.version,
      claims: claimsOf(article).map(({ id, text }) => ({ id, text })),
      sources: sourcesOf(article).map(({ source }) => ({ id: source.id, quote: source.quote })),
      contributions: contributions.map(({ contribution }) => ({
        claim: contribution.claim_id,
        body: contribution.body,
        actor: contribution.actor,
      })),
    };
  }

  /** The shares' counts, in the order in which they were minted. */
  async shares() {
    return Promise.all(
      this.#tokens.map(async (token) => {
        const row = await this.store.read.row(capabilityTable, fingerprintOf(token));
        return { uses: row?.uses, denials: row?.denials, revoked: row?.revoked_at !== null };
      }),
    );
  }
}

function endingOf(command: Command, answer: Answer | Fault): Ending {
  if (isFault(answer)) return { code: answer.fault };
  if (answer.kind !== 'called') throw new Error('a call was answered as a dry run');
  const code = answer.refusal?.fault ?? answer.status;
  const denied = answer.status === 'denied';
  return {
    code,
    ...(denied ? {} : { charged: answer.charged }),
    ...(answer.repeated
      ? { repeated: true }
      : saysOf(command, code, answer.result?.result ?? answer.refusal?.details ?? {})),
  };
}

/** The part of an answer that the model foretells. */
function saysOf(command: Command, code: string, result: JsonObject): { says?: unknown } {
  switch (`${command.do} ${code}`) {
    case 'document success':
      return {
        says: {
          created: result['created'],
          divs: (result['divs'] as JsonObject[]).map((div) => div['div_id']),
          revision: result['revision'],
        },
      };
    case 'edit success':
      return { says: { text: (result['div'] as JsonObject)['text'], revision: result['revision'] } };
    case 'edit hash_stale':
      return { says: { current_text: result['current_text'] } };
    case 'move success':
      return { says: { order: result['order'], revision: result['revision'] } };
    case 'move order_stale':
      return { says: { layout: (result['current_layout'] as JsonObject[]).map((div) => div['div_id']) } };
    case 'claim success':
      return { says: { claim_id: result['claim_id'], revision: result['revision'] } };
    case 'claim duplicate_claim':
      return { says: { canonical: (result['canonical'] as JsonObject)['id'] } };
    case 'source success':
      return { says: { source_ids: result['source_ids'], revision: result['revision'] } };
    case 'append success':
      return { says: { repeated: result['repeated'] } };
    case 'feed success': {
      const newest = (result['contributions'] as JsonObject[]).map((each) => [
        each['claim_id'],
        each['body'],
      ]);
      return { says: { count: result['count'], newest } };
    }
    default:
      return {};
  }
}

function revealed(answer: Answer | Fault): string {
  if (isFault(answer) || answer.kind !== 'called') throw new Error('nothing was minted');
  return answer.result?.reveal?.['share'] as string;
}

/** The answer without what only one of the stores can know yet: its place in the log. */
function comparable(answer: Answer | Fault): unknown {
  if (isFault(answer) || answer.kind !== 'called') return answer;
  return { ...answer, proof: { ...answer.proof, log_index: null, tlog_proof: null } };
}
