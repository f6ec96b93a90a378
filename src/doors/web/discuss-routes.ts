/**
 * `/a/<slug>/discuss` (contract §3, §8): the discussion, the forms about its parts, and one entry. A submitted form
 * dispatches the row of its kind as open intake and leaves a receipt; a refused one is shown again with its text, and
 * with what changed since it was opened. `/receipt/<inv>/feed.xml` follows one entry. `/a/<slug>/propose`, the earlier
 * address of the form, shows the same form.
 */
import { dispatch } from '../../app/pipeline/dispatch.ts';
import type { ArticleAccess } from '../../app/reads/article-access.ts';
import { articleStamp } from '../../app/reads/articles.ts';
import {
  type Discussion,
  type DiscussionEntry,
  readDiscussion,
  earlierText,
  readDiscussionEntry,
} from '../../app/reads/discussion.ts';
import { readInvocation } from '../../app/reads/invocation.ts';
import { readOutcome } from '../../app/reads/outcome.ts';
import { readPosts } from '../../app/reads/discourse.ts';
import { about, fault, isFault, type Fault } from '../../kernel/fault.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Form } from '../http/browser-forms.ts';
import { withoutSecrets } from '../http/envelope.ts';
import { stringParam } from '../http/parameters.ts';
import { mediaReply, pageReply, refusedPage, seeOther } from '../http/replies.ts';
import type { Query } from '../http/requests.ts';
import { route, unreadable } from '../http/route.ts';
import type { RouteServer } from '../http/route-declaration.ts';
import { discussPage, entryPage, targetPage } from './discuss-page.tsx';
import type { Moved, TargetView } from './discuss-refusal.tsx';
import { seenState, textOf } from './discuss-target.tsx';
import type { Shown } from './discuss-thread.tsx';
import { pageFace } from './error-page.tsx';
import { scrubbedText } from './format-text.ts';
import { cacheable, type PageCache, queryParameter } from './page-cache.ts';
import { callOfForm, isSayingKind, offeredOn, type SayingKind } from './say.ts';
import { feedOf } from './outcome-section.tsx';
import { outcomeFeed } from '../../represent/outcome-feed.ts';
import type { Site } from './site.ts';

const path = '/a/:slug/discuss';
/** Longer quotes are cut: they are shown in a field. */
const quoteCharsMax = 2000;

/** All fields of the form; which of them a kind takes is said in `say.ts`. */
const fields = {
  on: stringParam('the block or claim that it is about; empty for the article as a whole'),
  as: stringParam('the kind'),
  text: stringParam('what is said'),
  actor: stringParam('a name for display'),
  thread_head: stringParam('the head of the thread as it was read'),
  text_hash: stringParam('the hash of the text as it was read'),
  duplicate_of: stringParam('the entry that is confirmed'),
  surface: stringParam('what an objection concerns'),
  minimum_patch: stringParam('the smallest change that would meet it'),
  rationale: stringParam('why a wording is proposed'),
  tier: stringParam('the tier that a reworded claim would have'),
  url: stringParam('the address of a source'),
  quote: stringParam('the exact words of a source'),
  verdict: stringParam('of a review'),
  outcome: stringParam('of an attestation'),
  proposal: stringParam('of a vote'),
  at: stringParam('of a vote to split'),
  into: stringParam('of a vote to merge or show elsewhere'),
  vote_tier: stringParam('of a vote for another tier'),
};

