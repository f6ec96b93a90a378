/**
 * History of an imported article at its origin (contract §5 via spec §4.3): provenance, thread, votes, questions and
 * contributions from the import's evidence. They are shown apart: nothing in this ledger counts or decides on them.
 */
import { unpublishedField } from '../../domain/articles/unpublished-contents.ts';
import type { ArticleAccess } from './article-access.ts';
import { articleChain, parseArticleChain, type ArticleChain } from '../../domain/articles/chains.ts';
import { withUnpublished, type UnpublishedContents } from '../../domain/bundles/evidence.ts';
import { plainObject, currentValue, type OpenChains, type OpenEntry } from '../../domain/bundles/bundle.ts';
import type { Imported } from '../../model/parts.ts';
import { openEntry } from '../../represent/stored-events.ts';
import type { ReadContext } from '../read-context.ts';
import { loadArticle } from './articles.ts';
import { redactionPolicyOf } from './article-chains.ts';

/** As a member of the answer; absent if the article was not imported. */
export async function readImported(
  context: ReadContext,
  access: ArticleAccess,
  of: ArticleChain,
): Promise<{ readonly imported?: Imported }> {
  const { row } = await loadArticle(context, access.aid);
  const provenance = await context.read.chain(articleChain(access.aid, 'provenance'));
  const [first] = (await redactionPolicyOf(context, access, row)).redact(provenance);
  const found = first === undefined ? undefined : importedBy(openEntry(first), of);
  return found === undefined ? {} : { imported: found };
}

/** Entries of one chain in an import entry's evidence, earlier imports included. */
function importedBy({ entry, contents }: OpenEntry, of: ArticleChain): Imported | undefined {
  if (entry['action'] !== 'import') return undefined;
  const change = plainObject(plainObject(currentValue(contents['content_sha']))['change']);
  const {
    base = null,
    log = null,
    slug = null,
  } = plainObject(change['imported']) as Partial<Imported['from']>;
  const chains = withUnpublished(
    plainObject(currentValue(contents['evidence_sha'])) as OpenChains,
    plainObject(currentValue(contents[unpublishedField])) as UnpublishedContents,
  );
  const first = chainOf(chains, 'provenance')?.[1][0];
  const before = first === undefined ? undefined : importedBy(first, of);
  const found = chainOf(chains, of);
  if (found === undefined) return before;
  const [chain, entries] = found;
  return {
    from: { base, log, slug },
    chain,
    count: entries.length,
    entries: entries.map(listedEntry),
    ...(before === undefined ? {} : { imported: before }),
  };
}

function chainOf(chains: OpenChains, of: ArticleChain): readonly [string, readonly OpenEntry[]] | undefined {
  return Object.entries(chains).find(([name]) => parseArticleChain(name)?.of === of);
}

function listedEntry({ entry, hash, contents }: OpenEntry): Imported['entries'][number] {
  const said = contents['content_sha'];
  return { said: currentValue(said), salt: said?.salt ?? null, entry, hash };
}
