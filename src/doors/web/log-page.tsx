/** `/log` (contract §6): the signed checkpoint, and the entries, newest first. */
import type { LogLine, LogView } from '../../app/reads/log-view.ts';
import { Actor, Mono, Time } from './parts.tsx';
import { UntrustedMark, untrustedMarkName, renderPage } from './shell.tsx';
import type { Site } from './site.ts';
import { countText } from './format-text.ts';

export function logPage(site: Site, view: LogView, isNewest: boolean): string {
  const { checkpoint, lines } = view;
  // Slugs derive from titles, which are untrusted.
  const markName = untrustedMarkName(checkpoint?.note ?? '', String(view.before));
  return renderPage(
    site,
    {
      title: 'Log',
      description: 'The signed checkpoint and the newest entries of the log.',
      here: 'Log',
      // Older pages never change.
      ...(isNewest ? { scripts: ['live-log'] } : { unlisted: true }),
    },
    <div class="log">
      <h1>Log</h1>
      {checkpoint === null ? (
        <p class="lead">The log is empty so far.</p>
      ) : (
        <>
          <p class="section-note" id="live-status" role="status" hidden />
          <div id="live-log" data-size={checkpoint.size}>
            <p class="lead">
              {countText(checkpoint.size, 'entry', 'entries')}. Entries contain hashes of what happened, not
              the content itself. The checkpoint signs them all:
            </p>
            <pre class="wrapped">{checkpoint.note}</pre>
            <p class="section-note">
              Served at <a href={`${site.root}/checkpoint`}>/checkpoint</a> as C2SP tlog-checkpoint; tiles and
              entries are below <code>/tile/</code>; the key is at{' '}
              <a href={`${site.root}/.well-known/colophon-key`}>/.well-known/colophon-key</a>; entries as they
              land are streamed at <code>/api/events</code>.{' '}
              <a href={site.to.verify}>The verification page</a> reads the whole log and computes it again.
            </p>
            <EarlierLogs rollbacks={view.rollbacks} />
            <UntrustedMark name={markName} />
            <Lines site={site} lines={lines} />
            <UntrustedMark name={markName} end />
            <nav class="turn" aria-label="Pages of the log">
              {isNewest ? null : <a href={site.to.log}>The newest entries</a>}
              {view.before === null ? null : (
                <a href={`${site.to.log}?before=${view.before}`}>Older entries</a>
              )}
            </nav>
          </div>
        </>
      )}
    </div>,
  );
}

function EarlierLogs({ rollbacks }: Pick<LogView, 'rollbacks'>) {
  if (rollbacks.length === 0) return null;
  return (
    <section>
      <h2>Earlier logs</h2>
      <p>
        The ledger was set back and this log begun in its place. Receipts of an earlier log verify with its
        key. The first entry of this log contains the SHA-256 of the checkpoint that was lost.
      </p>
      {rollbacks.map(({ checkpoint, earlier }) => (
        <dl key={earlier.verifier_key}>
          <dt>Key of {earlier.origin}</dt>
          <dd>
            <code class="wrapped">{earlier.verifier_key}</code>
          </dd>
          {checkpoint === null ? null : (
            <>
              <dt>Lost checkpoint</dt>
              <dd>
                <pre class="wrapped">{checkpoint}</pre>
              </dd>
            </>
          )}
        </dl>
      ))}
    </section>
  );
}

function Lines({ site, lines }: { readonly site: Site; readonly lines: readonly LogLine[] }) {
  return (
    <div class="scroll">
      <table class="lines">
        <caption>Entries, newest first</caption>
        <thead>
          <tr>
            <th scope="col">Index</th>
            <th scope="col">When (UTC)</th>
            <th scope="col">What</th>
            <th scope="col">Entry hash</th>
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <tr key={line.index} id={`entry-${line.index}`}>
              <td class="number">{line.index.toLocaleString('en-GB')}</td>
              <td>
                <Time iso={line.ts} brief />
              </td>
              <td>
                <EntrySubject site={site} line={line} />{' '}
                <span class="verb">{line.verb.replaceAll('_', ' ')}</span> by{' '}
                <Actor site={site} actor={line.actor} isOpen={line.isOpen} />
              </td>
              <td>
                <Mono>{line.hash}</Mono>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function EntrySubject({ site, line: { of, chain } }: { readonly site: Site; readonly line: LogLine }) {
  if (of === undefined) return <Mono>{chain}</Mono>;
  switch (of.kind) {
    case 'receipt':
      return <a href={site.to.receipt(of.inv)}>{of.key ?? of.inv}</a>;
    case 'capability':
      return <a href={site.to.capability(of.fingerprint)}>{of.fingerprint}</a>;
    case 'article':
      return (
        <a href={of.div === '' ? site.to.article(of.slug) : site.to.div(of.slug, of.div)}>
          {of.div === '' ? of.slug : `${of.slug}/${of.div}`}
        </a>
      );
  }
}
