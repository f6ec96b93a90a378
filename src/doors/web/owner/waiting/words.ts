/** How the queue names its items (contract §8): in titles, labels of controls and reports. */
import type { WaitingItem } from '../../../../app/reads/waiting.ts';
import { proposalText } from '../../plain-words.ts';
import type { Queue } from '../../../../model/vocabulary.ts';

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

const kindNames: Readonly<Record<string, string>> = {
  repair: 'rewording',
  compression: 'shorter wording',
};

/** A kind of contribution, stance, proposal, lane or row, in words. */
export function kindText(kind: string): string {
  return kindNames[kind] ?? (kind.startsWith('should_') ? `vote: ${proposalText(kind)}` : kind);
}

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
      return `the ${kindText(kind)}${where} by ${actor}`;
    }
    case 'entry':
      return `the ${item.post.stance} on ${item.post.target === '' ? 'the article' : item.post.target}${of} by ${item.post.actor}`;
    case 'vote':
      return `the vote that ${item.vote.target} ${proposalText(item.vote.proposal)}${of}`;
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
