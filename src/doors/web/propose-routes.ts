/**
 * The form of `/a/<slug>/propose` (spec §2.10, contract §3, §8): what a reader fills in is a call of MIRROR_APPEND like
 * any other, counted as open intake and receipted; the browser is led to where the contribution stands.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { dispatch } from '../../app/pipeline/dispatch.ts';
import { findArticle, loadArticle } from '../../app/reads/articles.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { declared, readable } from '../http/route.ts';
import { withoutSecrets } from '../http/envelope.ts';
import type { Intake } from '../http/intake.ts';
import { formOf, isSameOrigin, readForms, seeOther, type Form } from './form-body.ts';
import { scrubbedText } from './words.ts';
import { pages, proposal } from './page-declared.ts';
import { anonymous } from './page-door.ts';
import { refused, sendErrorPage, sendFresh } from './page-reply.ts';
import { proposePage, type ProposeView } from './propose-page.tsx';
import type { Site } from './site.ts';

const path = '/a/:slug/propose';
type Params = Readonly<Record<string, string>>;

export function proposeRoutes(app: FastifyInstance, site: Site, intake: Intake): void {
  const { service } = site;
  void app.register(async (scope) => {
    readForms(scope);
    scope.get(path, readable(pages[path]), async (request, reply) => {
      const limited = intake.read(request);
      if (limited !== undefined) return sendErrorPage(reply, site, limited);
      const { claim = '' } = request.query as Readonly<Record<string, unknown>>;
      const view = await viewOf(site, request, typeof claim === 'string' ? claim : '?');
      return isFault(view) ? sendErrorPage(reply, site, view) : sendFresh(reply, proposePage(site, view));
    });

    scope.post(path, declared(proposal), async (request, reply) => {
      const form = formOf(request);
      if (form === undefined || !isSameOrigin(request, service.base))
        return sendErrorPage(reply, site, foreignForm);
      const claimId = form.get('claim') ?? '';
      const view = await viewOf(site, request, claimId);
      if (isFault(view)) return sendErrorPage(reply, site, view);
      const call = { key: 'MIRROR_APPEND', body: bodyOf(form, view.slug, claimId) };
      const answer = await dispatch(service, {
        ...call,
        presented: {},
        method: 'POST',
        channel: 'page',
        idempotencyKey: sendingOf(form, call.body),
        client: intake.address(request),
        meter: intake.meter(request),
      });
      const refusal = isFault(answer) ? answer : answer.kind === 'called' ? answer.refusal : undefined;
      if (refusal !== undefined) return sendAgain(reply, site, { ...view, sent: form, refusal });
      const result = !isFault(answer) && answer.kind === 'called' ? answer.result?.result : undefined;
      const { id } = (result?.['contribution'] ?? {}) as JsonObject;
      const { to } = site;
      const about = claimId === '' ? to.article(view.slug) : to.claim(view.slug, claimId);
      const recorded = `${about}#${typeof id === 'string' ? id : 'contributions'}`;
      const scrubbed = !isFault(answer) && answer.kind === 'called' ? answer.scrubbed : [];
      if (scrubbed.length === 0) return seeOther(reply, recorded);
      const notice = { recorded, text: scrubbedText(scrubbed) };
      return sendFresh(reply, proposePage(site, { ...view, notice }));
    });
  });
}

const foreignForm = fault(
  'scope_denied',
  'The form was not sent from a page of this site.',
  'Open the article, follow “Respond” beside the claim, and use the form there.',
);

/** The article and the claim that a form is about, as anybody may see them. */
async function viewOf(
  { service }: Site,
  request: FastifyRequest,
  claimId: string,
): Promise<ProposeView | Fault> {
  const { slug = '' } = request.params as Params;
  const seen = await findArticle(service, slug, anonymous);
  if (isFault(seen)) return seen;
  const { row, claims } = await loadArticle(service, seen.aid);
  const claim = claims.get(claimId)?.claim;
  if (claimId !== '' && claim === undefined)
    return fault(
      'not_found',
      `The article ${seen.slug} has no claim “${claimId.slice(0, 20)}”.`,
      'Open the article, and follow “Respond” beside the claim.',
    );
  return { slug: seen.slug, title: row.title, claim };
}

/** Fields that the form has not are left out, so that the row says what is missing. */
function bodyOf(form: Form, slug: string, claimId: string): string {
  const args: Record<string, string> = { slug, claim_id: claimId };
  for (const name of ['kind', 'actor', 'body', 'claim_hash'] as const) {
    const value = form.get(name)?.trim() ?? '';
    if (value !== '') args[name] = value;
  }
  return JSON.stringify(args satisfies JsonObject);
}

/** A page that is loaded again sends its form again; the same form with the same fields is the same request. */
function sendingOf(form: Form, body: string): string | undefined {
  const once = form.get('once');
  return once === undefined ? undefined : `page ${sha256Hex(JSON.stringify([once, body]))}`;
}

/** What was typed is not lost with a refusal. */
function sendAgain(
  reply: FastifyReply,
  site: Site,
  view: ProposeView & { readonly refusal: Fault },
): FastifyReply {
  const page = proposePage(site, { ...view, refusal: withoutSecrets(view.refusal) });
  return sendFresh(refused(reply, view.refusal), page);
}
