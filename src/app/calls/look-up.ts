/**
 * What an act needs of the world and cannot look up itself, since a decision is pure: answers to reads, a divided
 * document, where a lease may come from. Looked up only for a call that the gates let through as they stand now.
 */
import { isFault } from '../../kernel/fault.ts';
import { judgeCall } from '../credentials/authority.ts';
import type { PreparedCall } from './call.ts';
import { divideBefore } from './divide-document.ts';
import { findCohorts } from './landscape.ts';
import { beforeGrowth } from './paper.ts';
import { findContribution } from '../reads/mirror-feed.ts';
import { ask } from './questions.ts';
import type { Service } from '../service.ts';
import { chargeOperations } from './nested-calls.ts';
import { askTags, chargeTags } from './thread-update.ts';

export async function lookedUp(service: Service, call: PreparedCall): Promise<PreparedCall> {
  const { plan, tenant } = call;
  if (isFault(plan) || !asksBefore.has(plan.do)) return call;
  const { refused } = judgeCall(call);
  if (refused !== undefined) return plan.do === 'ask' ? { ...call, answered: refused } : call;
  switch (plan.do) {
    case 'ask':
      return { ...call, answered: await ask(service, plan.question, call) };
    case 'thread-update': {
      const charges = await chargeTags(service, plan, call);
      return { ...call, charges, asked: await askTags(service, plan, { ...call, charges }) };
    }
    case 'batch':
      return { ...call, charges: await chargeOperations(service, plan, call) };
    case 'grow-paper':
      return { ...call, growth: await beforeGrowth(service, tenant) };
    case 'lease-item':
      return { ...call, cohorts: await findCohorts(service, call, plan) };
    case 'write-document':
      return { ...call, document: await divideBefore(service, call, plan.input) };
    case 'resolve-contribution': {
      const { slug, contribution_id: id } = plan.input;
      return { ...call, contribution: await findContribution(service, tenant, slug, id) };
    }
    default:
      return call;
  }
}

const asksBefore: ReadonlySet<string> = new Set([
  'ask',
  'thread-update',
  'batch',
  'grow-paper',
  'lease-item',
  'write-document',
  'resolve-contribution',
]);
