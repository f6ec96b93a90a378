/**
 * `tools/list` (contract §7): the tools that are no rows, then a tool for each row that the credential can call, named by
 * the row's key. The list is no authorization: calls pass all nine gates. Its cost is bounded: each row is shown in a
 * short form, and rows that the owner made are left out where they no longer fit; `search` finds them and `describe`
 * tells the whole contract of any.
 */
import { canInvoke } from '../../domain/capabilities/gates.ts';
import type { Row } from '../../domain/capabilities/row.ts';
import { plainSchema } from '../../model/parts.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import type { McpCaller, Tool } from './exchange.ts';
import { metaTools } from './meta-tools.ts';

/** Characters of the whole answer: 6,000 and 12,000 tokens of four characters, less the message around the list. */
const listCharsMax = { anonymous: 23_500, others: 47_500 } as const;

/** Meta tools first, then rows by key. Keys are upper-case, so names are unique. */
export function listTools({ current, viewer }: McpCaller): readonly Tool[] {
  const now = new Date(current.now()).toISOString();
  const rows = [...current.rows.values()].filter((row) => canInvoke(row, viewer, now));
  const tools = [...metaTools, ...rows.filter((row) => !isOwnerMade(row)).map(toolOf)];
  const charsMax = listCharsMax[viewer.kind === 'anonymous' ? 'anonymous' : 'others'];
  let chars = tools.reduce((sum, tool) => sum + JSON.stringify(tool).length + 1, 0);
  for (const tool of rows.filter(isOwnerMade).map(toolOf).sort(byName)) {
    chars += JSON.stringify(tool).length + 1;
    if (chars > charsMax) break;
    tools.push(tool);
  }
  return [...tools.slice(0, metaTools.length), ...tools.slice(metaTools.length).sort(byName)];
}

function byName(a: Tool, b: Tool): number {
  return a.name < b.name ? -1 : 1;
}

function isOwnerMade(row: Row): boolean {
  return row.rowOverride !== undefined && row.origin === undefined;
}

function toolOf(row: Row): Tool {
  return {
    name: row.key,
    description: describe(row),
    inputSchema: inputSchema(row),
    annotations: annotationsOf(row),
  };
}

/** Hints that differ from the defaults of the protocol, which are those of a destructive write to the open world. */
function annotationsOf(row: Row): Tool['annotations'] {
  const { safe, risk, idempotent } = row;
  return {
    ...(safe ? { readOnlyHint: true } : {}),
    // The ledger is append-only; high-risk rows burn, mint, spend or call outside services.
    ...(safe || risk === 'high' ? {} : { destructiveHint: false }),
    ...(idempotent && !safe ? { idempotentHint: true } : {}),
    ...(reachesOutside(row) ? {} : { openWorldHint: false }),
  };
}

/** Categories of rows that call outside services; an owner's own row may, too. */
const outward: ReadonlySet<string> = new Set(['creative', 'web', 'repository', 'image', 'notification']);

function reachesOutside(row: Row): boolean {
  return outward.has(row.category) || isOwnerMade(row);
}

const whatCharsMax = 160;
const whenCharsMax = 240;
/** What the owner wrote is shown in as few characters as keep the list within its bound. */
const ownCharsMax = 110;

/** WHAT, as many sentences as fit, and WHEN_TO_USE, which says which of several rows to take. */
function describe({ contract, requiresApproval, rowOverride }: Row): string {
  const own = rowOverride !== undefined;
  return [
    leadingSentences(contract.what, own ? ownCharsMax : whatCharsMax),
    leadingSentences(contract.when, own ? ownCharsMax : whenCharsMax),
    ...(requiresApproval ? ['Fires with the approval of the owner.'] : []),
  ].join(' ');
}

/** Whole sentences within `charsMax`, or the first one cut. */
function leadingSentences(text: string, charsMax: number): string {
  let kept = '';
  for (const sentence of text.split(/(?<=[.!?])\s+/)) {
    const longer = kept === '' ? sentence : `${kept} ${sentence}`;
    if (longer.length > charsMax) break;
    kept = longer;
  }
  return kept === '' ? `${text.slice(0, charsMax).toWellFormed()}…` : kept;
}

/** A longer schema does without the remarks on its optional arguments. */
const schemaCharsMax = 800;

function inputSchema(row: Row): Tool['inputSchema'] {
  const whole = plainSchema(row.input) as SchemaObject;
  const schema = shortSchema(whole, (name) => !selfEvident.has(name));
  const fits = JSON.stringify(schema).length <= schemaCharsMax;
  return fits ? schema : shortSchema(whole, (name) => whole.required?.includes(name) === true);
}

type SchemaObject = JsonObject & { readonly type: 'object'; readonly required?: readonly string[] };

/** Arguments that say the same in every row; their names suffice. */
const selfEvident: ReadonlySet<string> = new Set(['slug', 'actor', 'model']);
/** Bounds that a call is judged by in any case; `describe` states them. */
const bounds: ReadonlySet<string> = new Set(
  'minLength maxLength pattern minItems maxItems minimum maximum format uniqueItems'.split(' '),
);
const boundRemark = /; at most [\d,]+ characters.*$/;

/** A schema without bounds, and with descriptions only of the arguments that `describes` selects. */
function shortSchema(schema: SchemaObject, describes: (name: string) => boolean): SchemaObject {
  const properties = entriesOf(schema['properties'] as JsonObject).map(([name, property]) => {
    const { description, ...form } = shortForm(property) as JsonObject;
    const { enum: values } = form;
    const remark = String(description ?? '').replace(boundRemark, '');
    const isTold = remark !== '' && describes(name) && !isListOf(remark, values);
    return [name, isTold ? { ...form, description: remark } : form];
  });
  return { ...schema, properties: Object.fromEntries(properties) as JsonObject };
}

/** The form of an argument: types, values and members; members that need not be given without a description. */
function shortForm(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return schema.map((each) => shortForm(each as JsonValue));
  if (typeof schema !== 'object' || schema === null) return schema;
  const { required } = schema as SchemaObject;
  return Object.fromEntries(
    entriesOf(schema as JsonObject).flatMap(([name, value]): [string, JsonValue][] => {
      if (bounds.has(name) || name === 'additionalProperties' || name === 'patternProperties') return [];
      if (name === 'items' || name === 'anyOf') return [[name, shortForm(value)]];
      if (name !== 'properties') return [[name, value]];
      const members = entriesOf(value as JsonObject).map(([member, of]) => {
        const { description, ...form } = shortForm(of) as JsonObject;
        return [
          member,
          description !== undefined && required?.includes(member) ? { ...form, description } : form,
        ];
      });
      return [[name, Object.fromEntries(members) as JsonObject]];
    }),
  );
}

function entriesOf(object: JsonObject): [string, JsonValue][] {
  return Object.entries(object) as [string, JsonValue][];
}

/** Whether a description only repeats the values that the schema lists, such as "low or high". */
function isListOf(description: string, values: JsonValue | undefined): boolean {
  const words = description.split(/,\s*|\s+or\s+/);
  return (
    Array.isArray(values) && words.length === values.length && words.every((word) => values.includes(word))
  );
}
