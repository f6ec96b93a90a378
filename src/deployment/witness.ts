/**
 * Opens the witness of a deployment (contract §6): its cosigners, derived from the secret key, and the copy of its
 * records in `<checkpoint file>.witness`, beside the checkpoint that is kept apart from the ledger. Where a ledger on
 * this machine has records and no copy exists, it was restored from a backup that may be older than what was cosigned
 * since: the witness then begins with new keys, so that the old ones never cosign two histories.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { deriveCosigners } from '../app/credentials/secrets.ts';
import { logName, LogAlarms, WitnessTrouble } from '../app/log-alarms.ts';
import { recordIn, recordText, Witness, witnessRecords, type WitnessCopy } from '../app/witness.ts';
import { BadConfig, checkpointFile, type Config } from '../config.ts';
import type { StoreKind } from '../engine/store-kind.ts';
import { OperatorError, type Store } from '../engine/store.ts';
import type { KeyringRow } from '../engine/transfer.ts';
import { opaqueId } from '../kernel/ids.ts';
import { isObject, type JsonValue } from '../kernel/json-value.ts';
import type { Cosigner } from '../ledger/cosignature.ts';
import type { WitnessRecord } from '../ledger/witness.ts';
import { replaceDurably } from './checkpoint-file.ts';
import { shareEvidence, writeEvidence } from './evidence-folder.ts';
import { fileSecret, hasSecret, logOrigin, originOf, secretFile } from './start-keys.ts';

/** Name in the keyring: what sets the keys apart from those before a restore. */
const witnessLabel = 'witness_label';

/** The copy of the records in a data folder. */
export const witnessFile = `${checkpointFile}.witness`;

export interface WitnessSetting {
  readonly config: Config;
  readonly secret: string;
  /** Of the deployment's own log. */
  readonly origin: string;
  readonly store: Pick<Store, 'keyring'>;
  readonly isShared: boolean;
  readonly alarms: LogAlarms;
  readonly now: () => number;
  readonly onTrouble: (error: unknown) => void;
}

/** The alarms about logs, with the evidence of rows and files brought together. */
export async function openLogAlarms(
  { dataFolder }: Config,
  { keyring }: Pick<Store, 'keyring'>,
  onTrouble: (error: unknown) => void,
): Promise<LogAlarms> {
  const alarms = new LogAlarms({
    keyring,
    onFork(fork) {
      const what = `the log ${logName(fork.origin)} signed two histories`;
      try {
        onTrouble(new WitnessTrouble(`${what}; the evidence is in ${writeEvidence(dataFolder, fork)}`, true));
      } catch (error) {
        // It is in the store all the same.
        onTrouble(
          new WitnessTrouble(`${what}, and its file: ${(error as Error).message}`, true, { cause: error }),
        );
      }
    },
  });
  try {
    await shareEvidence(dataFolder, alarms);
  } catch (error) {
    onTrouble(new Error(`evidence of two histories: ${(error as Error).message}`, { cause: error }));
  }
  return alarms;
}

export async function openWitness({
  config,
  secret,
  origin,
  store: { keyring },
  isShared,
  alarms,
  now,
  onTrouble,
}: WitnessSetting): Promise<Witness> {
  const twoKeys = new Map<string, string>();
  alarms.watch(async () => Array.from(twoKeys.values(), (text) => ({ text })));
  const copy = new RecordFile(config);
  const records = await keyring.under(witnessRecords);
  // A new node of a database has no copy yet; what the nodes before it recorded is in the database.
  if (!isShared && records.length > 0 && !copy.exists) {
    await keyring.set(witnessLabel, opaqueId(''));
    onTrouble(
      new Error(
        'the ledger was restored from a backup, so the witness begins with new keys; give those that colophon witness keys prints to the logs that name it',
      ),
    );
  }
  if (config.witnessLogs.length > 0 || records.length > 0) await copy.open();
  return new Witness({
    logs: config.witnessLogs,
    cosigners: cosignersOf(secret, origin, await keyring.get(witnessLabel)),
    keyring,
    copy,
    now,
    keepEvidence: (evidence) => alarms.keep(evidence),
    onTwoKeys(log) {
      if (twoKeys.has(log)) return;
      const text = `log ${logName(log)} signed two histories, each under another of its keys, so that no key is convicted: ask its operator`;
      twoKeys.set(log, `The ${text}.`);
      onTrouble(new WitnessTrouble(`the ${text}`, true));
    },
  });
}

/**
 * For a ledger that is restored: unless the copy of its records is still there, the witness begins with new keys, since
 * the backup may be older than what was cosigned, or than the first checkpoint that was. Answers with what the operator
 * has to do. `config` is that of the deployment, `restored` of the folder that is not in its place yet.
 */
export async function beginWitnessAnew(
  config: Config,
  restored: Config,
  kind: StoreKind,
): Promise<string | undefined> {
  if (new RecordFile(config).exists) return undefined;
  const names = await kind.whileStopped(async (keyring) => {
    await keyring.set(witnessLabel, opaqueId(''));
    return keyring.under(witnessRecords);
  });
  await new RecordFile(restored).open();
  return names.length > 0 || config.witnessLogs.length > 0
    ? 'The witness begins with new keys; give those that colophon witness keys prints to the logs that name it.'
    : undefined;
}

/** Throws where a ledger in a folder was a witness and its copy is gone: only a start gives it new keys. */
export function checkWitnessCopy(config: Config, keyring: readonly { readonly name: string }[]): void {
  if (new RecordFile(config).exists || !keyring.some(({ name }) => name.startsWith(witnessRecords))) return;
  throw new OperatorError(
    `${config.checkpointPath}.witness is missing, so the ledger may be older than what its witness has cosigned: start and stop colophon serve, which begins with new witness keys, then run colophon transfer again.`,
  );
}

