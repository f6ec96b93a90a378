/** An item of the queue (contract §8): its title, what it would change, its decision, and what else can be done about it. */
import type { WaitingItem } from '../../../../app/reads/waiting.ts';
import { Ago } from '../../components/ago.tsx';
import { Chip } from '../../components/chip.tsx';
import { Actor, ReceiptLink } from '../../parts.tsx';
import { proposalText } from '../../plain-words.ts';
import { type ConsoleContext, PublicLink, RowLink } from '../console-page.tsx';
import { writePaths } from '../write/desk.ts';
import { DecisionForm, type ItemProps, Refused } from './decision-form.tsx';
import { mayDecide } from './decisions.ts';
import { ItemBody } from './item-body.tsx';
import { kindText, labelOf } from './words.ts';

export function Item(props: ItemProps) {
  const { context, item } = props;
  const label = labelOf(item);
  const receipt = receiptOf(item);
  const decidable = mayDecide(context, item);
  return (
    <li
      class="waiting-item"
      id={item.id}
      data-step
      data-now={nowOf(item)}
      tabIndex={-1}
      aria-labelledby={`${item.id}-title`}
    >
      <div class="waiting-head">
        {decidable ? (
          <label class="waiting-choose">
            <input type="checkbox" form="together" name={`choose ${item.queue} ${item.id}`} value="1" />
            <span class="visually-hidden">Choose {label}</span>
          </label>
        ) : null}
        <h2 id={`${item.id}-title`}>
          <Subject context={context} item={item} />
        </h2>
        <span class="waiting-facts">
          {'isStale' in item && item.isStale ? <Chip state="stale" /> : null}
          <Ago iso={item.ts} />
          {receipt === undefined ? null : (
            <ReceiptLink site={context.site} inv={receipt}>
              Receipt
            </ReceiptLink>
          )}
        </span>
      </div>
      <ItemBody {...props} />
      {props.refused === undefined ? null : <Refused refused={props.refused} />}
      {decidable ? <DecisionForm {...props} /> : null}
      <FurtherActs context={context} item={item} />
    </li>
  );
}

/** What else can be done about it: edit the block, answer in the discussion, open the draft. */
function FurtherActs({ context, item }: Readonly<{ context: ConsoleContext; item: WaitingItem }>) {
  const { article } = item;
  if (article === null) return null;
  const { slug } = article;
  const { root, to } = context.site;
  const target = 'target' in item ? item.target : null;
  const acts: (readonly [string, string])[] = [];
  if (target !== null && target.id.startsWith('d') && context.may('VOXEL_EDIT', slug))
    acts.push(['Edit the block', writePaths(root).edit(slug, target.id)]);
  if (item.kind === 'entry' && context.isOpen) {
    acts.push(['Respond', `${to.discuss(slug, { on: item.post.target })}#say`]);
    acts.push(['Open in the discussion', to.entry(slug, item.post.id)]);
  }
  if (item.kind === 'draft') acts.push(['Open the draft', writePaths(root).article(slug)]);
  if (acts.length === 0) return null;
  return (
    <p class="waiting-further">
      {acts.map(([name, href]) => (
        <a key={name} href={href}>
          {name}
        </a>
      ))}
    </p>
  );
}

/** Changes with the text that the item is about: the queue shows the item anew then. */
function nowOf(item: WaitingItem): string | undefined {
  return 'target' in item && item.target !== null ? item.target.hash.slice(0, 12) : undefined;
}

function receiptOf(item: WaitingItem): string | undefined {
  if (item.kind === 'call') return item.call.inv;
  if (item.kind === 'contribution') return item.contribution.receipt;
  if (item.kind === 'entry') return item.post.receipt;
  if (item.kind === 'vote') return item.vote.receipt;
  return item.kind === 'assignment' ? item.assignment.record.receipt : undefined;
}

/** `c2 of Async iterators · rewording by Zed`: what it is about, what it is, and who sent it, in this order. */
function Subject({ context, item }: Readonly<{ context: ConsoleContext; item: WaitingItem }>) {
  const { site } = context;
  switch (item.kind) {
    case 'call':
      return (
        <>
          <RowLink context={context} row={item.call.key} /> · call by{' '}
          <Actor site={site} actor={item.call.actor} />
        </>
      );
    case 'contribution': {
      const { kind, claim_id: claimId, actor, tier } = item.contribution;
      return (
        <>
          <Place context={context} item={item} id={claimId} /> · {kindText(kind)}
          {tier === undefined ? '' : ` as ${tier}`} by <bdi>{actor}</bdi>
        </>
      );
    }
    case 'entry':
      return (
        <>
          <Place context={context} item={item} id={item.post.target} /> · {kindText(item.post.stance)} by{' '}
          <bdi>{item.post.actor}</bdi>
        </>
      );
    case 'vote':
      return (
        <>
          <Place context={context} item={item} id={item.vote.target} /> · vote that it{' '}
          {proposalText(item.vote.proposal)} by <bdi>{item.vote.actor}</bdi>
        </>
      );
    case 'draft':
      return (
        <>
          <Place context={context} item={item} id="" /> · draft by <Actor site={site} actor={item.actor} />
        </>
      );
    case 'assignment': {
      const { record } = item.assignment;
      return (
        <>
          <bdi>{record.item.target.name}</bdi> · {record.lane} lane of {record.cohort}, leased by{' '}
          <Actor site={site} actor={record.actor} />
        </>
      );
    }
  }
}

/** `c2 of Async iterators`, linked. */
function Place({ context, item, id }: Readonly<{ context: ConsoleContext; item: WaitingItem; id: string }>) {
  const { article } = item;
  if (article === null) return <>{id}</>;
  const { to } = context.site;
  // Public pages do not show a draft.
  if (article.status === 'draft')
    return <a href={writePaths(context.site.root).article(article.slug)}>{article.title}</a>;
  const href = /^c\d+$/.test(id)
    ? to.claim(article.slug, id)
    : /^d\d+$/.test(id)
      ? to.div(article.slug, id)
      : to.article(article.slug);
  return (
    <PublicLink context={context} href={href}>
      {/^[cd]\d+$/.test(id) ? `${id} of ${article.title}` : article.title}
    </PublicLink>
  );
}
