/**
 * The form of `/a/<slug>/propose` (spec §2.10, contract §3, §8): a submitted form calls MIRROR_APPEND, is counted as
 * open intake and leaves a receipt; the browser is led to the recorded contribution.
 */
import { dispatch } from '../../app/pipeline/dispatch.ts';
import type { ArticleAccess } from '../../app/reads/article-access.ts';
import { loadArticle } from '../../app/reads/articles.ts';
import { about, fault, isFault, type Fault } from '../../kernel/fault.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Form } from '../http/browser-forms.ts';
import { withoutSecrets } from '../http/envelope.ts';
import { stringParam } from '../http/parameters.ts';
import { pageReply, refusedPage, seeOther } from '../http/replies.ts';
import { route } from '../http/route.ts';
import type { RouteServer } from '../http/route-declaration.ts';
import { pageFace } from './error-page.tsx';
import { proposePage, type ProposeView } from './propose-page.tsx';
import type { Site } from './site.ts';
import { scrubbedText } from './format-text.ts';

const path = '/a/:slug/propose';

export function proposeRoutes(server: RouteServer, site: Site): void {
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
      id: 'proposePage',
      summary: 'A form to object, ask, or propose a source or another wording.',
      query: { claim: stringParam('the claim that it is about; the article as a whole without it') },
      limit: 'read',
    },
    async ({ query, access }) => {
      const view = await viewOf(site, access, query['claim'] ?? '');
      return isFault(view) ? view : pageReply(proposePage(site, view));
    },
  );

  route(
    server,
    {
      ...page,
      post: path,
      id: 'proposeByForm',
      summary: 'Proposes what the form holds, as MIRROR_APPEND does, and leads to where it stands.',
      query: undefined,
      form: true,
      body: {
        claim: stringParam('the claim that it is about; empty for the article as a whole'),
        claim_hash: stringParam('the hash of that claim as it was read'),
        kind: stringParam('the kind of the contribution'),
        actor: stringParam('a name for display'),
        body: stringParam('the contribution'),
        once: stringParam('as the page has it'),
      },
      required: ['kind', 'actor', 'body'],
      foreignForm: () => foreignForm,
    },
    async ({ request, form, access }) => {
      const claimId = form.get('claim') ?? '';
      const view = await viewOf(site, access, claimId);
      if (isFault(view)) return view;
      const body = bodyOf(form, view.slug, claimId);
      const answer = await dispatch(service, {
        key: 'MIRROR_APPEND',
        body,
        presented: {},
        method: 'POST',
        channel: 'page',
        idempotencyKey: idempotencyKeyOf(form, body),
        client: requestLimits.address(request),
        meter: requestLimits.meter(request),
      });
      const called = !isFault(answer) && answer.kind === 'called' ? answer : undefined;
      const refusal = isFault(answer) ? answer : called?.refusal;
      if (refusal !== undefined) {
        // The fields keep what was typed.
        const filled = { ...view, sent: form, refusal: withoutSecrets(refusal) };
        return refusedPage(proposePage(site, filled), refusal);
      }
      const { id } = (called?.result?.result['contribution'] ?? {}) as JsonObject;
      const subject = claimId === '' ? to.article(view.slug) : to.claim(view.slug, claimId);
      const recorded = `${subject}#${typeof id === 'string' ? id : 'contributions'}`;
      const scrubbed = called?.scrubbed ?? [];
      if (scrubbed.length === 0) return seeOther(recorded);
      const notice = { recorded, text: scrubbedText(scrubbed) };
      return pageReply(proposePage(site, { ...view, notice }));
    },
  );
}

const foreignForm = fault(
  'scope_denied',
  'The form was not sent from a page of this site.',
  'Open the article, follow “Respond” beside the claim, and use the form there.',
);

/** The article and the claim that a form is about, as an anonymous reader sees them. */
async function viewOf(
  { service }: Site,
  access: ArticleAccess,
  claimId: string,
): Promise<ProposeView | Fault> {
  const { row, claims } = await loadArticle(service, access.aid);
  const claim = claims.get(claimId)?.claim;
  if (claimId !== '' && claim === undefined)
    return about(
      fault(
        'not_found',
        `The article ${access.slug} has no claim “${claimId.slice(0, 20)}”.`,
        'Open the article, and follow “Respond” beside the claim.',
      ),
      { kind: 'claim', id: claimId, slug: access.slug },
    );
  return { slug: access.slug, title: row.title, claim };
}

/** Empty fields are omitted, so that the row reports them as missing. */
function bodyOf(form: Form, slug: string, claimId: string): string {
  const args: Record<string, string> = { slug, claim_id: claimId };
  for (const name of ['kind', 'actor', 'body', 'claim_hash'] as const) {
    const value = form.get(name)?.trim() ?? '';
    if (value !== '') args[name] = value;
  }
  return JSON.stringify(args satisfies JsonObject);
}

/** The same form with the same fields is the same request: reloading the answer sends it again. */
function idempotencyKeyOf(form: Form, body: string): string | undefined {
  const once = form.get('once');
  return once === undefined ? undefined : `page ${sha256Hex(JSON.stringify([once, body]))}`;
}
