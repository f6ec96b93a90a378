/** Overviews of the protocol (spec §4.1): the rows of a system, answers to plain questions, the build. */
import { protocolName, protocolVersion } from '../../model/vocabulary.ts';
import { canInvoke } from '../../domain/capabilities/gates.ts';
import { askRows, type Match } from '../../domain/capabilities/ask-rows.ts';
import { fingerprintOf } from '../../domain/capabilities/share-codec.ts';
import { contractText, type Row } from '../../domain/capabilities/row.ts';
import { schema } from '../../domain/schema.ts';
import { links } from '../../domain/links.ts';
import { scrubText } from '../../guard/secrets.ts';
import { about, fault, faultCodes, gateNames, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { otherReads, readSchemas, type AskableRead } from '../../model/index.ts';
import { AskAnswer, System, Tree, type MappedRow, type MatchView } from '../../model/directory.ts';
import { exactAnswer, exactly, type Answer } from '../../model/exact.ts';
import { describeRow, templatesOf } from './directory.ts';
import { nearestKeys } from './unknown-row.ts';
import type { DirectoryContext, Viewed } from '../read-context.ts';
import { invocationStatuses } from '../../model/vocabulary.ts';

/** `ask=`: the rows and reads that match a question. */
export function askQuestion(
  context: DirectoryContext & Pick<Viewed, 'viewer'>,
  question: string,
): Answer<typeof AskAnswer> {
  const now = new Date(context.now()).toISOString();
  const rows = [...context.rows.values()].map((row) => ({ kind: 'row', row }) as const);
  const { best, matches } = askRows(question, [...rows, ...reads], (row) =>
    canInvoke(row, context.viewer, now),
  );
  return exactAnswer(AskAnswer, {
    question: scrubText(question, fingerprintOf).value.slice(0, 500).toWellFormed(),
    best: best === undefined ? null : matchJson(context, best, question),
    matches: matches.map((match) => matchJson(context, match, question)),
    did_you_mean: nearestKeys(question, [...context.rows.keys()]).map((key) => ({
      key,
      url: links.contract(context.base, key),
    })),
  });
}

const namedReads: Readonly<Record<string, AskableRead>> = { ...readSchemas, ...otherReads };
/** Reads that a question can find: those with wishes. */
const reads = Object.entries(namedReads).flatMap(([name, { what, wishes }]) =>
  wishes === undefined ? [] : [{ kind: 'read', name, what, wishes } as const],
);

/** The places of an address that a question can fill. */
const placesOfQuestion: Readonly<Record<string, RegExp>> = {
  '{inv}': /\binv_[a-z2-7]{16}\b/,
  '{norm}': /\bnorm_[a-z2-7]{16}\b/,
};
const wordsMax = 200;

/** The read as the question has it; its schema, or the manifest, where the question lacks what it takes. */
function readMatchJson({ base }: DirectoryContext, name: string, score: number, question: string): MatchView {
  const { path, what } = namedReads[name] as AskableRead;
  const words = scrubText(question, fingerprintOf).value.slice(0, wordsMax).toWellFormed();
  const filled = Object.entries(placesOfQuestion).reduce(
    (url, [place, pattern]) => url.replace(place, pattern.exec(question)?.[0] ?? place),
    path.replace('{words}', encodeURIComponent(words)),
  );
  const described = Object.hasOwn(readSchemas, name) ? links.schema(base, name) : links.dispatch(base);
  return {
    kind: 'read',
    name,
    what,
    safe: true,
    score: Math.round(score * 1000) / 1000,
    url: filled.includes('{') ? described : base + filled,
    templates: path.includes('{') ? [base + path] : [],
  };
}

function matchJson(context: DirectoryContext, { found, score }: Match, question: string): MatchView {
  if (found.kind === 'read') return readMatchJson(context, found.name, score, question);
  const { base } = context;
  const { row } = found;
  return {
    kind: 'row',
    key: row.key,
    what: row.contract.what,
    auth: row.auth,
    risk: row.risk,
    safe: row.safe,
    score: Math.round(score * 1000) / 1000,
    url: links.contract(base, row.key),
    row: links.row(base, row.key),
    router_tag: `[${row.key}]${row.contract.example}[/${row.key}]`,
    templates: templatesOf(context, row).slice(0, 1),
  };
}

function rowsBySystem(context: DirectoryContext): Map<string, Row[]> {
  const systems = new Map<string, Row[]>();
  for (const row of context.rows.values()) {
    const rows = systems.get(row.category);
    if (rows === undefined) systems.set(row.category, [row]);
    else rows.push(row);
  }
  return systems;
}

/** All rows by category, with how to call them. */
export function protocolTree(context: DirectoryContext): Tree {
  return exactly(Tree, {
    protocol: protocolName,
    version: protocolVersion,
    systems: [...rowsBySystem(context)]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, rows]) => ({ name, rows: rows.map((row) => rowJson(context, row)) })),
  });
}

