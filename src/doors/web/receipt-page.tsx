/**
 * `/receipt/<inv>` (contract §3, §8): the public part of a receipt. Request and response are never shown here; the
 * API gives them to authorized credentials.
 */
import type { JsonObject } from '../../kernel/json.ts';
import type { Confirmation } from '../../model/invocation.ts';
import type { Outcome } from '../../app/reads/outcome.ts';
import { seenBy } from '../../app/reads/witness-view.ts';
import { links } from '../../domain/links.ts';
import { Ago } from './components/ago.tsx';
import { Chip, states, type State } from './components/chip.tsx';
import { Disclosure } from './components/disclosure.tsx';
import { countText } from './format-text.ts';
import {
  ActorAtStart,
  Actor,
  ActWords,
  Facts,
  Mono,
  ReceiptLink,
  Time,
  VerificationStatus,
} from './parts.tsx';
import { type Act, type Place, plainText, wordsOf } from './plain-words.ts';
import { OutcomeSection } from './outcome-section.tsx';
import { renderPage } from './shell.tsx';
import type { Site } from './site.ts';

/** Which pages linked from a receipt are public; those of closed workspaces are not. */
export interface PublicPages {
  readonly row: boolean;
  readonly capabilities: boolean;
  /** The article that the call was about, if it is published. */
  readonly place?: Place | undefined;
}

/** What follows the sentence, where a call did not simply succeed. */
const outcomes: Readonly<Record<string, string>> = {
  failed: 'Nothing was changed.',
  denied: 'Nothing ran.',
  running: 'It was under way when this page was made.',
  proposed: 'Nothing runs until the owner approves it.',
  declined: 'The owner declined it; nothing ran.',
};

export function receiptPage(
  site: Site,
  receipt: Confirmation,
  publicPages: PublicPages,
  outcome?: Outcome,
): string {
  const { id, status, entries } = receipt;
  const [first] = entries;
  const { place } = publicPages;
  const words = wordsOf(actOf(receipt, place), place);
  return renderPage(
    site,
    {
      title: `Receipt: ${plainText(words)}`,
      unlisted: true,
      register: 'working',
      alternates: [
        {
          type: 'application/json',
          href: links.confirm(site.service.base, id),
          title: 'The confirmation as JSON',
        },
        ...(outcome === undefined
          ? []
          : [
              {
                type: 'application/atom+xml',
                href: `${site.to.receipt(id)}/feed.xml`,
                title: 'What becomes of it',
              },
            ]),
      ],
      scripts: ['verify'],
    },
    <article class="record" id="receipt" data-inv={id} data-status={status}>
      <h1 class="record-sentence">
        {first === undefined ? (
          'An anonymous caller'
        ) : (
          <ActorAtStart site={site} actor={first.actor} isOpen={publicPages.capabilities} />
        )}{' '}
        <ActWords site={site} slug={place?.slug ?? ''} words={words} />.
      </h1>
      <p class="record-kind">
        Receipt <code data-copy>{id}</code>
      </p>
      <p class="lead">
        {outcomes[status] === undefined ? '' : `${outcomes[status]} `}
        <LogPlace site={site} proof={receipt.proof} />
      </p>
      {outcome === undefined ? null : <OutcomeSection site={site} outcome={outcome} />}
      <VerificationStatus
        site={site}
        what="Without JavaScript, the proof below verifies offline."
        button="Verify in this browser"
      />
      <Facts
        facts={[
          { name: 'Written', value: writtenText(receipt.written) },
          { name: 'Started', value: <Ago iso={receipt.started_at} /> },
          {
            name: 'Finished',
            value: receipt.finished_at === null ? 'not yet' : <Ago iso={receipt.finished_at} />,
          },
          {
            name: 'Row',
            value: publicPages.row ? <a href={site.to.row(receipt.key)}>{receipt.key}</a> : receipt.key,
          },
          { name: 'Status', value: status },
          { name: 'Tokens and cost', value: costText(receipt.yield) },
          { name: 'Repeats', value: receiptLink(site, receipt.replay_of) },
          { name: 'Repairs', value: receiptLink(site, receipt.repairs) },
          { name: 'Repaired by', value: receiptLink(site, receipt.repaired_by) },
          { name: 'Part of', value: receiptLink(site, receipt.root) },
        ]}
      />
      <p class="section-note">
        Request and response are private. To see them, open <code>/api/dispatch?receipt={id}</code> with the
        owner key, the credential that made the call, or a share with read access.{' '}
        <a href={site.to.confirm(id)}>The public confirmation</a> needs no credential.
        {publicPages.capabilities
          ? null
          : ' The workspace of the call is closed: only its members see its capabilities.'}
      </p>
      <ProofText site={site} receipt={receipt} />
      <Entries site={site} receipt={receipt} publicPages={publicPages} />
    </article>,
  );
}

