/**
 * The forms of claims and sources (contract §5, §8): made of words selected in the editor or typed. What breaks a rule is
 * told while one types, by a dry run of the row; nothing is written before the form is sent.
 */
import type { LikeClaim } from '../../../../app/reads/editing.ts';
import { sourcesOf, type ArticleState } from '../../../../domain/articles/state.ts';
import type { Violation } from '../../../../domain/violations.ts';
import type { Fault } from '../../../../kernel/fault.ts';
import type { Claim } from '../../../../model/claim.ts';
import { sourceCharsMax } from '../../../../model/source.ts';
import { tiers, tierWeights } from '../../../../model/vocabulary.ts';
import type { Form } from '../../../http/browser-forms.ts';
import { Button } from '../../components/button.tsx';
import { Combobox } from '../../components/combobox.tsx';
import { Disclosure } from '../../components/disclosure.tsx';
import { Field } from '../../components/field.tsx';
import { Toast } from '../../components/toast.tsx';
import { type ConsoleContext, deskPage } from '../console-page.tsx';
import { Hidden } from './article-page.tsx';
import { memberOf, type OpenArticle, type Rehearsal, violationsOf, writePaths } from './desk.ts';

/** What is wrong with what was typed so far, and which claims stand near it. */
export interface Findings {
  readonly rehearsal: Rehearsal | undefined;
  readonly like: readonly LikeClaim[];
}

export interface EvidenceView {
  readonly article: OpenArticle;
  /** The fields as they were sent or chosen; none at first. */
  readonly values: Form;
  readonly refusal?: Fault | undefined;
  readonly findings?: Findings | undefined;
}

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
  const { context, state } = view.article;
  return formPage(
    context,
    state,
    'Make a claim',
    <>
      <p>
        A claim is one sentence that can be shown wrong, with who claims it and the words that it rests on. It
        stands beside the text from now on, and everybody can object to it.
      </p>
      <ClaimForm view={view} />
    </>,
  );
}

export function sourceFormPage(view: EvidenceView): string {
  const { context, state } = view.article;
  return formPage(
    context,
    state,
    'Add a source',
    <>
      <p>A source is a page and the exact words in it. Claims rest on it, and readers compare the words.</p>
      <SourceForm view={view} />
    </>,
  );
}

function formPage(
  context: ConsoleContext,
  { row }: ArticleState,
  title: string,
  content: preact.VNode,
): string {
  const paths = writePaths(context.site.root);
  return deskPage(
    context,
    { title: `${title} · ${row.title}`, here: 'articles', scripts: ['evidence-form'] },
    <div class="narrow">
      <p class="crumbs">
        <a href={paths.articles}>Articles</a> ›{' '}
        <a href={paths.article(row.slug)} dir="auto">
          {row.title}
        </a>{' '}
        › {title}
      </p>
      <h1>{title}</h1>
      {content}
    </div>,
  );
}

/** Reads a member of what was sent, with the errors of its field. */
function reader(view: EvidenceView, fields: readonly string[]) {
  const errors = new Map<string, string>();
  for (const each of violationsOf(view.refusal)) {
    const member = memberOf(each);
    errors.set(member, inWords(`${errors.get(member) ?? ''} ${each.message} ${each.fix}`.trim()));
  }
  const others = [...errors].filter(([member]) => !fields.includes(member)).map(([, text]) => text);
  return {
    value: (name: string): string => view.values.get(name) ?? '',
    errorOf: (name: string): { readonly error?: string } => {
      const error = errors.get(name);
      return error === undefined ? {} : { error };
    },
    others,
  };
}

function Refused({
  refusal,
  others,
}: {
  readonly refusal: Fault | undefined;
  readonly others: readonly string[];
}) {
  if (refusal === undefined) return null;
  return (
    <Toast kind="refused">
      <p>
        <strong>Nothing was written.</strong> {refusal.message}{' '}
        {violationsOf(refusal).length === 0 ? refusal.fix : ''} {others.join(' ')}
      </p>
    </Toast>
  );
}

