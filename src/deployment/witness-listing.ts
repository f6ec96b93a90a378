/**
 * What `colophon witness` prints of a deployment that need not run: the logs that it cosigns, and the lines that name
 * it in policies (contract §6). Changes nothing.
 */
import { evidenceRecords, readFork } from '../app/log-alarms.ts';
import type { Config } from '../config.ts';
import type { PolicyLines, WitnessedLog } from '../doors/cli/command.ts';
import type { StoreKind } from '../engine/store-kind.ts';
import { parseCosignerKey } from '../ledger/cosignature.ts';
import { evidenceId } from '../ledger/fork-evidence.ts';
import { isRefusal } from '../ledger/refusal.ts';
import { verifierKeyOf } from './start-keys.ts';
import { readWitnessRecords, witnessKeys } from './witness.ts';

/** Configured logs in the order of the file, then those that were cosigned before. */
export async function witnessedLogs(config: Config, kind: StoreKind): Promise<readonly WitnessedLog[]> {
  const rows = await kind.withSnapshot((ledger) => ledger.keyringRows());
  const records = readWitnessRecords(config, rows);
  const configured = new Set(config.witnessLogs.map(({ name }) => name));
  return Array.from(new Set([...configured, ...records.keys()]), (origin) => {
    const id = evidenceId(origin);
    const kept = rows.find(({ name }) => name === evidenceRecords + id);
    const isForked = kept !== undefined && !isRefusal(readFork(id, kept.value));
    return {
      origin,
      size: records.get(origin)?.size ?? 0,
      configured: configured.has(origin),
      evidence: isForked ? id : null,
    };
  });
}

/** Lines of C2SP tlog-policy. The witness is named like the host of the base URL. */
export async function policyLines(config: Config, kind: StoreKind): Promise<PolicyLines> {
  const keys = await witnessKeys(config, kind);
  const logKey = await kind.withSnapshot((ledger) => verifierKeyOf(config, (name) => ledger.keyring(name)));
  const { host } = new URL(config.baseUrl);
  return {
    log: `log ${logKey.text}`,
    witnesses: keys.map((text) => {
      const key = parseCosignerKey(text);
      const suffix = !isRefusal(key) && key.algorithm === 'ml-dsa-44' ? '-pq' : '';
      return `witness ${host}${suffix} ${text} ${config.baseUrl}/witness`;
    }),
  };
}
