/**
 * Selects the kind of store from the configuration and hands it to what operates on a deployment. The only file that
 * knows which kinds there are. Everything is loaded when it is needed: all of it takes longer to load than most verbs
 * take to run, and a deployment on one store does without the other.
 */
import { readConfig, type Config } from './config.ts';
import type { Deployment, StartOptions } from './deployment/start.ts';
import type { CommandContext } from './doors/cli/command.ts';
import type { StoreKind } from './engine/store-kind.ts';

export type { Deployment, StartOptions };

async function storeKind({ databaseUrl, dataFolder }: Config): Promise<StoreKind> {
  return databaseUrl === undefined
    ? (await import('./store/sqlite/kind.ts')).sqliteKind(dataFolder)
    : (await import('./store/postgres/kind.ts')).postgresKind(databaseUrl, dataFolder);
}

export async function compose(config: Config, options: StartOptions = {}): Promise<Deployment> {
  const { startDeployment } = await import('./deployment/start.ts');
  return startDeployment(config, await storeKind(config), options);
}

/** What the verbs of the command line do to a deployment. */
export const operations: CommandContext<Config> = {
  readConfig: (env) => readConfig(env),
  compose,
  async audit(config, options) {
    const { auditDeployment } = await import('./deployment/audit.ts');
    return auditDeployment(config, await storeKind(config), options);
  },
  async check(config, progress) {
    const { checkDeployment } = await import('./deployment/audit.ts');
    return checkDeployment(await storeKind(config), progress);
  },
  async rebuild(config, progress) {
    const { schema } = await import('./domain/schema.ts');
    const startNode = async () => {
      const { service, close } = await compose(config, { acceptClock: true });
      return { store: service.store, close };
    };
    return (await storeKind(config)).rebuild(schema, progress, startNode);
  },
  async backup(config, folder, progress) {
    const { backupDeployment } = await import('./deployment/backup.ts');
    return backupDeployment(config, await storeKind(config), folder, progress);
  },
  async backupInto(config, folder, keep, progress) {
    const { backupInto } = await import('./deployment/backup-set.ts');
    return backupInto(config, storeKind, folder, keep, progress);
  },
  async restore(config, folder, progress, acceptRollback) {
    const { restoreDeployment } = await import('./deployment/restore.ts');
    return restoreDeployment(config, storeKind, folder, progress, acceptRollback);
  },
  async witnessKeys(config) {
    const { witnessKeys } = await import('./deployment/witness.ts');
    return witnessKeys(config, await storeKind(config));
  },
  async policyLines(config) {
    const { policyLines } = await import('./deployment/witness-listing.ts');
    return policyLines(config, await storeKind(config));
  },
  async witnessedLogs(config) {
    const { witnessedLogs } = await import('./deployment/witness-listing.ts');
    return witnessedLogs(config, await storeKind(config));
  },
  async drill(config, folder, progress) {
    const { drillDeployment } = await import('./deployment/drill.ts');
    return drillDeployment(config, storeKind, folder, progress);
  },
  async transfer(config, to, progress) {
    const { transferDeployment } = await import('./deployment/transfer.ts');
    return transferDeployment(config, storeKind, { ...config, databaseUrl: undefined, ...to }, progress);
  },
  async examine(config, isServing) {
    const { examineDeployment } = await import('./deployment/doctor.ts');
    return examineDeployment(config, await storeKind(config), isServing);
  },
};
