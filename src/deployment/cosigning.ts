/**
 * Opens the collector of cosignatures of a deployment with a policy (contract §0, §6): its requests to witnesses, and
 * the copy of the newest cosigned checkpoint in `<checkpoint file>.cosigned`, which is never replaced by a smaller one.
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { CosignatureCollector } from '../app/background/cosigning.ts';
import type { CosignedCopy } from '../app/background/cosigning-records.ts';
import type { WitnessAnswer } from '../app/background/witness-request.ts';
import { logName, WitnessTrouble, type LogAlarm } from '../app/log-alarms.ts';
import { isAlarming } from '../app/read-context.ts';
import { BadConfig, type Config } from '../config.ts';
import type { StoreKind } from '../engine/store-kind.ts';
import type { Keyring, Store } from '../engine/store.ts';
import { openCheckpoint } from '../ledger/checkpoint.ts';
import type { VerifierKey } from '../ledger/note.ts';
import { meetsQuorum, trustsLog } from '../ledger/policy.ts';
import { isRefusal } from '../ledger/refusal.ts';
import { claimedSize, cosignedPath, replaceDurably, RolledBack } from './checkpoint-file.ts';

/** 100 signatures, of which an ML-DSA-44 one takes 3.3 KB. */
const answerBytesMax = 512 * 1024;

/** Undefined without a policy. Throws `BadConfig` where the policy trusts another log than this one. */
export function openCosigning(
  config: Config,
  { store, logKey, onTrouble }: CosigningParts,
): CosignatureCollector | undefined {
  const { policy } = config.readPolicy() ?? {};
  if (policy === undefined) return undefined;
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

/** Name in the keyring of a ledger that was restored, until a quorum of witnesses has cosigned what it has. */
const restoredName = 'restored';

/** For a ledger that is restored: the next start asks witnesses whether they have cosigned more. */
export async function markRestored(kind: StoreKind): Promise<void> {
  await kind.whileStopped((keyring) => keyring.set(restoredName, 'unconfirmed'));
}

/** How long a start waits for witnesses. */
const probeMs = 2000;

interface CompareOptions {
  /** Whether the operator begins a new log wherever a witness contradicts this one. */
  readonly acceptRollback: boolean;
  readonly onTrouble: (error: unknown) => void;
}

/**
 * Asks the witnesses, before anything is signed, whether they have cosigned more of this log, or another history. Throws
 * `RolledBack` where a ledger was restored and one says so, or where so many say so that the others make no quorum: then
 * the next signature would be on a second history. A witness that merely errs or lies cannot keep a ledger from starting
 * that was not restored.
 */
export async function compareWithWitnesses(
  cosigning: CosignatureCollector,
  keyring: Keyring,
  { acceptRollback, onTrouble }: CompareOptions,
): Promise<void> {
  const confirmed = await cosigning.probe(probeMs);
  const isRestored = ((await keyring.get(restoredName)) ?? '') !== '';
  const status = cosigning.status();
  const against = status.filter(({ state }) => isAlarming(state));
  const others = status.filter((each) => !against.includes(each)).map(({ name }) => name);
  if (against.length > 0 && (isRestored || acceptRollback || !meetsQuorum(cosigning.policy, others))) {
    await cosigning.stop();
    throw new RolledBack(
      `${against.map(({ name, problem }) => `Witness ${logName(name)}: ${problem}.`).join(' ')} The next write would make a second history of this log. If a witness errs, take it out of the policy that COLOPHON_POLICY names.`,
    );
  }
  if (!isRestored) return;
  if (meetsQuorum(cosigning.policy, confirmed)) await keyring.set(restoredName, '');
  else
    onTrouble(
      new WitnessTrouble(
        'the ledger was restored, and no quorum of witnesses has confirmed that it is the newest: what was written after the backup may be missing, and a write now may make a second history',
        true,
      ),
    );
}

/** What witnesses say against this log, for the places that show alarms. */
export function witnessAlarms(cosigning: Pick<CosignatureCollector, 'status'>): readonly LogAlarm[] {
  return cosigning
    .status()
    .filter(({ state }) => isAlarming(state))
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
