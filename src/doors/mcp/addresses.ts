/**
 * What a reader over MCP can name (contract §7): a slug, an invocation id, or a URL of this service. Resources use
 * the same URLs as HTTP, so that receipts, pages and search results name them alike.
 */
import { fault, type Fault } from '../../kernel/fault.ts';

export type Address =
  | { readonly at: 'receipt' | 'confirmation'; readonly inv: string }
  | {
      readonly at: 'article';
      readonly slug: string;
      /** Undefined for the article itself. */
      readonly part?: string | undefined;
      /** One DIV, claim, source or entry of that part. */
      readonly item?: string | undefined;
      readonly markdown: boolean;
      readonly query: Readonly<Record<string, string>>;
    };

const invShape = /^inv_[a-z2-7]{16}$/;
const slugShape = /^[a-z0-9-]{2,120}$/;

/** Faults: `invalid_request` for a name of nothing. */
export function addressOf(base: string, named: string): Address | Fault {
  if (invShape.test(named)) return { at: 'receipt', inv: named };
  if (slugShape.test(named)) return { at: 'article', slug: named, markdown: true, query: {} };
  const url = named.startsWith(`${base}/`) ? URL.parse(named) : null;
  const found = url === null ? undefined : within(url, url.pathname.slice(new URL(base).pathname.length));
  return (
    found ??
    fault(
      'invalid_request',
      'That names nothing that can be read here.',
      `Name a slug, an inv_ id, or an address of an article, a part of one or a receipt, as it stood below ${base}.`,
      { parameter: 'target' },
    )
  );
}

function within(url: URL, path: string): Address | undefined {
  const query = Object.fromEntries(url.searchParams);
  const segments = path.replace(/^\//, '').split('/');
  const [first, second = '', third] = segments;
  if (first === 'receipt' && segments.length === 2 && invShape.test(second))
    return { at: 'receipt', inv: second };
  if (path.endsWith('api/dispatch')) return ofDispatch(query);
  if (first === 'a' && slugShape.test(second) && segments.length <= 3)
    return ofPage(second, third ?? url.hash.slice(1));
  if (first !== 'api' || second !== 'articles' || third === undefined || !slugShape.test(third))
    return undefined;
  if (segments.length > 4) return undefined;
  const { format, ...rest } = query;
  if (segments[3] !== undefined)
    return { at: 'article', slug: third, part: segments[3], markdown: false, query };
  if (format !== undefined && format !== 'markdown' && format !== 'json') return undefined;
  if (Object.keys(rest).length > 0) return undefined;
  return { at: 'article', slug: third, markdown: format === 'markdown', query: {} };
}

function ofDispatch({ receipt, confirm, ...rest }: Readonly<Record<string, string>>): Address | undefined {
  if (Object.keys(rest).length > 0) return undefined;
  if (receipt !== undefined && invShape.test(receipt)) return { at: 'receipt', inv: receipt };
  return confirm !== undefined && invShape.test(confirm) ? { at: 'confirmation', inv: confirm } : undefined;
}

/** A page names the article; a permalink names one item of it. */
function ofPage(slug: string, item: string): Address | undefined {
  if (item === '') return { at: 'article', slug, markdown: true, query: {} };
  const part = /^d\d+$/.test(item)
    ? 'voxels'
    : /^c\d+$/.test(item)
      ? 'claims'
      : /^s\d+$/.test(item)
        ? 'sources'
        : 'discourse';
  // Permalinks also name removed DIVs.
  const query: Record<string, string> = part === 'voxels' ? { include_inactive: '1' } : {};
  return /^[a-z0-9_-]{1,40}$/.test(item)
    ? { at: 'article', slug, part, item, markdown: false, query }
    : undefined;
}
