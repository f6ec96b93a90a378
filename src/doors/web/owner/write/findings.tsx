/** What breaks a rule in the form of a claim or a source, and which claims read like it (contract §5): told while one types. */
import type { LikeClaim } from '../../../../app/reads/editing.ts';
import type { Violation } from '../../../../domain/violations.ts';
import { countText } from '../../format-text.ts';
import { memberOf, type Rehearsal } from './desk.ts';

/** What is wrong with what was typed so far, and which claims stand near it. */
export interface Findings {
  readonly rehearsal: Rehearsal | undefined;
  readonly like: readonly LikeClaim[];
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
      {told.length === 0 ? null : (
        <p class="visually-hidden">
          {countText(told.length, 'remark')} on {[...new Set(told.map(fieldName))].join(', ')}.
        </p>
      )}
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

/** `web/editor/evidence.ts` puts it below its field. */
function Finding({ violation }: { readonly violation: Violation }) {
  const { severity, message, fix } = violation;
  return (
    <p class={`finding finding-${severity}`} data-field={memberOf(violation)}>
      {inWords(message)} {inWords(fix)}
    </p>
  );
}

function fieldName(violation: Violation): string {
  const member = memberOf(violation);
  return fieldNames[member] ?? (member === '' ? 'the form' : `“${member}”`);
}

/** Rules name arguments; people see the fields of the form. */
const fieldNames: Readonly<Record<string, string>> = {
  text: '“Claim”',
  url: '“Address of the page”',
  quote: '“Exact words”',
  title: '“Title of the page”',
  type: '“Kind”',
  summary: '“What it says”',
  source_ids: 'a source',
  why_material: '“Why it matters”',
  who_claims: '“Who claims it”',
  falsifier: '“What would show it wrong”',
  rationale: '“Why it is made”',
};

export function inWords(text: string): string {
  return text.replace(/\b[a-z]+_[a-z]+\b/g, (name) => fieldNames[name] ?? name);
}
