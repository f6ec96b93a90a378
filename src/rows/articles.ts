/** Rows about an article as a whole (contract §3, §5). */
import Type from 'typebox';
import { bundleRules, readBundle } from '../domain/bundles/read-bundle.ts';
import { editMeta, metaRules } from '../domain/articles/edit-meta.ts';
import { titleCharsMax } from '../domain/articles/write-document.ts';
import { defineRow, type Row } from '../domain/capabilities/row.ts';
import { rewriteArticle, noteRules, rewriteRules } from '../domain/articles/rewrite-article.ts';
import { slugRules } from '../domain/articles/slugs.ts';
import { refusalOf } from '../domain/violations.ts';
import { type Fault, isFault } from '../kernel/fault.ts';
import type { JsonObject } from '../kernel/json.ts';
import { optionalActor, optionalModel, optionalWords, slug } from '../model/arguments.ts';
import {
  ArticleImported,
  ArticleInspected,
  ArticleRewritten,
  MetaWritten,
  RevertInput,
  RewriteInput,
} from '../model/article-writes.ts';
import { PaperGrown, PaperState } from '../model/workspace.ts';

const url = Type.String({ maxLength: 4000 });
const neighbour = Type.Optional(Type.Union([Type.String({ maxLength: 120 }), Type.Null()]));
/** As it is read, an object with its slug (spec §2.1); the slug alone will do. */
const hub = Type.Optional(
  Type.Union([
    Type.String({ maxLength: 120 }),
    Type.Object({ slug: Type.String({ maxLength: 120 }) }, { additionalProperties: false }),
    Type.Null(),
  ]),
);

const articleMeta = defineRow({
  key: 'ARTICLE_META',
  category: 'article',
  target: 'article',
  wishes: ['publish a draft', 'archive an article', 'change the title or tags of an article'],
  contract: {
    what: 'Changes title, status, tags, traversal and other metadata of an article by compare-and-set on its version.',
    when: 'To publish a draft, archive or retitle an article, tag it, or link it into a series. Its text changes through VOXEL_EDIT.',
    example: '{"slug":"what-the-ledger-is","expected_version":<article_version>,"tags":["ledger"]}',
  },
  input: Type.Object(
    {
      slug,
      expected_version: Type.Integer({ minimum: 1, description: 'the version that was read' }),
      title: optionalWords(titleCharsMax, 'a new title'),
      hero: Type.Optional(Type.Union([url, Type.Null()])),
      images: Type.Optional(Type.Array(url, { maxItems: 100 })),
      style: Type.Optional(Type.Object({})),
      embeds: Type.Optional(Type.Array(url, { maxItems: 100 })),
      widgets: Type.Optional(Type.Array(Type.String({ maxLength: 200 }), { maxItems: 100 })),
      tags: Type.Optional(Type.Array(Type.String({ maxLength: 60 }), { maxItems: 50 })),
      category: Type.Optional(Type.Union([Type.String({ maxLength: 100 }), Type.Null()])),
      home: Type.Optional(Type.Boolean()),
      register: optionalWords(60, 'such as standard'),
      status: optionalWords(20, 'draft, published or archived'),
      traversal: Type.Optional(
        Type.Object(
          {
            prev: neighbour,
            next: neighbour,
            hub,
            series: Type.Optional(Type.String({ maxLength: 100 })),
            position: Type.Optional(Type.Integer({ minimum: 1 })),
            of: Type.Optional(Type.Integer({ minimum: 1 })),
          },
          { additionalProperties: false },
        ),
      ),
      extra: Type.Optional(Type.Object({})),
      actor: optionalActor,
      model: optionalModel,
    },
    { additionalProperties: false },
  ),
  output: MetaWritten,
  auth: 'share',
  risk: 'low',
  safe: false,
  inAct: true,
  rules: ({ slug: at, actor: _actor, ...meta }) => metaRules(at, meta as Parameters<typeof metaRules>[1]),
  plan: ({ slug: at, actor: _actor, style, extra, traversal, ...meta }) => ({
    do: 'write-article',
    slug: at,
    decide: (article, context) =>
      editMeta(
        article,
        {
          ...meta,
          style: style as JsonObject | undefined,
          extra: extra as JsonObject | undefined,
          traversal: hubbed(traversal),
        },
        context,
      ),
  }),
});

/** The specification has the hub as an object with its slug; a caller may name the slug alone. */
function hubbed(traversal: JsonObject | undefined): JsonObject | undefined {
  return typeof traversal?.['hub'] === 'string'
    ? { ...traversal, hub: { slug: traversal['hub'] } }
    : traversal;
}

