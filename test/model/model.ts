/**
 * The product as a plain model in memory: articles are lists of (DIV id, text), a share is a count of uses.
 * It knows nothing of entries, tables or transactions, and says of every command how it must end.
 */
import {
  bodies,
  choose,
  claims,
  paragraphs,
  quotes,
  slugs,
  type Command,
  type ShareKey,
  type Who,
} from './commands.ts';

export interface ModelArticle {
  readonly divs: { id: string; text: string }[];
  made: number;
  revision: number;
  readonly claims: { readonly id: string; readonly text: string }[];
  readonly sources: { readonly id: string; readonly quote: string }[];
  readonly contributions: { readonly claim: string; readonly body: string; readonly actor: string }[];
}

export interface ModelShare {
  readonly keys: readonly ShareKey[];
  readonly maxUses: number;
  readonly parent: ModelShare | undefined;
  readonly expiresAt: number;
  uses: number;
  denials: number;
  revoked: boolean;
}

/** What an observer sees of how a call ended. */
export interface Ending {
  /** 'success', or the code of the fault. */
  readonly code: string;
  readonly repeated?: boolean;
  readonly charged?: boolean;
  /** What the answer says that the model can know. */
  readonly says?: unknown;
}

/** Refusals that are recorded one by one. */
const denialsMax = 25;

export class Model {
  readonly articles = new Map<string, ModelArticle>();
  readonly shares: ModelShare[] = [];
  readonly #repeatable = new Map<string, { readonly request: string; readonly ending: Ending }>();
  /** Seconds. */
  #now: number;

  constructor(now: number) {
    this.#now = now;
  }

  wait(seconds: number): void {
    this.#now += seconds;
  }

