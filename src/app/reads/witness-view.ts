/**
 * What pages say of the deployment's own witnesses (contract §6): which of the policy's witnesses have cosigned how much
 * of the log, and how many have seen the entry of a proof.
 */
import { judgeNote } from '../../ledger/policy.ts';
import { isRefusal } from '../../ledger/refusal.ts';
import type { ReadContext, WitnessStatus } from '../read-context.ts';

export interface WitnessesView {
  /** In the order of the policy. */
  readonly witnesses: readonly WitnessLine[];
  /** The newest checkpoint with a quorum; undefined before there is one. */
  readonly cosigned:
    | { readonly size: number; readonly note: string; readonly seenBy: number; readonly awaiting: number }
    | undefined;
  /** The bytes of the policy's file, as text. */
  readonly policy: string;
}

export interface WitnessLine extends Pick<WitnessStatus, 'name' | 'state' | 'size' | 'problem'> {
  /** When it cosigned `size` entries; undefined where the newest checkpoint with a quorum does not state it. */
  readonly cosignedAt: string | undefined;
}

type Context = Pick<ReadContext, 'cosigning'> & { readonly policyFile?: Uint8Array | undefined };

/** Undefined without a policy. `logSize`: entries of the newest signed checkpoint. */
export function viewWitnesses(
  { cosigning, policyFile }: Context,
  logSize: number,
): WitnessesView | undefined {
  if (cosigning === undefined || policyFile === undefined) return undefined;
  const { newest } = cosigning;
  return {
    witnesses: cosigning.status().map(({ name, state, size, problem }): WitnessLine => {
      const own = newest?.cosigned.find(({ witness }) => witness === name);
      // A witness that answers otherwise by now has cosigned what stands in the note all the same.
      const seen = own === undefined ? size : Math.max(size, newest?.size ?? 0);
      const cosignedAt = seen === newest?.size ? timeOf(own?.timeSeconds) : undefined;
      return { name, state, size: seen, problem, cosignedAt };
    }),
    cosigned:
      newest === undefined
        ? undefined
        : {
            size: newest.size,
            note: newest.note,
            seenBy: newest.cosigned.length,
            awaiting: Math.max(0, logSize - newest.size),
          },
    policy: Buffer.from(policyFile).toString('utf8'),
  };
}

/** Changes whenever `viewWitnesses` does; '' without a policy. */
export function witnessStamp({ cosigning }: Pick<ReadContext, 'cosigning'>): string {
  if (cosigning === undefined) return '';
  const { newest } = cosigning;
  const states = cosigning.status().map(({ state, size, problem }) => [state, size, problem]);
  return JSON.stringify([newest?.size, newest?.cosigned.map(({ timeSeconds }) => timeSeconds), states]);
}

/** Cosigners may state no time; one that no calendar has is none. */
function timeOf(seconds: number | undefined): string | undefined {
  return seconds === undefined || seconds <= 0 || seconds >= 8.64e12
    ? undefined
    : new Date(seconds * 1000).toISOString();
}

/** How many of the policy's witnesses have cosigned the checkpoint of a proof; undefined without a policy. */
export function seenBy(
  { cosigning, logKey }: Pick<ReadContext, 'cosigning' | 'logKey'>,
  tlogProof: string,
): { readonly seen: number; readonly of: number; readonly hasQuorum: boolean } | undefined {
  if (cosigning === undefined) return undefined;
  const note = tlogProof.slice(tlogProof.indexOf('\n\n') + 2);
  const { policy } = cosigning;
  const judged = judgeNote(note, policy, [logKey]);
  const of = policy.witnesses.length;
  return isRefusal(judged)
    ? { seen: 0, of, hasQuorum: false }
    : { seen: judged.cosigned.length, of, hasQuorum: judged.hasQuorum };
}
