/** How the queue names its items (contract §8): in titles, labels of controls and reports. */
import type { WaitingItem } from '../../../../app/reads/waiting.ts';
import type { Queue } from '../../../../domain/waiting/queue.ts';

export const queueNames: Readonly<Record<Queue, string>> = {
  calls: 'Calls',
  wording: 'Wording',
  sources: 'Sources',
  questions: 'Questions',
  objections: 'Objections',
  votes: 'Votes',
  drafts: 'Drafts',
  assignments: 'Assignments',
};

export const kindNames: Readonly<Record<string, string>> = {
  repair: 'rewording',
  compression: 'shorter wording',
};

/** What an item is, in words: names it in labels and reports. */
export function labelOf(item: WaitingItem): string {
  const of = item.article === null ? '' : ` of ${item.article.title}`;
  switch (item.kind) {
    case 'call':
      return `the call of ${item.call.key}`;
    case 'contribution': {
      const { kind, claim_id: claimId, actor } = item.contribution;
      const where =
        claimId === ''
          ? ` about ${item.article?.title ?? 'the article'}`
          : `${kind === 'question' || kind === 'objection' ? ' on' : ' of'} ${claimId}${of}`;
      return `the ${kindNames[kind] ?? kind}${where} by ${actor}`;
    }
    case 'entry':
      return `the ${item.post.stance} on ${item.post.target === '' ? 'the article' : item.post.target}${of} by ${item.post.actor}`;
    case 'vote':
      return `the vote that ${item.vote.target} ${item.vote.proposal.replaceAll('_', ' ')}${of}`;
    case 'draft':
      return `the draft ${item.article?.title ?? item.id}`;
    case 'assignment':
      return `the assignment ${item.id}`;
  }
}

const charsMax = 4000;

export function truncate(text: string): string {
  return text.length > charsMax
    ? `${text.slice(0, charsMax).toWellFormed()}… (the receipt has it all)`
    : text;
}
