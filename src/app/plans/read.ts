/** The plan `read`: a row that only reads. Its answer is made before the act, which records the call. */
import type { Credential } from '../../domain/capabilities/credential.ts';
import { maySeeDraft, authorizeArticle } from '../reads/article-access.ts';
import type { Result } from '../../domain/context.ts';
import { about, fault, isFault, type Fault } from '../../kernel/fault.ts';
import { RowSecretWritten } from '../../model/directory.ts';
import { exactly } from '../../model/exact.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { slugOf } from '../credentials/authority.ts';
import { explainNamed } from '../credentials/explain.ts';
import { cachedFeed } from '../reads/feed-cache.ts';
import { readContests } from '../reads/contested.ts';
import { contestedText } from '../../represent/article-markdown.ts';
import { paperState } from '../reads/paper-state.ts';
import { protocolTree } from '../reads/protocol-map.ts';
import { receiptOf } from '../reads/receipts.ts';
import type { Service } from '../service.ts';
import { articleKeys, dryRunOn } from './on-article.ts';
import { definePlan } from './plan.ts';
import { links } from '../../domain/links.ts';
import { partReaders } from '../reads/article-parts.ts';
import type { CallerContext } from '../read-context.ts';

declare module '../../domain/capabilities/plan.ts' {
  interface Plans {
    read: { readonly question: Question };
  }
}

type Question =
  | { readonly name: 'tree' }
  | { readonly name: 'receipt'; readonly inv: string }
  | {
      readonly name: 'row-secret';
      readonly key: string;
      readonly secret: string;
      readonly action: 'set' | 'forget';
    }
  | { readonly name: 'explain'; readonly token: string }
  | { readonly name: 'mirror-feed'; readonly slug: string; readonly limit: number }
  | { readonly name: 'inspect'; readonly slug: string; readonly part: string }
  | { readonly name: 'paper-state' };

export const readPlan = definePlan({
  kind: 'read',
  loadInputs: ({ service, call, plan }) => answer(service, plan.question, call),
  /** A read of an article counts in the article's conformance. */
  keys(planned) {
    const slug = slugOf(planned.call.args);
    return slug === undefined ? [] : articleKeys(planned, slug, () => []);
  },
  run: ({ inputs }) => inputs,
  dryRun: (planned) => {
    const { question } = planned.plan;
    return dryRunOn(
      planned,
      'slug' in question ? question.slug : undefined,
      ({ row }, viewer) => row.status !== 'draft' || maySeeDraft(viewer, row.tenant, row.slug),
    );
  },
  runsInThreadUpdate: true,
});

interface Viewing {
  readonly tenant: string;
  readonly credential: Credential;
}

async function answer(service: Service, question: Question, call: Viewing): Promise<Result | Fault> {
  const { tenant, credential } = call;
  switch (question.name) {
    case 'tree':
      return toResult(protocolTree(service), () => 'The protocol tree: systems, rows and how to call them.');
    case 'receipt':
      return toResult(
        await receiptOf(service, credential, question.inv),
        (receipt) => `Receipt ${question.inv}: ${receipt.key} ${receipt.status}.`,
      );
    case 'explain':
      return toResult(
        await explainNamed(service, credential, question.token),
        (explained) => `${question.token} is ${explained.state}.`,
      );
    case 'row-secret': {
      const { key, secret, action } = question;
      if (service.rows.get(key)?.rowOverride?.type !== 'http')
        return about(
          fault(
            'not_found',
            `There is no http row ${key} of the owner.`,
            'Make it with PUT /api/directory/<KEY> first.',
          ),
          { kind: 'row', id: key },
        );
      return toResult(
        exactly(RowSecretWritten, { key, secret, action }),
        () => `The secret ${secret} of ${key}: ${action}.`,
      );
    }
    case 'mirror-feed':
      return toResult(await cachedFeed(service, tenant, question.slug, question.limit), ({ total }) => {
        return `${total} contribution${total === 1 ? '' : 's'} to ${question.slug}.`;
      });
    case 'paper-state':
      return paperState(service, tenant);
    case 'inspect':
      return inspect({ ...service, tenant, viewer: credential }, question.slug, question.part);
  }
}

function toResult<T extends JsonObject>(value: T | Fault, text: (value: T) => string): Result | Fault {
  return isFault(value) ? value : { result: value, text: text(value), material: [] };
}

const parts = ['masthead', 'claims', 'sources', 'voxels', 'discourse', 'health'];

/** ARTICLE_INSPECT (contract §3): one part of an article, as the free reads give it, with a receipt. */
async function inspect(context: CallerContext, slug: string, part: string): Promise<Result | Fault> {
  const reader = parts.includes(part) ? partReaders[part] : undefined;
  if (reader === undefined) {
    return fault(
      'body_mismatch',
      `"${part.slice(0, 40)}" is no part that can be inspected.`,
      `Name one of ${parts.join(', ')}; masthead when left out.`,
      { parts },
    );
  }
  const access = await authorizeArticle(context, slug);
  if (isFault(access)) return access;
  const read = await reader({ context, access, query: {} });
  if (isFault(read)) return read;
  if (typeof read === 'string') throw new Error(`${part} is a text`);
  const { article: contested } = await readContests(context, access.aid);
  const against = contestedText(contested);
  return {
    result: { slug, part, contested, [part]: read },
    text: `The ${part} of ${slug}.${against === undefined ? '' : ` It stands contested: ${against}.`}`,
    material: [{ kind: 'article', id: slug, url: links.articlePart(context.base, slug, part) }],
  };
}
