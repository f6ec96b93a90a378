/** Mirror rows: anyone may propose, everyone may read (spec §2.6.1, §2.10). */
import Type from 'typebox';
import { defineRow, type Row } from '../domain/capabilities/row.ts';
import { slug, words } from './arguments.ts';

const mirrorAppend = defineRow({
  key: 'MIRROR_APPEND',
  category: 'mirror',
  target: 'claim',
  contract: {
    what: 'Proposes a typed contribution to a claim: question, objection, source, repair, compression, contradiction or audit. It enters as proposed; only the owner accepts.',
    when: 'When a claim can be questioned, corrected, shortened, contradicted or supported.',
    example: 'ledger-basics|c1|question|ada|Which entries does the checkpoint cover?',
  },
  input: Type.Object(
    {
      slug,
      claim_id: Type.String({
        maxLength: 20,
        description: 'a claim id such as c1; empty for the article as a whole',
      }),
      kind: words(40, 'question, objection, source, repair, compression, contradiction or audit'),
      actor: words(200, 'a name for display'),
      body: words(32_000, 'the contribution'),
    },
    { additionalProperties: false },
  ),
  rest: 'body',
  auth: 'none',
  risk: 'low',
  safe: false,
  inAct: true,
  plan: (input) => ({ do: 'contribute', input }),
});

const mirrorFeed = defineRow({
  key: 'MIRROR_FEED',
  category: 'mirror',
  target: 'article',
  contract: {
    what: 'Returns the newest contributions to an article, by claim, proposed and accepted kept apart.',
    when: 'To see what was proposed before proposing.',
    example: 'ledger-basics|20',
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
  auth: 'none',
  risk: 'low',
  safe: true,
  inAct: true,
  plan: ({ slug: at, limit }) => ({
    do: 'ask',
    question: { name: 'mirror-feed', slug: at, limit: limit ?? 50 },
  }),
});

export const mirrorRows: readonly Row[] = [mirrorAppend, mirrorFeed];
