/** What the forms of claims and sources are made of (contract §5, §8): their page, and fields with the errors that are theirs. */
import type { ComponentChildren } from 'preact';
import type { Fault } from '../../../../kernel/fault.ts';
import { tiers, tierWeights, type Tier } from '../../../../model/vocabulary.ts';
import type { Form } from '../../../http/browser-forms.ts';
import { Button } from '../../components/button.tsx';
import { Field } from '../../components/field.tsx';
import { TextField, type TextFieldProps } from '../../components/text-field.tsx';
import { deskPage } from '../console-page.tsx';
import { memberOf, type OpenArticle, violationsOf } from './desk.ts';
import { Crumbs, Hidden, Refused } from './editor-parts.tsx';
import { type Findings, inWords } from './findings.tsx';
import type { Sentence } from './sentences.ts';
import { excerptOf } from '../../../../kernel/text.ts';

export interface EvidenceView {
  readonly article: OpenArticle;
  /** The fields as they were sent or chosen; none at first. */
  readonly values: Form;
  readonly refusal?: Fault | undefined;
  readonly findings?: Findings | undefined;
  /** What a claim or source may be made of. */
  readonly sentences: readonly Sentence[];
}

export function evidencePage({ context, state: { row } }: OpenArticle, title: string, content: preact.VNode) {
  return deskPage(
    context,
    { title: `${title} · ${row.title}`, here: 'articles', scripts: ['evidence-form'] },
    <div class="narrow">
      <Crumbs context={context} article={row}>
        {title}
      </Crumbs>
      <h1>{title}</h1>
      {content}
    </div>,
  );
}

/** A form that is checked while one types, where `checked`. */
export function EvidenceForm({
  view: { article, refusal },
  action,
  others = [],
  checked = true,
  children,
}: Readonly<{
  view: EvidenceView;
  action: string;
  others?: readonly string[];
  checked?: boolean;
  children: ComponentChildren;
}>) {
  const { context, state } = article;
  return (
    <form method="post" action={action} class="evidence-form" data-check={checked ? '' : undefined}>
      <Hidden context={context} version={state.row.version} />
      <Unwritten refusal={refusal} others={others} />
      {children}
    </form>
  );
}

export function Unwritten({
  refusal,
  others = [],
}: Pick<EvidenceView, 'refusal'> & { readonly others?: readonly string[] }) {
  return (
    <Refused refusal={refusal} said={violationsOf(refusal).length > 0} others={others}>
      Nothing was written.
    </Refused>
  );
}

/** The fields of a form whose names begin with `prefix`, with what was sent in them and the errors of each. */
export interface Fields {
  readonly prefix: string;
  value(name: string): string;
  errorOf(name: string): string | undefined;
  /** Errors of members that have no field. */
  readonly others: readonly string[];
}

export function fieldsOf(view: EvidenceView, prefix: string, names: readonly string[]): Fields {
  const errors = new Map<string, string>();
  for (const each of violationsOf(view.refusal)) {
    const member = memberOf(each);
    errors.set(member, inWords(`${errors.get(member) ?? ''} ${each.message} ${each.fix}`.trim()));
  }
  return {
    prefix,
    value: (name) => view.values.get(name) ?? '',
    errorOf: (name) => errors.get(name),
    others: [...errors].filter(([member]) => !names.includes(member)).map(([, text]) => text),
  };
}

/** A field of text with what was sent in it. */
export function EvidenceField({
  of,
  name,
  value = of.value(name),
  ...props
}: Readonly<{ of: Fields; name: string; value?: string }> & Omit<TextFieldProps, 'id' | 'error' | 'value'>) {
  return <TextField id={idOf(of, name)} name={name} value={value} error={of.errorOf(name)} {...props} />;
}

/** `claim-why` of `why_material`: the word that the member begins with. */
export function idOf({ prefix }: Fields, name: string): string {
  return `${prefix}-${name.split('_', 1)[0] ?? name}`;
}

/** Words of the article by choice, where nothing was selected; `web/editor/evidence.ts` takes them at once. */
export function TakeWords({ sentences, into }: Readonly<{ sentences: readonly Sentence[]; into: string }>) {
  if (sentences.length === 0) return null;
  return (
    <div class="take-words" data-into={into}>
      <Field id="words" label="Words of the text">
        {(wired) => (
          <select name="words" {...wired}>
            <option value="">Choose a sentence</option>
            {sentences.map(({ id, text, section }) => (
              <option key={id} value={id} data-text={text} data-section={section}>
                {excerptOf(text, shownCharsMax)}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Button name="act" value="take" formnovalidate>
        Take them
      </Button>
    </div>
  );
}

const shownCharsMax = 90;

export function ClaimText({ of, value }: Readonly<{ of: Fields; value?: string }>) {
  return (
    <EvidenceField
      of={of}
      name="text"
      label="Claim"
      hint="One sentence, at most 280 characters."
      rows={3}
      required
      wide
      {...(value === undefined ? {} : { value })}
    />
  );
}

export function TierField({ of, tier }: Readonly<{ of: Fields; tier: Tier }>) {
  const chosen = of.value('tier') || tier;
  return (
    <Field id={idOf(of, 'tier')} label="Kind of evidence" error={of.errorOf('tier')}>
      {(wired) => (
        <select name="tier" {...wired}>
          {tiers.map((each) => (
            <option key={each} value={each} selected={each === chosen}>
              {`${each} (weight ${tierWeights[each]})`}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
