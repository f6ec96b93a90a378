/** `colophon lint`: checks claims and sources against the content rules, without writing (contract §5). */
import { readFileSync } from 'node:fs';
import type { Violation } from '../../domain/violations.ts';
import { isFault } from '../../kernel/fault.ts';
import { parseJson, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import { type Command, readOptions, UsageError } from './command.ts';
import type { ClaimInput } from '../../model/claim.ts';
import type { SourceInput } from '../../model/source.ts';
import { isObject } from '../../kernel/json-value.ts';

export const lintCommand: Command = {
  name: 'lint',
  what: 'Check claims and sources against the content rules, without writing.',
  usage: 'colophon lint FILE.json [FILE.json ...]',
  options: [
    ['--json', 'Print one JSON object per file.'],
    [
      '',
      'A file contains {"sources":[…],"claims":[…]}; sources are s1, s2 … in order. Exit status 1 if a rule is broken.',
    ],
  ],
  async run(argv) {
    const { values, positionals: files } = readOptions(argv, { json: { type: 'boolean' } });
    if (files.length === 0) throw new UsageError('it takes at least one file.');
    let errors = 0;
    for (const file of files) {
      const findings = await lintFile(file);
      errors += findings.filter((finding) => finding.severity === 'error').length;
      if (values.json === true) console.log(JSON.stringify({ file, findings }));
      else
        for (const { severity, at, code, message, fix } of findings)
          console.log(`${file}${at}: ${severity} ${code}: ${message} ${fix}`);
    }
    if (values.json !== true)
      console.log(
        `${files.length} file${files.length === 1 ? '' : 's'}, ${errors} error${errors === 1 ? '' : 's'}.`,
      );
    return errors === 0 ? 0 : 1;
  },
};

async function lintFile(file: string): Promise<Violation[]> {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}.`);
  }
  const parsed = parseJson(bytes);
  if (isFault(parsed)) throw new UsageError(`${file}: ${parsed.message}`);
  const { lintSource, repeatedSources } = await import('../../domain/articles/append-sources.ts');
  const { lintClaim } = await import('../../domain/articles/claim-rules.ts');
  const holds = isObject(parsed.value) ? parsed.value : {};
  const { sources, claims } = holds;
  if (sources === undefined && claims === undefined)
    throw new UsageError(`${file} holds neither "sources" nor "claims".`);
  const given = textMembers(sources);
  const ids = new Set(given.map((_, i) => `s${i + 1}`));
  return [
    ...shapeViolations('sources', sources),
    ...shapeViolations('claims', claims),
    ...given.flatMap((source, i) => lintSource(source as SourceInput, `/sources/${i}`)),
    ...repeatedSources(given),
    ...textMembers(claims).flatMap((claim, i) =>
      lintClaim(claim as ClaimInput, ids).map((finding) => ({
        ...finding,
        at: `/claims/${i}${finding.at}`,
      })),
    ),
  ];
}

const required = ['text', 'tier', 'who_claims', 'type', 'url', 'title', 'quote'];

/** Objects with all members that the rules read; missing ones are empty. */
function textMembers(list: unknown): JsonObject[] {
  if (!Array.isArray(list)) return [];
  return list.map((item: JsonValue) => {
    const members = isObject(item) ? item : {};
    return {
      ...members,
      ...Object.fromEntries(
        required.filter((name) => typeof members[name] !== 'string').map((name) => [name, '']),
      ),
    };
  });
}

/** Violations for lists that are not lists, and items that are not objects. */
function shapeViolations(name: string, list: JsonValue | undefined): Violation[] {
  const shape = (at: string, message: string): Violation => ({
    code: 'shape',
    at,
    message,
    fix: 'Send {"sources":[{…}],"claims":[{…}]}.',
    severity: 'error',
  });
  if (list === undefined) return [];
  if (!Array.isArray(list)) return [shape(`/${name}`, `${name} is no list.`)];
  return list.flatMap((item: JsonValue, i) =>
    isObject(item) ? [] : [shape(`/${name}/${i}`, 'It is no object.')],
  );
}
