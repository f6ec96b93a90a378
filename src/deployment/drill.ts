/**
 * `colophon restore --drill` (ADR 70): restores the newest backup to a temporary folder, verifies it, serves it on a free
 * port of this machine, reads an article and a receipt there, and says what a disaster at this moment would lose. The
 * server of the copy sends nothing and continues no work of the deployment.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readConfig, type Config } from '../config.ts';
import type { DrillReport, Progress } from '../doors/cli/command.ts';
import type { StoreKind } from '../engine/store-kind.ts';
import type { Reader } from '../engine/store.ts';
import { openCheckpoint } from '../ledger/checkpoint.ts';
import { isRefusal } from '../ledger/refusal.ts';
import { originOfNote } from '../app/reads/earlier-logs.ts';
import { newestBackup } from './backup-set.ts';
import { updateBackupNote } from './backup-note.ts';
import { newTerminalKey } from '../app/credentials/secrets.ts';
import { claimedSize, disagreement, readCheckpointCopies } from './checkpoint-file.ts';
import { restoreDeployment } from './restore.ts';
import { startDeployment, type Deployment } from './start.ts';

type KindOf = (config: Config) => Promise<StoreKind>;

export async function drillDeployment(
  config: Config,
  kindOf: KindOf,
  from: string,
  progress: Progress,
): Promise<DrillReport> {
  const { folder: backup, madeAt } = newestBackup(from);
  const place = mkdtempSync(join(tmpdir(), 'colophon-drill-'));
  const steps: { step: string; ms: number; detail: string }[] = [];
  const step = async <T>(name: string, work: () => Promise<T>, describe: (done: T) => string): Promise<T> => {
    const began = performance.now();
    const done = await work();
    steps.push({ step: name, ms: Math.round(performance.now() - began), detail: describe(done) });
    return done;
  };
  const conclude = async (
    found: Pick<DrillReport, 'entries' | 'loss' | 'problems'>,
  ): Promise<DrillReport> => {
    const drill = { at: new Date().toISOString(), ok: found.problems.length === 0 };
    const note = await updateBackupNote(await kindOf(config), (known) => ({ ...known, drill }));
    return { backup, made_at: madeAt, steps, ...found, ...(note === undefined ? {} : { note }) };
  };
  try {
    const copy = copyConfig(config, join(place, 'data'));
    const restored = await step(
      'restore and verify',
      () => restoreDeployment(copy, kindOf, backup, progress, false),
      ({ entries, bytes }) => `${entries} entries, ${bytes} bytes, into an empty folder`,
    );
    const { entries, problems } = restored;
    if (problems.length > 0) return await conclude({ entries, loss: null, problems });
    const deployment = await step(
      'open',
      async () =>
        startDeployment(copy, await kindOf(copy), { isCopy: true, serves: true, acceptClock: true }),
      () => 'the ledger, and its projections where the backup has none',
    );
    try {
      const wrong = await readOverHttp(deployment, place, step);
      const { loss, problem } = await compare(config, kindOf, deployment, madeAt);
      return await conclude({ entries, loss, problems: problem === undefined ? wrong : [...wrong, problem] });
    } finally {
      await deployment.close();
    }
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
}

/** Nothing of the environment but what the ledger needs: no provider, no mail, no database. The copy gets an owner key of its own. */
function copyConfig({ secretKey, baseUrl }: Config, dataFolder: string): Config {
  return readConfig({
    COLOPHON_DATA: dataFolder,
    COLOPHON_BASE_URL: baseUrl,
    COLOPHON_SECRET_KEY: secretKey,
    COLOPHON_TERMINAL_KEY: newTerminalKey(),
    COLOPHON_AUDIT: 'off',
    COLOPHON_LOG: 'silent',
  });
}

type Step = <T>(name: string, work: () => Promise<T>, describe: (done: T) => string) => Promise<T>;

