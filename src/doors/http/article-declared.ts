/** Parameters of the reads of articles (spec §4.3), and one operation for each part of an article. */
import type { TSchema } from 'typebox';
import type { listParameters } from '../../app/reads/article-list.ts';
import { parametersOf, partFaults, partReaders } from '../../app/reads/article-parts.ts';
import { articleStatuses } from '../../model/vocabulary.ts';
import type { Operation, Taken } from '../../represent/openapi/operation.ts';
import { readSchemas } from '../../model/index.ts';
import { operationId } from './route.ts';
import { choice, formatOf, paged, shared, words, wholeNumberUpTo, workspace } from './parameters.ts';

export const articleFilters: Readonly<Record<(typeof listParameters)[number], TSchema>> = {
  workspace,
  tag: words('a tag that they bear'),
  category: words('their category'),
  status: choice(articleStatuses, 'published without it; drafts are listed to keys of their workspace'),
  register: words('their register'),
  kind: words('their kind'),
  updated_since: words('ISO 8601: changed at that time or later'),
  home: choice(['1', '0', 'true', 'false'], 'whether they stand on the first page'),
  sort: choice(['slug', 'updated'], 'slug without it; updated: what changed last comes first'),
};

/** As many as an address can name. */
const revisionsMax = 999_999_999;
const rev = wholeNumberUpTo(revisionsMax, 'a revision: the article as that one left it');

export const articleQuery = {
  format: formatOf('json', 'markdown'),
  raw: choice(['1'], '1: Markdown byte for byte, without the notice that it is data'),
  rev,
  at: words('a place in the log or an ISO 8601 time: the article as it stood then'),
  ...shared,
};

/** What the parameters of parts mean; one that means something else in a part stands there as `part.name`. */
const meanings: Taken = {
  ...articleQuery,
  ...paged,
  rev,
  'revisions.rev': wholeNumberUpTo(revisionsMax, 'the revision to show whole'),
  include_inactive: choice(['1', '0', 'true', 'false'], '1 or true: consolidated and burned DIVs too'),
  question: words('what the slice is about'),
  status: choice(['success', 'failure'], 'both without it'),
  'bundle.format': formatOf('json', 'slim', 'markdown'),
  'ledger.cursor': wholeNumberUpTo(999_999_999, 'how many come before: follow next as it stands'),
};
/** Schemas of a part that comes in two shapes. */
const shapes: Readonly<Record<string, readonly string[]>> = {
  bundle: ['bundle', 'bundle-slim'],
  revisions: ['revisions', 'revision'],
};
const markdownParts: Readonly<Record<string, Partial<Operation>>> = {
  skill: { json: false, types: ['text/markdown'] },
  bundle: { types: ['text/markdown'] },
};

/** One operation for every part. Throws for a parameter without a description. */
export const partReads: ReadonlyMap<string, Operation> = new Map(
  Object.keys(partReaders).map((part) => [part, partRead(part)]),
);

function partRead(part: string): Operation {
  const taken = (parametersOf(part) ?? []).map((name): [string, TSchema] => {
    const schema = meanings[`${part}.${name}`] ?? meanings[name];
    if (schema === undefined) throw new Error(`${name} of the part ${part} is not described`);
    return [name, schema];
  });
  return {
    id: operationId(`read-${part}`),
    summary: readSchemas[part]?.what ?? 'The article as a skill for a model.',
    tag: 'articles',
    at: `/api/articles/{slug}/${part}`,
    caller: 'anybody',
    query: { ...Object.fromEntries(taken), ...shared },
    rules: (asked) => partFaults(part, asked),
    answers: shapes[part] ?? [part],
    ...markdownParts[part],
  };
}
