/** The state of something in one word, one colour and one shape, the same on every page. */

/** Every state, and what it says. */
export const states = {
  proposed: 'Waits for a decision of the owner.',
  accepted: 'The owner accepted it; it is part of the article.',
  rejected: 'The owner rejected it and said why.',
  contested: 'An objection or a challenge against it is open.',
  retracted: 'No longer claimed; kept with the reason.',
  stale: 'What it was about has changed since.',
  open: 'Said, and not answered by a decision yet.',
  settled: 'Decided and closed.',
  draft: 'Only its writers see it.',
  published: 'Everybody can read it.',
  archived: 'Kept and readable, no longer listed.',
  cosigned: 'The witness has cosigned the newest checkpoint with a quorum.',
  behind: 'The witness has not cosigned the newest checkpoint with a quorum yet.',
  failing: 'The witness does not answer, or refuses; it is asked again.',
  ahead: 'The witness has cosigned more entries than this log has.',
  contradicts: 'The witness has cosigned another history than this log shows.',
  'not asked': 'The policy has no address of the witness.',
} as const;

export type State = keyof typeof states;

function isState(text: string): text is State {
  return Object.hasOwn(states, text);
}

export function Chip({ state, note }: Readonly<{ state: State; note?: string | number }>) {
  return (
    <span class={`chip chip-${state.replace(' ', '-')}`}>
      {state}
      {note === undefined ? null : ` ${note}`}
    </span>
  );
}

/** A chip where the word is a state; any other word as it is, such as how a vote was decided. */
export function StateWord({ word }: { readonly word: string }) {
  return isState(word) ? <Chip state={word} /> : <strong class="status">{word}</strong>;
}

/** Every state with what it says. */
export function StateLegend() {
  return (
    <dl class="state-legend">
      {(Object.keys(states) as State[]).map((state) => (
        <div key={state}>
          <dt>
            <Chip state={state} />
          </dt>
          <dd>{states[state]}</dd>
        </div>
      ))}
    </dl>
  );
}