export function ClaimForm({ view }: { readonly view: EvidenceView }) {
  const { context, state } = view.article;
  const { value, errorOf, others } = reader(view, claimFields);
  const sources = sourcesOf(state);
  const chosen = new Set(value('source_ids').split(' '));
  const isRepeated = view.refusal?.fault === 'duplicate_claim' || value('distinct') === '1';
  return (
    <form
      method="post"
      action={writePaths(context.site.root).claim(state.row.slug)}
      class="evidence-form"
      data-check
    >
      <Hidden context={context} version={state.row.version} />
      <Refused refusal={view.refusal} others={others} />
      <Field
        id="claim-text"
        label="Claim"
        hint="One sentence, at most 280 characters."
        wide
        {...errorOf('text')}
      >
        {(wired) => <textarea name="text" rows={3} required dir="auto" value={value('text')} {...wired} />}
      </Field>
      <FindingsList findings={view.findings} />
      <div class="fields">
        <Field id="claim-tier" label="Kind of evidence" {...errorOf('tier')}>
          {(wired) => (
            <select name="tier" {...wired}>
              {tiers.map((tier) => (
                <option key={tier} value={tier} selected={tier === (value('tier') || 'system')}>
                  {`${tier} (weight ${tierWeights[tier]})`}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field id="claim-who" label="Who claims it" {...errorOf('who_claims')}>
          {(wired) => (
            <input
              type="text"
              name="who_claims"
              required
              maxLength={300}
              dir="auto"
              value={value('who_claims') || lastClaimant(state)}
              {...wired}
            />
          )}
        </Field>
      </div>
      {sources.length === 0 ? null : (
        <fieldset>
          <legend>Rests on</legend>
          <div class="checks">
            {sources.map(({ source }) => (
              <label key={source.id}>
                <input
                  type="checkbox"
                  name={`source.${source.id}`}
                  value="1"
                  checked={chosen.has(source.id) || value(`source.${source.id}`) === '1'}
                />{' '}
                <span>
                  <bdi>{source.title}</bdi> <span class="row-note">{source.id}</span>
                </span>
              </label>
            ))}
          </div>
        </fieldset>
      )}
      <Field
        id="claim-why"
        label="Why it matters"
        hint="Needed where it rests on no source."
        wide
        {...errorOf('why_material')}
      >
        {(wired) => (
          <input
            type="text"
            name="why_material"
            maxLength={2000}
            dir="auto"
            value={value('why_material')}
            {...wired}
          />
        )}
      </Field>
      <Disclosure
        summary="Place in the article, what would show it wrong"
        open={value('section') !== '' || isRepeated}
      >
        <Combobox
          id="claim-section"
          name="section"
          label="Stands by"
          hint="A heading of the article; the whole article when empty."
          suggestions={[...state.divs.values()]
            .filter(({ status, title }) => status === 'current' && title !== '')
            .map(({ title }) => ({ value: title }))}
          value={value('section')}
          {...errorOf('section')}
        />
        <Field id="claim-falsifier" label="What would show it wrong" {...errorOf('falsifier')}>
          {(wired) => (
            <input
              type="text"
              name="falsifier"
              maxLength={1000}
              dir="auto"
              value={value('falsifier')}
              {...wired}
            />
          )}
        </Field>
        <Field id="claim-rationale" label="Why it is made" {...errorOf('rationale')}>
          {(wired) => (
            <input
              type="text"
              name="rationale"
              maxLength={2000}
              dir="auto"
              value={value('rationale')}
              {...wired}
            />
          )}
        </Field>
        {isRepeated ? (
          <label class="check">
            <input type="checkbox" name="distinct" value="1" checked={value('distinct') === '1'} /> It says
            something else than the claim that stands; why it is made says what.
          </label>
        ) : null}
      </Disclosure>
      <p class="buttons">
        <Button kind="primary">Make the claim</Button>
      </p>
    </form>
  );
}

/** Who made the newest claim: mostly the one who makes the next. */
function lastClaimant(state: ArticleState): string {
  return [...state.claims.values()].toSorted((a, b) => b.n - a.n)[0]?.claim.who_claims ?? '';
}

export function SourceForm({ view }: { readonly view: EvidenceView }) {
  const { context, state } = view.article;
  const { value, errorOf, others } = reader(view, sourceFields);
  return (
    <form
      method="post"
      action={writePaths(context.site.root).source(state.row.slug)}
      class="evidence-form"
      data-check
    >
      <Hidden context={context} version={state.row.version} />
      <Refused refusal={view.refusal} others={others} />
      <Field
        id="source-quote"
        label="Exact words"
        hint="As they stand on the page."
        wide
        {...errorOf('quote')}
      >
        {(wired) => (
          <textarea
            name="quote"
            rows={4}
            required
            maxLength={sourceCharsMax.quote}
            dir="auto"
            value={value('quote')}
            {...wired}
          />
        )}
      </Field>
      <Field id="source-url" label="Address of the page" wide {...errorOf('url')}>
        {(wired) => (
          <input
            type="url"
            name="url"
            required
            maxLength={sourceCharsMax.url}
            placeholder="https://"
            value={value('url')}
            {...wired}
          />
        )}
      </Field>
      <FindingsList findings={view.findings} />
      <div class="fields">
        <Field id="source-title" label="Title of the page" {...errorOf('title')}>
          {(wired) => (
            <input
              type="text"
              name="title"
              required
              maxLength={sourceCharsMax.title}
              dir="auto"
              value={value('title')}
              {...wired}
            />
          )}
        </Field>
        <Combobox
          id="source-type"
          name="type"
          label="Kind"
          required
          maxLength={sourceCharsMax.type}
          suggestions={['review', 'study', 'documentation', 'news', 'adjacent'].map((each) => ({
            value: each,
          }))}
          value={value('type') || 'review'}
          {...errorOf('type')}
        />
      </div>
      <Field id="source-summary" label="What it says" wide {...errorOf('summary')}>
        {(wired) => (
          <input
            type="text"
            name="summary"
            maxLength={sourceCharsMax.summary}
            dir="auto"
            value={value('summary')}
            {...wired}
          />
        )}
      </Field>
      <p class="buttons">
        <Button kind="primary">Add the source</Button>
      </p>
    </form>
  );
}

/** Replaced while one types; empty at first. */
export function FindingsList({ findings }: { readonly findings: Findings | undefined }) {
  return (
    <div class="findings" data-findings role="status">
      {findings === undefined ? null : <FindingsText findings={findings} />}
    </div>
  );
}

export function FindingsText({ findings: { rehearsal, like } }: { readonly findings: Findings }) {
  // What is still empty is no news while one types.
  const told = (rehearsal?.violations ?? []).filter(({ code }) => code !== 'missing' && code !== 'empty');
  const isSound = rehearsal !== undefined && rehearsal.problem === null;
  return (
    <>
      {told.length === 0 && isSound ? <p class="finding finding-good">Every rule is kept.</p> : null}
      {told.length === 0 && rehearsal?.canonical !== undefined ? (
        <p class="finding finding-error">
          {rehearsal.problem} {rehearsal.fix}
        </p>
      ) : null}
      {told.map((each) => (
        <Finding key={`${each.code} ${each.at}`} violation={each} />
      ))}
      {like.map(({ id, text, kind, differs }) => (
        <p key={id} class="finding finding-near">
          {kind === 'duplicate' ? 'The same as' : kind === 'contrary' ? 'The opposite of' : 'Close to'} {id}:
          “<bdi>{text}</bdi>”{differs.length === 0 ? '' : ` (differs in ${differs.slice(0, 3).join(', ')})`}
        </p>
      ))}
    </>
  );
}

function Finding({ violation: { severity, message, fix } }: { readonly violation: Violation }) {
  return (
    <p class={`finding finding-${severity}`}>
      {inWords(message)} {inWords(fix)}
    </p>
  );
}

/** Rules name arguments; people see the fields of the form. */
const fieldNames: Readonly<Record<string, string>> = {
  source_ids: 'a source',
  why_material: '“Why it matters”',
  who_claims: '“Who claims it”',
  falsifier: '“What would show it wrong”',
  rationale: '“Why it is made”',
};

function inWords(text: string): string {
  return text.replace(/\b[a-z]+_[a-z]+\b/g, (name) => fieldNames[name] ?? name);
}

/** Rewording and retracting one claim. */
export function claimPage(
  view: EvidenceView & { readonly claim: Claim; readonly sent?: 'repair' | 'retract' },
): string {
  const { article, claim, values, refusal } = view;
  const { context, state } = article;
  const { slug } = state.row;
  const { errorOf, others } = reader(view, ['text', 'tier', 'rationale', 'reason']);
  const action = writePaths(context.site.root).claim(slug, claim.id);
  const may = (key: string): boolean => context.may(key, slug);
  const isRetracted = claim.status === 'retracted';
  return formPage(
    context,
    state,
    `Claim ${claim.id}`,
    <>
      <blockquote class="assertion" dir="auto">
        <p>{claim.text}</p>
      </blockquote>
      <p class="section-note">
        {claim.tier}, claimed by <bdi>{claim.who_claims}</bdi>, version {claim.version}
        {isRetracted ? ', retracted' : ''}.
      </p>
      <Refused refusal={refusal} others={others} />
      {isRetracted || !may('CLAIM_REPAIR') ? null : (
        <form method="post" action={action} class="evidence-form" data-check>
          <h2>Reword</h2>
          <Hidden context={context} version={state.row.version} />
          <input type="hidden" name="claim_id" value={claim.id} />
          <input type="hidden" name="expected_hash" value={claim.hash} />
          <Field
            id="claim-text"
            label="Claim"
            hint="One sentence, at most 280 characters."
            {...errorOf('text')}
          >
            {(wired) => (
              <textarea
                name="text"
                rows={3}
                required
                dir="auto"
                value={values.get('text') ?? claim.text}
                {...wired}
              />
            )}
          </Field>
          <FindingsList findings={view.findings} />
          <Field id="claim-tier" label="Kind of evidence" {...errorOf('tier')}>
            {(wired) => (
              <select name="tier" {...wired}>
                {tiers.map((tier) => (
                  <option key={tier} value={tier} selected={tier === (values.get('tier') ?? claim.tier)}>
                    {`${tier} (weight ${tierWeights[tier]})`}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field id="claim-rationale" label="Why" {...errorOf('rationale')}>
            {(wired) => (
              <input
                type="text"
                name="rationale"
                required
                maxLength={2000}
                dir="auto"
                value={values.get('rationale') ?? ''}
                {...wired}
              />
            )}
          </Field>
          <p class="buttons">
            <Button kind="primary" name="act" value="repair">
              Reword
            </Button>
          </p>
        </form>
      )}
      {isRetracted || !may('CLAIM_RETRACT') ? null : (
        <form method="post" action={action} class="evidence-form">
          <h2>Retract</h2>
          <p>It stays listed as retracted, with your reason, and weighs nothing.</p>
          <Hidden context={context} version={state.row.version} />
          <input type="hidden" name="claim_id" value={claim.id} />
          <Field id="claim-reason" label="What was found to be wrong" {...errorOf('reason')}>
            {(wired) => (
              <input
                type="text"
                name="reason"
                required
                maxLength={2000}
                dir="auto"
                value={values.get('reason') ?? ''}
                {...wired}
              />
            )}
          </Field>
          <p class="buttons">
            <Button kind="danger" name="act" value="retract">
              Retract
            </Button>
          </p>
        </form>
      )}
    </>,
  );
}