/** Problems that readers of the restored deployment would have. */
async function readOverHttp(deployment: Deployment, place: string, step: Step): Promise<string[]> {
  const app = deployment.http();
  await app.listen({ host: '127.0.0.1', port: 0 });
  const base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  const get = async (path: string): Promise<{ readonly status: number; readonly text: string }> => {
    const response = await fetch(`${base}${path}`, {
      headers: { 'x-terminal-key': deployment.config.terminalKey ?? '' },
    });
    return { status: response.status, text: await response.text() };
  };
  const problems: string[] = [];
  try {
    await step(
      'serve',
      async () => {
        const { status } = await get('/readyz');
        if (status !== 200) problems.push(`/readyz of the restored server answers ${status}.`);
        return status;
      },
      (status) => `${base}, /readyz answers ${status}`,
    );
    await step(
      'read an article',
      async () => {
        const list = JSON.parse((await get('/api/articles?limit=1')).text) as {
          readonly articles?: readonly { readonly slug: string }[];
        };
        const slug = list.articles?.[0]?.slug;
        if (slug === undefined) return 'there is none';
        const { status, text } = await get(`/api/articles/${slug}`);
        if (status !== 200) problems.push(`The article ${slug} is answered with ${status}.`);
        return `${slug}, ${Buffer.byteLength(text)} bytes`;
      },
      (detail) => detail,
    );
    await step(
      'read a receipt',
      async () => {
        const invocation = await newestInvocation(deployment.service.read);
        if (invocation === undefined) return 'there is none';
        const { status, text } = await get(`/api/dispatch?receipt=${invocation}`);
        if (status !== 200) problems.push(`The receipt of ${invocation} is answered with ${status}.`);
        else if (await isSoundReceipt(text, place, deployment.service.logKey.text))
          return `${invocation}, which verifies with the key of the log`;
        else problems.push(`The receipt of ${invocation} does not verify.`);
        return invocation;
      },
      (detail) => detail,
    );
  } finally {
    await app.close();
  }
  return problems;
}

const pageEntries = 256;

async function newestInvocation(read: Pick<Reader, 'texts' | 'checkpoint'>): Promise<string | undefined> {
  const size = (await read.checkpoint())?.size ?? 0;
  for (let from = size; from > 0;) {
    from = Math.max(0, from - pageEntries);
    const found = (await read.texts(from, pageEntries))
      .map(({ text }) => (JSON.parse(text) as { readonly chain: string }).chain)
      .findLast((chain) => chain.startsWith('inv_'));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** By the verifier that knows nothing of this server. */
async function isSoundReceipt(text: string, place: string, key: string): Promise<boolean> {
  const path = join(place, 'receipt.json');
  writeFileSync(path, text, { mode: 0o600 });
  const { main } = await import('../../verify/cli.ts');
  return (await main([path, '--key', key], () => undefined)) === 0;
}

/** With the ledger of the deployment, or where that is gone with the checkpoint that was kept apart from it. */
async function compare(
  config: Config,
  kindOf: KindOf,
  { service }: Deployment,
  madeAt: string,
): Promise<{ readonly loss: DrillReport['loss']; readonly problem?: string }> {
  const own = await service.read.checkpoint();
  if (own === null) return { loss: null };
  const minutes = Math.max(0, Math.round((Date.now() - Date.parse(madeAt)) / 60_000));
  const kind = await kindOf(config);
  try {
    return await kind.withSnapshot(async (ledger) => {
      const { size, checkpoint } = await ledger.head();
      if (checkpoint !== null && originOfNote(checkpoint) !== originOfNote(own.note))
        return {
          loss: null,
          problem: `The backup is of the log ${originOfNote(own.note)}; the deployment has the log ${originOfNote(checkpoint)} by now. Make a new backup.`,
        };
      const log = { size, rootAt: (of: number) => ledger.rootAt(of) };
      const problem = await disagreement(log, own.note, service.logKey, 'of the backup');
      return problem === undefined
        ? { loss: { entries: size - own.size, minutes, compared: 'ledger' } }
        : { loss: null, problem };
    });
  } catch {
    const sizes = readCheckpointCopies(config)
      .filter(({ note }) => !isRefusal(openCheckpoint(note, [service.logKey])))
      .map(({ note }) => claimedSize(note));
    return sizes.length === 0
      ? { loss: null }
      : { loss: { entries: Math.max(...sizes) - own.size, minutes, compared: 'kept checkpoint' } };
  }
}
