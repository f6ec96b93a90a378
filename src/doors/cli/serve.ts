/** `colophon serve`: opens the store, seeds an empty one, listens, and stops cleanly on SIGTERM or SIGINT. */
import { rmSync } from 'node:fs';
import { WitnessTrouble } from '../../app/log-alarms.ts';
import { listenForOwner, socketPath } from './owner-socket.ts';
import { type Command, numberOption, readOptions } from './command.ts';
import { seed } from './seed.ts';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export const serveCommand: Command = {
  name: 'serve',
  what: 'Run the service on the embedded store, or on PostgreSQL where DATABASE_URL is set.',
  usage: 'colophon serve [--port 8787] [--no-seed] [--accept-rollback] [--accept-clock]',
  options: [
    ['--port N', 'Listen on this port instead of PORT.'],
    ['--no-seed', 'Do not seed an empty ledger.'],
    [
      '--accept-rollback',
      'Start on a ledger older than its separate checkpoint: begin a new log with a new key.',
    ],
    ['--accept-clock', 'Start even if the clock is far behind the newest entry, or years ahead.'],
  ],
  async run(argv, context) {
    const { values } = readOptions(argv, {
      port: { type: 'string' },
      'no-seed': { type: 'boolean' },
      'accept-rollback': { type: 'boolean' },
      'accept-clock': { type: 'boolean' },
    });
    const port = numberOption('port', values.port);
    const config = context.readConfig(
      port === undefined ? process.env : { ...process.env, PORT: String(port) },
    );
    const { pino } = await import('pino');
    // A reader of the output that stalls costs lines, and delays no request.
    const output = pino.destination({ dest: 1, sync: false, maxLength: logBytesMax });
    const log = pino({ level: config.logLevel }, output);
    const throttle = new LogThrottle();
    const isDue = atMostEvery(progressEveryMs);
    // Assume so until it is known.
    let isSeeding = values['no-seed'] !== true;
    const deployment = await context.compose(config, {
      acceptRollback: values['accept-rollback'] === true,
      acceptClock: values['accept-clock'] === true,
      serves: true,
      onReplay: (done) => {
        if (done === undefined) log.info('another node makes the projections again: waiting for it');
        else if (isDue()) log.info(done === 0 ? {} : { entries: done }, 'making the projections again');
      },
      onTrouble: (error) => {
        const suppressed = throttle.due(String(error));
        if (suppressed === undefined) return;
        if (error instanceof WitnessTrouble)
          log[error.isAlarm ? 'error' : 'warn']({ left_out: suppressed }, error.message);
        else log.warn({ err: error, left_out: suppressed }, 'the store had trouble');
      },
      onAltered: (finding) =>
        log.error({ finding, fix: 'Run colophon verify.' }, 'the stored ledger was altered'),
      onCall: ({ requestId, traceId, durationMs, repeated, ...call }) =>
        // The starter articles are some fifty calls, behind which a first start would hide its address and key.
        log[isSeeding ? 'debug' : 'info'](
          {
            request_id: requestId,
            trace_id: traceId,
            ...call,
            ...(repeated ? { repeated } : {}),
            ms: durationMs,
          },
          'call',
        ),
      onRollback: (rollback) =>
        log.fatal(rollback, 'the database was set back behind this node, which answers no write any more'),
    });
    const app = deployment.http(
      (error, url, requestId) => {
        const suppressed = throttle.due(String(error));
        if (suppressed !== undefined)
          log.error(
            { err: error, url: url.split('?')[0], request_id: requestId, left_out: suppressed },
            'request failed',
          );
      },
      () => (isSeeding ? 'the starter articles are being written' : undefined),
    );
    const ownerServer = await listenForOwner(app, config.dataFolder);
    try {
      await app.listen({ host: config.host, port: config.port });
    } catch (error) {
      ownerServer.close();
      await deployment.close();
      const refusal = refusalOf(error, config);
      if (refusal === undefined) throw error;
      // Its hash is stored by now, so no later start can show it.
      printOwnerKey(deployment.newTerminalKey);
      console.error(`colophon: ${refusal}`);
      return 2;
    }
    console.log(`Colophon is at ${config.baseUrl}`);
    printOwnerKey(deployment.newTerminalKey);
    if (deployment.newTerminalKey !== undefined)
      console.log(`It opens the owner's console at ${config.baseUrl}/owner`);
    isSeeding &&= await deployment.beginsLedger();
    if (isSeeding) {
      const { made, stopped } = await seed(config.dataFolder);
      isSeeding = false;
      console.log(`Seeded ${made} starter articles.`);
      if (stopped !== undefined) console.error(`colophon: seeding stopped at ${stopped}`);
      releaseMemory();
    }
    log.info({ url: config.baseUrl, store: deployment.storeName }, 'ready');
    await stopSignal();
    log.info('stopping');
    ownerServer.closeAllConnections();
    await new Promise<void>((done) => ownerServer.close(() => done()));
    rmSync(socketPath(config.dataFolder), { force: true });
    // Unfinished requests must not block the exit.
    const cut = setTimeout(() => app.server.closeAllConnections(), finishMs);
    await app.close();
    clearTimeout(cut);
    await deployment.close();
    return 0;
  },
};

const progressEveryMs = 2000;

/** Log lines that wait for the reader of the output; further ones are dropped. */
const logBytesMax = 4 * 1024 * 1024;

/** Returns true at most once per interval. */
function atMostEvery(everyMs: number): () => boolean {
  let last = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now - last < everyMs) return false;
    last = now;
    return true;
  };
}

function printOwnerKey(key: string | undefined): void {
  if (key !== undefined) console.log(`Owner key (shown once, keep it): ${key}`);
}

/** Why the server cannot listen, if the operator can fix it. */
function refusalOf(error: unknown, { host, port }: { host: string; port: number }): string | undefined {
  switch ((error as { readonly code?: string }).code) {
    case 'EADDRINUSE':
      return `port ${port} on ${host} is taken; set PORT to a free one.`;
    case 'EACCES':
      return `port ${port} may not be listened on by this user; set PORT to one above 1023.`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `HOST is "${host}"; it accepts an address of this machine, such as 127.0.0.1 or 0.0.0.0.`;
    default:
      return undefined;
  }
}

/** How long running requests may take after a stop signal. */
const finishMs = 5000;

function stopSignal(): Promise<void> {
  return new Promise((stop) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop());
  });
}

const everyMs = 60_000;
/** Distinct messages that are remembered; beyond, all are forgotten. */
const messagesMax = 100;

export class LogThrottle {
  readonly #seen = new Map<string, { readonly at: number; left: number }>();

  /** How often the message was suppressed since it was last logged; undefined if it is to be suppressed now. */
  due(what: string, nowMs = performance.now()): number | undefined {
    const before = this.#seen.get(what);
    if (before !== undefined && nowMs - before.at < everyMs) {
      before.left++;
      return undefined;
    }
    if (this.#seen.size >= messagesMax) this.#seen.clear();
    this.#seen.set(what, { at: nowMs, left: 0 });
    return before?.left ?? 0;
  }
}

type Collect = (options: { readonly type: 'major'; readonly flavor: 'last-resort' }) => void;

export function releaseMemory(): void {
  // `gc` exists only in contexts that are created while the flag is set.
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as Collect;
  setFlagsFromString('--no-expose-gc');
  collect({ type: 'major', flavor: 'last-resort' });
}
