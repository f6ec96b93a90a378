/**
 * Settling an entry of the discourse (contract §5): the owner answers an open challenge, upgrade or objection with a
 * note, or a ratified vote names it. The settlement is an entry of the provenance chain, so that the head of the
 * thread, which challenges compare, stays.
 */
import type { EventDraft } from '../../engine/act.ts';
import { about, fault, isFault, type Fault } from '../../kernel/fault.ts';
import { EntrySettled, type SettlementInput } from '../../model/discourse.ts';
import { exactly } from '../../model/exact.ts';
import { provenance } from '../articles/events.ts';
import type { ArticleState } from '../articles/state.ts';
import type { Context, Outcome } from '../context.ts';
import { blankRules, visibleTextRules } from '../text-rules.ts';
import { refusalOf, type PartialInput, type Violation } from '../violations.ts';
import { postLink } from './posting.ts';
import { asksForAnswer, threadHead, type PostRow, type ThreadState } from './thread.ts';

type Settling = Omit<SettlementInput, 'slug'>;

export function settlementRules({ note }: PartialInput<Settling>): Violation[] {
  return [...blankRules('note', note, 'Say what answers the entry.'), ...visibleTextRules({ note })];
}

export function settle(
  article: ArticleState,
  thread: ThreadState,
  input: Settling,
  context: Context,
): Outcome<ArticleState> | Fault {
  const bad = refusalOf(settlementRules(input));
  if (bad !== undefined) return bad;
  const row = openEntry(article, thread, input.entry);
  if (isFault(row)) return row;
  const { slug, version } = article.row;
  const { note } = input;
  const permalink = postLink(context.base, article, row.id);
  return {
    events: [settlementEvent(article, row, note, context)],
    conclude: () => ({
      result: exactly(EntrySettled, {
        slug,
        entry: {
          ...row.post,
          status: 'settled' as const,
          note,
          decided_at: context.now,
          decided_by: context.actor,
          resolution: context.inv,
          prev: row.prev,
          hash: row.hash,
        },
        thread_head: threadHead(thread),
        // A settlement makes none: the one that stands.
        revision: version,
        permalink,
      }),
      text: `Settled ${row.post.stance} ${row.id} on ${slug}: ${permalink}`,
      material: [{ kind: 'discourse', id: row.id, url: permalink }],
    }),
  };
}

/** The entry of that id, or why it cannot be settled. */
export function openEntry(article: ArticleState, thread: ThreadState, id: string): PostRow | Fault {
  const rows = [...thread.posts.values()];
  const row = rows.find((each) => each.id === id);
  if (row === undefined)
    return about(
      fault(
        'not_found',
        `The discourse of ${article.row.slug} has no entry ${id.slice(0, 40)}.`,
        'Read the open entries under /discourse and use one of their ids.',
      ),
      { kind: 'entry', id, slug: article.row.slug },
    );
  const { settled, post } = row;
  if (settled !== null)
    return fault(
      'already_decided',
      `${id} was settled at ${settled.decided_at}.`,
      'Nothing is left to settle; what is still wrong takes an objection of its own.',
      { decided_at: settled.decided_at, receipt: settled.resolution },
    );
  if (!asksForAnswer(post))
    return fault(
      'conflict',
      `${id} is of the stance ${post.stance}, which asks for no answer.`,
      'Settle an open challenge, upgrade or objection.',
      { stance: post.stance },
    );
  return row;
}

/** `vote` is the ratified one that named the entry. */
export function settlementEvent(
  { row: { aid, heads } }: ArticleState,
  { id, n }: PostRow,
  note: string,
  context: Context,
  vote?: string,
): EventDraft {
  const event = provenance(aid, heads.provenance, context, 'thread_settle', null, {
    settled: { id, note },
    of: [id],
  });
  const named = vote === undefined ? {} : { vote };
  return { ...event, draft: { ...event.draft, settles: id, settles_n: n, ...named } };
}
