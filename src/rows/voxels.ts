/** Voxel rows: what changes an article's DIVs (spec §4.4, contract §3 and §5). */
import Type from 'typebox';
import { moveDiv, moveRules } from '../domain/articles/move-div.ts';
import { burnDivs, burnRules } from '../domain/articles/burn-divs.ts';
import { consolidateDivs, consolidateRules } from '../domain/articles/consolidate-divs.ts';
import { divTextRules, editDiv } from '../domain/articles/edit-div.ts';
import { splitDiv } from '../domain/articles/split-div.ts';
import { describeDivision } from '../domain/articles/describe-division.ts';
import { defineRow, type Row } from '../domain/capabilities/row.ts';
import { divId, hash, optionalActor, optionalModel, slug, words } from '../model/arguments.ts';
import { DivEdited, DivMoved, DivSplit, Divided, DivsBurned, DivsConsolidated } from '../model/div.ts';

/** Characters of a DIV's text; a deployment sets how many bytes it takes, up to as many. */
const textCharsMax = 131_072;

const order = Type.Integer({ minimum: 1, description: 'its place now, from 1' });

export const voxelDivide = defineRow({
  key: 'VOXEL_DIVIDE',
  category: 'voxel',
  target: 'article',
  wishes: ['divide an article into blocks'],
  contract: {
    what: 'Divides an article into its top-level Markdown blocks, byte for byte. A divided article stays as it is.',
    when: 'Before addressing single blocks of an article that was never divided. One block is cut in two by VOXEL_SPLIT.',
    example: 'what-the-ledger-is',
  },
  input: Type.Object({ slug }, { additionalProperties: false }),
  output: Divided,
  auth: 'share',
  risk: 'low',
  safe: false,
  idempotent: true,
  inAct: true,
  plan: (args) => ({ do: 'write-article', slug: args.slug, decide: describeDivision }),
});

export const voxelEdit = defineRow({
  key: 'VOXEL_EDIT',
  category: 'voxel',
  target: 'div',
  wishes: ['edit the text of a block', 'fix a typo in an article', 'correct a sentence of the text'],
  contract: {
    what: 'Replaces the text of one DIV by compare-and-set on its hash. A stale hash writes nothing and returns the current text and hash.',
    when: 'To correct or extend the text of one block. A claim is reworded by CLAIM_REPAIR.',
    example: 'what-the-ledger-is|d2|<vx_hash_of_d2>|The ledger is append-only.|ada',
  },
  input: Type.Object(
    {
      slug,
      div_id: divId,
      expected_hash: hash,
      text: Type.String({ maxLength: textCharsMax, description: 'the new Markdown' }),
      actor: optionalActor,
      model: optionalModel,
    },
    { additionalProperties: false },
  ),
  output: DivEdited,
  auth: 'share',
  risk: 'low',
  safe: false,
  inAct: false,
  rules: ({ text }, _article, limits) => divTextRules(text, limits),
  plan: ({ slug: at, ...edit }) => ({
    do: 'write-article',
    slug: at,
    decide: (article, context) => editDiv(article, edit, context),
  }),
});

export const voxelMove = defineRow({
  key: 'VOXEL_MOVE',
  category: 'voxel',
  target: 'div',
  wishes: ['move a block up or down', 'reorder blocks'],
  contract: {
    what: 'Moves one DIV up, down or to a place, by compare-and-set on its order. A stale order writes nothing and returns the current layout.',
    when: 'To change the order of blocks without touching their text.',
    example: 'what-the-ledger-is|d3|3|up',
  },
  input: Type.Object(
    {
      slug,
      div_id: divId,
      expected_order: order,
      direction: Type.Optional(Type.Enum(['up', 'down'], { description: 'up or down' })),
      to: Type.Optional(Type.Integer({ minimum: 1, description: 'the place it should have' })),
      actor: optionalActor,
      model: optionalModel,
    },
    { additionalProperties: false },
  ),
  output: DivMoved,
  auth: 'share',
  risk: 'low',
  safe: false,
  inAct: false,
  rules: moveRules,
  plan: ({ slug: at, ...move }) => ({
    do: 'write-article',
    slug: at,
    decide: (article, context) => moveDiv(article, move, context),
  }),
});

