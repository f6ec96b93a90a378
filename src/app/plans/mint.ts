/** The plan `mint`: cuts a share (contract §4). Its authority is judged by the state of the act. */
import { mintEvent } from '../../domain/capabilities/life-cycle.ts';
import { planMint, type MintInput } from '../../domain/capabilities/mint.ts';
import { encodeShare } from '../../domain/capabilities/share-codec.ts';
import { renderDrop } from '../../domain/drops/render.ts';
import { links } from '../../domain/links.ts';
import { fault, isFault } from '../../kernel/fault.ts';
import { permitted } from '../credentials/explain.ts';
import { shareAddresses } from '../credentials/self-cut.ts';
import { contextOf } from './call.ts';
import { definePlan } from './plan.ts';
import { exactly } from '../../model/exact.ts';
import { Minted, type StoredCapability } from '../../model/capability.ts';

declare module '../../domain/capabilities/plan.ts' {
  interface Plans {
    mint: { readonly input: MintInput };
  }
}

export const mintPlan = definePlan({
  kind: 'mint',
  /** What the share would permit, by the logic of CAP_EXPLAIN. */
  async dryRun({ service, call, plan }) {
    const parent = call.credential.kind === 'share' ? call.credential.chain : [];
    const planned = planMint(plan.input, parent, service.rows, contextOf(service, call, call.credential));
    if (isFault(planned)) return { refusal: planned };
    return { more: { would_mint: permitted(service, { ...planned, fingerprint: '' }, parent) } };
  },
  run({ service, tx, call, plan, credential, context }) {
    const parent = credential.kind === 'share' ? credential.chain : [];
    if (parent[0]?.record.kind === 'key')
      return fault('owner_only', 'An API key cuts no shares.', 'Ask the owner for a share.');
    const planned = planMint(plan.input, parent, service.rows, context);
    if (isFault(planned)) return planned;
    const share = encodeShare(
      service.secrets.macKeys[0],
      Math.floor(Date.parse(planned.expires_at) / 1000),
      call.entropy.bytes(10),
    );
    const record: StoredCapability = { ...planned, fingerprint: share.fingerprint };
    tx.append(mintEvent(record, context));
    return {
      result: exactly(Minted, {
        capability: record,
        fingerprint: record.fingerprint,
        expires_at: record.expires_at,
        max_uses: record.max_uses,
      }),
      text: `Minted ${record.fingerprint} for ${[record.scope, record.keys.join(', ')].join(' ').trimEnd()}, until ${record.expires_at}.`,
      material: [
        {
          kind: 'capability',
          id: record.fingerprint,
          url: links.capability(service.base, record.fingerprint),
        },
      ],
      reveal: {
        share: share.token,
        ...shareAddresses(service, share.token, record),
        drop: renderDrop(service.base, share.token, record, service),
      },
    };
  },
});
