/**
 * Writes of a deployment whose checkpoints three witnesses cosign, beside the same without witnesses; and how long an
 * entry waits for its quorum, at rest and under load. Log and witnesses are processes on this machine.
 */
import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inTurns, type Contender } from './load.ts';
import { root, startColophon, temporaryFolder, type Colophon } from './processes.ts';
import { alone, versus, type Row, type Settings } from './row.ts';

const body = {
  slug: 'measured',
  claim_id: '',
  kind: 'question',
  actor: 'ada',
  body: 'Which entries does the checkpoint of today cover, and who has signed the one before it?',
};
const document = { slug: 'measured', markdown: '# Measured\n\nOne paragraph.\n' };

export async function run(settings: Settings): Promise<Row[]> {
  const folder = temporaryFolder();
  const running: Colophon[] = [];
  const start = async (name: string, env: Readonly<Record<string, string>> = {}): Promise<Colophon> => {
    const started = await startColophon({ folder: join(folder, name), env });
    running.push(started);
    return started;
  };
  try {
    const before = await start('log');
    await before.owner('/api/protocol/voxel-batch', { document });
    const key = (await (await fetch(`${before.url}/.well-known/colophon-key`)).text()).trim();
    await before.stop();
    const logs = join(folder, 'logs');
    writeFileSync(logs, `${key}\n`);
    const lines: string[] = [];
    for (const name of ['one', 'two', 'three']) {
      const witness = await start(name, { COLOPHON_WITNESS_LOGS: logs });
      const keys = execFileSync(process.execPath, [join(root, 'bin/colophon.js'), 'witness', 'keys'], {
        env: { ...process.env, COLOPHON_DATA: witness.folder },
        encoding: 'utf8',
      });
      lines.push(`witness ${name} ${keys.split('\n')[0]} ${witness.url}/witness\n`);
    }
    const policy = join(folder, 'policy');
    writeFileSync(
      policy,
      `log ${key}\n${lines.join('')}group two-of-three 2 one two three\nquorum two-of-three\n`,
    );
    const cosigned = await start('log', { COLOPHON_POLICY: policy });
    const first = await start('plain');
    await first.owner('/api/protocol/voxel-batch', { document });
    await first.stop();
    // Both were restarted once.
    const plain = await start('plain');

    const atRest: number[] = [];
    for (let i = 0; i < (settings.quick ? 5 : 20); i++) atRest.push(await untilCosigned(cosigned));
    const append = (name: string, server: Colophon): Contender => ({
      name,
      server,
      job: {
        method: 'POST',
        path: '/api/dispatch',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ key: 'MIRROR_APPEND', body }),
        status: 200,
      },
    });
    const underLoad: number[] = [];
    const loaded = { is: true };
    const sampling = (async () => {
      while (loaded.is) underLoad.push(await untilCosigned(cosigned));
    })();
    const rounds = settings.quick ? 2 : 7;
    const seconds = settings.quick ? 1.5 : 3;
    // Both logs grow alike.
    await inTurns([append('sampled', cosigned), append('plain', plain)], {
      connections: 64,
      rounds,
      seconds,
    });
    loaded.is = false;
    await sampling;
    const [own, peer] = await inTurns([append('cosigned', cosigned), append('plain', plain)], {
      connections: 64,
      rounds,
      seconds,
    });
    if (own === undefined || peer === undefined) throw new Error('a contender was not measured');
    return [
      versus(
        'MIRROR_APPEND, cosigned by three witnesses',
        own.perSecond,
        'calls/s',
        'no witness',
        peer.perSecond,
        '>= 0.97',
        {
          cpu: peer.cpuUs / own.cpuUs,
        },
      ),
      alone('quorum after a write at rest, slowest', Math.max(...atRest), 'ms', '<= 2000'),
      alone('quorum after a write under load, slowest', Math.max(...underLoad), 'ms', '<= 2000', {
        note: `${underLoad.length} writes`,
      }),
    ];
  } finally {
    for (const each of running) await each.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Milliseconds from the answer of a write until the checkpoint with a quorum covers it. */
async function untilCosigned(server: Colophon): Promise<number> {
  const { proof } = (await server.owner('/api/dispatch', { key: 'MIRROR_APPEND', body })) as {
    proof: { log_index: number };
  };
  const written = performance.now();
  for (;;) {
    const note = await (await fetch(`${server.url}/checkpoint`)).text();
    if (Number(note.split('\n')[1]) > proof.log_index && note.includes('/witness ')) break;
    await sleep(5);
  }
  return performance.now() - written;
}
