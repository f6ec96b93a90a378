/**
 * The public form for saying something about an article, a block or a claim (contract §8), complete without
 * JavaScript. It states what it was opened on (head of the thread, hash of the text); a refused form comes back with
 * everything that was typed, each error at its field.
 */
import type { ComponentChildren } from 'preact';
import type { Violation } from '../../domain/violations.ts';
import type { Fault } from '../../kernel/fault.ts';
import { attestOutcomes, reviewVerdicts, surfaceMeanings, tiers } from '../../model/vocabulary.ts';
import type { Form } from '../http/browser-forms.ts';
import {
  fieldOf,
  isSayingKind,
  offeredOn,
  sayingName,
  sayings,
  type SayingKind,
  type SeenState,
  type TargetKind,
  targetKindOf,
} from './say.ts';
import { Button } from './components/button.tsx';
import { Choice } from './components/choice.tsx';
import { Field, type Wired } from './components/field.tsx';
import type { Site } from './site.ts';

export interface SayFormProps {
  readonly site: Site;
  readonly slug: string;
  readonly target: string;
  readonly seen: SeenState;
  /** The wording of the claim, which a proposed one begins from. */
  readonly wording?: string | undefined;
  /** The kind that is chosen at first. */
  readonly chosen?: SayingKind | undefined;
  /** Words of the article that it is about. */
  readonly quote?: string | undefined;
  /** Below a thread: without votes, reviews and attestations. */
  readonly brief?: boolean;
  /** The refused form. */
  readonly sent?: Form | undefined;
  readonly refusal?: Fault | undefined;
}

/** Kinds that the brief form leaves to the page of the target. */
const notBrief: ReadonlySet<SayingKind> = new Set(['review', 'attest', 'vote', 'audit', 'compression']);

/** What a vote may propose of each target, in words behind “should”; what no call could carry out is left out. */
const proposals: Readonly<Record<TargetKind, Readonly<Record<string, string>>>> = {
  article: {
    should_burn: 'be archived',
    should_merge: 'be merged with another article',
    should_split: 'be split in two',
    should_transclude: 'be shown in another article',
  },
  div: {
    should_split: 'be split in two',
    should_merge: 'be merged with another block',
    should_burn: 'be taken out',
    should_be_article: 'be an article of its own',
    should_transclude: 'be shown in another article',
  },
  claim: {
    should_retier: 'have another tier',
    should_merge: 'be merged into another claim',
    should_burn: 'be retracted',
    should_be_div: 'be a block of the text',
    should_be_article: 'be an article of its own',
    should_transclude: 'be shown in another article',
  },
};
const outcomes: Readonly<Record<(typeof attestOutcomes)[number], string>> = {
  nothing_to_add: 'nothing to add',
  novel_objection: 'an objection that nobody has raised, filed beside this',
  duplicate_confirm: 'what I would object to is said already',
  upgrade_proposal: 'a better wording, proposed beside this',
};

export function SayForm(props: SayFormProps) {
  const { site, slug, target, seen, sent, refusal, brief = false } = props;
  const offered = offeredOn(target).filter((kind) => !brief || !notBrief.has(kind));
  const chosen = chosenKind(props, offered);
  const errors = errorsByField(refusal, chosen);
  const id = (name: string): string => `say-${target === '' ? 'article' : target}-${name}`;
  const input = { id, sent, errors };
  return (
    <form method="post" action={site.to.discuss(slug)} class="say" id={brief ? undefined : 'say'}>
      <input type="hidden" name="on" value={target} />
      <input type="hidden" name="thread_head" value={seen.threadHead} />
      <input type="hidden" name="text_hash" value={seen.textHash} />
      <Choice
        legend="What do you want to say?"
        name="as"
        value={chosen}
        options={offered.map((kind) => ({ value: kind, label: sayingName(kind, target) }))}
      />
      {offered.map((kind) => (
        <p key={kind} class={`field-hint say-hint only only-${kind}`}>
          {sayingName(kind, target)}: {sayings[kind].hint}.
        </p>
      ))}
      {offered.includes('source') ? (
        <Only kinds={['source']}>
          <TextField {...input} name="url" label="Address of the page" inputmode="url" />
          <TextField
            {...input}
            name="quote"
            label="Exact words on that page"
            hint="Copied as they stand there; they become the quote."
            long
          />
        </Only>
      ) : null}
      {offered.includes('review') ? (
        <Only kinds={['review']}>
          <SelectField
            {...input}
            name="verdict"
            label="Verdict"
            options={reviewVerdicts.map((verdict) => [verdict, verdict.replaceAll('_', ' ')])}
          />
        </Only>
      ) : null}
      {offered.includes('attest') ? (
        <Only kinds={['attest']}>
          <SelectField
            {...input}
            name="outcome"
            label="I have read all of it, and have"
            options={attestOutcomes.map((outcome) => [outcome, outcomes[outcome]])}
          />
        </Only>
      ) : null}
      {offered.includes('vote') ? <VoteFields target={target} input={input} /> : null}
      <div class="say-text">
        <TextField
          {...input}
          name="text"
          label="Text"
          long
          initial={initialText(props, chosen)}
          autofocus={props.chosen !== undefined && sent === undefined}
        />
      </div>
      {offered.includes('repair') ? (
        <Only kinds={['repair']}>
          <TextField {...input} name="rationale" label="Why (optional)" />
        </Only>
      ) : null}
      {!brief && offered.includes('objection') ? (
        <Only kinds={['objection']}>
          <SelectField
            {...input}
            name="surface"
            label="What it concerns (optional)"
            options={Object.entries(surfaceMeanings)}
          />
          <TextField
            {...input}
            name="minimum_patch"
            label="The smallest change that would meet it (optional)"
          />
        </Only>
      ) : null}
      <TextField
        {...input}
        name="actor"
        label="Name (optional)"
        hint="Any name. It is shown as typed and not verified."
        autocomplete="nickname"
        maxLength={200}
      />
      <SendButtons refusal={refusal} />
    </form>
  );
}