export const voxelConsolidate = defineRow({
  key: 'VOXEL_CONSOLIDATE',
  category: 'voxel',
  target: 'div',
  wishes: ['merge blocks', 'merge two paragraphs'],
  contract: {
    what: 'Merges DIVs into the first of them by compare-and-set on every hash. The absorbed ones keep their bytes and chains.',
    when: 'When several blocks say one thing.',
    example:
      '{"slug":"what-the-ledger-is","div_ids":["d2","d3"],"expected_hashes":["<vx_hash_of_d2>","<vx_hash_of_d3>"]}',
  },
  input: Type.Object(
    {
      slug,
      div_ids: Type.Array(divId, { minItems: 2, maxItems: 300 }),
      expected_hashes: Type.Array(hash, { minItems: 2, maxItems: 300 }),
      text: Type.Optional(
        Type.String({
          maxLength: textCharsMax,
          description: 'the merged Markdown; the verbatim join when left out',
        }),
      ),
      actor: optionalActor,
      model: optionalModel,
    },
    { additionalProperties: false },
  ),
  output: DivsConsolidated,
  auth: 'share',
  risk: 'low',
  safe: false,
  inAct: false,
  rules: (given, _article, limits) => consolidateRules(given, limits),
  plan: ({ slug: at, ...merge }) => ({
    do: 'write-article',
    slug: at,
    decide: (article, context) => consolidateDivs(article, merge, context),
  }),
});

export const voxelBurn = defineRow({
  key: 'VOXEL_BURN',
  category: 'voxel',
  target: 'div',
  wishes: ['delete a block', 'remove text from an article'],
  contract: {
    what: 'Takes DIVs out of the body. Their bytes, chains and permalinks stay readable.',
    when: 'When text should no longer be part of the article. A claim is withdrawn by CLAIM_RETRACT, a secret removed by SECRET_SCRUB.',
    example: '{"slug":"what-the-ledger-is","ids":["d7"],"reason":"superseded by d3"}',
  },
  input: Type.Object(
    {
      slug,
      ids: Type.Optional(Type.Array(divId, { minItems: 1, maxItems: 300 })),
      older_than_days: Type.Optional(Type.Number({ minimum: 0 })),
      expected_hashes: Type.Optional(Type.Array(hash, { maxItems: 300 })),
      reason: words(2000, 'why it is burned'),
      actor: optionalActor,
      model: optionalModel,
    },
    { additionalProperties: false },
  ),
  output: DivsBurned,
  auth: 'share',
  risk: 'high',
  safe: false,
  inAct: false,
  prefixable: false,
  rules: burnRules,
  plan: ({ slug: at, ...burn }) => ({
    do: 'write-article',
    slug: at,
    decide: (article, context) => burnDivs(article, burn, context),
  }),
});

const voxelSplit = defineRow({
  key: 'VOXEL_SPLIT',
  category: 'voxel',
  target: 'div',
  wishes: ['split a block in two'],
  contract: {
    what: 'Splits one DIV in two by compare-and-set on its hash. The second part begins with the words that are named and becomes a DIV of its own behind the first; blanks between them part the two.',
    when: 'When a block holds two subjects.',
    example: 'what-the-ledger-is|d2|<vx_hash_of_d2>|A colophon is the statement|ada',
  },
  input: Type.Object(
    {
      slug,
      div_id: divId,
      expected_hash: hash,
      at: Type.String({
        minLength: 1,
        maxLength: 2000,
        description: 'the exact words that the second part begins with',
      }),
      actor: optionalActor,
      model: optionalModel,
    },
    { additionalProperties: false },
  ),
  output: DivSplit,
  auth: 'share',
  risk: 'low',
  safe: false,
  inAct: false,
  plan: ({ slug: place, ...split }) => ({
    do: 'write-article',
    slug: place,
    decide: (article, context) => splitDiv(article, split, context),
  }),
});

export const voxelRows: readonly Row[] = [
  voxelDivide,
  voxelEdit,
  voxelMove,
  voxelSplit,
  voxelConsolidate,
  voxelBurn,
];
