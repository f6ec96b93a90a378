/** Mirror rows: anyone may propose, everyone may read (spec §2.6.1, §2.10). */
import Type from 'typebox';
import { defineRow, type Row } from '../domain/capabilities/row.ts';
import { decisionRules, refusalOf } from '../domain/violations.ts';
import { contributionRules } from '../domain/mirror/contribution-rules.ts';
import { slug } from '../model/arguments.ts';
import {
  ContributionFeed,
  ContributionInput,
  ContributionProposed,
  ContributionResolved,
  ResolutionInput,
} from '../model/contribution.ts';
import { resolutions } from '../model/vocabulary.ts';

const mirrorAppend = defineRow({
  key: 'MIRROR_APPEND',
  category: 'mirror',
  target: 'claim',
  wishes: [
    'contradict a claim',
    'propose a better wording',
    'suggest a correction of a claim',
    'propose a source for a claim',
    'ask a question about a claim',
  ],
  contract: {
    what: 'Proposes a typed contribution to a claim: question, objection, source, repair, compression, contradiction or audit. It enters as proposed; only the owner accepts.',
    when: 'To ask a question about a claim, or to suggest a better wording (repair), a source or another change, which the owner accepts or rejects. A plain dispute goes through OBJECTION_LOG.',
    example: 'what-the-ledger-is|c1|question|ada|Which entries does the checkpoint cover?',
  },
  input: ContributionInput,
  output: ContributionProposed,
  rest: 'body',
  auth: 'none',
  risk: 'low',
  safe: false,
  inAct: true,
  rules: (given, article, limits) => contributionRules(given, limits, article),
  plan: (input) => ({ do: 'contribute', input }),
});

const mirrorFeed = defineRow({
  key: 'MIRROR_FEED',
  category: 'mirror',
  target: 'article',
  wishes: ['what was proposed for a claim', 'show the contributions to an article'],
  contract: {
    what: 'Returns the newest contributions to an article, by claim, proposed and accepted kept apart.',
    when: 'To see what was proposed before proposing. What others objected is in the discourse.',
    example: 'what-the-ledger-is|20',
  },
  input: Type.Object(
    {
      slug,
      limit: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 500, description: 'at most this many; 50 when left out' }),
      ),
    },
    { additionalProperties: false },
  ),
  output: ContributionFeed,
  auth: 'none',
  risk: 'low',
  safe: true,
  inAct: true,
  plan: ({ slug: at, limit }) => ({
    do: 'read',
    question: { name: 'mirror-feed', slug: at, limit: limit ?? 50 },
  }),
});

const mirrorResolve = defineRow({
  key: 'MIRROR_RESOLVE',
  category: 'mirror',
  target: 'contribution',
  wishes: ['accept a proposed contribution', 'accept a contribution', 'reject a proposed repair'],
  contract: {
    what: "Accepts or rejects a contribution, once. Accepting a repair or compression makes the next version of the claim, in the owner's own wording where text gives one; a source is appended and linked, a question becomes a node, everything else is shown beside the claim.",
    when: 'When a proposed contribution (mc_…) has been weighed. The owner alone decides. A vote is decided by VOXEL_RATIFY, a waiting call by OIP_APPROVE.',
    example: 'what-the-ledger-is|<contribution_id>|accepted|It names the tree size.',
  },
  input: ResolutionInput,
  output: ContributionResolved,
  rest: 'note',
  auth: 'owner',
  risk: 'high',
  safe: false,
  inAct: false,
  rules: ({ decision }) => decisionRules(resolutions, decision),
  plan: (input) =>
    refusalOf(decisionRules(resolutions, input.decision)) ?? { do: 'resolve-contribution', input },
});

export const mirrorRows: readonly Row[] = [mirrorAppend, mirrorFeed, mirrorResolve];
