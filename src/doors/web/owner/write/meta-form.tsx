/** Title, tags, series, category and image of an article, as fields (contract §3 ARTICLE_META, §8). */
import { readLabels } from '../../../../app/reads/labels.ts';
import type { ReadContext } from '../../../../app/read-context.ts';
import type { Fault } from '../../../../kernel/fault.ts';
import { traversalOf } from '../../../../domain/articles/traversal.ts';
import { titleCharsMax } from '../../../../domain/articles/write-document.ts';
import { Button } from '../../components/button.tsx';
import { Disclosure } from '../../components/disclosure.tsx';
import { TextField, type TextFieldProps } from '../../components/text-field.tsx';
import { memberOf, violationsOf, writePaths, type OpenArticle } from './desk.ts';
import { Hidden } from './editor-parts.tsx';

/** How an article is filed, as the fields have it. */
export interface Filed {
  readonly title: string;
  readonly tags: string;
  readonly category: string;
  readonly series: string;
  readonly position: string;
}

/** Tags and series that other articles of the workspace have. */
export interface Known {
  readonly tags: readonly string[];
  readonly series: readonly string[];
}

export async function knownLabels(context: ReadContext, tenant: string): Promise<Known> {
  const { tags, series } = await readLabels(context, tenant);
  const most = <T,>(found: ReadonlyMap<string, readonly T[]>): readonly string[] =>
    [...found]
      .toSorted(([, a], [, b]) => b.length - a.length)
      .slice(0, suggestionsMax)
      .map(([name]) => name);
  return { tags: most(tags), series: most(series) };
}

const suggestionsMax = 200;

/** What the form of the metadata holds. */
export interface MetaView extends Filed {
  readonly hero: string;
  /** The version that it was made from. */
  readonly version: number;
}

export function metaOf({ state: { row } }: OpenArticle): MetaView {
  const place = traversalOf(row.meta);
  return {
    title: row.title,
    tags: row.meta.tags.join(', '),
    category: row.meta.category ?? '',
    series: place?.series ?? '',
    position: place?.position == null ? '' : String(place.position),
    hero: row.meta.hero ?? '',
    version: row.version,
  };
}

export function MetaForm({
  article,
  meta,
  known,
  refusal,
}: Readonly<{ article: OpenArticle; meta: MetaView; known: Known; refusal: Fault | undefined }>) {
  const { context, state } = article;
  const errors = new Map(
    violationsOf(refusal).map((each) => {
      const member = memberOf(each);
      return [member === 'of' ? 'position' : member, `${each.message} ${each.fix}`];
    }),
  );
  return (
    <Disclosure summary="Title, tags, series, category, image" open={refusal !== undefined} id="about">
      <form method="post" action={writePaths(context.site.root).meta(state.row.slug)}>
        <Hidden context={context} version={meta.version} />
        <div class="fields">
          <TextField
            id="title"
            name="title"
            label="Title"
            wide
            error={errors.get('title')}
            value={meta.title}
            required
            maxLength={titleCharsMax}
          />
          <MetaFields fields={meta} known={known} errors={errors} />
          <TextField
            id="hero"
            name="hero"
            type="url"
            label="Image"
            hint="The address of an image of this site, shown above the text."
            wide
            error={errors.get('hero')}
            value={meta.hero}
            maxLength={4000}
          />
        </div>
        <Button>Save</Button>
      </form>
    </Disclosure>
  );
}

/** Tags, category and place in a series; also in the form of an article's metadata. */
export function MetaFields({
  fields,
  known,
  errors,
}: Readonly<{
  fields: Filed;
  known: Known;
  errors: ReadonlyMap<string, string>;
}>) {
  const text = (name: keyof typeof fields, label: string, hint: string, limits: Partial<TextFieldProps>) => (
    <TextField
      id={name}
      name={name}
      label={label}
      hint={hint}
      error={errors.get(name)}
      value={fields[name]}
      {...limits}
    />
  );
  return (
    <>
      {text('tags', 'Tags', 'Separated by commas.', { maxLength: 3000, suggestions: known.tags })}
      {text('category', 'Category', 'One, or none.', { maxLength: 100 })}
      {text('series', 'Series', 'The name that its articles share; none when empty.', {
        maxLength: 100,
        suggestions: known.series,
      })}
      {text('position', 'Place in the series', '1 is the first.', {
        inputmode: 'numeric',
        pattern: '[1-9][0-9]{0,5}',
      })}
    </>
  );
}
