/**
 * What stands around a deployment (contract §0): the runtime, the data folder and its disk, the address, the
 * providers. All of it is known without opening anything.
 */
import { existsSync, statfsSync, statSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname } from 'node:path';
import type { Config } from '../config.ts';
import { fail, ok, warn, type Diagnosis } from '../engine/store-kind.ts';

/** ML-DSA is in node:crypto since then. */
const nodeMin = [24, 6] as const;
const freeBytesMin = 200 * 1024 * 1024;

export function nodeVersion(): Diagnosis {
  const { node } = process.versions;
  const [major = 0, minor = 0] = node.split('.').map(Number);
  return major > nodeMin[0] || (major === nodeMin[0] && minor >= nodeMin[1])
    ? ok('Node.js', node)
    : fail(
        'Node.js',
        `${node} is older than ${nodeMin.join('.')}`,
        'Run npm ci, which brings the right one, or install it.',
      );
}

export function dataFolder(path: string): Diagnosis[] {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined)
    return [
      warn(
        'data folder',
        `${path} does not exist`,
        'The first start makes it; if it should be there, set COLOPHON_DATA.',
      ),
    ];
  if (!stats.isDirectory())
    return [fail('data folder', `${path} is no folder`, 'Set COLOPHON_DATA to a folder.')];
  const findings: Diagnosis[] = [];
  if (process.getuid !== undefined && stats.uid !== process.getuid())
    findings.push(
      warn('data folder', `${path} belongs to another user`, 'Run colophon as the user who owns it.'),
    );
  findings.push(
    (stats.mode & 0o077) === 0
      ? ok('data folder', `${path}, open to its owner alone`)
      : fail(
          'data folder',
          `${path} has mode ${octalMode(stats.mode)}: others can read it`,
          `Run chmod 700 ${path}`,
        ),
  );
  return findings;
}

/** A scrub writes a second copy of the file, and so does a backup to the same disk. */
export function diskSpace(path: string, stored: number): Diagnosis[] {
  const at = existsSync(path) ? path : dirname(path);
  if (!existsSync(at)) return [];
  const { bavail, bsize } = statfsSync(at);
  const free = bavail * bsize;
  const space = `${megabytes(free)} MB free, the ledger has ${megabytes(stored)} MB`;
  if (free < freeBytesMin) return [fail('disk', space, 'Free some: a full disk refuses every write.')];
  return [
    free < 2 * stored
      ? warn(
          'disk',
          space,
          'Free some: scrubbing rewrites the ledger beside itself and needs twice its size.',
        )
      : ok('disk', space),
  ];
}

export async function listeningPort(config: Config, isServing: boolean): Promise<Diagnosis> {
  const at = `${config.host}:${config.port}`;
  const taken = await isTaken(config.host, config.port);
  if (isServing)
    return taken
      ? ok('address', `${at} is the running server's`)
      : warn(
          'address',
          `a server runs for this folder and not on ${at}`,
          'Set HOST and PORT here as they are set for it.',
        );
  return taken
    ? fail('address', `${at} is taken by another process`, 'Set PORT to a free one, or end that process.')
    : ok('address', `${at} is free`);
}

function isTaken(host: string, number: number): Promise<boolean> {
  return new Promise((answer) => {
    const server = createServer();
    server.once('error', () => answer(true));
    server.listen(number, host, () => server.close(() => answer(false)));
  });
}

export function providers({ creative }: Config): Diagnosis {
  const set = Object.entries(creative.keys).filter(([, key]) => key !== undefined && key !== '');
  return ok(
    'providers',
    set.length === 0
      ? 'none has a key: CREATIVE_GENERATE draws with its local engine alone'
      : set.map(([name]) => `${name} is set`).join(', '),
  );
}

export function octalMode(mode: number): string {
  return (mode & 0o777).toString(8).padStart(4, '0');
}

function megabytes(bytes: number): number {
  return Math.round(bytes / 1024 / 1024);
}
