/** The plan `mint-key`: makes an API key (contract §4). */
import { encodeApiKey } from '../../domain/capabilities/api-key-codec.ts';
import { planKey, type KeyMintInput } from '../../domain/capabilities/key-mint.ts';
import { mintEvent } from '../../domain/capabilities/life-cycle.ts';
import { links } from '../../domain/links.ts';
import { permitted } from '../credentials/explain.ts';
import { contextOf } from './call.ts';
import { isFault } from '../../kernel/fault.ts';
import { definePlan } from './plan.ts';
import { exactly } from '../../model/exact.ts';
import { KeyMinted } from '../../model/capability.ts';

declare module '../../domain/capabilities/plan.ts' {
  interface Plans {
    'mint-key': { readonly input: KeyMintInput };
  }
}

export const mintKeyPlan = definePlan({
  kind: 'mint-key',
  /** What the key would permit, by the logic of CAP_EXPLAIN. */
  async dryRun({ service, call, plan: { input } }) {
    const key = encodeApiKey(new Uint8Array(32));
    const record = planKey(input, key, service.rows, contextOf(service, call, call.credential));
    if (isFault(record)) return { refusal: record };
    return { more: { would_mint: permitted(service, record, []) } };
  },
  run({ service, tx, call, plan: { input }, context }) {
    const key = encodeApiKey(call.entropy.bytes(32));
    const record = planKey(input, key, service.rows, context);
    if (isFault(record)) return record;
    tx.append(mintEvent(record, context));
    const { digest: _digest, ...shown } = record;
    return {
      result: exactly(KeyMinted, { capability: shown, fingerprint: key.fingerprint, scopes: input.scopes }),
      text: `Minted the API key ${key.fingerprint} for ${input.scopes}.`,
      material: [
        { kind: 'capability', id: key.fingerprint, url: links.capability(service.base, key.fingerprint) },
      ],
      reveal: { key: key.token },
    };
  },
});
