/**
 * `/receipt/<inv>` (contract §3, §8): the public part of a receipt. Request and response are never shown here; the
 * API gives them to authorized credentials.
 */
import type { JsonObject } from '../../kernel/json.ts';
import type { Confirmation } from '../../model/invocation.ts';
import type { Outcome } from '../../app/reads/outcome.ts';
import { links } from '../../domain/links.ts';
import { OutcomeSection } from './outcome-section.tsx';
import { Actor, Facts, Id, Mono, ReceiptLink, Time, VerificationStatus } from './parts.tsx';
import { renderPage } from './shell.tsx';
import type { Site } from './site.ts';

const outcomes: Readonly<Record<string, string>> = {
  success: 'It ran and succeeded.',
  failed: 'It ran and failed.',
  denied: 'It was denied; nothing ran.',
  running: 'It was under way when this page was made.',
  proposed: 'It waits for the owner; nothing has run.',
  declined: 'The owner declined it; nothing ran.',
};

/** Which pages linked from a receipt are public; those of closed workspaces are not. */
export interface PublicPages {
  readonly row: boolean;
  readonly capabilities: boolean;
}

export function receiptPage(
  site: Site,
  receipt: Confirmation,
  publicPages: PublicPages,
  outcome?: Outcome,
): string {
  const { id, key, status, entries } = receipt;
  const [first] = entries;
  return renderPage(
    site,
    {
      title: `Receipt ${id}`,
      unlisted: true,
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
      <h1>
        Receipt <Id>{id}</Id>
      </h1>
      <p class="lead">
        The ledger has a call of {publicPages.row ? <a href={site.to.row(key)}>{key}</a> : key}, made{' '}
        <Time iso={receipt.started_at} /> by{' '}
        {first === undefined ? (
          'an anonymous caller'
        ) : (
          <Actor site={site} actor={first.actor} isOpen={publicPages.capabilities} />
        )}
        . {outcomes[status] ?? `Its status is ${status}.`}
      </p>
      {outcome === undefined ? null : <OutcomeSection site={site} outcome={outcome} />}
      <VerificationStatus
        what="Without JavaScript, the proof below verifies offline."
        button="Verify in this browser"
      />
      <Facts
        facts={[
          { name: 'Status', value: status },
          { name: 'Row', value: key },
          { name: 'Started', value: <Time iso={receipt.started_at} /> },
          {
            name: 'Finished',
            value: receipt.finished_at === null ? 'not yet' : <Time iso={receipt.finished_at} />,
          },
          {
            name: 'Commitment to the request',
            value: receipt.request_sha === null ? null : <Mono>{receipt.request_sha}</Mono>,
          },
          {
            name: 'Commitment to the response',
            value: receipt.response_sha === null ? null : <Mono>{receipt.response_sha}</Mono>,
          },
          { name: 'Written', value: writtenText(receipt.written) },
          { name: 'Tokens and cost', value: costText(receipt.yield) },
          { name: 'Hash of the contract', value: <Mono>{receipt.contract_hash}</Mono> },
          { name: 'Replay of', value: receiptLink(site, receipt.replay_of) },
          { name: 'Repairs', value: receiptLink(site, receipt.repairs) },
          { name: 'Repaired by', value: receiptLink(site, receipt.repaired_by) },
          { name: 'Part of', value: receiptLink(site, receipt.root) },
        ]}
      />
      <p class="section-note">
        Request and response are private. To see them, read <code>/api/dispatch?receipt={id}</code> with the
        owner key, the credential that made the call, or a share with read access.{' '}
        <a href={site.to.confirm(id)}>The public confirmation</a> needs no credential.
        {publicPages.capabilities
          ? null
          : ' The workspace of the call is closed: only its members see its capabilities.'}
      </p>
      <Entries site={site} receipt={receipt} publicPages={publicPages} />
      <ProofText site={site} receipt={receipt} />
    </article>,
  );
}

/** What the call wrote and what became of it; null if nothing of it is public. */
function writtenText(written: Confirmation['written']) {
  if (written.length === 0) return null;
  return (
    <ul>
      {written.map(({ kind, id, url, status }) => (
        <li key={id}>
          <a href={url}>
            {kind === 'discourse' ? 'entry' : kind} {id}
          </a>
          : {status}
        </li>
      ))}
    </ul>
  );
}

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
  receipt: { entries },
  publicPages,
}: Readonly<{ site: Site; receipt: Confirmation; publicPages: PublicPages }>) {
  return (
    <>
      <h2>Entries</h2>
      <ol class="chain">
        {entries.map((entry) => (
          <li key={entry.n} id={`entry-${entry.n}`}>
            <p>
              <strong>{String(entry['action'])}</strong> by{' '}
              <Actor site={site} actor={entry.actor} isOpen={publicPages.capabilities} />,{' '}
              <Time iso={entry.ts} />
            </p>
            <Facts facts={[{ name: 'hash', value: <Mono>{entry.hash}</Mono> }]} />
            <details>
              <summary>The entry as it is hashed</summary>
              <pre>{JSON.stringify(withoutHash(entry), null, 2)}</pre>
            </details>
          </li>
        ))}
      </ol>
    </>
  );
}

function withoutHash({ hash: _hash, ...entry }: JsonObject): JsonObject {
  return entry;
}

function ProofText({ site, receipt: { id, proof } }: Readonly<{ site: Site; receipt: Confirmation }>) {
  const confirm = links.confirm(site.service.base, id);
  return (
    <>
      <h2 id="proof">Proof</h2>
      {proof.tlog_proof === null ? (
        <p>The entry is not in the log yet. Reload this page in a moment for the proof.</p>
      ) : (
        <>
          <p>
            Entry 0 has index {proof.log_index?.toLocaleString('en-GB')} in the log. This text proves it with
            nothing but <a href={`${site.root}/.well-known/colophon-key`}>the log’s verifier key</a>:
          </p>
          <pre class="proof-text">{proof.tlog_proof}</pre>
          <p>On a command line:</p>
          <pre class="wrapped">{`curl -o ${id}.receipt '${confirm}'\ncolophon verify ${id}.receipt --key '${site.service.secrets.signer.key.text}'`}</pre>
        </>
      )}
    </>
  );
}