/** “In the log at 1,204, seen by 3 of 4 witnesses.” */
function LogPlace({ site, proof }: Readonly<{ site: Site; proof: Confirmation['proof'] }>) {
  const { log_index: index, tlog_proof: text } = proof;
  if (index === null || text === null) return <>It is recorded and will be in the log in a moment.</>;
  return (
    <>
      In the log at <a href={logAddress(site, index)}>{index.toLocaleString('en-GB')}</a>
      {witnessText(site, text)}.
    </>
  );
}

function witnessText({ service }: Site, tlogProof: string): string {
  const found = seenBy(service, tlogProof);
  if (found === undefined) return '';
  const { seen, of, hasQuorum } = found;
  if (!hasQuorum) return ', not yet seen by enough witnesses';
  return seen === 0 ? '' : `, seen by ${seen} of ${countText(of, 'witness', 'witnesses')}`;
}

const linesOnPage = 50;

/** The page of the log that has an entry; pages begin at the same places for all entries, so that there are few. */
function logAddress(site: Site, index: number): string {
  const before = (Math.floor(index / linesOnPage) + 1) * linesOnPage;
  return `${site.to.log}?before=${before}#entry-${index}`;
}

/** Calls whose objects are public; of others only the row is. */
function actOf({ key, status, written }: Confirmation, place: Place | undefined): Act {
  const call: Act = { kind: 'invocation', key, verb: status };
  const [only] = written;
  if (status !== 'success' || place === undefined) return call;
  const inArticle = actsInArticles[key];
  if (inArticle !== undefined) return { kind: 'article', verb: inArticle, of: claimOf(only) };
  if (written.length !== 1 || only === undefined) return call;
  const target = only.target;
  switch (key) {
    case 'OBJECTION_LOG':
      return { kind: 'discourse', verb: 'objection', target };
    case 'OIP_ARTICLE_REVIEW':
      return { kind: 'discourse', verb: 'review', target: '' };
    case 'MIRROR_APPEND':
      return { kind: 'contribution', verb: 'contribute', target };
    case 'VOXEL_VOTE':
      return { kind: 'vote', verb: 'vote', target };
    case 'MIRROR_RESOLVE':
      return {
        kind: 'article',
        verb: only.decision === 'rejected' ? 'mirror_reject' : 'mirror_accept',
        target,
      };
    default:
      return call;
  }
}

const actsInArticles: Readonly<Record<string, string>> = {
  ARTICLE_META: 'meta',
  ARTICLE_REWRITE: 'rewrite',
  ARTICLE_REVERT: 'revert',
  CLAIM_POST: 'claim',
  CLAIM_REPAIR: 'claim_repair',
  CLAIM_RETRACT: 'claim_retract',
  SOURCE_POST: 'source',
  VOXEL_EDIT: 'voxel_edit',
  VOXEL_MOVE: 'voxel_move',
  VOXEL_CONSOLIDATE: 'voxel_consolidate',
  VOXEL_SPLIT: 'voxel_split',
  VOXEL_BURN: 'voxel_burn',
};

function claimOf(written: Confirmation['written'][number] | undefined): readonly string[] {
  return written?.kind === 'claim' && written.target !== null ? [written.target] : [];
}

