/** The plan `certify`: records the result of inspecting the proof of an article or a receipt. */
import { articleAt } from '../../domain/articles/state.ts';
import { certifiedPlace, certifiedTable, certify, isReceiptId } from '../../domain/certificates/certify.ts';
import type { CertifyInput } from '../../model/proofs.ts';
import { writes } from '../../engine/act.ts';
import { isFault } from '../../kernel/fault.ts';
import { chainWithin } from '../reads/invocation.ts';
import { dryRunOn, isPublic } from './on-article.ts';
import { definePlan } from './plan.ts';

declare module '../../domain/capabilities/plan.ts' {
  interface Plans {
    certify: { readonly input: CertifyInput };
  }
}

export const certifyPlan = definePlan({
  kind: 'certify',
  keys: ({ call, plan }) => [writes(certifiedTable.name, certifiedPlace(call.tenant, plan.input.target))],
  run({ tx, call, plan, context }) {
    const { target } = plan.input;
    const article = isReceiptId(target) ? undefined : articleAt(tx, call.tenant, target);
    const certified = certify(
      {
        article: article?.row.status === 'draft' ? undefined : article,
        chain: isReceiptId(target) ? chainWithin(call.tenant, tx.chain(target)) : [],
        certified: tx.row(certifiedTable, certifiedPlace(call.tenant, target)),
      },
      plan.input,
      context,
    );
    if (isFault(certified)) return certified;
    tx.append(certified.event);
    return certified.result;
  },
  dryRun(planned) {
    const { target } = planned.plan.input;
    return dryRunOn(planned, isReceiptId(target) ? undefined : target, isPublic);
  },
});
