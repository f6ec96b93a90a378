/**
 * Opens the collector of cosignatures of a deployment with a policy (contract §0, §6): its requests to witnesses, and
 * the copy of the newest cosigned checkpoint in `<checkpoint file>.cosigned`, which is never replaced by a smaller one.
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { CosignatureCollector, type WitnessAnswer } from '../app/background/cosigning.ts';
import type { CosignedCopy } from '../app/background/cosigning-records.ts';
import { logName, type LogAlarm } from '../app/log-alarms.ts';
import { BadConfig, type Config } from '../config.ts';
import type { Store } from '../engine/store.ts';
import { openCheckpoint } from '../ledger/checkpoint.ts';
import type { VerifierKey } from '../ledger/note.ts';
import { trustsLog } from '../ledger/policy.ts';
import { isRefusal } from '../ledger/refusal.ts';
import { claimedSize, cosignedPath, replaceDurably } from './checkpoint-file.ts';

/** 100 signatures, of which an ML-DSA-44 one takes 3.3 KB. */
const answerBytesMax = 512 * 1024;

/** Undefined without a policy. Throws `BadConfig` where the policy trusts another log than this one. */
export function openCosigning(
  config: Config,
  { store, logKey, onTrouble }: CosigningParts,
): CosignatureCollector | undefined {
  if (config.policy === undefined) return undefined;
  const { policy } = config.policy;
  if (!trustsLog(policy, logKey))
    throw new BadConfig(
      `COLOPHON_POLICY names logs, and the key of this one is not among them; add the line "log ${logKey.text}".`,
    );
  return new CosignatureCollector({
    policy,
    logKey,
    read: store.read,
    keyring: store.keyring,
    copy: copyOf(cosignedPath(config.checkpointPath), logKey),
    leads: () => store.leads && store.rollback === undefined,
    post,
    now: () => performance.now(),
    random: Math.random,
    sleep: async (ms, signal) => {
      await wait(ms, undefined, { signal, ref: false }).catch(() => undefined);
    },
    onTrouble,
  });
}

/** What witnesses say against this log, for the places that show alarms. */
export function witnessAlarms(cosigning: Pick<CosignatureCollector, 'status'>): readonly LogAlarm[] {
  return cosigning
    .status()
    .filter(({ state }) => state === 'ahead' || state === 'contradicts')
    .map(({ name, problem }) => ({ text: `Witness ${logName(name)}: ${problem}.` }));
}

interface CosigningParts {
  readonly store: Store;
  readonly logKey: VerifierKey;
  readonly onTrouble: (error: unknown) => void;
}

function copyOf(path: string, logKey: VerifierKey): CosignedCopy {
  const get = async (): Promise<string | undefined> =>
    readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
  return {
    get,
    async put(note) {
      const kept = await get();
      // Another node may keep its copy in the same place.
      const isOurs = kept !== undefined && !isRefusal(openCheckpoint(kept, [logKey]));
      if (!isOurs || claimedSize(kept) <= claimedSize(note)) await replaceDurably(path, note);
    },
  };
}

/** Redirects are refused: a witness is where the policy says. */
async function post(url: string, body: string, signal: AbortSignal): Promise<WitnessAnswer> {
  const answer = await fetch(url, {
    method: 'POST',
    body,
    headers: { 'content-type': 'text/plain' },
    redirect: 'error',
    signal,
  }).catch((error: unknown) => {
    // What ended the request says more than its failure.
    if (signal.aborted) throw error;
    throw new Error('it cannot be reached', { cause: error });
  });
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of answer.body ?? []) {
    bytes += chunk.length;
    if (bytes > answerBytesMax) throw new Error(`it answered with more than ${answerBytesMax} bytes`);
    chunks.push(chunk);
  }
  return { status: answer.status, text: Buffer.concat(chunks).toString('utf8') };
}
