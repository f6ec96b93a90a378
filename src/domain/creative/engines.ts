/**
 * CREATIVE_GENERATE (spec §2.7): the arguments, the engines that there are by default, and which engine honours which
 * optional argument. What an engine does not honour is named in the run's record and never silently dropped.
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

/** What was given, parted into what the engine follows and what it does not. */
export function fieldsOf(
  engine: Engine,
  input: CreativeInput,
): { readonly honoured: CreativeField[]; readonly ignored: CreativeField[] } {
  const known = new Set([...always, ...honoured[engine.provider][formOf(engine, input)]]);
  const given = creativeFields.filter((name) => input[name] !== undefined);
  return {
    honoured: given.filter((name) => known.has(name)),
    ignored: given.filter((name) => !known.has(name)),
  };
}

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
