/** Questions that rows ask of committed state. Their answers are recorded by the act that follows. */
import type { Question } from '../../domain/capabilities/row.ts';
import type { Result } from '../../domain/context.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { PreparedCall } from './call.ts';
import { explainNamed } from '../credentials/explain.ts';
import { inspect } from '../reads/inspect.ts';
import { keptFeed } from '../reads/kept-feeds.ts';
import { protocolTree } from '../reads/protocol-map.ts';
import { paperState } from './paper.ts';
import { receiptOf } from '../reads/receipts.ts';
import type { Service } from '../service.ts';

export async function ask(service: Service, question: Question, call: PreparedCall): Promise<Result | Fault> {
  switch (question.name) {
    case 'tree':
      return result(protocolTree(service), 'The protocol tree: systems, rows and how to call them.');
    case 'receipt': {
      const receipt = await receiptOf(service, call.credential, question.inv);
      return isFault(receipt)
        ? receipt
        : result(receipt, `Receipt ${question.inv}: ${String(receipt['key'])} ${String(receipt['status'])}.`);
    }
    case 'explain': {
      const explained = await explainNamed(service, call.credential, question.token);
      return isFault(explained)
        ? explained
        : result(explained, `${question.token} is ${String(explained['state'])}.`);
    }
    case 'row-secret': {
      const { key, secret, action } = question;
      if (service.rows.get(key)?.standing?.type !== 'http')
        return fault(
          'not_found',
          `There is no http row ${key} of the owner.`,
          'Make it with PUT /api/directory/<KEY> first.',
        );
      return result({ key, secret, action }, `The secret ${secret} of ${key}: ${action}.`);
    }
    case 'mirror-feed':
      return mirrorFeed(service, call.tenant, question.slug, question.limit);
    case 'paper-state':
      return paperState(service, call.tenant);
    case 'inspect':
      return inspect(service, call, question.slug, question.part);
  }
}

function result(value: JsonObject, text: string): Result {
  return { result: value, text, material: [] };
}

async function mirrorFeed(
  service: Service,
  tenant: string,
  slug: string,
  limit: number,
): Promise<Result | Fault> {
  const feed = await keptFeed(service, tenant, slug, limit);
  if (isFault(feed)) return feed;
  const { count } = feed;
  return result(feed, `${String(count)} contribution${count === 1 ? '' : 's'} to ${slug}.`);
}
