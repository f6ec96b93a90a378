#!/usr/bin/env node
/**
 * The verifier as a command, alone: a receipt, bundle, list or proof from a file or URL, or a whole log by
 * its base URL. Exit status 0: everything verified; 1: something did not; 2: nothing could be verified.
 */
import { realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { fromUtf8 } from './bytes.ts';
import { isEvidence, isEvidenceText } from './evidence.ts';
import { bytesOf } from './files.ts';
import { isRecord, parseDocument, type Json } from './json.ts';
import {
  parsePolicy,
  verifyCheckpoint,
  verifyBundle,
  verifyChainList,
  verifyEvidence,
  verifyLogAt,
  verifyProofText,
  type Report,
  type Trust,
} from './index.ts';
import { isReceipt } from './receipt.ts';

const usage = `Verifies what a Colophon server has served, without trusting it.

  node cli.js <file|url> [--key KEY] [--policy FILE] [--entry FILE] [--previous FILE] [--partial] [--json]

A base URL is verified as a whole log; any other URL or file as what it holds: a receipt, a bundle or
article, a list of chained objects, a checkpoint, a tlog-proof, or evidence that a log signed two histories.

  --key KEY        the log's verifier key, name+hash+key, or a file that holds it
  --policy FILE    a trust policy (C2SP tlog-policy): refuses what lacks its quorum of witnesses
  --entry FILE     the entry (JSON) or entry hash that a tlog-proof is about
  --previous FILE  a checkpoint kept from before: the log must still contain it
  --partial        the list is one page of several
  --json           print the report as JSON
`;

const options = {
  key: { type: 'string' },
  policy: { type: 'string' },
  entry: { type: 'string' },
  previous: { type: 'string' },
  partial: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Runs the command; answers with its exit status. */
export async function main(
  args: readonly string[],
  print: (text: string) => void = console.log,
): Promise<number> {
  let parsed;
  try {
    parsed = parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    print(`${(error as Error).message}\n\n${usage}`);
    return 2;
  }
  const { values, positionals } = parsed;
  const [subject] = positionals;
  if (values.help === true || subject === undefined || positionals.length > 1) {
    print(usage);
    return values.help === true ? 0 : 2;
  }
  const unmute = muteExperiments();
  try {
    const report = await verifySubject(subject, values);
    if (values.json === true) print(JSON.stringify(report, null, 2));
    else {
      for (const { ok, id, detail, at } of report.checks)
        print(
          `${ok ? 'ok  ' : 'FAIL'} ${id}: ${detail}${at === undefined || at === '' ? '' : ` (at ${at})`}`,
        );
      if (report.uncovered !== undefined && report.uncovered.length > 0)
        print(`note uncovered: no entry commits to ${report.uncovered.join(', ')}`);
    }
    return report.ok ? 0 : 1;
  } catch (error) {
    const { message, cause } = error as Error;
    if (error instanceof WrongOption) print(message);
    else
      print(`${subject} could not be read: ${message}${cause instanceof Error ? ` (${cause.message})` : ''}`);
    return 2;
  } finally {
    unmute();
  }
}

/** Node calls ML-DSA in WebCrypto experimental, which says nothing about a report. */
export function muteExperiments(): () => void {
  const { emitWarning } = process;
  process.emitWarning = ((...given: Parameters<typeof emitWarning>) => {
    if (!String(given[0]).includes('ML-DSA')) emitWarning.apply(process, given);
  }) as typeof emitWarning;
  return () => {
    process.emitWarning = emitWarning;
  };
}

interface Values {
  readonly key?: string | undefined;
  readonly policy?: string | undefined;
  readonly entry?: string | undefined;
  readonly previous?: string | undefined;
  readonly partial?: boolean | undefined;
}

/** An option that cannot be used, which says nothing about the subject. */
class WrongOption extends Error {}

/** The files that the options name, before anything is asked of a server. */
interface Given {
  readonly trust: Trust;
  readonly entry: string | undefined;
  readonly previous: string | undefined;
  readonly partial: boolean;
}

async function readOptions(values: Values): Promise<Given> {
  const { key, policy, entry, previous, partial } = values;
  const textOf = async (name: string, path: string | undefined): Promise<string | undefined> =>
    path === undefined ? undefined : (await readOption(name, path)).toString('utf8');
  return {
    trust: {
      verifierKey: key?.includes('+') === true ? key : await textOf('key', key),
      policy: policy === undefined ? undefined : await readOption('policy', policy),
    },
    entry: (await textOf('entry', entry))?.trim(),
    previous: await textOf('previous', previous),
    partial: partial === true,
  };
}

async function readOption(name: string, path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new WrongOption(`--${name} takes a file that can be read: ${(error as Error).message}.`);
  }
}

async function verifySubject(subject: string, values: Values): Promise<Report> {
  const given = await readOptions(values);
  const { trust, previous } = given;
  const { verifierKey: key, policy } = trust;
  if (!/^https?:\/\//.test(subject)) return verifyText(await readFile(subject, 'utf8'), trust, given);
  if (await isLog(subject)) {
    return verifyLogAt(subject, {
      ...(key === undefined ? {} : { verifierKey: key }),
      ...(policy === undefined ? {} : { policy }),
      ...(previous === undefined ? {} : { previous }),
    });
  }
  const text = await textAt(subject);
  const namesLog =
    policy !== undefined && (await parsePolicy(policy).catch(() => undefined))?.logs.length !== 0;
  // Evidence names its key itself, and a server may well show evidence against another log.
  if (key !== undefined || namesLog || isEvidenceText(text)) return verifyText(text, trust, given);
  const own = await textAt(new URL('/.well-known/colophon-key', subject));
  const report = await verifyText(text, { ...trust, verifierKey: own }, given);
  return {
    ...report,
    checks: [{ id: 'key', ok: true, detail: 'the server itself names its key' }, ...report.checks],
  };
}

async function verifyText(text: string, trust: Trust, { entry, partial }: Given): Promise<Report> {
  if (text.startsWith('c2sp.org/tlog-proof@')) {
    if (entry === undefined)
      throw new WrongOption('A tlog-proof is about an entry: give its file with --entry.');
    const trusted = trust.policy === undefined ? (trust.verifierKey ?? '') : trust;
    return verifyProofText(text, trusted, entry);
  }
  if (isCheckpoint(text)) return verifyCheckpoint(text, trust);
  return verifyDocument(text, trust, partial);
}

async function verifyDocument(text: string, trust: Trust, partial: boolean): Promise<Report> {
  let document: Json;
  try {
    document = parseDocument(text);
  } catch {
    return verifyBundle(text, trust);
  }
  if (isEvidence(document)) return verifyEvidence(text, trust);
  // A list shows no checkpoint, so that no policy is met by it.
  const isList = partial && trust.policy === undefined && !(isRecord(document) && isReceipt(document));
  return isList ? verifyChainList(document, { partial }) : verifyBundle(document, trust);
}

async function isLog(url: string): Promise<boolean> {
  const response = await fetch(new URL('checkpoint', url.endsWith('/') ? url : `${url}/`), {
    signal: AbortSignal.timeout(60_000),
  });
  const text = fromUtf8((await bytesOf(response, documentBytesMax)) ?? new Uint8Array(0));
  return response.ok && text !== undefined && isCheckpoint(text);
}

function isCheckpoint(text: string): boolean {
  return /^[^\n]+\n\d+\n/.test(text);
}

/** Upper bound of a document in bytes. */
const documentBytesMax = 256 * 1024 * 1024;

async function textAt(url: string | URL): Promise<string> {
  const response = await fetch(url, {
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(60_000),
  });
  if (!response.ok) throw new Error(`${String(url)} was answered with ${response.status}`);
  const bytes = await bytesOf(response, documentBytesMax);
  if (bytes === undefined) throw new Error(`${String(url)} was answered with more than 256 MB`);
  const text = fromUtf8(bytes);
  if (text === undefined) throw new Error(`${String(url)} was not answered in UTF-8`);
  return text;
}

// Run, not imported.
if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(realpathSync(process.argv[1])).href) {
  process.exitCode = await main(process.argv.slice(2));
}
