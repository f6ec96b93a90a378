/** `colophon monitor`: follows logs for an auditor, and names what does not fit what was seen before (contract §6). */
import { readFileSync } from 'node:fs';
import { parseVerifierKey } from '../../../verify/note.ts';
import { parsePolicy } from '../../../verify/policy.ts';
import { InvalidEvidence } from '../../../verify/report.ts';
import { type Command, numberOption, readOptions, UsageError } from './command.ts';
import { toLine, type MonitorEvent } from './monitoring/events.ts';
import { follow, lookOnce } from './monitoring/follow.ts';
import { isId, Monitoring } from './monitoring/round.ts';
import { StateFolder } from './monitoring/state-folder.ts';

export const monitorCommand: Command = {
  name: 'monitor',
  what: 'Follow logs: verify their growth and entries, and catch a log that shows two histories.',
  usage:
    'colophon monitor URL… [--peer URL] [--key KEY] [--policy FILE] [--watch ID] [--state FOLDER] [--every SECONDS | --once]',
  options: [
    ['--peer URL', 'Another address of one of these logs, such as a mirror; repeatable.'],
    [
      '--key KEY',
      'A verifier key to trust, or a file of them; repeatable. Else each is pinned at first use.',
    ],
    [
      '--policy FILE',
      'A trust policy (C2SP tlog-policy): each /checkpoint must have its quorum of witnesses.',
    ],
    [
      '--watch ID',
      'Report new entries of an article (art_… or its slug), a fingerprint (cap_…) or a call (inv_…); repeatable.',
    ],
    ['--state FOLDER', 'Where keys, what was seen and evidence are kept; default: ./monitor.'],
    ['--every SECONDS', 'How often to look; default: 60. Longer after failures.'],
    ['--once', 'Look once. Exit status 0: all consistent; 1: a problem; 2: something could not be read.'],
    ['--json', 'Print one JSON object for each event.'],
  ],
  async run(argv) {
    const { values, positionals } = readOptions(argv, {
      peer: { type: 'string', multiple: true },
      key: { type: 'string', multiple: true },
      policy: { type: 'string' },
      watch: { type: 'string', multiple: true },
      state: { type: 'string' },
      every: { type: 'string' },
      once: { type: 'boolean' },
      json: { type: 'boolean' },
    });
    if (positionals.length === 0) throw new UsageError('it takes the address of a log.');
    const every = numberOption('every', values.every) ?? 60;
    if (every < 1 || every > everySecondsMax)
      throw new UsageError(`--every takes a number from 1 to ${everySecondsMax}, not ${every}.`);
    const urls = positionals.map(addressOf);
    const peers = (values.peer ?? []).map(addressOf);
    if (new Set([...urls, ...peers]).size > addressesMax)
      throw new UsageError(`it takes ${addressesMax} addresses at most.`);
    const settings = {
      keys: await readKeys(values.key ?? []),
      policy: await readPolicy(values.policy),
      watched: (values.watch ?? []).map(watchedOf),
    };
    const stop = new AbortController();
    const end = (): void => stop.abort();
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, end);
    const { muteExperiments } = await import('../../../verify/cli.ts');
    const unmute = muteExperiments();
    const monitoring = new Monitoring(new StateFolder(values.state ?? 'monitor'), settings, stop.signal);
    const print = (event: MonitorEvent): void => console.log(toLine(event, values.json === true));
    try {
      return values.once === true
        ? await lookOnce(monitoring, urls, peers, print)
        : await follow(monitoring, urls, peers, every * 1000, stop.signal, print);
    } finally {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, end);
      monitoring.close();
      unmute();
    }
  },
};

const addressesMax = 64;
const everySecondsMax = 86_400;
function addressOf(given: string): string {
  const url = URL.parse(given);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '')
    throw new UsageError(`"${given}" is not the address of a log: http(s)://host/path.`);
  return `${url.origin}${url.pathname.replace(/\/*$/, '/')}`;
}

function watchedOf(given: string): string {
  if (isId(given) || /^[a-z0-9][a-z0-9-]{0,199}$/.test(given)) return given;
  throw new UsageError(`--watch takes an article (art_… or its slug), cap_… or inv_…, not "${given}".`);
}

/** Keys as they are given, or the lines of a file. */
async function readKeys(given: readonly string[]): Promise<readonly string[]> {
  const lines = given.flatMap((each) =>
    each.includes('+') ? [each] : readGiven('key', each).toString('utf8').split('\n'),
  );
  const keys = lines.map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
  for (const key of keys) await orUsage('key', () => parseVerifierKey(key));
  return keys;
}

async function readPolicy(path: string | undefined): Promise<Uint8Array | undefined> {
  if (path === undefined) return undefined;
  const policy = readGiven('policy', path);
  await orUsage('policy', () => parsePolicy(policy));
  return policy;
}

async function orUsage(name: string, step: () => Promise<unknown>): Promise<void> {
  try {
    await step();
  } catch (error) {
    if (error instanceof InvalidEvidence) throw new UsageError(`--${name}: ${error.message}.`);
    throw error;
  }
}

function readGiven(name: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new UsageError(`--${name} takes a file that can be read: ${(error as Error).message}.`);
  }
}
