/**
 * CREATIVE_GENERATE (spec §2.7): the arguments, the engines that there are by default, and which engine honours which
 * optional argument, in which range. What an engine does not honour is refused before anything is asked or charged.
 */
import { fault, type Fault } from '../../kernel/fault.ts';

export interface CreativeInput {
  readonly engine: string;
  readonly prompt: string;
  readonly model?: string | undefined;
  readonly size?: string | undefined;
  readonly aspect_ratio?: string | undefined;
  readonly reference_url?: string | undefined;
  readonly duration?: number | undefined;
  readonly resolution?: string | undefined;
  readonly product_id?: string | undefined;
  readonly enhance?: boolean | undefined;
}

export type CreativeField = Exclude<keyof CreativeInput, 'engine' | 'prompt'>;

export const creativeFields: readonly CreativeField[] = [
  'model',
  'size',
  'aspect_ratio',
  'reference_url',
  'duration',
  'resolution',
  'product_id',
  'enhance',
];

export type Provider = 'openai' | 'google' | 'local';
export type Form = 'image' | 'video' | 'either';

export interface Engine {
  readonly id: string;
  readonly provider: Provider;
  readonly form: Form;
  /** The model that is asked where the caller names none. */
  readonly model: string;
}

/** `local` needs no key: it draws by rule, a film where a duration is given. */
export const defaultEngines: readonly Engine[] = [
  { id: 'openai', provider: 'openai', form: 'image', model: 'gpt-image-1' },
  { id: 'local', provider: 'local', form: 'either', model: 'rules-1' },
  { id: 'google-image', provider: 'google', form: 'image', model: 'gemini-2.5-flash-image' },
  { id: 'google-video', provider: 'google', form: 'video', model: 'veo-3.1-generate-preview' },
];

/** product_id is the caller's own reference: every run records it and no engine is told. */
const always: readonly CreativeField[] = ['product_id'];

const honoured: Readonly<Record<Provider, Readonly<Record<'image' | 'video', readonly CreativeField[]>>>> = {
  openai: { image: ['model', 'size', 'reference_url'], video: [] },
  google: {
    image: ['model', 'aspect_ratio', 'reference_url'],
    video: ['model', 'aspect_ratio', 'resolution', 'duration', 'reference_url', 'enhance'],
  },
  local: {
    image: ['size', 'aspect_ratio', 'resolution'],
    video: ['size', 'aspect_ratio', 'resolution', 'duration'],
  },
};

/** The environment variable that holds a provider's key; undefined where none is needed. */
export const keyVariable: Readonly<Record<Provider, string | undefined>> = {
  openai: 'OPENAI_API_KEY',
  google: 'GOOGLE_GENERATIVE_AI_API_KEY',
  local: undefined,
};

export function formOf(engine: Engine, input: CreativeInput): 'image' | 'video' {
  if (engine.form !== 'either') return engine.form;
  return input.duration === undefined ? 'image' : 'video';
}

/** Optional arguments that were given: the engine follows every one, or the call is refused. */
export function givenFields(input: CreativeInput): CreativeField[] {
  return creativeFields.filter((name) => input[name] !== undefined);
}

/** Everything that the engine would not do as it is asked, at once; nothing where it will. */
export function unhonoured(engine: Engine, input: CreativeInput): Fault | undefined {
  const form = formOf(engine, input);
  const known = [...honoured[engine.provider][form], ...always];
  const foreign = givenFields(input).filter((name) => !known.includes(name));
  const problems = [
    ...foreign.map((name) => `${name} is nothing that it follows`),
    ...(ranges[`${engine.provider} ${form}`]?.(input) ?? []),
  ];
  if (problems.length === 0) return undefined;
  return fault(
    'body_mismatch',
    `The engine ${engine.id} does not do that: ${problems.join('; ')}.`,
    `Leave that out or change it; beside engine and prompt, ${engine.id} follows ${known.join(', ')}.`,
    { engine: engine.id, problems, honours: known },
  );
}

type Range = (input: CreativeInput) => string[];

/** Sides in pixels and seconds that the engine without a model draws. */
export const localBounds = { sideMin: 64, imageSideMax: 1920, videoSideMax: 640, secondsMax: 6 } as const;

/** Films are made of blocks, so `step` is 2 for them. */
const localRange =
  (sideMax: number, step: 1 | 2): Range =>
  (input) => {
    const named = input.size ?? (input.resolution === undefined ? undefined : pixelsOf(input.resolution));
    const sides = named?.split('x').map(Number) ?? [];
    const problems: string[] = [];
    if (sides.some((side) => side < localBounds.sideMin || side > sideMax))
      problems.push(`its sides are ${localBounds.sideMin} to ${sideMax} pixels and not ${named}`);
    if (sides.some((side) => side % step !== 0)) problems.push('the sides of a film are even');
    if (input.duration !== undefined && input.duration > localBounds.secondsMax)
      problems.push(`duration is at most ${localBounds.secondsMax} seconds`);
    const shapes = (['size', 'resolution', 'aspect_ratio'] as const).filter(
      (name) => input[name] !== undefined,
    );
    if (shapes.length > 1) problems.push(`${shapes.join(' and ')} say the same thing twice`);
    return problems;
  };

const imageRatios = '1:1 1:4 1:8 2:3 3:2 3:4 4:1 4:3 4:5 5:4 8:1 9:16 16:9 21:9'.split(' ');
const videoRatios = ['16:9', '9:16'];
const videoResolutions = ['720p', '1080p', '1280x720', '1920x1080'];

/** What holds for every model of a provider; what only some of its models take, the provider itself refuses. */
const ranges: Readonly<Record<string, Range>> = {
  'local image': localRange(localBounds.imageSideMax, 1),
  'local video': localRange(localBounds.videoSideMax, 2),
  'google image': ({ model, aspect_ratio: ratio }) => [
    ...(model === undefined || model.startsWith('gemini-') ? [] : ['its models begin with gemini-']),
    ...(ratio === undefined || imageRatios.includes(ratio)
      ? []
      : [`aspect_ratio is one of ${imageRatios.join(', ')}`]),
  ],
  'google video': ({ aspect_ratio: ratio, resolution, duration }) => [
    ...(ratio === undefined || videoRatios.includes(ratio)
      ? []
      : [`aspect_ratio is one of ${videoRatios.join(', ')}`]),
    ...(resolution === undefined || videoResolutions.includes(resolution)
      ? []
      : [`resolution is one of ${videoResolutions.join(', ')}`]),
    ...(duration === undefined || (Number.isInteger(duration) && duration >= 4 && duration <= 8)
      ? []
      : ['duration is 4 to 8 whole seconds']),
  ],
};

/** `resolution` in pixels, where it is a name for them. */
export function pixelsOf(resolution: string): string {
  return { '480p': '854x480', '720p': '1280x720', '1080p': '1920x1080' }[resolution] ?? resolution;
}

export function unknownEngine(id: string, engines: readonly Engine[]): Fault {
  return fault(
    'body_mismatch',
    `There is no engine ${id.slice(0, 60)}.`,
    `Use one of ${engines.map((engine) => engine.id).join(', ')}.`,
    { engines: engines.map((engine) => engine.id) },
  );
}

export function notConfigured(engine: Engine, variable: string): Fault {
  return fault(
    'runner_failed',
    `The engine ${engine.id} has no key: ${variable} is not set.`,
    `The operator sets ${variable} and starts again; the engine local needs no key.`,
    { reason: 'not_configured', missing: [variable], engine: engine.id },
  );
}