/** The verifier keys of the cosigners, without starting the deployment. */
export async function witnessKeys(config: Config, kind: StoreKind): Promise<readonly string[]> {
  if (!hasSecret(config))
    throw new BadConfig(
      `${join(config.dataFolder, secretFile)} is missing; start the deployment once, restore the file from the backup, or set COLOPHON_SECRET_KEY.`,
    );
  const secret = config.secretKey ?? fileSecret(config.dataFolder);
  return kind.withSnapshot(async (ledger) => {
    const origin = (await ledger.keyring(logOrigin)) ?? originOf(config.baseUrl);
    return cosignersOf(secret, origin, await ledger.keyring(witnessLabel)).map(({ key }) => key.text);
  });
}

function cosignersOf(secret: string, origin: string, label: string | undefined): readonly Cosigner[] {
  return deriveCosigners(secret, `${origin}/witness`, label);
}

/** The records apart from the store: one JSON object by origin, replaced as a whole. */
class RecordFile implements WitnessCopy {
  readonly #path: string;
  readonly #paths: readonly string[];
  readonly #records = new Map<string, WitnessRecord>();
  /** Counts changes; all up to `#written` are durable. */
  #changes = 0;
  #written = 0;
  #writing: Promise<void> | undefined;

  constructor({ checkpointPath, dataFolder }: Config) {
    this.#path = `${checkpointPath}.witness`;
    // Where it was before COLOPHON_CHECKPOINT was set.
    this.#paths = [...new Set([this.#path, join(dataFolder, witnessFile)])];
  }

  get exists(): boolean {
    return this.#paths.some((path) => existsSync(path));
  }

  /** Reads what is kept, with these records, each only where it is the larger one. Writes nothing. */
  read(records: Iterable<readonly [string, WitnessRecord]>): ReadonlyMap<string, WitnessRecord> {
    for (const path of this.#paths) if (existsSync(path)) this.#merge(path);
    this.#keepLarger(records);
    return this.#records;
  }

  /**
   * Reads what is kept. The file is there from now on, so that its absence tells of a restore; one in the data folder is
   * moved to where COLOPHON_CHECKPOINT says, since it would come back with a copy of the folder.
   */
  async open(): Promise<void> {
    const earlier = this.#paths.filter((path) => path !== this.#path && existsSync(path));
    for (const path of [this.#path, ...earlier]) if (existsSync(path)) this.#merge(path);
    if (earlier.length > 0 || !existsSync(this.#path)) await this.#write();
    for (const path of earlier) rmSync(path);
  }

  get(origin: string): WitnessRecord | undefined {
    return this.#records.get(origin);
  }

  async put(origin: string, record: WitnessRecord): Promise<void> {
    if ((this.#records.get(origin)?.size ?? -1) < record.size) {
      this.#records.set(origin, record);
      this.#changes++;
    }
    // Also for a record that another request has put and that may not be durable yet.
    const upTo = this.#changes;
    while (this.#written < upTo) await (this.#writing ??= this.#write());
  }

  #merge(path: string): void {
    this.#keepLarger(readRecords(path));
  }

  #keepLarger(records: Iterable<readonly [string, WitnessRecord]>): void {
    for (const [origin, record] of records)
      if ((this.#records.get(origin)?.size ?? -1) < record.size) this.#records.set(origin, record);
  }

  async #write(): Promise<void> {
    const upTo = this.#changes;
    try {
      // Another node may keep its copy in the same place.
      if (existsSync(this.#path)) this.#merge(this.#path);
      await replaceDurably(this.#path, fileText(this.#records));
      this.#written = upTo;
    } finally {
      this.#writing = undefined;
    }
  }
}

/**
 * The copy for another folder that the deployment moves to, from its own copy and the rows of its keyring; undefined
 * where it never was a witness. Throws `BadConfig` where the copy cannot be read.
 */
export function witnessFileText(config: Config, keyring: readonly KeyringRow[]): string | undefined {
  const isWitness =
    new RecordFile(config).exists || keyring.some(({ name }) => name.startsWith(witnessRecords));
  return isWitness ? fileText(readWitnessRecords(config, keyring)) : undefined;
}

/** By origin, from the copy and the rows of the keyring. Throws `BadConfig` where the copy cannot be read. */
export function readWitnessRecords(
  config: Config,
  keyring: readonly KeyringRow[],
): ReadonlyMap<string, WitnessRecord> {
  const rows = keyring.filter(({ name }) => name.startsWith(witnessRecords));
  return new RecordFile(config).read(
    rows.map(({ name, value }) => [name.slice(witnessRecords.length), recordIn(value) as WitnessRecord]),
  );
}

function fileText(records: ReadonlyMap<string, WitnessRecord>): string {
  const values = Object.fromEntries(
    Array.from(records, ([origin, record]) => [origin, JSON.parse(recordText(record)) as JsonValue]),
  );
  return `${JSON.stringify(values, null, 1)}\n`;
}

function readRecords(path: string): ReadonlyMap<string, WitnessRecord> {
  let value: JsonValue;
  try {
    value = JSON.parse(readFileSync(path, 'utf8')) as JsonValue;
    if (!isObject(value)) throw new Error('it is not an object');
    return new Map(
      Object.entries(value).map(([origin, record]) => [
        origin,
        recordIn(JSON.stringify(record)) as WitnessRecord,
      ]),
    );
  } catch (error) {
    throw new BadConfig(
      `${path} cannot be read (${(error as Error).message}); it holds what this witness has cosigned. Restore it, or remove it: the witness then begins with new keys.`,
      { cause: error },
    );
  }
}
