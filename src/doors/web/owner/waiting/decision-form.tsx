/** The form that decides an item of the queue (contract §5, §8), and what its decision broke. */
import type { WaitingItem } from '../../../../app/reads/waiting.ts';
import type { Fault } from '../../../../kernel/fault.ts';
import type { Form } from '../../../http/browser-forms.ts';
import { Button } from '../../components/button.tsx';
import { Disclosure } from '../../components/disclosure.tsx';
import { CallForm, type ConsoleContext } from '../console-page.tsx';
import { violationsOf } from '../write/desk.ts';
import { argumentsOf, wayOf } from './decisions.ts';
import { PlaceFields, type WaitingPlace } from './place.tsx';
import { labelOf } from './words.ts';

export interface RefusedDecision {
  readonly refusal: Fault;
  readonly sent: Form;
}

export interface ItemProps {
  readonly context: ConsoleContext;
  readonly item: WaitingItem;
  readonly place: WaitingPlace;
  readonly refused: RefusedDecision | undefined;
}

export function DecisionForm({ context, item, place, refused }: ItemProps) {
  const way = wayOf(item);
  if (way === undefined) return null;
  const label = labelOf(item);
  const sent = refused?.sent;
  const isStale = item.kind === 'contribution' && item.isStale && item.target !== null;
  const fields = {
    ...argumentsOf(item),
    ...(isStale ? { expected_hash: item.target.hash } : {}),
  };
  const isWording = item.kind === 'contribution' && item.queue === 'wording' && item.target !== null;
  const proposed = item.kind === 'contribution' ? item.contribution.body : '';
  return (
    <CallForm context={context} row={way.row} section="waiting">
      <PlaceFields place={place} />
      <input type="hidden" name="item" value={`${item.queue} ${item.id}`} />
      {Object.entries(fields).map(([name, value]) => (
        <input key={name} type="hidden" name={name} value={value} />
      ))}
      {isWording ? (
        <Disclosure
          summary="Mend the wording, then accept"
          open={sent !== undefined && refused?.refusal.fault !== 'hash_stale'}
        >
          <label for={`${item.id}-text`}>The wording that is accepted</label>
          <textarea id={`${item.id}-text`} name="text" rows={3} dir="auto" maxLength={8000}>
            {sent?.get('text') ?? proposed}
          </textarea>
        </Disclosure>
      ) : null}
      <div class="waiting-decide">
        {!way.takesNote ? null : (
          <label class="waiting-note">
            <span>{item.kind === 'entry' ? 'What answers it' : 'Note'}</span>{' '}
            <input
              type="text"
              name="note"
              autocomplete="off"
              maxLength={2000}
              required={item.kind === 'entry'}
              value={sent?.get('note') ?? ''}
              aria-keyshortcuts="n"
              aria-label={`Note on ${label}`}
            />
          </label>
        )}
        {way.choices.map(([decision, text, shortcut]) => (
          <Button
            key={decision}
            {...(decision === '' ? {} : { name: 'decision', value: decision })}
            {...(shortcut === undefined ? {} : { 'aria-keyshortcuts': shortcut })}
          >
            {text}
          </Button>
        ))}
      </div>
    </CallForm>
  );
}

export function Refused({ refused: { refusal } }: { readonly refused: RefusedDecision }) {
  const violations = violationsOf(refusal);
  return (
    <div class="toast toast-refused" role="alert">
      <p>
        <strong>Not done.</strong>{' '}
        {refusal.fault === 'hash_stale'
          ? 'The text has changed since this page was made. It is shown as it reads now: decide again.'
          : `${refusal.message} ${refusal.fix}`}
      </p>
      {violations.length < 2 ? null : (
        <ul>
          {violations.map(({ code, message, fix }) => (
            <li key={`${code} ${message}`}>
              {message} {fix}
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
