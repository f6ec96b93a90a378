/**
 * What an assignment starts from (contract §7): the target's article as a graph at the moment of the lease, and the
 * few facts that its ready batch body is made of. Where there is no article yet, the text that will open it is known.
 */
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { canonicalJson } from '../../kernel/json.ts';
import type { Context } from '../context.ts';
import { activeDivs, bodyOf, sourcesOf, type ArticleState } from '../articles/state.ts';
import { prepareDocument, type Document, type DocumentInput } from '../articles/write-document.ts';
import { layerOf } from '../graph/layers.ts';
import type { Footing, Item } from './tables.ts';
import type { Snapshot } from '../../model/landscape.ts';
import type { SizeLimits } from '../../kernel/size-limits.ts';
import type { ArticleStatus } from '../../model/vocabulary.ts';

/** Nodes of a snapshot; an article may have more, and its own address has them all. */
const nodesMax = 400;
/** Sources that a ready comparison cites. */
const citedMax = 3;

/**
 * `article` is the public view, because an assignment is public. `worked` is what the work is done on: the same
 * article, or the draft that work on this target began. A Fault where there is neither and the limits in force let none
 * be opened.
 */
export function snapshotOf(
  item: Item,
  article: ArticleState | undefined,
  worked: ArticleState | undefined,
  threadHead: string,
  { base, limits }: Pick<Context, 'base' | 'limits'>,
): { readonly snapshot: Snapshot; readonly hash: string; readonly footing: Footing } | Fault {
  const footing = worked === undefined ? openingFooting(item, limits) : footingOf(worked);
  if (isFault(footing)) return footing;
  const graph =
    article === undefined
      ? { nodes: [], edges: [] }
      : layerOf('evidence', {
          base,
          state: article,
          posts: [],
          votes: [],
          contributions: [],
          questions: [],
          resolutions: new Map(),
          work: [],
        });
  const nodes = graph.nodes.slice(0, nodesMax);
  const kept = new Set(nodes.map(({ id }) => id));
  const snapshot: Snapshot = {
    article: {
      slug: item.article,
      exists: article !== undefined,
      version: article?.row.version ?? 0,
      content_hash: article === undefined ? null : sha256Hex(bodyOf(article)),
      thread_head: threadHead,
    },
    nodes,
    edges: graph.edges.filter(({ from, to }) => kept.has(from) && kept.has(to)),
    left_out: graph.nodes.length - nodes.length,
  };
  return { snapshot, hash: sha256Hex(canonicalJson(snapshot)), footing };
}

function footingOf(article: ArticleState): Footing {
  const divs = activeDivs(article);
  const div = divs.find(({ kind }) => kind === 'paragraph') ?? divs[0];
  return {
    next_source: `s${article.row.sources_made + 1}`,
    div: div === undefined ? null : { id: div.div_id, hash: div.vx_hash },
    sources: sourcesOf(article)
      .slice(-citedMax)
      .map(({ source_id: id }) => id),
  };
}

function openingFooting(item: Item, limits: SizeLimits): Footing | Fault {
  const opening = openingDocument(item, limits);
  if (isFault(opening)) return opening;
  const [, about] = opening.division.blocks;
  return {
    next_source: 's1',
    div: about === undefined ? null : { id: 'd2', hash: sha256Hex(about.text) },
    sources: [],
  };
}

/** The article of a target as it is opened by the first work that lands on it; its text follows from the target alone. */
export function openingDocument(
  item: Item,
  limits: SizeLimits,
  status: ArticleStatus = 'published',
): Document | Fault {
  const { target, selection } = item;
  const where = target.repository ?? target.url;
  const input: DocumentInput = {
    slug: item.article,
    title: target.name,
    status,
    markdown: [
      `# ${target.name}`,
      `What is known of ${target.name}${where === null ? '' : ` (${where})`}, claim by claim with sources. It is one of the targets found by “${selection.query.replace(/\s+/g, ' ').trim()}” on ${selection.captured_at}.`,
      '',
    ].join('\n\n'),
  };
  const document = prepareDocument(input, limits);
  if (!isFault(document)) return document;
  return fault(
    document.fault,
    `The article of ${target.id} cannot be opened. ${document.message}`,
    'The operator raises article_bytes in COLOPHON_LIMITS, or the owner queues the target with a shorter name and query.',
  );
}