function chosenKind({ chosen, sent, target }: SayFormProps, offered: readonly SayingKind[]): SayingKind {
  const typed = sent?.get('as') ?? '';
  if (isSayingKind(typed) && offered.includes(typed)) return typed;
  if (chosen !== undefined && offered.includes(chosen)) return chosen;
  return targetKindOf(target) === 'div' ? 'challenge' : 'objection';
}

/** What the text begins with: the words that were selected, or the wording that is to be improved. */
function initialText({ wording, quote = '' }: SayFormProps, chosen: SayingKind): string {
  if (chosen === 'repair' || chosen === 'compression') return wording ?? '';
  if (quote === '') return '';
  const quoted = quote.replace(/^/gm, '> ');
  return chosen === 'upgrade' ? `Instead of\n\n${quoted}\n\nwrite\n\n${quoted}` : `${quoted}\n\n`;
}

interface FieldContext {
  readonly id: (name: string) => string;
  readonly sent: Form | undefined;
  readonly errors: ReadonlyMap<string, readonly string[]>;
}

type TextFieldProps = FieldContext & {
  readonly name: string;
  readonly label: string;
  readonly hint?: string;
  readonly long?: boolean;
  readonly inputmode?: 'url';
  readonly initial?: string;
  readonly autocomplete?: string;
  readonly maxLength?: number;
  readonly autofocus?: boolean;
};

function TextField({ id, sent, errors, name, label, hint, long = false, initial, ...rest }: TextFieldProps) {
  const value = sent?.get(name) ?? initial ?? '';
  return (
    <Field id={id(name)} label={label} hint={hint} error={errors.get(name)?.join(' ')}>
      {(wired: Wired) =>
        long ? (
          <textarea
            {...wired}
            {...rest}
            name={name}
            dir="auto"
            rows={name === 'text' ? 6 : 3}
            value={value}
          />
        ) : (
          <input type="text" {...wired} {...rest} name={name} dir="auto" value={value} />
        )
      }
    </Field>
  );
}

function SelectField({
  id,
  sent,
  errors,
  name,
  label,
  options,
}: FieldContext & {
  readonly name: string;
  readonly label: string;
  readonly options: readonly (readonly [value: string, words: string])[];
}) {
  const chosen = sent?.get(name) ?? '';
  return (
    <Field id={id(name)} label={label} error={errors.get(name)?.join(' ')}>
      {(wired: Wired) => (
        <select {...wired} name={name}>
          <option value="">choose …</option>
          {options.map(([value, words]) => (
            <option key={value} value={value} selected={value === chosen}>
              {words}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** Shown while one of these kinds is chosen; always where the browser cannot tell. */
function Only({ kinds, children }: Readonly<{ kinds: readonly SayingKind[]; children: ComponentChildren }>) {
  return <div class={`only ${kinds.map((kind) => `only-${kind}`).join(' ')}`}>{children}</div>;
}

function VoteFields({ target, input }: Readonly<{ target: string; input: FieldContext }>) {
  const kind = targetKindOf(target);
  return (
    <Only kinds={['vote']}>
      <SelectField
        {...input}
        name="proposal"
        label={`${thisTarget[kind]} should`}
        options={Object.entries(proposals[kind])}
      />
      {kind === 'div' ? (
        <TextField
          {...input}
          name="at"
          label="Split: the exact words that the second part begins with (optional)"
        />
      ) : null}
      <TextField
        {...input}
        name="into"
        label="Merge or show: the block, claim or article that is meant (optional)"
      />
      {kind === 'claim' ? (
        <SelectField
          {...input}
          name="vote_tier"
          label="Tier: the one it should have (optional)"
          options={tiers.map((tier) => [tier, tier])}
        />
      ) : null}
    </Only>
  );
}

const thisTarget = { article: 'This article', div: 'This block', claim: 'This claim' } as const;

function SendButtons({ refusal }: Pick<SayFormProps, 'refusal'>) {
  const { canonical } = (refusal?.details ?? {}) as { readonly canonical?: { readonly id: string } };
  const isRepeatable = refusal?.fault === 'near_duplicate' && canonical !== undefined;
  const isMoved = refusal?.fault === 'thread_moved' || refusal?.fault === 'hash_stale';
  return (
    <div class="buttons say-send">
      <Button kind="primary">{isMoved ? 'Send again' : 'Send'}</Button>
      {isRepeatable ? (
        <Button name="duplicate_of" value={canonical.id}>
          Confirm what was said
        </Button>
      ) : null}
      <p class="field-hint">
        Public at once, with a receipt. It changes nothing until the owner decides, and is never deleted.
      </p>
    </div>
  );
}

/** What is wrong with each field. */
export function errorsByField(
  refusal: Fault | undefined,
  kind: SayingKind,
): ReadonlyMap<string, readonly string[]> {
  const errors = new Map<string, string[]>();
  for (const { at, message, fix } of violationsOf(refusal)) {
    const field = fieldOf(kind, at);
    if (field === undefined) continue;
    errors.set(field, [...(errors.get(field) ?? []), `${message} ${fix}`]);
  }
  return errors;
}

export function violationsOf(refusal: Fault | undefined): readonly Violation[] {
  return (refusal?.details?.['violations'] ?? []) as readonly Violation[];
}