  apply(command: Exclude<Command, { readonly do: 'wait' | 'restart' }>): Ending {
    switch (command.do) {
      case 'mint':
        return this.#call(command.who, 'CAP_MINT', () => this.#mint(command));
      case 'revoke':
        return this.#call(command.who, 'CAP_REVOKE', () => this.#revoke(command.who, command.share));
      case 'document':
        return this.#call(command.who, 'VOXEL_BATCH', () => this.#document(command.slug, command.paragraphs));
      case 'edit':
        return this.#call(command.who, 'VOXEL_EDIT', () => this.#edit(command));
      case 'move':
        return this.#call(command.who, 'VOXEL_MOVE', () => this.#move(command));
      case 'claim':
        return this.#call(command.who, 'CLAIM_POST', () => this.#claim(command));
      case 'source':
        return this.#call(command.who, 'SOURCE_POST', () => this.#source(command));
      case 'append': {
        const append = (): Ending =>
          this.#call(command.who, 'MIRROR_APPEND', () =>
            this.#append(
              command.slug,
              command.claim === 0 ? '' : `c${command.claim}`,
              bodies[command.body] as string,
            ),
          );
        return command.idem === undefined ? append() : this.#once(command, append);
      }
      case 'feed':
        return this.#call(command.who, 'MIRROR_FEED', () => this.#feed(command.slug, command.limit));
      default: {
        const endings = Array.from(
          { length: command.calls },
          () =>
            this.#call(command.who, 'MIRROR_APPEND', () => this.#append(command.slug, '', 'all at once'))
              .code,
        );
        return { code: 'success', says: endings.sort() };
      }
    }
  }

  shareOf(who: Who): ModelShare | undefined {
    return typeof who === 'number' ? this.shares[choose(who, this.shares.length)] : undefined;
  }

  // Gates

  #call(who: Who, key: ShareKey | 'CAP_MINT' | 'CAP_REVOKE', run: () => Ending): Ending {
    if (who === 'owner') return { charged: false, ...run() };
    const share = this.shareOf(who);
    const open = key === 'MIRROR_APPEND' || key === 'MIRROR_FEED';
    if (share === undefined)
      return open
        ? { charged: false, ...run() }
        : { code: key === 'CAP_MINT' ? 'owner_only' : 'credential_required' };
    const narrowing = key === 'CAP_MINT' || key === 'CAP_REVOKE';
    const refused = this.#gate(share, narrowing ? undefined : key);
    if (refused !== undefined) {
      if (share.denials < denialsMax) share.denials++;
      return { code: refused };
    }
    const ending = run();
    const counted =
      narrowing || ending.code !== 'success' ? [] : chainOf(share).filter((link) => link.maxUses > 0);
    for (const link of counted) link.uses++;
    return { charged: counted.length > 0, ...ending };
  }

  #gate(share: ModelShare, key: ShareKey | undefined): string | undefined {
    const chain = chainOf(share);
    if (share.revoked) return 'token_revoked';
    if (share.expiresAt <= this.#now) return 'token_expired';
    if (key !== undefined && chain.some((link) => !link.keys.includes(key))) return 'scope_denied';
    for (const link of chain.slice(1)) {
      if (link.revoked) return 'ancestor_revoked';
      if (link.expiresAt <= this.#now) return 'ancestor_expired';
    }
    return key !== undefined && chain.some((link) => link.maxUses > 0 && link.uses >= link.maxUses)
      ? 'token_exhausted'
      : undefined;
  }

  /** The first outcome of a repeatable request is its outcome for good, unless the share was revoked since. */
  #once(command: Extract<Command, { readonly do: 'append' }>, run: () => Ending): Ending {
    const share = this.shareOf(command.who);
    const name = `${share === undefined ? (command.who === 'owner' ? 'owner' : 'anonymous') : this.shares.indexOf(share)}/${command.idem}`;
    const request = `${command.slug}/${command.claim}/${command.body}`;
    const known = this.#repeatable.get(name);
    if (known !== undefined) {
      if (known.request !== request) return { code: 'idempotency_conflict' };
      if (share === undefined || chainOf(share).every((link) => !link.revoked))
        return { code: known.ending.code, repeated: true, charged: false };
    }
    const before = share?.denials;
    const ending = run();
    const denied = share !== undefined && (share.denials !== before || deniedCodes.has(ending.code));
    if (!denied) this.#repeatable.set(name, { request, ending });
    return ending;
  }

  // Rows

  #mint({ who, keys, maxUses, ttl }: Extract<Command, { readonly do: 'mint' }>): Ending {
    const parent = this.shareOf(who);
    const left = parent === undefined ? Infinity : parent.expiresAt - this.#now;
    const lasting = ttl ?? Math.min(left, 600);
    if (parent !== undefined) {
      const usesLeft = Math.min(
        ...chainOf(parent).map((link) => (link.maxUses === 0 ? Infinity : link.maxUses - link.uses)),
      );
      const wider =
        usesLeft <= 0 ||
        (usesLeft !== Infinity && (maxUses === 0 || maxUses > usesLeft)) ||
        keys.some((key) => !parent.keys.includes(key));
      if (lasting > left || wider || chainOf(parent).length > 8) return { code: 'scope_denied' };
    }
    this.shares.push({
      keys,
      maxUses,
      parent,
      expiresAt: this.#now + lasting,
      uses: 0,
      denials: 0,
      revoked: false,
    });
    return { code: 'success' };
  }

  #revoke(who: Who, target: number): Ending {
    const own = this.shareOf(who);
    const share = this.shares[choose(target, this.shares.length)];
    if (share === undefined || (own !== undefined && !chainOf(share).includes(own)))
      return { code: 'not_found' };
    if (share.revoked) return { code: 'conflict' };
    share.revoked = true;
    return { code: 'success' };
  }

  #document(slug: number, texts: readonly number[]): Ending {
    const name = slugs[slug] as string;
    const existing = this.articles.get(name);
    const article = existing ?? {
      divs: [],
      made: 0,
      revision: 0,
      claims: [],
      sources: [],
      contributions: [],
    };
    this.articles.set(name, article);
    const made = texts.map((text) => ({ id: `d${++article.made}`, text: paragraphs[text] as string }));
    article.divs.push(...made);
    return {
      code: 'success',
      says: {
        created: existing === undefined,
        divs: made.map((div) => div.id),
        revision: ++article.revision,
      },
    };
  }

  #edit({ slug, div, paragraph, stale }: Extract<Command, { readonly do: 'edit' }>): Ending {
    const article = this.#article(slug);
    const found = article?.divs[choose(div, article.divs.length, 1)];
    if (article === undefined || found === undefined) return { code: 'not_found' };
    if (stale) return { code: 'hash_stale', says: { current_text: found.text } };
    found.text = paragraphs[paragraph] as string;
    return { code: 'success', says: { text: found.text, revision: ++article.revision } };
  }

  #move({ slug, div: chosen, direction, off }: Extract<Command, { readonly do: 'move' }>): Ending {
    const article = this.#article(slug);
    const div = choose(chosen, article?.divs.length ?? 0, 1);
    const found = article?.divs[div];
    if (article === undefined || found === undefined) return { code: 'not_found' };
    const target = direction === 'up' ? div - 1 : div + 1;
    if (off || target < 0 || target >= article.divs.length)
      return { code: 'order_stale', says: { layout: article.divs.map((each) => each.id) } };
    article.divs.splice(div, 1);
    article.divs.splice(target, 0, found);
    return { code: 'success', says: { order: target + 1, revision: ++article.revision } };
  }

  #claim({ slug, claim, source }: Extract<Command, { readonly do: 'claim' }>): Ending {
    const article = this.#article(slug);
    if (article === undefined) return { code: 'not_found' };
    if (source !== undefined && article.sources[source] === undefined) return { code: 'content_rule' };
    const text = claims[claim] as string;
    const same = article.claims.find((each) => each.text === text);
    if (same !== undefined) return { code: 'duplicate_claim', says: { canonical: same.id } };
    const id = `c${article.claims.length + 1}`;
    article.claims.push({ id, text });
    article.revision++;
    return { code: 'success', says: { claim_id: id, revision: article.revision } };
  }

  #source({ slug, quotes: chosen }: Extract<Command, { readonly do: 'source' }>): Ending {
    const article = this.#article(slug);
    if (article === undefined) return { code: 'not_found' };
    const texts = chosen.map((quote) => quotes[quote] as string);
    if (
      new Set(texts).size < texts.length ||
      texts.some((quote) => article.sources.some((each) => each.quote === quote))
    )
      return { code: 'duplicate_source' };
    const made = texts.map((quote, i) => ({ id: `s${article.sources.length + i + 1}`, quote }));
    article.sources.push(...made);
    return {
      code: 'success',
      says: { source_ids: made.map((each) => each.id), revision: ++article.revision },
    };
  }

  #append(slug: number, claim: string, body: string): Ending {
    const article = this.#article(slug);
    if (article === undefined || (claim !== '' && article.claims.every((each) => each.id !== claim)))
      return { code: 'not_found' };
    const again = article.contributions.some((each) => each.claim === claim && each.body === body);
    if (!again) article.contributions.push({ claim, body, actor: 'ada' });
    return { code: 'success', says: { repeated: again } };
  }

  #feed(slug: number, limit: number): Ending {
    const article = this.#article(slug);
    if (article === undefined) return { code: 'not_found' };
    const newest = article.contributions.toReversed().slice(0, limit);
    return {
      code: 'success',
      says: { count: article.contributions.length, newest: newest.map((each) => [each.claim, each.body]) },
    };
  }

  #article(slug: number): ModelArticle | undefined {
    return this.articles.get(slugs[slug] as string);
  }
}

const deniedCodes = new Set([
  'token_revoked',
  'token_expired',
  'scope_denied',
  'ancestor_revoked',
  'ancestor_expired',
  'token_exhausted',
]);

function chainOf(share: ModelShare): ModelShare[] {
  const chain: ModelShare[] = [];
  for (let link: ModelShare | undefined = share; link !== undefined; link = link.parent) chain.push(link);
  return chain;
}