const articleImport = defineRow({
  key: 'ARTICLE_IMPORT',
  category: 'article',
  target: 'article',
  wishes: ['import an article from another deployment', 'move an article here'],
  contract: {
    what: 'Takes in a bundle from another deployment. Its chains are verified from genesis first; ids, claims and who posted them are kept, and the ledger records where it came from.',
    when: 'To move or mirror an article between deployments. A draft stays a draft; status says otherwise. Plain Markdown goes in through VOXEL_BATCH.',
    example: '{"bundle":<bundle_json>,"slug":"what-the-ledger-was"}',
  },
  input: Type.Object(
    {
      bundle: Type.Object({ bundle_version: Type.Integer() }),
      slug: Type.Optional(slug),
      status: Type.Optional(
        Type.Union([Type.Literal('draft'), Type.Literal('published')], {
          description: 'draft or published; as in the bundle when left out',
        }),
      ),
      category: optionalWords(100, 'as in the bundle when left out'),
      accept_violations: Type.Optional(
        Type.Boolean({ description: 'take in claims and sources that break content rules, each marked' }),
      ),
      actor: optionalActor,
    },
    { additionalProperties: false },
  ),
  output: ArticleImported,
  auth: 'owner',
  risk: 'high',
  safe: false,
  inAct: false,
  rules: ({ bundle, slug: as, accept_violations: accepts }) => [
    ...slugRules(as, '/slug'),
    ...(bundle == null ? [] : bundleRules(bundle as JsonObject, accepts === true)),
  ],
  plan: ({ bundle: given, slug: as, status, category, accept_violations: accepts = false }) => {
    const named = slugRules(as, '/slug');
    const bundle = readBundle(given);
    if (named.length > 0) return refusalOf([...named, ...bundleRules(given, accepts)]) as Fault;
    return isFault(bundle)
      ? bundle
      : { do: 'import-bundle', bundle, slug: as, choices: { status, category, acceptViolations: accepts } };
  },
});

const articleInspect = defineRow({
  key: 'ARTICLE_INSPECT',
  category: 'article',
  target: 'article',
  wishes: ['read an article and leave a receipt of it', 'inspect a part of an article'],
  contract: {
    what: 'Returns one part of an article: masthead, claims, sources, voxels, discourse or health. The reading leaves a receipt.',
    when: 'To show later what was read, and in which state. Reading without a receipt needs no row.',
    example: 'what-the-ledger-is|masthead',
  },
  input: Type.Object(
    { slug, part: optionalWords(20, 'masthead when left out') },
    { additionalProperties: false },
  ),
  output: ArticleInspected,
  auth: 'none',
  risk: 'low',
  safe: true,
  inAct: true,
  plan: ({ slug: at, part }) => ({
    do: 'read',
    question: { name: 'inspect', slug: at, part: part ?? 'masthead' },
  }),
});

const owners = { auth: 'owner', risk: 'high', safe: false, inAct: false } as const;

const articleRewrite = defineRow({
  ...owners,
  key: 'ARTICLE_REWRITE',
  category: 'article',
  target: 'article',
  wishes: ['rewrite the whole article', 'save a revised text of all blocks at once'],
  contract: {
    what: 'Writes all blocks of an article in one revision, by compare-and-set on its version and on the hash of each block. Blocks that stay keep their ids, changed ones are edited, others moved; DIVs that no block names are burned, and new blocks get new ids. All of it lands, or nothing.',
    when: 'To revise an article as a whole.',
    example:
      '{"slug":"what-the-ledger-is","expected_version":<article_version>,"blocks":[{"div_id":"d1","text":"# What the ledger is"},{"div_id":"d2","expected_hash":"<vx_hash_of_d2>","text":"The ledger is append-only."},{"text":"A reader verifies it offline."}],"note":"Shortened."}',
  },
  input: RewriteInput,
  output: ArticleRewritten,
  rules: (given, article, limits) => rewriteRules(given, article, limits),
  plan: ({ slug: at, ...rewrite }) => ({
    do: 'write-article',
    slug: at,
    decide: (article, context) => rewriteArticle(article, rewrite, context),
  }),
});

const articleRevert = defineRow({
  ...owners,
  key: 'ARTICLE_REVERT',
  category: 'article',
  target: 'article',
  wishes: ['revert an article to an old revision', 'undo the last edits of an article'],
  contract: {
    what: 'Restores the text of an old revision in a new one, by compare-and-set on the version. Blocks that read the same keep their ids; title, claims and metadata stay.',
    when: 'When an article read better before.',
    example: 'what-the-ledger-is|1|<article_version>|The first version was clearer.',
  },
  input: RevertInput,
  output: ArticleRewritten,
  rest: 'note',
  rules: ({ note }) => noteRules(note),
  plan: (input) => ({ do: 'revert-article', input }),
});

export const articleRows: readonly Row[] = [
  articleMeta,
  articleImport,
  articleInspect,
  articleRewrite,
  articleRevert,
];

const paperGrow = defineRow({
  key: 'PAPER_GROW',
  category: 'paper',
  target: 'article',
  wishes: ['update the paper about this ledger'],
  contract: {
    what: 'Regenerates the paper about this ledger from its live state and appends one growth ring.',
    when: 'When PAPER_STATE shows drift, or a state should be put on record.',
    example: '',
  },
  input: Type.Object({}, { additionalProperties: false }),
  output: PaperGrown,
  auth: 'share',
  risk: 'low',
  safe: false,
  inAct: true,
  plan: () => ({ do: 'grow-paper' }),
});

const paperState = defineRow({
  key: 'PAPER_STATE',
  category: 'paper',
  target: 'article',
  wishes: ['how has the ledger grown'],
  contract: {
    what: "Returns the paper's ring count, its latest ring, live counts, and the drift between the two.",
    when: 'Before growing the paper, or to see how the ledger moved.',
    example: '',
  },
  input: Type.Object({}, { additionalProperties: false }),
  output: PaperState,
  auth: 'none',
  risk: 'low',
  safe: true,
  inAct: true,
  plan: () => ({ do: 'read', question: { name: 'paper-state' } }),
});

export const paperRows: readonly Row[] = [paperGrow, paperState];