export function discussRoutes(server: RouteServer, site: Site, cache: PageCache): void {
  const { service, requestLimits } = server;
  const { to } = site;
  const page = {
    tag: 'pages',
    caller: 'none',
    lenient: true,
    json: false,
    types: ['text/html'],
    article: true,
    face: pageFace(site),
  } as const;

  route(
    server,
    {
      ...page,
      get: path,
      id: 'discussPage',
      summary: 'The discussion of an article, with forms to take part in it.',
      query: {
        on: stringParam('a block or claim; empty for the form about the article as a whole'),
        as: stringParam('the kind that the form is opened for'),
        quote: stringParam('words of the article that it is about'),
        show: stringParam('open or settled'),
        page: stringParam('a page of the list'),
      },
      limit: 'read',
    },
    async ({ request, query, access }) => {
      const { on } = query;
      if (on !== undefined) {
        const view = await targetView(site, access, on === unreadable ? '?' : on);
        if (isFault(view)) return view;
        return pageReply(targetPage(site, { ...view, ...openedFor(view.target, query) }));
      }
      const shown = shownIn(query);
      const at = pageIn(query);
      return cache.reply(request, {
        name: `discuss ${access.aid} ${shown} ${at}`,
        stamp: await articleStamp(service, access.aid),
        make: async () => {
          const discussion = await readDiscussion(service, access);
          return cacheable(discussPage(site, { slug: access.slug, discussion, shown, page: at }));
        },
      });
    },
  );

  route(
    server,
    {
      ...page,
      get: `${path}/:entry`,
      id: 'entryPage',
      summary: 'One entry of a discussion, and what became of it.',
      query: { said: stringParam('the invocation of the form that led here') },
      limit: 'read',
    },
    async ({ query, access, params: { entry: id = '' } }) => {
      const view = await entryView(site, access, id);
      if (isFault(view)) return view;
      return pageReply(entryPage(site, { ...view, isNew: query['said'] === view.entry.receipt }));
    },
  );

  // Refusals of a feed are problem details.
  const { article: _everyReceipt, face: _pages, ...everywhere } = page;
  route(
    server,
    {
      ...everywhere,
      get: '/receipt/:inv/feed.xml',
      id: 'readReceiptFeed',
      summary: 'What became of something that was said about an article, as an Atom feed.',
      query: {},
      types: ['application/atom+xml'],
      limit: 'read',
      etag: true,
    },
    async ({ params: { inv = '' } }) => {
      const called = await readInvocation(service, inv);
      const outcome = called === undefined ? undefined : await readOutcome(service, called);
      return outcome === undefined
        ? noFeed(inv)
        : mediaReply('application/atom+xml; charset=utf-8', outcomeFeed(feedOf(site, inv, outcome)));
    },
  );

  // Links of earlier pages.
  route(
    server,
    {
      ...page,
      get: '/a/:slug/propose',
      id: 'proposePage',
      summary: 'The form of the discussion at its earlier address.',
      query: { claim: stringParam('the claim that it is about; the article as a whole without it') },
      limit: 'read',
    },
    async ({ query, access }) => {
      const claim = query['claim'] ?? '';
      const view = await targetView(site, access, claim === unreadable ? '?' : claim);
      return isFault(view) ? view : pageReply(targetPage(site, view));
    },
  );

  route(
    server,
    {
      ...page,
      post: path,
      id: 'sayByForm',
      summary: 'Says what the form holds, by the row of its kind, and leads to the recorded entry.',
      query: undefined,
      form: true,
      body: fields,
      required: ['as'],
      foreignForm: () => foreignForm,
    },
    async ({ request, form, access }) => {
      const view = await targetView(site, access, form.get('on') ?? '');
      if (isFault(view)) return view;
      const kind = form.get('as') ?? '';
      if (!isSayingKind(kind) || !offeredOn(view.target).includes(kind)) return unknownKind;
      const unseen = await unseenChange(site, access, view, kind, form);
      if (unseen !== undefined)
        return refusedPage(targetPage(site, await refusedView(site, access, view, form, unseen)), unseen);
      const { key, args } = callOfForm(view.slug, kind, form);
      const answer = await dispatch(service, {
        key,
        body: JSON.stringify(args),
        presented: {},
        method: 'POST',
        channel: 'page',
        idempotencyKey: idempotencyKeyOf(form, key, args),
        client: requestLimits.address(request),
        meter: requestLimits.meter(request),
      });
      const called = !isFault(answer) && answer.kind === 'called' ? answer : undefined;
      const refusal = isFault(answer) ? answer : called?.refusal;
      if (refusal !== undefined) {
        const filled = await refusedView(site, access, view, form, withoutSecrets(refusal));
        return refusedPage(targetPage(site, filled), refusal);
      }
      const id = idIn(called?.result?.result ?? {});
      const scrubbed = called?.scrubbed ?? [];
      if (scrubbed.length === 0)
        return seeOther(`${to.entry(view.slug, id)}${called === undefined ? '' : `?said=${called.inv}`}`);
      const recorded = await entryView(site, access, id);
      if (isFault(recorded)) return recorded;
      return pageReply(entryPage(site, { ...recorded, isNew: true, removed: scrubbedText(scrubbed) }));
    },
  );
}

const foreignForm = fault(
  'scope_denied',
  'The form was not sent from a page of this site.',
  'Open the discussion of the article, and use the form there.',
);
function noFeed(inv: string): Fault {
  return about(
    fault(
      'not_found',
      `There is nothing to follow under ${inv.slice(0, 40)}.`,
      'Only receipts of what was said publicly about an article have a feed; open the receipt itself.',
    ),
    { kind: 'receipt', id: inv },
  );
}

const unknownKind = fault(
  'invalid_request',
  'The form has no such kind of contribution.',
  'Open the discussion of the article, and choose one that the form offers.',
);

/** What a form is about, as an anonymous reader sees it. */
async function targetView(
  { service }: Site,
  access: ArticleAccess,
  target: string,
): Promise<TargetView | Fault> {
  const discussion = await readDiscussion(service, access);
  const { divs, claims } = discussion.state;
  const { slug } = access;
  if (target === '' || claims.has(target) || isVisibleDiv(discussion, target))
    return { slug, discussion, target };
  const kind = target.startsWith('d') && divs.size > 0 ? 'div' : 'claim';
  return about(
    fault(
      'not_found',
      `The article ${slug} has no block or claim “${target.slice(0, 20)}”.`,
      'Open the discussion of the article, or follow “object” beside a claim.',
    ),
    { kind, id: target, slug },
  );
}

