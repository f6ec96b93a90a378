/** The forms of claims and sources (contract §5, §8): written as their rows do, or only checked against the rules. */
import { likeClaims } from '../../../../app/reads/editing.ts';
import { about, fault, isFault, type Fault } from '../../../../kernel/fault.ts';
import { type JsonObject } from '../../../../kernel/json.ts';
import type { Form } from '../../../http/browser-forms.ts';
import { stringParam } from '../../../http/parameters.ts';
import { pageReply, refusedPage, seeOther } from '../../../http/replies.ts';
import { route, unreadable } from '../../../http/route.ts';
import { renderFragment } from '../../shell.tsx';
import { queryParameter } from '../../page-cache.ts';
import { formToken } from '../desk.ts';
import { callRow, type OpenArticle, openArticle, rehearse, textArgs } from './desk.ts';
import { claimPage } from './claim-page.tsx';
import type { EvidenceView } from './evidence-fields.tsx';
import { claimFormPage, sourceFormPage } from './evidence-forms.tsx';
import { FindingsText } from './findings.tsx';
import { sentencesOf } from './sentences.ts';
import { type WriteDeclarations, version, onceField } from './declarations.ts';

/** Characters of a selection. */
const selectedMax = 4000;

export function evidenceRoutes(write: WriteDeclarations): void {
  const { server, site, paths, page, form } = write;

  const evidence = [
    ['claim', 'CLAIM_POST', claimArgs, claimFormPage, 'ClaimForm', 'a claim'],
    ['source', 'SOURCE_POST', sourceArgs, sourceFormPage, 'SourceForm', 'a source'],
  ] as const;
  const evidenceBody = {
    form_token: formToken,
    once: onceField,
    version,
    act: stringParam('repair, retract, check, or take for the chosen words'),
  };
  for (const [kind, row, argsOf, render, name, what] of evidence) {
    route(
      server,
      {
        ...page,
        get: `/owner/a/:slug/${kind}`,
        id: `desk${name}Page`,
        summary: `A form for ${what} of an article.`,
        query: {
          claim: stringParam('a claim to reword or retract'),
          text: stringParam('the selected words'),
          quote: stringParam('the selected words'),
          section: stringParam('the heading that they stand under'),
          block: stringParam('the block whose sentences are offered'),
        },
      },
      async ({ request, query, session, params: { slug = '' } }) => {
        const article = await openArticle(server, site, request, session, slug);
        if (isFault(article)) return article;
        const given = ['text', 'quote', 'section'].flatMap((each) => {
          const value = query[each];
          return value === undefined || value === unreadable
            ? []
            : [[each, value.slice(0, selectedMax)] as const];
        });
        const id = kind === 'claim' ? queryParameter(query, 'claim') : undefined;
        const sentences = sentencesOf(article.state, queryParameter(query, 'block'));
        const view = { article, values: new Map(given), sentences };
        if (id === undefined) return mayNot(article, row) ?? pageReply(render(view));
        const claim = article.state.claims.get(id)?.claim;
        return claim === undefined ? noClaim(slug, id) : pageReply(claimPage({ ...view, claim }));
      },
    );

    route(
      server,
      {
        ...form,
        post: `/owner/a/:slug/${kind}`,
        id: `desk${name}`,
        summary: `Writes ${what}, or changes one; with act=check only says which rules it breaks.`,
        body: evidenceBody,
        required: ['form_token'],
        open: true,
      },
      async ({ request, session, form: sent, params: { slug = '' } }) => {
        const article = await openArticle(server, site, request, session, slug);
        if (isFault(article)) return article;
        const id = kind === 'claim' ? sent.get('claim_id') : undefined;
        const claim = id === undefined ? undefined : article.state.claims.get(id)?.claim;
        if (id !== undefined && claim === undefined) return noClaim(slug, id);
        const act = sent.get('act');
        const [key, args] =
          claim === undefined
            ? ([row, argsOf(slug, sent)] as const)
            : act === 'retract'
              ? (['CLAIM_RETRACT', textArgs(sent, ['claim_id', 'reason'], { slug })] as const)
              : (['CLAIM_REPAIR', textArgs(sent, repairFields, { slug })] as const);
        if (act === 'check') {
          const rehearsal = await rehearse(article, key, args);
          if (isFault(rehearsal)) return rehearsal;
          const text = sent.get('text') ?? '';
          const like = kind === 'claim' && text !== '' ? likeClaims(article.state, text, claim?.id) : [];
          return pageReply(renderFragment(FindingsText({ findings: { rehearsal, like } })));
        }
        const sentences = sentencesOf(article.state);
        if (act === 'take') {
          const words = sentences.find((each) => each.id === sent.get('words'));
          const values = new Map(sent);
          if (words !== undefined)
            values.set(kind === 'claim' ? 'text' : 'quote', words.text).set('section', words.section);
          return pageReply(render({ article, values, sentences }));
        }
        const called = await callRow(article, key, args, sent.get('once'));
        if (!isFault(called)) return seeOther(`${paths.article(slug)}?done=${called.inv}`);
        const view: EvidenceView = { article, values: sent, refusal: called, sentences };
        return refusedPage(claim === undefined ? render(view) : claimPage({ ...view, claim }), called);
      },
    );
  }
}

function mayNot({ context, access }: OpenArticle, row: string): Fault | undefined {
  if (context.may(row, access.slug)) return undefined;
  return fault(
    'scope_denied',
    'Your key may not write this here.',
    'The page of the article shows what it may do.',
  );
}

function noClaim(slug: string, id: string): Fault {
  return about(
    fault('not_found', `${slug} has no claim ${id.slice(0, 20)}.`, 'Open the article for its claims.'),
    {
      kind: 'claim',
      id,
      slug,
    },
  );
}

const repairFields = ['claim_id', 'text', 'tier', 'rationale', 'expected_hash'];

function claimArgs(slug: string, form: Form): JsonObject {
  const cited = [...form.keys()].flatMap((name) => (name.startsWith('source.') ? [name.slice(7)] : []));
  return {
    ...textArgs(form, ['text', 'tier', 'who_claims', 'why_material', 'falsifier', 'section', 'rationale'], {
      slug,
    }),
    ...(cited.length === 0 ? {} : { source_ids: cited }),
    ...(form.get('distinct') === '1' ? { distinct: true } : {}),
  };
}

function sourceArgs(slug: string, form: Form): JsonObject {
  return { slug, sources: [textArgs(form, ['type', 'url', 'title', 'quote', 'summary'])] };
}
