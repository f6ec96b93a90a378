/**
 * Accepting a ledger that was set back (contract §6, ADR 47): its entries go into a new log, with a new key and a new
 * origin, whose first entry commits to the checkpoint that was lost. So the old key never signs a second history.
 */
import { type Rollback, rollbackAction } from '../app/reads/earlier-logs.ts';
import type { Config } from '../config.ts';
import { schema } from '../domain/schema.ts';
import { commitContent } from '../engine/appended.ts';
import type { FoundLog, NewLog, StoreKind } from '../engine/store-kind.ts';
import { lostCheckpoint } from '../engine/store.ts';
import { sha256Hex } from '../kernel/hash.ts';
import { opaqueId } from '../kernel/ids.ts';
import { signCheckpoint } from '../ledger/checkpoint.ts';
import { seal } from '../ledger/entry.ts';
import { fileSecret, logLabel, logOrigin, logSigner, originOf } from './start-keys.ts';

/** `lost` is the signed checkpoint that the ledger disagrees with; that of the ledger itself where it is left out. */
export async function beginNewLog(
  config: Config,
  kind: StoreKind,
  problem: string,
  lost?: string,
): Promise<void> {
  const secret = config.secretKey ?? fileSecret(config.dataFolder);
  await kind.beginLog(schema, (found) => newLog(config, secret, problem, lost, found));
}

function newLog(
  config: Config,
  secret: string,
  problem: string,
  lost: string | undefined,
  { entries, keyring, checkpoint }: FoundLog,
): NewLog {
  const origin = keyring[logOrigin] ?? originOf(config.baseUrl);
  const { key } = logSigner(secret, origin, keyring[logLabel]);
  const lostNote = lost ?? checkpoint;
  const label = opaqueId('');
  const newOrigin = `${origin.replace(/\/log-[a-z2-7]{16}$/, '')}/log-${label}`;
  const signer = logSigner(secret, newOrigin, label);
  const rollback: Rollback = {
    problem,
    checkpoint: lostNote,
    earlier: { origin, verifier_key: key.text, checkpoint },
  };
  const { stored, sha } = commitContent({ field: 'content_sha', value: rollback });
  const sealed = seal(
    {
      chain: opaqueId('rollback_'),
      ts: new Date().toISOString(),
      actor: 'system',
      action: rollbackAction,
      size: entries,
      content_sha: sha,
      ...(lostNote === null ? {} : { checkpoint_hash: sha256Hex(lostNote) }),
    },
    null,
  );
  return {
    first: { sealed, contents: [stored] },
    keyring: {
      [logOrigin]: newOrigin,
      [logLabel]: label,
      ...(keyring[lostCheckpoint] === undefined ? {} : { [lostCheckpoint]: '' }),
    },
    sign: (size, root) => signCheckpoint(signer, size, root),
  };
}
