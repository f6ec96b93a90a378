/** Small components that pages share: hashes, times, actors, contributed links, lists of facts. */
import type { ComponentChildren } from 'preact';
import { HeadingText } from './heading-text.tsx';
import { Ago } from './components/ago.tsx';
import type { AsOfNote, Paths, Site } from './site.ts';
import type { Words } from './plain-words.ts';
import { actorText, timeText } from './format-text.ts';
import { splitInvisible } from '../../kernel/invisible-characters.ts';
import { type AsOf, withAsOf } from '../../app/reads/historical-read.ts';

/** A hash in monospace that may break anywhere. */
export function Mono({ children }: { readonly children: ComponentChildren }) {
  return <code class="mono">{children}</code>;
}

/** An id such as `inv_…`, kept on one line. */
export function Id({ children }: { readonly children: ComponentChildren }) {
  return <code class="id">{children}</code>;
}

/** Date and time to the second in UTC; `brief` where people ask how long ago it was. */
export function Time({ iso, brief = false }: { readonly iso: string; readonly brief?: boolean }) {
  if (brief) return <Ago iso={iso} />;
  return Number.isNaN(Date.parse(iso)) ? <span>{iso}</span> : <time dateTime={iso}>{timeText(iso)}</time>;
}

/**
 * Who acted, as the ledger records it: a word or a fingerprint, never a typed name. A fingerprint links to its
 * page, which is public only in open workspaces (`isOpen`).
 */
export function Actor({
  site,
  actor,
  isOpen = true,
  opens = false,
}: Readonly<{ site: Site; actor: string; isOpen?: boolean; /** A sentence. */ opens?: boolean }>) {
  if (!isOpen || !/^cap_[0-9a-f]{16}$/.test(actor)) {
    const text = actorText(actor);
    return <span>{opens ? text.slice(0, 1).toUpperCase() + text.slice(1) : text}</span>;
  }
  return (
    <a href={site.to.capability(actor)}>
      <Id>{actor}</Id>
    </a>
  );
}

/** Who acted, at the beginning of a sentence. */
export function ActorAtStart({
  site,
  actor,
  isOpen = true,
}: Readonly<{ site: Site; actor: string; isOpen?: boolean }>) {
  const name = actorText(actor);
  if (name !== actor) return <>{name.slice(0, 1).toUpperCase() + name.slice(1)}</>;
  return (
    <>
      The holder of <Actor site={site} actor={actor} isOpen={isOpen} />
    </>
  );
}

export function ReceiptLink({
  site,
  inv,
  children,
}: Readonly<{ site: Site; inv: string; children?: ComponentChildren }>) {
  // Receipts are on the deployment alone: where readers cannot reach it, the id says more than a word without a link.
  if (site.static !== undefined && site.static.live === undefined) return <Id>{inv}</Id>;
  return <a href={site.to.receipt(inv)}>{children ?? <Id>{inv}</Id>}</a>;
}

/** A link from a contributor: only http and https are linked, without endorsement. */
export function ContributedLink({ href, children }: Readonly<{ href: string; children: ComponentChildren }>) {
  const url = URL.parse(href);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) return <span>{children}</span>;
  return (
    <a href={url.href} rel="nofollow ugc noopener noreferrer">
      {children}
    </a>
  );
}

interface Fact {
  readonly name: string;
  readonly value: ComponentChildren;
}

/** Names and values; facts without a value are omitted. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl class="facts">
      {facts
        .filter(({ value }) => value !== null && value !== undefined && value !== '')
        .map(({ name, value }) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}

/** Shows the result of verification in the browser; `web/verify.ts` fills it in. */
export function VerificationStatus({
  site,
  what,
  button,
}: Readonly<{ site: Site; what: string; button?: string }>) {
  return (
    <div class="seal" id="seal" data-state="open" {...policyMark(site)} hidden={button === undefined}>
      <p id="seal-text" role="status">
        <strong>Not verified in this browser.</strong> {what}
      </p>
      <details id="seal-more" hidden>
        <summary>What was checked</summary>
        <ul id="seal-checks" />
      </details>
      {button === undefined ? null : (
        <button id="seal-button" type="button" hidden>
          {button}
        </button>
      )}
    </div>
  );
}

/** Tells the verifier of the page that this site publishes a policy with its witnesses. */
export function policyMark({ service, static: isStatic }: Site): { readonly 'data-policy'?: string } {
  return service.policyFile === undefined || isStatic !== undefined ? {} : { 'data-policy': '' };
}

/** An act in plain words, with links to its objects. */
export function ActWords({
  site,
  slug,
  words,
}: Readonly<{ site: Site; /** Of the article that ids belong to. */ slug: string; words: Words }>) {
  return (
    <>
      {words.map((part) => {
        if (typeof part === 'string') return part;
        if ('id' in part) return objectLink(site, slug, part.id);
        return (
          <a href={site.to.article(part.slug)}>
            <bdi>
              <HeadingText title={part.title} />
            </bdi>
          </a>
        );
      })}
    </>
  );
}

function objectLink(site: Site, slug: string, id: string) {
  return <a href={site.to.div(slug, id)}>{id}</a>;
}

export function ExactText({ text }: { readonly text: string }) {
  return (
    <>
      {splitInvisible(text).map(({ text: visible, hidden }, i) => (
        <>
          {visible}
          {hidden === undefined ? null : (
            <span key={i} class="unseen-mark" title="A character that is not seen stands here.">
              [{hidden}]
            </span>
          )}
        </>
      ))}
    </>
  );
}

/** The site, with links to one article as of a moment. */
export function siteAsOf(
  site: Site,
  slug: string,
  asOfQuery: AsOf,
  stood: Pick<AsOfNote, 'ts' | 'rev' | 'newest'>,
): Site {
  const { to } = site;
  const atThatMoment =
    <Rest extends readonly string[]>(path: (own: string, ...rest: Rest) => string) =>
    (own: string, ...rest: Rest): string =>
      own === slug ? withAsOf(path(own, ...rest), asOfQuery) : path(own, ...rest);
  const paths: Paths = {
    ...to,
    article: atThatMoment(to.article),
    div: atThatMoment(to.div),
    claim: atThatMoment(to.claim),
    source: atThatMoment(to.source),
    json: atThatMoment(to.json),
    markdown: atThatMoment(to.markdown),
    part: atThatMoment(to.part),
    citation: atThatMoment(to.citation),
    nanopub: atThatMoment(to.nanopub),
    graph: atThatMoment(to.graph),
  };
  const query = new URLSearchParams({ ...asOfQuery }).toString();
  return {
    ...site,
    to: paths,
    asOf: { ...stood, query: query, now: to.article(slug), history: to.history(slug) },
  };
}

/** The notice at the top of a page that shows a past state. */
export function AsOfNotice({ asOf }: { readonly asOf: AsOfNote }) {
  const { ts, rev, newest, now, history } = asOf;
  return (
    <div class="past" role="note">
      <p>
        <strong>As of</strong> <Time iso={ts} />, in revision {rev}.{' '}
        {rev === newest ? (
          <>
            The text is current; later discourse is not shown. <a href={now}>Read it as it is now</a>.
          </>
        ) : (
          <>
            <a href={now}>Read the newest, revision {newest}</a>, or{' '}
            <a href={`${history}?from=${rev}&to=${newest}`}>what has changed since</a>.
          </>
        )}
      </p>
    </div>
  );
}
