/**
 * Rows with external effects (spec §2.6.1): fetching a page, reading the configured repository, and making images and
 * films.
 */
import Type from 'typebox';
import { type Row, defineRow } from '../domain/capabilities/row.ts';
import { type Effect, type Outside, effect } from '../domain/outside/outside.ts';
import { fetchPage, refusalHere, urlRules } from '../domain/outside/fetch-page.ts';
import { Created, PageFetched, RepositoryTail } from '../model/outside.ts';
import { type Fault, isFault } from '../kernel/fault.ts';
import type { Job } from '../domain/job.ts';
import { blankRules, visibleTextRules } from '../domain/text-rules.ts';
import { type CreativeInput, type Engine, engineRules } from '../domain/creative/engines.ts';
import { type Creative, creativeRun } from '../domain/creative/run.ts';
import type { Result } from '../domain/context.ts';
import { type PartialInput, type Violation, refusalOf } from '../domain/violations.ts';

const nothing = (what: string) =>
  Type.Optional(Type.String({ maxLength: 0, description: `${what}; left empty, a read sends none` }));

const webFetch = defineRow({
  key: 'WEB_FETCH',
  category: 'web',
  target: 'page',
  wishes: ['fetch a web page', 'open a link outside'],
  contract: {
    what: 'Reads one public web page and records its text, marked as untrusted. Private and special addresses are not connected to; secrets are taken out; tags inside the text never run.',
    when: 'When a source has to be read before it is cited, or checked after.',
    example: 'GET|https://example.org/||',
  },
  input: Type.Object(
    {
      method: Type.String({ pattern: '^(?:GET|HEAD)$', description: 'GET or HEAD' }),
      url: Type.String({ minLength: 1, maxLength: 4096, description: 'an absolute http or https URL' }),
      headers: nothing('headers'),
      body: nothing('a body'),
    },
    { additionalProperties: false },
  ),
  output: PageFetched,
  auth: 'share',
  risk: 'low',
  safe: false,
  inAct: true,
  rulesHere: ({ url }, { judgeUrl }) => urlRules(url, judgeUrl),
  plan: (input) => ({
    ...effect(['readPage'], 30_000, (_signal, { readPage }) => fetchPage(input, readPage)),
    check: ({ judgeUrl }) => refusalHere(urlRules(input.url, judgeUrl)),
  }),
});

export const webRows: readonly Row[] = [webFetch];

const repoTail = defineRow({
  key: 'REPO_TAIL',
  category: 'repository',
  target: 'repository',
  wishes: ['latest commits of the repository'],
  contract: {
    what: 'Returns metadata, the root listing and the three latest commits of the configured repository.',
    when: 'To see what the software behind a claim was last changed by.',
    example: '',
  },
  input: Type.Object({}, { additionalProperties: false }),
  output: RepositoryTail,
  auth: 'share',
  risk: 'low',
  safe: true,
  inAct: true,
  plan: () => ({
    ...effect(['readRepository'], 10_000, async (signal, { readRepository }) => {
      const tail = await readRepository(signal);
      if (isFault(tail)) return tail;
      const latest = tail.commits.map(({ sha, subject }) => `${sha.slice(0, 12)} ${subject}`).join('\n');
      return {
        result: tail,
        text: `${tail.name} at ${tail.head.slice(0, 12)}${tail.branch === null ? '' : ` on ${tail.branch}`}:\n${latest}`,
        material: [],
      };
    }),
    check: ({ repositoryLacks }) => repositoryLacks(),
  }),
});

export const repositoryRows: readonly Row[] = [repoTail];

/** A provider may take minutes over a film; a caller need not wait for it. */
const timeoutMs = 15 * 60_000;
const answerWithinMs = 20_000;

const pixels = '[1-9][0-9]{1,3}x[1-9][0-9]{1,3}';
const optional = (pattern: string, description: string) =>
  Type.Optional(Type.String({ pattern: `^${pattern}$`, description }));

