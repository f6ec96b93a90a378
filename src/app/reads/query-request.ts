/**
 * The request of a query (spec §4.3, contract §7): parsed from parameters with all faults at once, and written into
 * the URL of the next page.
 */
import type { Cursor } from '../../domain/query/evaluate.ts';
import { isQueryKind, queryFields, type Fields } from '../../model/query-fields.ts';
import { parseFields, parseOrder, parseWhere, type Order } from '../../domain/query/grammar.ts';
import { queryWords } from '../../domain/query/vocabulary.ts';
import { mergeRefusals } from '../../domain/violations.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { slugsFault } from './article-set.ts';

/** Maximum number of articles in `from`. */
export const namedMax = 50;

export interface QueryRequest {
  /** Filters are repeated in the URL of the next page. */
  readonly workspace?: string | undefined;
  readonly from: string | undefined;
  readonly kind: string | undefined;
  readonly where: string | undefined;
  readonly order: string | undefined;
  readonly fields: string | undefined;
  readonly cursor: string | undefined;
  readonly limit: number;
}

type Questioned = Readonly<
  Partial<Record<'from' | 'kind' | 'where' | 'order' | 'fields' | 'cursor', string>>
>;

/** The parsed request, or all its faults. */
export function parseQuery(request: { readonly [K in keyof Questioned]: string | undefined }) {
  const { from, kind = 'claim', cursor } = request;
  const unnamed = from === undefined || from === '' ? noneNamed : undefined;
  const tooMany = from === '*' ? undefined : slugsFault('from', from, namedMax);
  if (!isQueryKind(kind)) {
    const wrong = fault(
      'invalid_request',
      `"${kind.slice(0, 40)}" is no kind.`,
      `Use one of ${Object.keys(queryFields).join(', ')}.`,
      { parameter: 'kind' },
    );
    return mergeRefusals('?', unnamed ?? tooMany, wrong) as Fault;
  }
  const fields: Fields = queryFields[kind];
  const filters = parseWhere(request.where ?? '', fields, queryWords[kind]);
  const order = request.order === undefined ? undefined : parseOrder(request.order, fields);
  const shown =
    request.fields === undefined
      ? undefined
      : parseFields(request.fields, { ...fields, slug: 'word', permalink: 'word' });
  // A cursor contains the order.
  const after = cursor === undefined || isFault(order) ? undefined : readCursor(cursor, order, fields);
  if (isFault(filters) || isFault(order) || isFault(shown) || isFault(after))
    return mergeRefusals('?', unnamed ?? tooMany, filters, order, shown, after) as Fault;
  return unnamed ?? tooMany ?? { kind, filters, order, shown, after };
}

const noneNamed = fault(
  'invalid_request',
  '"from" is missing.',
  'Name articles by slug, such as from=what-the-ledger-is, or all by from=*.',
  { parameter: 'from' },
);

function readCursor(cursor: string, order: Order | undefined, fields: Fields): Cursor | Fault {
  const wrong = fault(
    'invalid_request',
    '"cursor" is none that this query has given.',
    'Follow next as it stands.',
    {
      parameter: 'cursor',
    },
  );
  if (!/^[\w-]{1,4000}$/.test(cursor)) return wrong;
  let place: unknown;
  try {
    place = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    return wrong;
  }
  if (!Array.isArray(place) || place.length !== 3) return wrong;
  const [value, id, n] = place as readonly unknown[];
  const type = order !== undefined && fields[order.field] === 'number' ? 'number' : 'string';
  if (typeof value !== type || typeof id !== 'string' || typeof n !== 'number' || !Number.isSafeInteger(n))
    return wrong;
  if (typeof value === 'string' && (value.includes('\0') || !value.isWellFormed())) return wrong;
  return id.includes('\0') || !id.isWellFormed() ? wrong : (place as unknown as Cursor);
}

/** URL of the page after `place`. */
export function nextUrl(base: string, request: QueryRequest, place: Cursor): string {
  const query = new URLSearchParams();
  for (const name of ['workspace', 'from', 'kind', 'where', 'order', 'fields'] as const)
    if (request[name] !== undefined) query.set(name, request[name]);
  query.set('limit', String(request.limit));
  query.set('cursor', Buffer.from(JSON.stringify(place)).toString('base64url'));
  return `${base}/api/v1/query?${query.toString()}`;
}
