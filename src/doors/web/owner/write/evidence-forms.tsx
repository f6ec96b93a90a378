/** The forms that make a claim or add a source (contract §5, §8): of words selected in the editor, or typed. */
import { sourcesOf, type ArticleState } from '../../../../domain/articles/state.ts';
import { claimCharsMax } from '../../../../model/claim.ts';
import { sourceCharsMax } from '../../../../model/source.ts';
import { Button } from '../../components/button.tsx';
import { Combobox } from '../../components/combobox.tsx';
import { Disclosure } from '../../components/disclosure.tsx';
import { writePaths } from './desk.ts';
import {
  ClaimText,
  EvidenceForm,
  evidencePage,
  type EvidenceView,
  type Fields,
  fieldsOf,
  idOf,
  TakeWords,
  EvidenceField,
  TierField,
} from './evidence-fields.tsx';
import { FindingsList } from './findings.tsx';

/** Members that have a field; what is said of others stands above the form. */
const claimFields = [
  'text',
  'tier',
  'who_claims',
  'source_ids',
  'why_material',
  'falsifier',
  'section',
  'rationale',
];
const sourceFields = ['url', 'title', 'quote', 'type', 'summary'];

export function claimFormPage(view: EvidenceView): string {
  return evidencePage(
    view.article,
    'Make a claim',
    <>
      <p>
        A claim is one sentence that can be shown wrong, with who claims it and the words that it rests on. It
        stands beside the text from now on, and everybody can object to it.
      </p>
      {sourcesOf(view.article.state).length > 0 ? null : (
        <p class="section-note">
          This article has no source yet. To let the claim rest on one,{' '}
          <a href={writePaths(view.article.context.site.root).source(view.article.state.row.slug)}>
            add the source first
          </a>{' '}
          and choose it here.
        </p>
      )}
      <ClaimForm view={view} />
    </>,
  );
}

export function sourceFormPage(view: EvidenceView): string {
  return evidencePage(
    view.article,
    'Add a source',
    <>
      <p>A source is a page and the exact words in it. Claims rest on it, and readers compare the words.</p>
      <SourceForm view={view} />
    </>,
  );
}

function ClaimForm({ view }: { readonly view: EvidenceView }) {
  const { context, state } = view.article;
  const of = fieldsOf(view, 'claim', claimFields);
  const isRepeated = view.refusal?.fault === 'duplicate_claim' || of.value('distinct') === '1';
  return (
    <EvidenceForm view={view} action={writePaths(context.site.root).claim(state.row.slug)} others={of.others}>
      <TakeWords sentences={view.sentences} into="text" />
      <ClaimText of={of} />
      <FindingsList findings={view.findings} />
      <div class="fields">
        <TierField of={of} tier="system" />
        <EvidenceField
          of={of}
          name="who_claims"
          label="Who claims it"
          value={of.value('who_claims') || lastClaimant(state)}
          required
          maxLength={claimCharsMax.who_claims}
        />
      </div>
      <CitedSources of={of} state={state} />
      <EvidenceField
        of={of}
        name="why_material"
        label="Why it matters"
        hint="Needed where it rests on no source."
        wide
        maxLength={claimCharsMax.why_material}
      />
      <Disclosure
        summary="Place in the article, what would show it wrong"
        open={of.value('section') !== '' || isRepeated}
      >
        <Combobox
          id={idOf(of, 'section')}
          name="section"
          label="Stands by"
          hint="A heading of the article; the whole article when empty."
          suggestions={[...state.divs.values()]
            .filter(({ status, title }) => status === 'current' && title !== '')
            .map(({ title }) => ({ value: title }))}
          value={of.value('section')}
          error={of.errorOf('section')}
        />
        <EvidenceField
          of={of}
          name="falsifier"
          label="What would show it wrong"
          maxLength={claimCharsMax.falsifier}
        />
        <EvidenceField of={of} name="rationale" label="Why it is made" maxLength={claimCharsMax.rationale} />
        {isRepeated ? (
          <label class="check">
            <input type="checkbox" name="distinct" value="1" checked={of.value('distinct') === '1'} /> It says
            something else than the claim that stands; why it is made says what.
          </label>
        ) : null}
      </Disclosure>
      <p class="buttons">
        <Button kind="primary">Make the claim</Button>
      </p>
    </EvidenceForm>
  );
}

function CitedSources({ of, state }: Readonly<{ of: Fields; state: ArticleState }>) {
  const sources = sourcesOf(state);
  const chosen = new Set(of.value('source_ids').split(' '));
  if (sources.length === 0) return null;
  return (
    <fieldset>
      <legend>Rests on</legend>
      <div class="checks">
        {sources.map(({ source }) => (
          <label key={source.id}>
            <input
              type="checkbox"
              name={`source.${source.id}`}
              value="1"
              checked={chosen.has(source.id) || of.value(`source.${source.id}`) === '1'}
            />{' '}
            <span>
              <bdi>{source.title}</bdi> <span class="row-note">{source.id}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

/** Who made the newest claim: mostly the one who makes the next. */
function lastClaimant(state: ArticleState): string {
  return [...state.claims.values()].toSorted((a, b) => b.n - a.n)[0]?.claim.who_claims ?? '';
}

function SourceForm({ view }: { readonly view: EvidenceView }) {
  const { context, state } = view.article;
  const of = fieldsOf(view, 'source', sourceFields);
  const { url, quote, title, type, summary } = sourceCharsMax;
  return (
    <EvidenceForm
      view={view}
      action={writePaths(context.site.root).source(state.row.slug)}
      others={of.others}
    >
      <TakeWords sentences={view.sentences} into="quote" />
      <EvidenceField
        of={of}
        name="quote"
        label="Exact words"
        hint="As they stand on the page."
        rows={4}
        wide
        required
        maxLength={quote}
      />
      <EvidenceField
        of={of}
        name="url"
        type="url"
        label="Address of the page"
        placeholder="https://"
        wide
        required
        maxLength={url}
      />
      <FindingsList findings={view.findings} />
      <div class="fields">
        <EvidenceField of={of} name="title" label="Title of the page" required maxLength={title} />
        <Combobox
          id={idOf(of, 'type')}
          name="type"
          label="Kind"
          required
          maxLength={type}
          suggestions={['review', 'study', 'documentation', 'news', 'adjacent'].map((each) => ({
            value: each,
          }))}
          value={of.value('type') || 'review'}
          error={of.errorOf('type')}
        />
      </div>
      <EvidenceField of={of} name="summary" label="What it says" wide maxLength={summary} />
      <p class="buttons">
        <Button kind="primary">Add the source</Button>
      </p>
    </EvidenceForm>
  );
}