const creativeGenerate = defineRow({
  key: 'CREATIVE_GENERATE',
  category: 'creative',
  target: 'engine',
  wishes: ['make a picture', 'create an image', 'make a video'],
  contract: {
    what: 'Generates one explicitly requested image or video version and records the exact payload, raw response, channel, stored result and lineage. An argument that the engine does not follow is refused. It never runs unless explicitly invoked. Engines by default: openai, local (no key, drawn by rule, no model), google-image, google-video.',
    when: 'When a person asked to create exactly this image, picture or film.',
    example: '{"engine":"local","prompt":"A ledger | its readers","size":"640x360"}',
  },
  input: Type.Object(
    {
      engine: Type.String({ pattern: '^[a-z][a-z0-9-]{0,39}$', description: 'the identifier of an engine' }),
      prompt: Type.String({ minLength: 1, maxLength: 8000, description: 'what to make' }),
      model: Type.Optional(
        Type.String({
          pattern: '^[A-Za-z0-9._-]{1,80}$',
          description: 'another model of the same provider; openai, google',
        }),
      ),
      size: optional(
        pixels,
        'width x height in pixels, such as 1024x1024; openai, and local with sides of 64 to 1920 (a film: 640)',
      ),
      aspect_ratio: optional(
        '[1-9][0-9]?:[1-9][0-9]?',
        'such as 16:9; google-image, local, and google-video with 16:9 or 9:16',
      ),
      reference_url: Type.Optional(
        Type.String({
          maxLength: 4096,
          description: 'a picture to start from, by its address; openai, google',
        }),
      ),
      duration: Type.Optional(
        Type.Number({ minimum: 1, maximum: 60, description: 'seconds; google-video 4 to 8, local up to 6' }),
      ),
      resolution: optional(
        `(?:480p|720p|1080p|${pixels})`,
        '480p, 720p, 1080p or width x height; local, and google-video with 720p or 1080p',
      ),
      product_id: Type.Optional(
        Type.String({
          maxLength: 120,
          description: "the caller's own reference: recorded, sent to no engine",
        }),
      ),
      enhance: Type.Optional(
        Type.Boolean({ description: 'lets the provider rewrite the prompt; google-video' }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Created,
  auth: 'none',
  risk: 'high',
  safe: false,
  inAct: false,
  requiresApproval: true,
  rulesHere: creativeRules,
  plan: (input): Effect => ({
    do: 'effect',
    needs: ['creative'],
    timeoutMs,
    answerWithinMs,
    check(outside) {
      const engine = outside.creative.engines.find(({ id }) => id === input.engine);
      return (
        refusalHere(creativeRules(input, outside)) ??
        (engine === undefined ? undefined : outside.creative.lacks(engine))
      );
    },
    run: (signal, { creative }, job) =>
      withEngine(creative, input, job, (engine) => creative.generate(engine, input, signal, job)),
    resume: (reference, signal, { creative }, job) =>
      withEngine(creative, input, job, (engine) => creative.resume(engine, reference, signal, job)),
  }),
});

/** What the engines of this deployment would not do, and an address that would not be asked. */
function creativeRules(given: PartialInput<CreativeInput>, { creative, judgeUrl }: Outside): Violation[] {
  const { reference_url: url } = given;
  const isOutside = typeof url === 'string' && creative.ownResult(url) === undefined;
  return [
    ...blankRules('prompt', given.prompt, 'Say what to make.'),
    // The owner approves what is read there.
    ...visibleTextRules({ prompt: given.prompt, product_id: given.product_id }),
    ...engineRules(given, creative.engines),
    ...(isOutside ? urlRules(url, judgeUrl, 'reference_url') : []),
  ];
}

async function withEngine(
  creative: Creative,
  input: CreativeInput,
  job: Job,
  make: (engine: Engine) => ReturnType<Creative['generate']>,
): Promise<Result | Fault> {
  const engine = creative.engines.find(({ id }) => id === input.engine);
  // The deployment may have lost it while the call waited.
  return engine === undefined
    ? (refusalOf(engineRules(input, creative.engines)) as Fault)
    : creativeRun(creative, engine, input, job, await make(engine));
}

export const creativeRows: readonly Row[] = [creativeGenerate];
