/**
 * `/cap/<cap_>` (spec §2.6.1 CAP_EXPLAIN, contract §4, §8): the public facts of a share: fingerprint, state, scope,
 * ceilings, times and its ledger trail. Purpose, recipient, article and fixed body are private, because a
 * fingerprint is not a credential.
 */
import type { PublicExplained } from '../../model/capability.ts';
import { links } from '../../domain/links.ts';
import { Actor, Facts, Id, Mono, ReceiptLink, Time } from './parts.tsx';
import { renderPage } from './shell.tsx';
import type { Site } from './site.ts';

const states: Readonly<Record<string, string>> = {
  valid: 'It is valid.',
  revoked: 'It was revoked.',
  ancestor_revoked: 'A share that it was cut from was revoked, which revokes this one too.',
  expired: 'It has expired.',
  ancestor_expired: 'A share that it was cut from has expired, and so has this one.',
  exhausted: 'It has no uses left.',
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
}

export function capabilityPage(site: Site, cap: PublicExplained, publicParts: PublicParts): string {
  return renderPage(
    site,
    { title: `Capability ${cap.fingerprint}`, unlisted: true },
    <article class="record">
      <h1>
        Capability <Id>{cap.fingerprint}</Id>
      </h1>
      <p class="lead">
        A share that covers {scopes[cap.scope] ?? cap.scope}.{' '}
        {states[cap.state] ?? `Its state is ${cap.state}.`}
      </p>
      <Facts
        facts={[
          { name: 'State', value: cap.state.replaceAll('_', ' ') },
          { name: 'Scope', value: [cap.scope, ...cap.keys].join(' ') },
          {
            name: 'May invoke',
            value:
              cap.verbs.length === 0 ? (
                'nothing'
              ) : (
                <Rows site={site} keys={cap.verbs} open={publicParts.publicRows} />
              ),
          },
          { name: 'Risk ceiling', value: cap.risk_ceiling },
          { name: 'Owner gate', value: cap.owner_gate ? 'yes: each call waits for the owner' : 'no' },
          { name: 'Minted', value: <Time iso={cap.minted_at} /> },
          { name: 'Expires', value: <Time iso={cap.expires_at} /> },
          { name: 'Revoked', value: cap.revoked_at === null ? null : <Time iso={cap.revoked_at} /> },
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
        A fingerprint identifies a share and authorises nothing. The holder of the share sees its purpose,
        recipient and limits with <code>explain=1</code> and the share itself;{' '}
        {publicParts.isOpen ? (
          <>
            <a href={links.explain(site.root, cap.fingerprint)}>the same in JSON</a>, with its uses, is
            everybody’s.
          </>
        ) : (
          'its workspace is closed, so only its members see them.'
        )}{' '}
        A capability grants permission; only the user of the moment supplies intent.
      </p>
      <h2>Ledger trail</h2>
      <ol class="chain">
        {cap.ledger.map((entry) => (
          <li key={entry.n}>
            <p>
              <strong>{entry.action}</strong> by <Actor site={site} actor={entry.actor} />,{' '}
              <Time iso={entry.ts} />
              {typeof entry['inv'] === 'string' ? (
                <>
                  , receipt <ReceiptLink site={site} inv={entry['inv']} />
                </>
              ) : null}
            </p>
            <Facts facts={[{ name: 'hash', value: <Mono>{entry.hash}</Mono> }]} />
          </li>
        ))}
      </ol>
    </article>,
  );
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