/** What the call wrote and what became of it; null if nothing of it is public. */
function writtenText(written: Confirmation['written']) {
  if (written.length === 0) return null;
  return (
    <ul>
      {written.map(({ kind, id, url, status, target }) => (
        <li key={id}>
          <a href={url}>
            {writtenKinds[kind] ?? kind}
            {kind === 'claim' || target === null || target === '' ? '' : ` on ${target}`}
          </a>{' '}
          {Object.hasOwn(states, status) ? <Chip state={status as State} /> : status}{' '}
          <code data-copy>{id}</code>
        </li>
      ))}
    </ul>
  );
}

const writtenKinds: Readonly<Record<string, string>> = {
  discourse: 'an entry of the discussion',
  contribution: 'a contribution',
  claim: 'a claim',
  vote: 'a vote',
};

/** Tokens and cost; null if no provider was called. */
function costText({ tokens, cost }: Confirmation['yield']): string | null {
  if (tokens.total === 0) return null;
  const money = cost.usd === null ? 'at an unknown price' : `at ${cost.usd} USD`;
  return `${tokens.in.toLocaleString('en-GB')} in, ${tokens.out.toLocaleString('en-GB')} out, ${money}`;
}

function receiptLink(site: Site, inv: string | null) {
  return inv === null ? null : <ReceiptLink site={site} inv={inv} />;
}

function Entries({
  site,
  receipt,
  publicPages,
}: Readonly<{ site: Site; receipt: Confirmation; publicPages: PublicPages }>) {
  const { entries } = receipt;
  return (
    <Disclosure summary={`Entries, hashes and commitments (${entries.length})`}>
      <Facts
        facts={[
          {
            name: 'Commitment to the request',
            value: receipt.request_sha === null ? null : <Mono>{receipt.request_sha}</Mono>,
          },
          {
            name: 'Commitment to the response',
            value: receipt.response_sha === null ? null : <Mono>{receipt.response_sha}</Mono>,
          },
          { name: 'Hash of the contract', value: <Mono>{receipt.contract_hash}</Mono> },
        ]}
      />
      <ol class="chain">
        {entries.map((entry) => (
          <li key={entry.n} id={`entry-${entry.n}`}>
            <p>
              <strong>{String(entry['action'])}</strong> by{' '}
              <Actor site={site} actor={entry.actor} isOpen={publicPages.capabilities} />,{' '}
              <Time iso={entry.ts} />
            </p>
            <pre>{JSON.stringify(withoutHash(entry), null, 2)}</pre>
            <p class="section-note">
              Its hash: <Mono>{entry.hash}</Mono>
            </p>
          </li>
        ))}
      </ol>
    </Disclosure>
  );
}

function withoutHash({ hash: _hash, ...entry }: JsonObject): JsonObject {
  return entry;
}

function ProofText({ site, receipt: { id, proof } }: Readonly<{ site: Site; receipt: Confirmation }>) {
  const confirm = links.confirm(site.service.base, id);
  if (proof.tlog_proof === null)
    return <p id="proof">The entry is not in the log yet. Reload this page in a moment for the proof.</p>;
  return (
    <Disclosure summary="Proof, for checking without this site" id="proof">
      <p>
        Entry 0 has index {proof.log_index?.toLocaleString('en-GB')} in the log. This text proves it with
        nothing but <a href={`${site.root}/.well-known/colophon-key`}>the log’s verifier key</a>
        {site.service.policyFile === undefined ? null : (
          <>
            , and its cosignatures with{' '}
            <a href={`${site.root}/.well-known/colophon-policy`}>the policy that names the witnesses</a>
          </>
        )}
        :
      </p>
      <pre class="proof-text">{proof.tlog_proof}</pre>
      <p>On a command line:</p>
      <pre class="wrapped">{`curl -o ${id}.receipt '${confirm}'\ncolophon verify ${id}.receipt --key '${site.service.secrets.signer.key.text}'`}</pre>
    </Disclosure>
  );
}
