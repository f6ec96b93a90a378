/**
 * The front matter of a note (contract §8, importing): YAML without aliases, tags and depth, as the metadata that an
 * article has. The attacker controls all of it; what is not understood is told and left out.
 */
import { parse } from 'yaml';
import { frontMatterLines } from '../../domain/articles/blocks.ts';

export interface FrontMatter {
  readonly title: string | undefined;
  readonly slug: string | undefined;
  readonly tags: readonly string[];
  readonly aliases: readonly string[];
  readonly status: 'draft' | 'published' | undefined;
  /** When the note says that it was written and changed, as ISO 8601. */
  readonly dates: NoteDates | undefined;
  /** Everything as it was read; empty without front matter. */
  readonly properties: Readonly<Record<string, unknown>>;
  /** The text behind the front matter. */
  readonly body: string;
  readonly problems: readonly string[];
}

export interface NoteDates {
  readonly created?: string;
  readonly modified?: string;
}

const charsMax = 64 * 1024;
const tagsMax = 50;

/** `text` has plain line ends and no byte order mark. */
export function readFrontMatter(text: string): FrontMatter {
  const lines = frontMatterLines(text);
  const found = text.split('\n', lines).slice(1, -1).join('\n');
  const body = text.slice(text.split('\n', lines).reduce((sum, line) => sum + line.length + 1, 0));
  const problems: string[] = [];
  const properties = lines === 0 ? {} : propertiesIn(found, problems);
  if (properties === undefined) return { ...nothing, body: text, problems };
  const tags = listIn(properties['tags'] ?? properties['tag'], /[\s,]+/).map((tag) => tag.replace(/^#/, ''));
  const usable = [...new Set(tags)].filter((tag) => tag.length <= 60);
  if (usable.length > tagsMax || usable.length < new Set(tags).size)
    problems.push(`Only the first ${tagsMax} tags of at most 60 characters are taken.`);
  return {
    title: textIn(properties['title']),
    slug: textIn(properties['slug']),
    tags: usable.slice(0, tagsMax),
    aliases: listIn(properties['aliases'] ?? properties['alias'], /\s*,\s*/).slice(0, 100),
    status: statusIn(properties, problems),
    dates: datesIn(properties, problems),
    properties,
    body: lines === 0 ? text : body.replace(/^\n+/, ''),
    problems,
  };
}

/** A note of another format has none; what was told of its conversion comes with it. */
export function withoutFrontMatter(
  body: string,
  { problems }: { readonly problems: readonly string[] },
): FrontMatter {
  return { ...nothing, body, problems };
}

const nothing = {
  title: undefined,
  slug: undefined,
  tags: [],
  aliases: [],
  status: undefined,
  dates: undefined,
  properties: {},
};

/** Undefined where the block cannot be read: it stays in the text, so that nothing is lost. */
function propertiesIn(yaml: string, problems: string[]): Record<string, unknown> | undefined {
  const say = (why: string): undefined =>
    void problems.push(`The front matter was left in the text: ${why}.`);
  if (yaml.length > charsMax) return say(`it is longer than ${charsMax} characters`);
  if (/(?:^|[\s[{,:-])[&*][\w-]/m.test(yaml.replace(/"(?:[^"\\]|\\.)*"|'[^']*'/g, "''")))
    return say('it has anchors or aliases, which are not read');
  if (depthOf(yaml) > 20) return say('it nests too deeply');
  try {
    const value: unknown = parse(yaml, { maxAliasCount: 0, schema: 'core', logLevel: 'error' });
    if (value === null || value === undefined) return {};
    return typeof value === 'object' && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).filter(([name]) => name !== '__proto__'))
      : say('it is no list of properties');
  } catch (error) {
    return say(`it is no YAML (${(error as Error).message.split('\n', 1)[0]?.slice(0, 120) ?? ''})`);
  }
}

/** Of brackets and of indentation, whichever is deeper. */
function depthOf(yaml: string): number {
  let open = 0;
  let deepest = 0;
  for (const character of yaml) {
    if (character === '[' || character === '{') deepest = Math.max(deepest, ++open);
    if (character === ']' || character === '}') open = Math.max(0, open - 1);
  }
  for (const line of yaml.split('\n'))
    deepest = Math.max(deepest, (/^[ \t-]*/.exec(line)?.[0].length ?? 0) / 2);
  return deepest;
}

function textIn(value: unknown): string | undefined {
  const text = typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
  return text === '' ? undefined : text;
}

function listIn(value: unknown, between: RegExp): string[] {
  const items: readonly unknown[] = Array.isArray(value) ? value : (textIn(value)?.split(between) ?? []);
  return items.flatMap((item) => textIn(item) ?? []);
}

const dateNames = {
  created: ['created', 'date', 'date created', 'created_at', 'date_created'],
  modified: ['modified', 'updated', 'last modified', 'date modified', 'updated_at', 'date_modified'],
} as const;

function datesIn(properties: Readonly<Record<string, unknown>>, problems: string[]): NoteDates | undefined {
  const dates: { created?: string; modified?: string } = {};
  for (const name of ['created', 'modified'] as const) {
    const written = dateNames[name]
      .map((each) => textIn(properties[each]))
      .find((each) => each !== undefined);
    if (written === undefined) continue;
    const date = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?$/.test(written)
      ? written.replace(' ', 'T')
      : undefined;
    if (date !== undefined && !Number.isNaN(Date.parse(date))) dates[name] = date;
    else problems.push(`The date ${JSON.stringify(written).slice(0, 40)} is no date such as 2026-11-23.`);
  }
  return Object.keys(dates).length === 0 ? undefined : dates;
}

const knownProperties: ReadonlySet<string> = new Set([
  'title',
  'slug',
  'tags',
  'tag',
  'aliases',
  'alias',
  'status',
  'draft',
  'publish',
  'published',
  ...dateNames.created,
  ...dateNames.modified,
]);

/** Names of the properties that an article does not have. */
export function otherProperties({ properties }: Pick<FrontMatter, 'properties'>): readonly string[] {
  return Object.keys(properties).filter((name) => !knownProperties.has(name));
}

function statusIn(
  { status, draft, publish, published }: Readonly<Record<string, unknown>>,
  problems: string[],
): 'draft' | 'published' | undefined {
  if (status === 'draft' || draft === true || publish === false || published === false) return 'draft';
  if (status === 'published' || draft === false || publish === true || published === true) return 'published';
  if (status !== undefined && status !== null)
    problems.push(`The status ${JSON.stringify(status)?.slice(0, 40)} is neither draft nor published.`);
  return undefined;
}
