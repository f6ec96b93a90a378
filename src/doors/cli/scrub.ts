/**
 * `colophon scrub` (contract §0, §5 "Secrets"): removes a secret from everything stored, through a running server
 * if there is one. The secret comes from a file or standard input: shells keep arguments, and other users can see
 * them.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../kernel/json.ts';
import { type Command, readOptions, UsageError } from './command.ts';
import { withOwner, type Owner } from './owner-socket.ts';

const pollMs = 500;

export const scrubCommand: Command = {
  name: 'scrub',
  what: 'Remove a secret from everything stored, including all revisions and receipts.',
  usage: 'colophon scrub [--auto | --file FILE] [--slug SLUG] [--dry-run] < SECRET',
  options: [
    ['--auto', 'Find everything that the secret rules detect, instead of one given secret.'],
    ['--file FILE', 'Read the secret from a file instead of standard input.'],
    ['--slug SLUG', 'Only this article and the calls on it.'],
    ['--dry-run', 'List what would be scrubbed, without changes; exit status 1 if there is anything.'],
    ['--json', 'Print the whole answer as JSON.'],
  ],
  async run(argv, context) {
    const { values, positionals } = readOptions(argv, {
      auto: { type: 'boolean' },
      file: { type: 'string' },
      slug: { type: 'string' },
      'dry-run': { type: 'boolean' },
      json: { type: 'boolean' },
    });
    if (positionals.length > 0)
      throw new UsageError(
        'secrets are not accepted as arguments: pipe the secret in, or name its file with --file.',
      );
    if (values.auto === true && values.file !== undefined) throw new UsageError('--auto takes no secret.');
    const secret = values.auto === true ? 'auto' : readSecret(values.file);
    const body = { secret, ...(values.slug === undefined ? {} : { slug: values.slug }) };
    const dry = values['dry-run'] === true;
    return withOwner(context, async (owner) => {
      const { body: answer } = await owner.post('/api/dispatch', {
        key: 'SECRET_SCRUB',
        body,
        ...(dry ? { shape: true } : {}),
      });
      const done = dry ? answer : await finished(owner, answer);
      const found = (dry ? done['would_scrub'] : done['result']) as JsonObject | undefined;
      if (values.json === true) console.log(JSON.stringify(done, null, 2));
      else if (found === undefined || done['ok'] !== true) printFailure(done);
      else printFound(found, dry);
      if (found === undefined || done['ok'] !== true) return 1;
      return (dry && count(found) > 0) || found['unreadable'] !== 0 ? 1 : 0;
    });
  },
};

/** Without the final newline that editors and `echo` add. */
function readSecret(file: string | undefined): string {
  if (file === undefined && process.stdin.isTTY)
    throw new UsageError('pipe the secret in, name its file with --file, or use --auto.');
  try {
    return readFileSync(file ?? 0, 'utf8').replace(/\r?\n$/, '');
  } catch (error) {
    throw new UsageError(`the secret cannot be read: ${(error as Error).message}.`);
  }
}

/** Large scrubs run in the background; waits for the receipt. */
async function finished(owner: Owner, answer: JsonObject): Promise<JsonObject> {
  const { id } = (answer['invocation'] ?? {}) as { readonly id?: string };
  const result = answer['result'] as JsonObject | undefined;
  if (answer['ok'] !== true || result?.['status'] !== 'running' || id === undefined) return answer;
  for (let seconds = 0; ; seconds += pollMs / 1000) {
    const { body: receipt } = await owner.get(`/api/dispatch?receipt=${id}`);
    if (receipt['status'] !== 'running') {
      const response = receipt['response'] as JsonObject;
      const recorded = response['result'] as JsonObject;
      return receipt['status'] === 'success' ? { ...answer, result: recorded } : { ...recorded, ok: false };
    }
    if (process.stderr.isTTY) process.stderr.write(`\rscrubbing, ${Math.floor(seconds)} s`);
    await sleep(pollMs);
  }
}

function count(found: JsonObject): number {
  return Number(found['contents']) + Number(found['blobs']) + Number(found['held']);
}

function printFound(found: JsonObject, dry: boolean): void {
  for (const place of found['places'] as readonly JsonObject[]) {
    const finds = place['found'] as readonly JsonObject[];
    const what = finds.map(
      ({ path, kind, count: times }) => `${String(kind)} ×${String(times)} at ${String(path) || '/'}`,
    );
    console.log(
      `${String(place['chain'])}#${String(place['n'])} ${String(place['field'])}: ${what.join(', ')}`,
    );
  }
  if (found['more_places'] === true) console.log('… and more');
  console.log(
    `${dry ? 'Would scrub' : 'Scrubbed'} ${String(found['occurrences'])} occurrences in ${String(found['contents'])} stored contents, ${String(found['blobs'])} large results and ${String(found['held'])} held records (${String(found['scope'])}).`,
  );
  printUnreadable(found['unreadable_names'] as readonly string[] | undefined);
}

function printUnreadable(names: readonly string[] = []): void {
  if (names.length === 0) return;
  console.error(
    `Altered, and so neither looked through nor scrubbed: ${names.join(', ')}. Run colophon verify; restore a sound backup and scrub that.`,
  );
}

function printFailure(body: JsonObject): void {
  const { error, detail, message, fix, problem } = body;
  console.error(
    typeof problem === 'string'
      ? problem
      : `${String(error)}: ${String(detail ?? message)} ${String(fix ?? '')}`,
  );
}
