/** A refused form of a discussion (contract §8): why, what was said already, and what has changed since it was opened. */
import type { DiscussionEntry } from '../../app/reads/discussion.ts';
import type { Fault } from '../../kernel/fault.ts';
import type { Form } from '../http/browser-forms.ts';
import { DiscussionItem, EntryBody } from './discuss-entry.tsx';
import { DiffView } from './components/diff-view.tsx';
import { wordDiff } from '../../represent/word-diff.ts';
import { errorsByField, violationsOf } from './say-form.tsx';
import { isSayingKind, type SayingKind } from './say.ts';
import type { Site } from './site.ts';
import { countText } from './format-text.ts';
import { type DiscussView, nameOf } from './discuss-target.tsx';

export interface TargetView extends DiscussView {
  readonly target: string;
  readonly chosen?: SayingKind | undefined;
  readonly quote?: string | undefined;
  readonly sent?: Form | undefined;
  readonly refusal?: Fault | undefined;
  readonly moved?: Moved | undefined;
}

/** A change since a refused form was opened. */
export interface Moved {
  /** What was said meanwhile, newest first. */
  readonly said: readonly DiscussionEntry[];
  /** The text has changed. */
  readonly isChanged: boolean;
  /** The text before and now, where both are known. */
  readonly text: { readonly before: string; readonly after: string } | undefined;
}

/** Why a form was refused, and what has changed since it was opened. */
export function Refusal({ site, view }: Readonly<{ site: Site; view: TargetView }>) {
  const { refusal, moved, slug, discussion, sent } = view;
  if (refusal === undefined) return null;
  const kind = sent?.get('as') ?? '';
  const atFields = isSayingKind(kind) ? errorsByField(refusal, kind) : new Map<string, readonly string[]>();
  const count = [...atFields.values()].reduce((sum, errors) => sum + errors.length, 0);
  const violations = violationsOf(refusal);
  const canonical = refusal.details?.['canonical'] as { readonly id?: string } | undefined;
  const said = canonical?.id === undefined ? undefined : discussion.byId.get(canonical.id);
  return (
    <div class="notice refusal" role="alert">
      <p>
        <strong>Nothing was recorded; what you typed is below.</strong>{' '}
        {count > 0
          ? 'See the fields that are marked.'
          : moved === undefined
            ? `${refusal.message} ${refusal.fix}`
            : movedText(moved, view.target)}
      </p>
      {count >= violations.length || violations.length === 0 ? null : (
        <ul>
          {violations.map(({ code, at, message, fix }) => (
            <li key={`${code} ${at}`}>
              {message} {fix}
            </li>
          ))}
        </ul>
      )}
      {said === undefined ? null : (
        <>
          <p>This is what was said already:</p>
          <ol class="entries">
            <DiscussionItem site={site} slug={slug} entry={said} discussion={discussion} />
          </ol>
        </>
      )}
      {moved?.text === undefined ? null : (
        <>
          <p>The text has changed:</p>
          <DiffView changes={wordDiff(moved.text.before, moved.text.after)} />
        </>
      )}
      {moved === undefined || moved.said.length === 0 ? null : (
        <ol class="entries">
          {moved.said.map((entry) => (
            <li key={entry.id} class="entry">
              <EntryBody site={site} slug={slug} entry={entry} discussion={discussion} showTarget />
            </li>
          ))}
        </ol>
      )}
    </div>
  );
}

function movedText({ said, isChanged }: Moved, target: string): string {
  const entries =
    said.length === 0 ? '' : `${countText(said.length, 'entry', 'entries')} came in while you wrote`;
  const changed = isChanged ? `${nameOf(target)} was changed while you wrote` : '';
  const both = [changed, entries].filter((part) => part !== '').join(', and ');
  return `${both === '' ? 'The discussion has moved on' : both.slice(0, 1).toUpperCase() + both.slice(1)}. Read it, and send again if it still holds.`;
}
