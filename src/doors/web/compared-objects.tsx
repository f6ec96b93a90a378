/** The claims, sources and metadata of a comparison (contract §8), as objects that changed. */
import type { RevisionComparison } from '../../model/history.ts';
import type { JsonValue } from '../../kernel/json.ts';
import { languageOf } from './format-text.ts';
import { DiffView } from './components/diff-view.tsx';
import { Quote } from './components/quote.tsx';
import { ContributedLink } from './parts.tsx';
import type { Site } from './site.ts';
import { type CompareView, Head } from './compared-parts.tsx';

type ClaimChange = RevisionComparison['claims'][number];

const claimWords: Readonly<Record<string, string>> = {
  tier: 'Tier',
  weight: 'Weight',
  source_ids: 'Sources',
  falsifier: 'What would show it wrong',
  who_claims: 'Who claims it',
  slot: 'Slot',
  section: 'Section',
  status: 'Status',
};

export function ComparedClaim({
  site,
  view,
  claim,
}: Readonly<{ site: Site; view: CompareView; claim: ClaimChange }>) {
  const { id, change, members, before, after, diff } = claim;
  const isRetracted = after?.status === 'retracted';
  const word =
    change === 'changed' && members.includes('text')
      ? 'reworded'
      : change === 'added' && isRetracted
        ? 'added and retracted'
        : change;
  const text = after?.text ?? before?.text ?? '';
  const others = members.filter((name) => name !== 'text');
  return (
    <section class="change" id={`claim-${id}`}>
      <Head site={site} view={view} id={id} name="Claim" word={word} change={claim} />
      <DiffView
        changes={
          diff.length > 0
            ? diff
            : [{ op: isRetracted ? 'removed' : change === 'added' ? 'added' : 'same', text }]
        }
        layout={view.isSideBySide && diff.length > 0 ? 'sides' : 'inline'}
        before={`Revision ${view.from.rev}`}
        after={`Revision ${view.to.rev}`}
        lang={languageOf(text)}
      />
      {others.length === 0 || before === null || after === null ? null : (
        <dl class="facts">
          {others.map((name) => (
            <div key={name}>
              <dt>{claimWords[name] ?? name}</dt>
              <dd>
                <Values before={before[name as 'tier']} after={after[name as 'tier']} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </section>
  );
}

export function ComparedSource({
  site,
  view,
  source,
}: Readonly<{ site: Site; view: CompareView; source: RevisionComparison['sources'][number] }>) {
  const { id, change, after } = source;
  return (
    <section class="change" id={`source-${id}`}>
      <Head site={site} view={view} id={id} name="Source" word={change} change={source} />
      {after === null ? null : (
        <>
          <p dir="auto">
            <ContributedLink href={after.url}>{after.title === '' ? after.url : after.title}</ContributedLink>
          </p>
          {after.quote === '' ? null : <Quote text={after.quote} lang={languageOf(after.quote)} />}
        </>
      )}
    </section>
  );
}

const metadataWords: Readonly<Record<string, string>> = {
  title: 'Title',
  status: 'Status',
  hero: 'Lead image',
  images: 'Images',
  style: 'Style',
  tags: 'Tags',
  category: 'Category',
  model: 'Model',
  embeds: 'Embedded pages',
  widgets: 'Widgets',
  home: 'On the first page',
  register: 'Register',
  traversal: 'Place in a series',
  extra: 'Further data',
};

export function Metadata({ metadata }: Pick<CompareView, 'metadata'>) {
  return (
    <section aria-labelledby="metadata">
      <h2 id="metadata">Title, tags and status</h2>
      <dl class="facts">
        {metadata.map(({ name, before, after }) => (
          <div key={name}>
            <dt>{metadataWords[name] ?? name}</dt>
            <dd>
              <Values before={before} after={after} />
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Values({ before, after }: Readonly<{ before: JsonValue; after: JsonValue }>) {
  const [was, is] = [valueText(before), valueText(after)];
  return (
    <span class="diff" dir="auto">
      {was === '' ? null : <del>{was}</del>} {is === '' ? null : <ins>{is}</ins>}
    </span>
  );
}

function valueText(value: JsonValue | undefined): string {
  if (value == null || value === '') return 'none';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(valueText).join(', ');
  const members = Object.entries(value).filter(([, each]) => each !== null);
  return members.length === 0
    ? 'none'
    : members.map(([name, each]) => `${name}: ${valueText(each)}`).join(', ');
}
