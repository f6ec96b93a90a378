/**
 * The plan `write-document`, a batch in document mode (spec §4.4 voxel-batch). Dividing a document is the longest
 * decision, so its text is divided before the act, with a likely free slug and the new article's id; they give the
 * keys of the act.
 */
import { articleAt } from '../../domain/articles/state.ts';
import { noArticle } from '../reads/article-access.ts';
import { checkSlug, derivedSlugIn, slugAttempt } from '../../domain/articles/slugs.ts';
import { slugPath, slugTable } from '../../domain/articles/tables.ts';
import {
  appendDocument,
  createArticle,
  prepareDocument,
  staleDocument,
  type Document,
  type DocumentInput,
} from '../../domain/articles/write-document.ts';
import { conformanceTable } from '../../domain/capabilities/conformance.ts';
import { reads, writes, type Key } from '../../engine/act.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { opaqueId } from '../../kernel/ids.ts';
import type { Service } from '../service.ts';
import { applyOutcome, dryRunOn, mayWrite } from './on-article.ts';
import { definePlan } from './plan.ts';

declare module '../../domain/capabilities/plan.ts' {
  interface Plans {
    'write-document': {
      readonly input: DocumentInput;
      /** The assignment that the document is work on. */
      readonly assignment?: string | undefined;
    };
  }
}

interface DividedDocument {
  readonly document: Document;
  /** The caller chose the slug: an existing article is appended to. */
  readonly named: boolean;
  readonly number: number;
  /** The id of a new article. */
  readonly aid: string;
}

/** Number of slugs to try from the last known free number; as many creations of one title may be concurrent. */
const slugTries = 1000;

export const writeDocumentPlan = definePlan({
  kind: 'write-document',
  async loadInputs({ service, call, plan }): Promise<DividedDocument | Fault> {
    const divided = prepareDocument(plan.input, service.limits);
    if (isFault(divided)) return divided;
    const aid = opaqueId('art_');
    if (plan.input.slug !== undefined) return { document: divided, named: true, number: 1, aid };
    const document = { ...divided, slug: derivedSlugIn(call.workspace, divided.slug) };
    const number = await freeNumber(service, call.tenant, document.slug);
    return { document, named: false, number, aid };
  },
  async keys({ service, call }, inputs): Promise<readonly Key[]> {
    if (inputs === undefined) return [];
    const { document, named, number, aid } = inputs;
    const path = slugPath(call.tenant, named ? document.slug : slugAttempt(document.slug, number));
    const existing = named ? await service.store.read.row(slugTable, path) : undefined;
    const article = existing?.aid ?? aid;
    return [
      existing === undefined ? writes('slug', path) : reads('slug', path),
      writes('article', article),
      writes(conformanceTable.name, article),
    ];
  },
  run({ tx, call, credential, context, plan, inputs: { document, named, number, aid } }) {
    const isFree = (slug: string): boolean => tx.row(slugTable, slugPath(call.tenant, slug)) === undefined;
    const freeFrom = (from: number): string | undefined => {
      for (let n = from; n < from + slugTries; n++) {
        const slug = slugAttempt(document.slug, n);
        if (isFree(slug)) return slug;
      }
      return undefined;
    };
    if (named) {
      const bad = checkSlug(document.slug, call.workspace, '/document/slug');
      if (bad !== undefined) return bad;
      const existing = articleAt(tx, call.tenant, document.slug);
      if (existing !== undefined && !mayWrite(existing, credential)) return noArticle(document.slug);
      const stale = staleDocument(
        plan.input,
        existing?.row.version ?? 0,
        () => freeFrom(2) ?? `${document.slug}-${aid.slice(-6)}`,
      );
      if (stale !== undefined) return stale;
      if (existing !== undefined)
        return applyOutcome(tx, appendDocument(existing, document, context), existing.row.aid);
      return applyOutcome(tx, createArticle(document, aid, context), aid);
    }
    const slug = freeFrom(number);
    if (slug !== undefined) return applyOutcome(tx, createArticle({ ...document, slug }, aid, context), aid);
    return fault('conflict', `Every name like ${document.slug} is taken.`, 'Send document.slug.');
  },
  dryRun: (planned) => dryRunOn(planned, planned.plan.input.slug, mayWrite, { opens: true }),
  work: { named: ({ assignment }) => assignment, opens: 'under-lease' },
});

/** A free slug number whose predecessor is taken, by exponential and binary search. */
async function freeNumber(service: Service, tenant: string, slug: string): Promise<number> {
  const isSelfIssued = async (n: number): Promise<boolean> =>
    (await service.store.read.row(slugTable, slugPath(tenant, slugAttempt(slug, n)))) === undefined;
  let taken = 0;
  let free = 1;
  while (!(await isSelfIssued(free))) [taken, free] = [free, free * 2];
  while (free - taken > 1) {
    const middle = Math.floor((taken + free) / 2);
    if (await isSelfIssued(middle)) free = middle;
    else taken = middle;
  }
  return free;
}
