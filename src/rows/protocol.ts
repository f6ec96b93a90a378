/** Verbs that act on invocations: decide, replay, repair (spec §2.6.1, contract §3). */
import Type from 'typebox';
import { defineRow, type Row } from '../domain/capabilities/row.ts';
import { decisionRules, refusalOf } from '../domain/violations.ts';
import { optionalWords, words } from '../model/arguments.ts';
import { ProposalDecided, Repaired, Replayed } from '../model/invocation.ts';

const invocation = (description: string) => Type.String({ pattern: '^inv_[a-z2-7]{16}$', description });

const approvals = ['approved', 'declined'];

const approve = defineRow({
  key: 'OIP_APPROVE',
  category: 'protocol',
  target: 'invocation',
  wishes: ['approve a call that waits', 'decline a proposal'],
  contract: {
    what: 'Decides a call that waits for the owner. Approved, it fires as the same invocation if the share that proposed it is still in force; declined, it never does.',
    when: 'When a call was answered as proposed (inv_…). A contribution is decided by MIRROR_RESOLVE.',
    example: '<proposal_id>|approved|as agreed',
  },
  input: Type.Object(
    {
      id: invocation('the proposed invocation'),
      decision: words(40, 'approved or declined'),
      note: optionalWords(2000, 'why'),
    },
    { additionalProperties: false },
  ),
  output: ProposalDecided,
  rest: 'note',
  auth: 'owner',
  risk: 'high',
  safe: false,
  inAct: false,
  rules: ({ decision }) => decisionRules(approvals, decision),
  plan({ id, decision, note }) {
    const bad = refusalOf(decisionRules(approvals, decision));
    if (bad !== undefined) return bad;
    return { do: 'decide-proposal', inv: id, approve: decision === 'approved', note: note ?? '' };
  },
});

const replay = defineRow({
  key: 'OIP_REPLAY',
  category: 'protocol',
  target: 'invocation',
  wishes: ['do the same call again', 'repeat an earlier call'],
  contract: {
    what: "Fires an earlier call once more, with its recorded key and body, under the caller's own authority. The new receipt links replay_of to the old one.",
    when: 'When the same call should happen again. A call that failed is corrected by OIP_REPAIR.',
    example: '<invocation_id>',
  },
  input: Type.Object({ id: invocation('the call to repeat') }, { additionalProperties: false }),
  output: Replayed,
  auth: 'share',
  risk: 'low',
  safe: false,
  inAct: true,
  delegates: true,
  plan: ({ id }) => ({ do: 'replay', of: { replay: id } }),
});

const repair = defineRow({
  key: 'OIP_REPAIR',
  category: 'protocol',
  target: 'invocation',
  wishes: ['correct a failed call', 'try a refused call again with other arguments'],
  contract: {
    what: 'Fires a failed call again with a corrected key or body, and links the two receipts. A high-risk target is not fired: the exact proposal for the owner is returned.',
    when: 'When a call failed or was refused, and its cause is understood. A call that succeeded is repeated by OIP_REPLAY.',
    example: '<failed_invocation_id>|MIRROR_FEED|what-the-ledger-is|20',
  },
  input: Type.Object(
    {
      id: invocation('the failed call'),
      key: optionalWords(80, 'the corrected row; the failed one when left out'),
      body: Type.Optional(
        // How long it may be is the payload ceiling's to say, which a deployment sets.
        Type.String({ description: 'the corrected body; the recorded one when left out' }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Repaired,
  rest: 'body',
  auth: 'share',
  risk: 'low',
  safe: false,
  inAct: true,
  delegates: true,
  plan: ({ id, key, body }) => ({
    do: 'replay',
    of: { repairs: id, key: key === '' ? undefined : key, body },
  }),
});

export const protocolRows: readonly Row[] = [approve, replay, repair];
