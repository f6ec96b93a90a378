/**
 * The chains of an article (contract §1). An article's opaque id begins the name of each of its chains, so
 * that one range read finds its whole history; a slug never appears in one.
 */

export type ArticleChain = 'provenance' | 'sources' | 'thread' | 'mirror' | 'votes' | 'questions';

const own: ReadonlySet<string> = new Set([
  'provenance',
  'sources',
  'thread',
  'mirror',
  'votes',
  'questions',
] satisfies readonly ArticleChain[]);

export function articleChain(aid: string, chain: ArticleChain): string {
  return `${aid}.${chain}`;
}

export function divChain(aid: string, divId: string): string {
  return `${aid}.${divId}`;
}

/** All chains of an article begin with this. */
export function articlePrefix(aid: string): string {
  return `${aid}.`;
}

export interface ChainName {
  readonly aid: string;
  readonly of: ArticleChain | 'div';
  /** The DIV's id; '' for the article's own chains. */
  readonly div: string;
}

/** What was read last: every projector reads the chain of the same entry. */
let lastChain = '';
let lastName: ChainName | undefined;

/** Reads a chain name back; nothing for chains that belong to no article. */
export function parseArticleChain(chain: string): ChainName | undefined {
  if (chain !== lastChain) {
    lastName = chain.startsWith('art_') ? nameOf(chain) : undefined;
    lastChain = chain;
  }
  return lastName;
}

function nameOf(chain: string): ChainName | undefined {
  const dot = chain.indexOf('.');
  if (dot < 0) return undefined;
  const aid = chain.slice(0, dot);
  const rest = chain.slice(dot + 1);
  return own.has(rest) ? { aid, of: rest as ArticleChain, div: '' } : { aid, of: 'div', div: rest };
}
