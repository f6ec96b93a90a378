/** Starts a deployment: configuration, secrets, a store, the rows, background work and the doors meet here. */
import { accessSync, constants, mkdirSync } from 'node:fs';
import { checkClock, ClockWatch } from '../app/background/clock.ts';
import { IntegrityPass, type IntegrityOptions } from '../app/background/integrity.ts';
import { startLinkChecks } from '../app/background/link-checks.ts';
import { Notifier } from '../app/background/notifications.ts';
import { outsideOf } from '../app/outside/outside.ts';
import { closeInterrupted } from '../app/pipeline/resume.ts';
import { rowSecrets, deriveSecrets, hashTerminalKey, newTerminalKey } from '../app/credentials/secrets.ts';
import { Indexer } from '../app/background/indexing.ts';
import { CallCounter, Denials, Jobs, type Secrets, type Service } from '../app/service.ts';
import { BadConfig, type Config } from '../config.ts';
import { schema } from '../domain/schema.ts';
import { hasListener } from '../doors/cli/owner-socket.ts';
import type { OpenDeployment, OpenOptions } from '../doors/cli/command.ts';
import { buildServer } from '../doors/server.ts';
import { eventPage, eventText } from '../doors/web/event-words.ts';
import { RequestLimits } from '../doors/http/request-limits.ts';
import type { NotReady } from '../doors/http/discovery-routes.ts';
import type { OnError } from '../doors/http/replies.ts';
import type { StoreKind } from '../engine/store-kind.ts';
import { LedgerInUse, type SignCheckpoint, type Store } from '../engine/store.ts';
import { leaseLimits } from '../guard/limits.ts';
import { RateLimiter } from '../guard/rate-limit.ts';
import { signCheckpoint } from '../ledger/checkpoint.ts';
import { opaqueId } from '../kernel/ids.ts';
import type { Row } from '../domain/capabilities/row.ts';
import { builtInRows } from '../rows/index.ts';
import {
  admitKeys,
  fileSecret,
  logLabel,
  logOrigin,
  logSigner,
  originOf,
  ownerHashName,
  requireSharedSecret,
} from './start-keys.ts';
import {
  checkRollback,
  copyCheckpoints,
  writeLostCheckpoint,
  refuseLostCheckpoint,
  RolledBack,
  setEarlierCopiesAside,
} from './checkpoint-file.ts';
import { readBackupNote, verifiedAtMs } from './backup-note.ts';
import { beginNewLog } from './new-log.ts';
import { compareWithWitnesses, openCosigning, witnessAlarms } from './cosigning.ts';
import { openLogAlarms, openWitness } from './witness.ts';

export interface Deployment extends OpenDeployment {
  readonly config: Config;
}

export interface StartOptions extends OpenOptions {
  /** Rows beside the built-in ones. */
  readonly rows?: readonly Row[];
  readonly now?: () => number;
  /** How the background pass over the ledger is paced, where not as usual. */
  readonly integrity?: Omit<IntegrityOptions, 'onAltered' | 'onTrouble'>;
  /** How long closing waits for a silent database, where not as usual. */
  readonly closing?: ClosingTimes;
}

interface ClosingTimes {
  /** Connections are cut and made again. */
  readonly cutAfterMs: number;
  /** Nothing waits for the database any more. */
  readonly giveUpAfterMs: number;
}

const closingTimes: ClosingTimes = { cutAfterMs: 5000, giveUpAfterMs: 20_000 };

const denialsEveryMs = 60_000;
const linkChecksEveryMs = 15 * 60_000;
const leftoversEveryMs = 60_000;

