/**
 * The preview of an edited text (contract §8): rendered by the server's own renderer, block by block, with what changed
 * marked and the claims beside the blocks that they stand by. It is also what `/owner/a/<slug>` shows of an article.
 */
import { matchBlocks } from '../../../../domain/articles/match-blocks.ts';
import { isFault } from '../../../../kernel/fault.ts';
import type { BlockChange } from '../../../../model/article-writes.ts';
import type { Claim } from '../../../../model/claim.ts';
import { divMarkup } from '../../body-markup.ts';
import { placeClaims } from '../../claim-notes.tsx';
import { countText, languageOf } from '../../format-text.ts';
import type { RenderPool } from '../../render-pool.ts';
import { renderFragment } from '../../shell.tsx';
import type { Site } from '../../site.ts';
import { changeSummary, type writePaths } from './desk.ts';
import { Pictures, type PicturesView } from './pictures.tsx';

interface PreviewedBlock {
  /** The id that it keeps, or `new-1` and so on. */
  readonly id: string;
  readonly isNew: boolean;
  /** HTML from the sanitising renderer. */
  readonly html: string;
  readonly change: BlockChange;
  readonly line: number;
  readonly claims: readonly Claim[];
}

export interface PreviewView {
  readonly slug: string | undefined;
  readonly blocks: readonly PreviewedBlock[];
  /** Claims that stand by no block of the text. */
  readonly otherClaims: readonly Claim[];
  readonly removed: readonly string[];
  readonly language: string | undefined;
  /** Why there is no preview. */
  readonly problem?: string;
}

export interface PreviewInput {
  readonly slug: string | undefined;
  readonly lead: string;
  readonly blocks: readonly {
    readonly div_id: string | undefined;
    readonly text: string;
    readonly change: BlockChange;
    readonly line: number;
  }[];
  readonly removed: readonly string[];
  readonly claims: readonly Claim[];
}

export async function previewOf(site: Site, pool: RenderPool, input: PreviewInput): Promise<PreviewView> {
  const { slug, lead, blocks, removed } = input;
  let made = 0;
  const pieces = blocks.map(({ div_id: id, text }) => ({
    div_id: id ?? `new-${++made}`,
    text,
    sep: '\n\n',
  }));
  const claims = input.claims.filter(({ status }) => status === 'active');
  const language = languageOf(pieces.map(({ text }) => text).join('\n'));
  const none = { slug, blocks: [], otherClaims: claims, removed, language };
  if (pieces.length === 0) return { ...none, problem: 'There is no text yet.' };
  const rendered = await pool.render({ lead, pieces });
  if (rendered === 'busy')
    return { ...none, problem: 'Too many long texts are being rendered. Try again in a few seconds.' };
  if (rendered === 'slow') return { ...none, problem: 'Rendering this text takes too long for a preview.' };
  const placed = placeClaims(claims, rendered.toc);
  const html = new Map(rendered.divs.map((div) => [div.div_id, div.html]));
  return {
    slug,
    removed,
    language,
    blocks: blocks.map(({ div_id: id, change, line }, i) => {
      const name = (pieces[i] as (typeof pieces)[number]).div_id;
      return {
        id: name,
        isNew: id === undefined,
        html: divMarkup(name, html.get(name) ?? '', {
          headingShift: 1,
          base: site.service.base,
          actions: () => [],
        }),
        change,
        line,
        claims: placed.flatMap(({ claim, at }) => (at?.div_id === name ? [claim] : [])),
      };
    }),
    otherClaims: placed.flatMap(({ claim, at }) => (at === undefined ? [claim] : [])),
  };
}

/** The preview of a text that is no article yet. */
export function previewText(site: Site, pool: RenderPool, text: string, slug?: string): Promise<PreviewView> {
  const matched = matchBlocks({ lead: '', pieces: [] }, text);
  const blocks = isFault(matched) ? [] : matched.blocks.map((each) => ({ ...each, change: 'kept' as const }));
  return previewOf(site, pool, { slug, lead: '', blocks, removed: [], claims: [] });
}

const changeWords: Readonly<Record<BlockChange, string>> = {
  kept: '',
  edited: 'changed',
  made: 'new',
  moved: 'moved',
};

interface Props {
  readonly view: PreviewView;
  readonly paths: ReturnType<typeof writePaths>;
  /** Whether each block leads to its own editor. */
  readonly hasEdit?: boolean;
  readonly mayClaim?: boolean;
}

/** What a new article would be called, and why its address is not free. */
export interface Suggested {
  readonly title: string;
  readonly slug: string;
  readonly taken: string;
}

/** What `web/editor.ts` fetches while one types. */
export function previewFragment({
  pictures,
  suggested,
  ...props
}: Props & {
  readonly pictures?: PicturesView | undefined;
  readonly suggested?: Suggested | undefined;
}): string {
  return renderFragment(
    <>
      <Preview {...props} />
      <Pictures view={pictures} />
      {suggested === undefined ? null : (
        <p
          id="suggested"
          hidden
          data-title={suggested.title}
          data-slug={suggested.slug}
          data-taken={suggested.taken}
        />
      )}
    </>,
  );
}

/** The text of an article or of an edit; `web/editor.ts` replaces it block by block. */
export function Preview({ view, paths, hasEdit = false, mayClaim = false }: Props) {
  const changed = view.blocks.filter(({ change }) => change !== 'kept').length + view.removed.length;
  return (
    <div
      class="preview-blocks"
      lang={view.language}
      data-changed={changed}
      data-summary={changeSummary(view)}
    >
      {view.problem === undefined ? null : <p class="preview-problem">{view.problem}</p>}
      {view.blocks.map((block) => (
        <div key={block.id} class="preview-block" data-change={block.change} data-line={block.line}>
          {changeWords[block.change] === '' ? null : <p class="preview-mark">{changeWords[block.change]}</p>}
          <div class="preview-text text" dangerouslySetInnerHTML={{ __html: block.html }} />
          {!hasEdit || view.slug === undefined || block.isNew ? null : (
            <a
              class="preview-edit"
              href={paths.edit(view.slug, block.id)}
              aria-label={`Edit block ${block.id}`}
            >
              Edit
            </a>
          )}
          <Claims claims={block.claims} slug={view.slug} paths={paths} mayClaim={mayClaim} />
        </div>
      ))}
      {view.removed.length === 0 ? null : (
        <p class="preview-removed">
          {countText(view.removed.length, 'block')} removed: {view.removed.join(', ')}
        </p>
      )}
      {view.otherClaims.length === 0 ? null : (
        <div class="preview-whole">
          <p class="preview-note">Claims of the article as a whole</p>
          <Claims claims={view.otherClaims} slug={view.slug} paths={paths} mayClaim={mayClaim} />
        </div>
      )}
    </div>
  );
}

function Claims({
  claims,
  slug,
  paths,
  mayClaim = false,
}: Pick<Props, 'paths' | 'mayClaim'> & {
  readonly claims: readonly Claim[];
  readonly slug: string | undefined;
}) {
  if (claims.length === 0 || slug === undefined) return null;
  return (
    <ul class="preview-claims">
      {claims.map((claim) => (
        <li key={claim.id}>
          <span class="preview-claim" dir="auto">
            {claim.text}
          </span>{' '}
          <span class="preview-note">
            {claim.id} · {claim.tier}
            {mayClaim ? (
              <>
                {' '}
                ·{' '}
                <a href={paths.claim(slug, claim.id)} aria-label={`Reword or retract ${claim.id}`}>
                  Reword or retract
                </a>
              </>
            ) : null}
          </span>
        </li>
      ))}
    </ul>
  );
}
