/** `/log`, its witnesses (contract §6): how much of the log they have seen, which of them lag, and which object. */
import { isAlarming } from '../../app/read-context.ts';
import type { WitnessesView, WitnessLine } from '../../app/reads/witness-view.ts';
import { Ago } from './components/ago.tsx';
import { Chip } from './components/chip.tsx';
import { Disclosure } from './components/disclosure.tsx';
import { countText } from './format-text.ts';
import type { Site } from './site.ts';

export function LogWitnesses({ view }: { readonly view: WitnessesView }) {
  const { witnesses } = view;
  return (
    <section class="log-witnesses" aria-labelledby="witnesses">
      <h2 id="witnesses">Witnesses</h2>
      {witnesses.filter(({ state }) => isAlarming(state)).map(alarmOf)}
      <p>{sentenceOf(view)}</p>
      <div class="scroll">
        <table class="lines witness-lines">
          <caption>The witnesses of this log’s policy</caption>
          <thead>
            <tr>
              <th scope="col">Witness</th>
              <th scope="col">State</th>
              <th scope="col">Has cosigned</th>
            </tr>
          </thead>
          <tbody>
            {witnesses.map(({ name, state, size, problem, cosignedAt }) => (
              <tr key={name}>
                <th scope="row">
                  <bdi>{name}</bdi>
                </th>
                <td>
                  <Chip state={state} />
                  {problem === undefined ? null : <span class="witness-problem"> {problem}</span>}
                </td>
                <td>
                  {size === 0 ? 'nothing yet' : countText(size, 'entry', 'entries')}
                  {cosignedAt === undefined ? null : (
                    <>
                      , <Ago iso={cosignedAt} />
                    </>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

/** “Seen by 3 of 4 witnesses up to entry 1,204.” */
function sentenceOf({ witnesses, cosigned }: WitnessesView): string {
  const of = countText(witnesses.length, 'witness', 'witnesses');
  if (cosigned === undefined)
    return `Not yet seen by enough of ${of}: no checkpoint has the quorum of the policy.`;
  const { size, seenBy, awaiting } = cosigned;
  const seen = `Seen by ${seenBy} of ${of}${size === 0 ? '' : ` up to entry ${(size - 1).toLocaleString('en-GB')}`}.`;
  return awaiting === 0
    ? seen
    : `${seen} ${countText(awaiting, 'newer entry waits', 'newer entries wait')} for cosignatures.`;
}

/** What the state means; the table says what the witness answered. */
function alarmOf({ name, state }: WitnessLine) {
  return (
    <p class="notice log-alarm" key={name}>
      <strong>
        The witness <bdi>{name}</bdi> {state === 'ahead' ? 'is ahead of this log' : 'contradicts this log'}.
      </strong>{' '}
      {state === 'ahead'
        ? 'Either this log was set back, or its key signs another log elsewhere. Compare a checkpoint that you kept with this one before you rely on it.'
        : 'Either this log was changed, or its key signed a second history, or the witness is wrong. Compare a checkpoint that you kept with this one before you rely on it.'}
    </p>
  );
}

/** Below the newest signed checkpoint: the newest that the witnesses have cosigned, and the policy. */
export function CosignedNote({ site, view }: Readonly<{ site: Site; view: WitnessesView }>) {
  const { cosigned, policy } = view;
  return (
    <Disclosure summary="The cosigned checkpoint and the policy">
      {cosigned === undefined ? (
        <p>No checkpoint has the quorum of the policy yet.</p>
      ) : (
        <>
          <p>
            The newest checkpoint with the quorum of the policy, of{' '}
            {countText(cosigned.size, 'entry', 'entries')}:
          </p>
          <pre class="wrapped">{cosigned.note}</pre>
        </>
      )}
      <p>The policy, which names the log, its witnesses and the quorum:</p>
      <pre class="wrapped">{policy}</pre>
      <p class="section-note">
        <a href={`${site.root}/checkpoint`}>/checkpoint</a> serves the newest cosigned checkpoint,{' '}
        <a href={`${site.root}/checkpoint?newest=1`}>/checkpoint?newest=1</a> the newest signed one, and{' '}
        <a href={`${site.root}/.well-known/colophon-policy`}>/.well-known/colophon-policy</a> the policy (C2SP
        tlog-policy). A policy from the same site as the data proves only that the two agree: get a copy from
        elsewhere, and give it to <a href={site.to.verify}>the verification page</a>, which then demands its
        quorum.
      </p>
    </Disclosure>
  );
}
