/**
 * The answer of a dry run (contract §3 `shape`): what the gates say, and, only if they let the call through, because a
 * refusal may quote what it is refused for, what the plan adds.
 */
import { slugPath, slugTable } from '../../domain/articles/tables.ts';
import { showingInputs } from '../../domain/capabilities/arguments.ts';
import { refusalBody } from '../../domain/capabilities/invocation.ts';
import { isFault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { documentSlug, judgeCall } from '../credentials/authority.ts';
import type { PreparedCall } from '../plans/call.ts';
import { kindOf } from '../plans/registry.ts';
import type { Service } from '../service.ts';
import { withoutConfidential } from './validate.ts';

export async function dryRun(service: Service, call: PreparedCall): Promise<JsonObject> {
  const slug = documentSlug(call);
  const appends =
    slug !== undefined &&
    (await service.store.read.row(slugTable, slugPath(call.tenant, slug))) !== undefined;
  const judgement = judgeCall(call, call.credential, appends);
  const { plan, args } = call;
  const authorized = judgement.refused === undefined && !judgement.gated;
  const misfit = isFault(args) ? args : isFault(plan) ? showingInputs(call.row, plan) : undefined;
  const planned = !authorized || isFault(plan) ? {} : await kindOf(plan).dryRun?.({ service, call, plan });
  const {
    refusal,
    warnings = [],
    more,
  } = { ...planned, ...(authorized && misfit ? { refusal: misfit } : {}) };
  const problem = misfit ?? judgement.refused ?? refusal ?? (isFault(more) ? more : undefined);
  return {
    key: call.row.key,
    gates: judgement.trace,
    would_run: authorized && refusal === undefined,
    arguments: isFault(args) ? null : withoutConfidential(args, call.row.confidential ?? []),
    problem: problem?.message ?? null,
    ...(refusal === undefined ? {} : { refusal: refusalBody(refusal) }),
    ...(warnings.length === 0 ? {} : { warnings }),
    charged: false,
    ...(isFault(more) ? {} : more),
  };
}