/** A block that stands, or one that left the article and was spoken of while it stood. */
function isVisibleDiv({ state, threads }: Discussion, target: string): boolean {
  return (
    state.divs.get(target)?.status === 'current' ||
    (state.divs.has(target) && threads.some((thread) => thread.target === target))
  );
}

function openedFor(target: string, query: Query): Pick<TargetView, 'chosen' | 'quote'> {
  const as = query['as'] ?? '';
  const quote = query['quote'];
  return {
    chosen: isSayingKind(as) && offeredOn(target).includes(as) ? as : undefined,
    quote: quote === unreadable ? undefined : quote?.slice(0, quoteCharsMax).toWellFormed(),
  };
}

function shownIn(query: Query): Shown {
  const { show } = query;
  return show === 'open' || show === 'settled' ? show : 'all';
}

function pageIn(query: Query): number {
  const given = queryParameter(query, 'page') ?? '1';
  return /^[1-9]\d{0,4}$/.test(given) ? Number(given) : 1;
}

async function entryView({ service }: Site, access: ArticleAccess, id: string) {
  const discussion = await readDiscussion(service, access);
  const entry = await readDiscussionEntry(service, access, discussion, id);
  const { slug } = access;
  if (entry === undefined)
    return about(
      fault(
        'not_found',
        `The discussion of ${slug} has no entry ${id.slice(0, 40)}.`,
        'Open the discussion of the article: entries are never deleted.',
      ),
      { kind: 'entry', id, slug },
    );
  const earlier =
    entry.textChanged && entry.targetHash !== null
      ? await earlierText(service, access, entry.target, entry.targetHash)
      : undefined;
  return { slug, discussion, entry, earlier };
}

/** Kinds whose rows compare the text and not the thread: what was said meanwhile is shown before the form is taken. */
const uncompared: ReadonlySet<SayingKind> = new Set(['objection', 'review', 'vote']);

/** What was said about the same subject after the form was opened. */
async function unseenChange(
  { service }: Site,
  access: ArticleAccess,
  { discussion, target }: TargetView,
  kind: SayingKind,
  form: Form,
): Promise<Fault | undefined> {
  if (!uncompared.has(kind)) return undefined;
  const head = form.get('thread_head') ?? '';
  // A confirmation names what was said.
  if (head === '' || head === discussion.threadHead || form.has('duplicate_of')) return undefined;
  const said = saidSince(await readPosts(service, access.aid), head, discussion);
  const [text, actor] = [form.get('text')?.trim(), form.get('actor')?.trim()];
  // The same form sent twice is no news.
  const isNews = said.some(
    (entry) => entry.target === target && !(entry.body === text && (actor === '' || entry.actor === actor)),
  );
  return isNews
    ? fault(
        'thread_moved',
        'More was said after the form was opened.',
        'Read it, and send the form again if it still holds.',
      )
    : undefined;
}

/** The refused form with its text, and what changed since it was opened. */
async function refusedView(
  { service }: Site,
  access: ArticleAccess,
  { slug, target }: TargetView,
  sent: Form,
  refusal: Fault,
): Promise<TargetView> {
  // What moved was written after the form was opened, and may be newer than what was read before the call.
  const discussion = await readDiscussion(service, access);
  const view = { slug, target, discussion, sent, refusal };
  if (refusal.fault !== 'thread_moved' && refusal.fault !== 'hash_stale') return view;
  const hash = sent.get('text_hash') ?? '';
  const after = textOf(discussion.state, target);
  const isChanged = hash !== '' && hash !== seenState(discussion, target).textHash;
  const before = isChanged ? await earlierText(service, access, target, hash) : undefined;
  const said = saidSince(await readPosts(service, access.aid), sent.get('thread_head') ?? '', discussion);
  const moved: Moved = {
    said: said.slice(-saidMax).reverse(),
    isChanged,
    text: before === undefined || after === undefined ? undefined : { before, after },
  };
  return { ...view, moved };
}

const saidMax = 10;

/** Entries of the thread behind the head that a form names, oldest first; all of them where it names none. */
function saidSince(
  posts: readonly { readonly id: string; readonly hash: string }[],
  head: string,
  { byId }: Discussion,
): readonly DiscussionEntry[] {
  const seen = posts.findIndex(({ hash }) => hash === head);
  return posts.slice(seen + 1).flatMap(({ id }) => byId.get(id) ?? []);
}

/** The id of what was recorded. */
function idIn(result: JsonObject): string {
  const {
    entry,
    contribution,
    vote_id: vote,
  } = result as {
    readonly entry?: { readonly id: string };
    readonly contribution?: { readonly id: string };
    readonly vote_id?: string;
  };
  return entry?.id ?? contribution?.id ?? vote ?? '';
}

/** The same form with the same fields on the same state is the same request: reloading the answer sends it again. */
function idempotencyKeyOf(form: Form, key: string, args: JsonObject): string {
  const seen = [form.get('thread_head') ?? '', form.get('text_hash') ?? ''];
  return `page ${sha256Hex(JSON.stringify([key, args, seen]))}`;
}
