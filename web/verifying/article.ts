/**
 * Verifies an article in the browser: its bundle is computed again from genesis and followed to the signed log, and
 * the words of claims, sources and discussion on the page are compared with it. The blocks are not: that takes the
 * renderer, which pages of a static site have. One request has all of the evidence, a second the key.
 */
import { type Json, parseDocument, verifyBundle, verifyProofText } from '../../verify/index.ts';
import {
  type Check,
  countOf,
  counted,
  notCommitted,
  onDemand,
  root,
  show,
  siteTrust,
  type SiteTrust,
  textAt,
} from './seal.ts';
import { compareSaid, notProven, type SaidInBundle } from './shown.ts';
import { judgeWitnesses, type Written } from './witnesses.ts';

/** What the page says of itself; `asked` is the past that it shows, as a query; '' for the article as it is. */
interface Shown {
  readonly article: HTMLElement;
  readonly slug: string;
  readonly version: string;
  readonly contentHash: string;
  readonly asked: string;
}

type Served = Record<string, Json>;

export function verifyArticlePage(article: HTMLElement): void {
  const { slug = '', version = '', contentHash = '', asked = '' } = article.dataset;
  onDemand(() => verify({ article, slug, version, contentHash, asked }), true);
}

async function verify(shown: Shown): Promise<void> {
  const { slug, version, asked } = shown;
  const address = new URL(`api/articles/${slug}/bundle${asked === '' ? '' : `?${asked}`}`, root);
  const [trust, text] = await Promise.all([siteTrust(), textAt(address)]);
  const served = parseDocument(text) as Served;
  if (String(served['version']) !== version) {
    return show(
      'open',
      `The article is now at version ${String(served['version'])}; this page shows version ${version}. Load it again.`,
    );
  }
  const { inclusion } = served['origin'] as Served;
  if (inclusion === null)
    return show('open', 'The log has not yet taken in the newest entries. Verify again in a few seconds.');
  const { checks, uncovered = [] } = await verifyBundle(served, trust);
  const bundle = served as object as SaidInBundle;
  const said = compareSaid(shown.article, bundle);
  const all = [...checks, ...samePage(served, shown.contentHash), ...said, ...(await proven(served, trust))];
  const witnessed = judgeWitnesses(all, () => newestIn(served));
  const { failures, verdict } = witnessed;
  if (failures.length > 0)
    return show('broken', `${failures.length} of ${all.length} checks of this article failed:`, failures);
  const witnesses = witnessed.checks.filter(({ id }) => id === 'quorum');
  const [sentence, found] = summary(all, witnesses, uncovered, notProven(uncovered, bundle));
  const seen = witnessed.sentence === '' ? '' : ` ${witnessed.sentence}`;
  return show(verdict, `${sentence}${seen}`, found);
}

/** The newest entry of the bundle, whose checkpoint covers it. */
function newestIn(served: Served): Written {
  let newest = { at: -1, ts: undefined as string | undefined };
  for (const chain of Object.values(served['chains'] as Record<string, readonly Served[]>))
    for (const { at, entry } of chain)
      if (Number(at) > newest.at) newest = { at: Number(at), ts: String((entry as Served)['ts']) };
  return { ts: newest.ts, what: 'the newest entry' };
}

/** The page and the ledger's answer must speak of the same text. */
function samePage(served: Served, contentHash: string): Check[] {
  if (served['content_hash'] === contentHash) return [];
  return [
    {
      id: 'page',
      ok: false,
      detail: `the page was made of a body that hashes to ${contentHash}, the ledger serves one that hashes to ${String(served['content_hash'])}`,
    },
  ];
}

/**
 * The newest provenance entry, followed by the page's proof to a signed checkpoint. Which witnesses have seen the entry is
 * said by the bundle, whose checkpoint is newer.
 */
async function proven(served: Served, trust: SiteTrust): Promise<readonly Check[]> {
  const proof = document.getElementById('proof');
  const provenance = served['provenance'] as readonly { readonly hash: string }[];
  const head = String(provenance.at(-1)?.hash);
  if (proof === null) return [];
  if (proof.dataset['entry'] !== head)
    return [
      {
        id: 'proof',
        ok: false,
        detail: `the provenance ends in ${head}, the page proves ${String(proof.dataset['entry'])}`,
      },
    ];
  const { checks } = await verifyProofText(proof.textContent, trust, head);
  return checks.filter(({ witnessing }) => witnessing === undefined);
}

/** One sentence, and what stands behind it. */
function summary(
  checks: readonly Check[],
  witnesses: readonly Check[],
  uncovered: readonly string[],
  open: readonly string[],
): [string, Check[]] {
  const entries = checks.reduce(
    (sum, { id, detail }) => sum + (id === 'chain' ? Number(/: (\d+) entr/.exec(detail)?.[1] ?? 0) : 0),
    0,
  );
  const chains = counted(countOf(checks, 'chain'), 'chain');
  // Provenance holds the claims once more, as they were posted.
  const claims = checks.filter(({ id, at }) => id === 'claim' && at?.startsWith('claims[')).length;
  // The article says where each DIV stands in it; its text is shown apart.
  const divs = checks.filter(({ id, at }) => id === 'div' && at?.startsWith('voxels[') === true).length;
  const hashed = ['the body', ...some(divs, 'DIV'), ...some(claims, 'claim')];
  const committed = [
    ...some(countOf(checks, 'source'), 'source'),
    ...some(countOf(checks, 'contribution'), 'contribution'),
    ...some(countOf(checks, 'post'), 'word of discourse', 'words of discourse'),
  ];
  const signature = checks.find(({ id }) => id === 'signature')?.detail;
  const inclusion = checks.find(({ id }) => id === 'inclusion')?.detail;
  const found = [
    `${chains} of ${counted(entries, 'entry', 'entries')} from genesis, without a break`,
    `${hashed.join(', ')}: what their hashes say`,
    ...(committed.length === 0 ? [] : [`${committed.join(', ')}: what their entries commit to`]),
    ...[signature, inclusion].filter((detail) => detail !== undefined),
    'the key is the one that this site publishes',
    ...witnesses.map(({ detail }) => detail),
    'on this page: the words of the thesis, the claims, the sources and the discussion are those of the bundle',
    ...(open.length === 0
      ? []
      : [
          `from before publication, whose entries are not opened, so only this site vouches for it: ${open.join(', ')}`,
        ]),
    'not compared: how this page shows the blocks, names and times beside the words; colophon export --site makes pages that compare their blocks',
    ...notCommitted(uncovered),
  ];
  return [
    `${chains} of ${counted(entries, 'entry', 'entries')}, from genesis to the signed log.`,
    found.map((detail) => ({ id: 'found', ok: true, detail })),
  ];
}

function some(n: number, one: string, many?: string): string[] {
  return n === 0 ? [] : [counted(n, one, many)];
}