export async function startDeployment(
  config: Config,
  kind: StoreKind,
  options: StartOptions,
): Promise<Deployment> {
  const folder = config.dataFolder;
  if (kind.isShared) requireSharedSecret(config);
  makeFolder(folder);
  const secret = config.secretKey ?? fileSecret(folder);
  const opened: { secrets: Secrets | undefined } = { secrets: undefined };
  // The name of the key that signs is kept in the store that asks for signatures: until it is read, none is given.
  const sign: SignCheckpoint = (size, root) => {
    if (opened.secrets === undefined) throw new Error('the name of the log is not known yet');
    return signCheckpoint(opened.secrets.signer, size, root);
  };
  const onTrouble = options.onTrouble ?? (() => undefined);
  const acceptRollback = options.acceptRollback === true;
  const onAltered = options.onAltered ?? (() => undefined);
  const store = await openStore(config, kind, secret, sign, {
    ...options,
    onTrouble,
    onRollback: (rollback) => {
      writeLostCheckpoint(config.checkpointPath, rollback);
      options.onRollback?.(rollback);
    },
  });
  const search = new Indexer(store.read, await kind.openSearch(), { onTrouble, onAltered });
  try {
    const now = options.now ?? Date.now;
    const origin = await store.keyring.claim(logOrigin, originOf(config.baseUrl));
    const label = await store.keyring.get(logLabel);
    // Before an owner key is created: a refused start could not show it.
    const { key } = logSigner(secret, origin, label);
    await refuseLostCheckpoint(store.keyring);
    await checkRollback(config, store.read, key);
    await setEarlierCopiesAside(config, store.read);
    const cosigning = openCosigning(config, { store, logKey: key, onTrouble });
    if (cosigning !== undefined && options.isCopy !== true)
      await compareWithWitnesses(cosigning, store.keyring, { acceptRollback, onTrouble });
    if (acceptRollback)
      onTrouble(
        new Error('--accept-rollback changed nothing: no rollback was found; leave it out next time'),
      );
    await checkClock(store.read, now(), options.acceptClock === true, onTrouble);
    const made = config.terminalKey ?? newTerminalKey();
    const wanted = hashTerminalKey(made);
    const terminalHash =
      config.terminalKey === undefined ? await store.keyring.claim(ownerHashName, wanted) : wanted;
    if (config.terminalKey !== undefined) await store.keyring.set(ownerHashName, wanted);
    const secrets = deriveSecrets(secret, origin, terminalHash, label);
    // Not before: a log that was set back must not be signed again, not even what waits to be put into it.
    opened.secrets = secrets;
    const kept = rowSecrets(store.keyring, secrets.sealingKey);
    const integrity = new IntegrityPass(store.read, {
      onTrouble,
      onAltered,
      rows: {
        schema,
        openReplay: () => kind.openReplay(schema),
        unlogged: () => store.unlogged(),
      },
      ...options.integrity,
    });
    const alarms = await openLogAlarms(config, store, onTrouble);
    if (cosigning !== undefined) alarms.watch(async () => witnessAlarms(cosigning));
    const isShared = kind.isShared;
    const clock = new ClockWatch(Date.now, onTrouble);
    const service: Service = {
      store,
      read: store.read,
      logKey: secrets.signer.key,
      rows: new Map([...builtInRows, ...(options.rows ?? [])].map((row) => [row.key, row])),
      secrets,
      search,
      base: config.baseUrl,
      limits: {
        ...config.limits.sizes,
        openLeasesPerClientMax: config.rateLimit ? leaseLimits.openPerClientMax : Number.POSITIVE_INFINITY,
      },
      ownerName: config.ownerName,
      denials: new Denials(),
      jobs: new Jobs(),
      calls: new CallCounter(),
      onCall: options.onCall ?? (() => undefined),
      rowSecrets: kept,
      moduleFolder: config.moduleFolder,
      outside: outsideOf(config, kept, store.blobs),
      cosigning,
      policyFile: config.readPolicy()?.file,
      witness: await openWitness({ config, secret, origin, store, isShared, alarms, now, onTrouble }),
      logAlarms: alarms,
      now,
      clock,
      backedUpAtMs: async () =>
        // A database is asked on the node's own connections.
        verifiedAtMs(
          await readBackupNote(kind.isShared ? { readNote: (name) => store.keyring.get(name) } : kind),
        ),
      integrity,
    };
    const isCopy = options.isCopy === true;
    if (!isCopy) await closeInterrupted(service, !kind.isShared);
    const keeper = copyCheckpoints(config.checkpointPath, store, key, onTrouble);
    const summaries = setInterval(
      () =>
        void Promise.all([service.denials.flush(service), store.ephemeral.sweep(service.now())]).catch(
          () => undefined,
        ),
      denialsEveryMs,
    );
    summaries.unref();
    // Nodes that share a ledger look after what another one left behind.
    const leftovers = setInterval(
      () => void (isCopy || closeInterrupted(service, false).catch(() => undefined)),
      leftoversEveryMs,
    );
    leftovers.unref();
    search.start();
    clock.start();
    if (config.audit) integrity.start();
    const links =
      config.linkCheck && !isCopy
        ? startLinkChecks(
            service,
            { fetchText: service.outside.fetchText, holder: opaqueId('node_') },
            linkChecksEveryMs,
            onTrouble,
          )
        : undefined;
    const cut = (forGood: boolean): void => {
      search.cut(forGood);
      store.cut?.(forGood);
    };
    const notifier = new Notifier(service, {
      holder: opaqueId('node_'),
      describe: eventText,
      pageOf: eventPage,
      onTrouble,
    });
    if (!isCopy) notifier.start();
    if (!isCopy) cosigning?.start();
    const wasEmpty = (await store.read.checkpoint()) === null;
    return {
      service,
      config,
      storeName: kind.name,
      newTerminalKey: config.terminalKey === undefined && terminalHash === wanted ? made : undefined,
      async beginsLedger() {
        if (!wasEmpty || !kind.isShared) return wasEmpty;
        // Nodes that start together find the same empty database: the first to say so has it.
        const node = opaqueId('node_');
        return (await store.keyring.claim('ledger_begun_by', node)) === node;
      },
      http: (onError = () => undefined, notReady = () => undefined) =>
        httpServer(config, service, onError, notReady),
      async close() {
        clearInterval(summaries);
        clearInterval(leftovers);
        clock.stop();
        const { cutAfterMs, giveUpAfterMs } = options.closing ?? closingTimes;
        const cuts = [setTimeout(cut, cutAfterMs, false), setTimeout(cut, giveUpAfterMs, true)];
        try {
          await links?.stop();
          await notifier.stop();
          await cosigning?.stop();
          await integrity.stop();
          await service.jobs.stop();
          await service.denials.flush(service);
          await keeper.stop();
        } finally {
          await search.stop();
          await store.close();
          cuts.forEach(clearTimeout);
        }
      },
    };
  } catch (error) {
    await search.stop();
    await store.close();
    if (!(error instanceof RolledBack) || options.acceptRollback !== true) throw error;
    await beginNewLog(config, kind, error.problem, error.lost);
    return startDeployment(config, kind, { ...options, acceptRollback: false });
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new BadConfig(
      `COLOPHON_DATA is "${folder}"; it accepts a folder that can be made and written: ${(error as Error).message}.`,
    );
  }
}

