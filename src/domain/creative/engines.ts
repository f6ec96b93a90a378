/**
 * CREATIVE_GENERATE (spec §2.7): the arguments, the engines that there are by default, and which engine honours which
 * optional argument, in which range. What an engine does not honour is refused before anything is asked or charged.
 */
import { fault, type Fault } from '../../kernel/fault.ts';
import { violation, type PartialInput, type Violation } from '../violations.ts';

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

/** product_id is the caller's own reference: every run records it; it is sent to no engine. */
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

export function formOf(engine: Engine, input: Pick<CreativeInput, 'duration'>): 'image' | 'video' {
  if (engine.form !== 'either') return engine.form;
  return input.duration === undefined ? 'image' : 'video';
}

/** Optional arguments that were given: the engine follows every one, or the call is refused. */
export function givenFields(input: Partial<CreativeInput>): CreativeField[] {
  return creativeFields.filter((name) => input[name] !== undefined);
}

/** Everything that no engine, or the engine that is named, would do as it is asked; what cannot be read is not judged. */
export function engineRules(given: PartialInput<CreativeInput>, engines: readonly Engine[]): Violation[] {
  const { engine: id } = given;
  if (typeof id !== 'string') return [];
  const engine = engines.find((each) => each.id === id);
  if (engine === undefined) return [unknownEngine(id, engines)];
  const readable = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  const input = readable as Partial<CreativeInput>;
  const form = formOf(engine, { duration: input.duration });
  const known = [...honoured[engine.provider][form], ...always];
  const says = (name: CreativeField, problem: string, code: string): Violation =>
    violation(
      code,
      `/${name}`,
      `${problem}.`,
      `Leave that out or change it; beside engine and prompt, ${engine.id} follows ${known.join(', ')}.`,
    );
  return [
    ...givenFields(input)
      .filter((name) => !known.includes(name))
      .map((name) => says(name, `${name} is nothing that it follows`, 'not_carried')),
    ...(ranges[`${engine.provider} ${form}`]?.(input) ?? []).map(([name, problem]) =>
      says(name, problem, 'out_of_bounds'),
    ),
  ];
}

type Range = (input: Partial<CreativeInput>) => (readonly [CreativeField, string])[];

/** Sides in pixels and seconds that the engine without a model draws. */
export const localBounds = { sideMin: 64, imageSideMax: 1920, videoSideMax: 640, secondsMax: 6 } as const;

/** Films are made of blocks, so `step` is 2 for them. */
const localRange =
  (sideMax: number, step: 1 | 2): Range =>
  (input) => {
    const named = input.size ?? (input.resolution === undefined ? undefined : pixelsOf(input.resolution));
    const sides = named?.split('x').map(Number) ?? [];
    const sized = input.size === undefined ? 'resolution' : 'size';
    const problems: [CreativeField, string][] = [];
    if (sides.some((side) => side < localBounds.sideMin || side > sideMax))
      problems.push([sized, `its sides are ${localBounds.sideMin} to ${sideMax} pixels and not ${named}`]);
    if (sides.some((side) => side % step !== 0)) problems.push([sized, 'the sides of a film are even']);
    if (input.duration !== undefined && input.duration > localBounds.secondsMax)
      problems.push(['duration', `duration is at most ${localBounds.secondsMax} seconds`]);
    const shapes = (['size', 'resolution', 'aspect_ratio'] as const).filter(
      (name) => input[name] !== undefined,
    );
    const [, second] = shapes;
    if (second !== undefined) problems.push([second, `${shapes.join(' and ')} say the same thing twice`]);
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
    ...(model === undefined || model.startsWith('gemini-')
      ? []
      : [['model', 'its models begin with gemini-'] as const]),
    ...(ratio === undefined || imageRatios.includes(ratio)
      ? []
      : [['aspect_ratio', `aspect_ratio is one of ${imageRatios.join(', ')}`] as const]),
  ],
  'google video': ({ aspect_ratio: ratio, resolution, duration }) => [
    ...(ratio === undefined || videoRatios.includes(ratio)
      ? []
      : [['aspect_ratio', `aspect_ratio is one of ${videoRatios.join(', ')}`] as const]),
    ...(resolution === undefined || videoResolutions.includes(resolution)
      ? []
      : [['resolution', `resolution is one of ${videoResolutions.join(', ')}`] as const]),
    ...(duration === undefined || (Number.isInteger(duration) && duration >= 4 && duration <= 8)
      ? []
      : [['duration', 'duration is 4 to 8 whole seconds'] as const]),
  ],
};

/** `resolution` in pixels, where it is a name for them. */
export function pixelsOf(resolution: string): string {
  return { '480p': '854x480', '720p': '1280x720', '1080p': '1920x1080' }[resolution] ?? resolution;
}

function unknownEngine(id: string, engines: readonly Engine[]): Violation {
  return violation(
    'not_one_of',
    '/engine',
    `There is no engine ${id.slice(0, 60)}.`,
    `Use one of ${engines.map((engine) => engine.id).join(', ')}.`,
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
