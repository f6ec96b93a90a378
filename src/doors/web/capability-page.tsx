/**
 * `/cap/<cap_>` (spec §2.6.1 CAP_EXPLAIN, contract §4, §8): the public facts of a share: fingerprint, state, scope,
 * ceilings, times and its ledger trail. Purpose, recipient, article and fixed body are private, because a
 * fingerprint is not a credential.
 */
import type { MadeCall } from '../../app/credentials/explain.ts';
import type { PublicExplained } from '../../model/capability.ts';
import { links } from '../../domain/links.ts';
import { Ago } from './components/ago.tsx';
import { Disclosure } from './components/disclosure.tsx';
import { countText } from './format-text.ts';
import { Actor, Facts, Id, ReceiptLink, Time } from './parts.tsx';
import { plainText, wantedText, wordsOf } from './plain-words.ts';
import { renderPage } from './shell.tsx';
import type { Site } from './site.ts';

const states: Readonly<Record<string, string>> = {
  valid: 'It is valid',
  revoked: 'It was revoked',
  ancestor_revoked: 'A share that it was cut from was revoked, which revokes this one too',
  expired: 'It has expired',
  ancestor_expired: 'A share that it was cut from has expired, and so has this one',
  exhausted: 'It has no uses left',
};

const scopes: Readonly<Record<string, string>> = {
  row: 'one row',
  rows: 'the rows named here',
  pfx: 'every row whose key begins as named here',
  act: 'the rows of the act tier',
  read: 'rows that only read',
};

/** Which linked pages are public. */
export interface PublicParts {
  readonly isOpen: boolean;
  readonly publicRows: ReadonlySet<string>;
  /** Its newest calls, which the owner sees. */
  readonly calls?: readonly MadeCall[] | undefined;
}

/** How many rows the sentence names; the table names all. */
const namedMax = 3;

export function capabilityPage(site: Site, cap: PublicExplained, publicParts: PublicParts): string {
  const isValid = cap.state === 'valid';
  return renderPage(
    site,
    { title: `Share: ${shortText(cap)}`, unlisted: true, register: 'working' },
    <article class="record">
      <h1 class="record-sentence">
        {isValid ? 'Its holder may' : 'Its holder could'} {mayText(cap)}
        {cap.owner_gate ? ', each time with the owner’s approval' : ''}.
      </h1>
      <p class="record-kind">
        {isValid ? 'Share' : `Share, ${cap.state.replaceAll('_', ' ')}`}{' '}
        <code data-copy>{cap.fingerprint}</code>
      </p>
      <p class="lead">
        {states[cap.state] ?? `Its state is ${cap.state}`}
        {isValid ? (
          <>
            {' '}
            until <Time iso={cap.expires_at} />
          </>
        ) : null}
        . Made by <Actor site={site} actor={cap.ledger[0]?.actor ?? 'system'} />, <Ago iso={cap.minted_at} />.
      </p>
      <Facts
        facts={[
          {
            name: 'May call',
            value:
              cap.verbs.length === 0 ? (
                'nothing'
              ) : (
                <Rows site={site} keys={cap.verbs} open={publicParts.publicRows} />
              ),
          },
          {
            name: 'Scope',
            value: `${scopes[cap.scope] ?? cap.scope}${cap.keys.length === 0 ? '' : `: ${cap.keys.join(', ')}`}`,
          },
          { name: 'Highest risk', value: cap.risk_ceiling },
          { name: 'Approval', value: cap.owner_gate ? 'each call waits for the owner' : 'not needed' },
          { name: 'Made', value: <Ago iso={cap.minted_at} /> },
          { name: isValid ? 'Expires' : 'Expiry', value: <Time iso={cap.expires_at} /> },
          { name: 'Revoked', value: cap.revoked_at === null ? null : <Ago iso={cap.revoked_at} /> },
          {
            name: 'Cut from',
            value:
              cap.parent === null ? null : (
                <a href={site.to.capability(cap.parent)}>
                  <Id>{cap.parent}</Id>
                </a>
              ),
          },
        ]}
      />
      <p class="section-note">
        A fingerprint identifies a share and authorizes nothing. The holder of the share sees its purpose,
        recipient and limits with <code>explain=1</code> and the share itself;{' '}
        {publicParts.isOpen ? (
          <>
            <a href={links.explain(site.root, cap.fingerprint)}>the same in JSON</a>, with its uses, is open
            to everybody.
          </>
        ) : (
          'its workspace is closed, so only its members see them.'
        )}{' '}
        A capability grants permission; only the user of the moment supplies intent.
      </p>
      <h2>What happened to it</h2>
      <ol class="chain trail">
        {cap.ledger.map((entry) => (
          <li key={entry.n}>
            <Actor site={site} actor={entry.actor} />{' '}
            {plainText(wordsOf({ kind: 'capability', verb: entry.action }))}, <Ago iso={entry.ts} />
            {typeof entry['inv'] === 'string' ? (
              <>
                {' '}
                <ReceiptLink site={site} inv={entry['inv']}>
                  receipt
                </ReceiptLink>
              </>
            ) : null}{' '}
            <code class="hash" data-copy={entry.hash}>
              {entry.hash.slice(0, 12)}…
            </code>
          </li>
        ))}
      </ol>
      {publicParts.calls === undefined ? null : <Calls site={site} calls={publicParts.calls} />}
      <Disclosure summary="As the ledger has it">
        <pre>{JSON.stringify(cap.ledger, null, 2)}</pre>
      </Disclosure>
    </article>,
  );
}

/** What its holder did with it, newest first. */
function Calls({ site, calls }: Readonly<{ site: Site; calls: readonly MadeCall[] }>) {
  return (
    <>
      <h2>What it did</h2>
      {calls.length === 0 ? (
        <p>No call was made with it yet.</p>
      ) : (
        <ol class="chain trail">
          {calls.map(({ inv, key, status, ts }) => (
            <li key={inv}>
              {key}: {status}, <Ago iso={ts} />{' '}
              <ReceiptLink site={site} inv={inv}>
                receipt
              </ReceiptLink>
            </li>
          ))}
        </ol>
      )}
    </>
  );
}

/** “file an objection, propose a contribution and 4 more”. */
function mayText({ verbs }: PublicExplained): string {
  if (verbs.length === 0) return 'call nothing';
  const named = verbs.slice(0, verbs.length <= namedMax + 1 ? verbs.length : namedMax).map(wantedText);
  const rest = verbs.length - named.length;
  if (rest > 0) return `${named.join(', ')} and ${rest} more`;
  return named.length === 1 ? (named[0] ?? '') : `${named.slice(0, -1).join(', ')} and ${named.at(-1)}`;
}

/** For a title, which is short. */
function shortText(cap: PublicExplained): string {
  const text = mayText(cap);
  return text.length > 50 ? `call ${countText(cap.verbs.length, 'row')}` : text;
}

/** Rows of a single workspace have no public page. */
function Rows({
  site,
  keys,
  open,
}: Readonly<{ site: Site; keys: readonly string[]; open: ReadonlySet<string> }>) {
  return (
    <ul class="inline-list">
      {keys.map((key) => (
        <li key={key}>{open.has(key) ? <a href={site.to.row(key)}>{key}</a> : key}</li>
      ))}
    </ul>
  );
}