async function openStore(
  config: Config,
  kind: StoreKind,
  secret: string,
  sign: SignCheckpoint,
  options: StartOptions,
): Promise<Store> {
  // Its lock may have been deleted, which lets go of nothing that it has open.
  if (!kind.isShared && (await hasListener(config.dataFolder))) throw LedgerInUse.ofFolder(config.dataFolder);
  const { acceptRollback = false, serves = false, onReplay, onTrouble, onRollback } = options;
  return kind.open({
    schema,
    sign,
    upgrades: serves,
    admit: admitKeys(config, secret, { serves, acceptRollback }),
    ...(onReplay === undefined ? {} : { onReplay }),
    ...(onTrouble === undefined ? {} : { onTrouble }),
    ...(onRollback === undefined ? {} : { onRollback }),
  });
}

function httpServer(
  config: Config,
  service: Service,
  onError: OnError,
  notReady: NotReady,
): ReturnType<typeof buildServer> {
  const requestLimits = new RequestLimits({
    limiter: config.rateLimit ? new RateLimiter(config.limits.rates) : undefined,
    trusted: config.trustedProxies,
    now: () => performance.now(),
  });
  return buildServer({
    service,
    requestLimits,
    requestBytesMax: config.limits.sizes.requestBytesMax,
    batchBytesMax: config.limits.sizes.batchBytesMax,
    importBytesMax: config.limits.sizes.importBytesMax,
    cacheBytesMax: 24 * 1024 * 1024,
    onError,
    notReady,
  });
}