function rowJson({ base }: DirectoryContext, row: Row): MappedRow {
  return {
    key: row.key,
    what: row.contract.what,
    contract: contractText(row),
    auth: row.auth,
    risk: row.risk,
    safe: row.safe,
    read: links.row(base, row.key),
  };
}

/** `map=<SYSTEM>`: the rows of a system with their contracts. */
export function systemArticle(context: DirectoryContext, name: string): System | Fault {
  const systems = rowsBySystem(context);
  const rows = systems.get(name.toLowerCase());
  if (rows === undefined) {
    const known = [...systems.keys()].sort();
    return about(
      fault(
        'not_found',
        `There is no system ${name.slice(0, 60)}.`,
        `Use one of ${known.join(', ')}, or map=1.`,
        {
          systems: known,
        },
      ),
      { kind: 'system', id: name },
    );
  }
  return exactly(System, {
    system: name.toLowerCase(),
    count: rows.length,
    rows: rows.map((row) => rowJson(context, row)),
  });
}

/** A map as Markdown: a heading per system, a line per row; as a skill, with front matter. */
export function mapMarkdown(map: Tree | System, format: 'markdown' | 'skill'): string {
  const systems = 'systems' in map ? map.systems : [{ name: map.system, rows: map.rows }];
  const parts = systems.map(({ name, rows }) => {
    const lines = rows.map(
      ({ key, read, auth, risk, safe, what }) =>
        `- [\`${key}\`](${read}) (${auth}, ${risk}${safe ? ', read' : ''}): ${what}`,
    );
    return `## ${name}\n\n${lines.join('\n')}\n`;
  });
  return `${format === 'skill' ? frontOf('system' in map ? map.system : undefined) : ''}# The protocol ${protocolName} ${protocolVersion}\n\n${parts.join('\n')}`;
}

/** Front matter of a skill. */
function frontOf(system: string | undefined): string {
  const protocol = protocolName.toLowerCase();
  const [name, what] =
    system !== undefined
      ? [`${protocol}-${system}`, `The rows of the system ${system}.`]
      : [protocol, 'Every system of the protocol and its rows.'];
  return `---\nname: ${name}\ndescription: ${JSON.stringify(what)}\n---\n\n`;
}

/** `build=1`: everything in this build, for the owner (spec §4.1). */
export function buildMap(context: DirectoryContext & { readonly limits: object }): JsonObject {
  return {
    protocol: protocolName,
    version: protocolVersion,
    base: context.base,
    rows: [...context.rows.values()].map((row) => describeRow(context, row)),
    gates: gateNames,
    invocation_statuses: invocationStatuses,
    fault_codes: faultCodes,
    limits: { ...context.limits },
    projections: schema.tables.map(({ name, keyNames, names }) => ({ name, key: keyNames, columns: names })),
    versions: {
      bundle_version: 1,
      llm_manifest: '1',
      constitution: 3,
      article_machine: 'article.machine/v1',
    },
  };
}
