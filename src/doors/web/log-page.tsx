/** `/log` (contract §6): what is wrong with logs, the signed checkpoint, and the entries, newest first. */
import type { LogAlarm } from '../../app/log-alarms.ts';
import type { LogLine, LogView } from '../../app/reads/log-view.ts';
import type { WitnessesView } from '../../app/reads/witness-view.ts';
import { Ago } from './components/ago.tsx';
import { Disclosure } from './components/disclosure.tsx';
import { LogAlarmList } from './log-alarm-list.tsx';
import { Actor, ActWords, Id } from './parts.tsx';
import { plainText, wordsOf } from './plain-words.ts';
import { CosignedNote, LogWitnesses } from './log-witnesses.tsx';
import { renderPage } from './shell.tsx';
import type { Site } from './site.ts';
import { countText } from './format-text.ts';

export interface LogPageOptions {
  readonly alarms: readonly LogAlarm[];
  readonly isNewest: boolean;
  /** Undefined without a policy. */
  readonly witnesses: WitnessesView | undefined;
}

export function logPage(site: Site, view: LogView, { alarms, isNewest, witnesses }: LogPageOptions): string {
  const { checkpoint, lines } = view;
  return renderPage(
    site,
    {
      title: 'Log',
      description: 'Everything that happened here, in order, with receipts and a signed checkpoint.',
      here: 'Log',
      register: 'working',
      // Older pages never change.
      ...(isNewest ? { scripts: ['live-log'] } : { unlisted: true }),
    },
    <div class="log">
      <h1>Log</h1>
      {alarms.length === 0 ? null : (
        <div class="notice" role="note">
          <LogAlarmList site={site} alarms={alarms} />
        </div>
      )}
      {checkpoint === null ? (
        <p class="lead">
          Nothing has happened here yet. Every act will appear on this page: who did what, when, with its
          receipt.
        </p>
      ) : (
        <>
          <p class="section-note" id="live-status" role="status" hidden />
          <div id="live-log" data-size={checkpoint.size}>
            <p class="lead">
              Everything that happens here, in order, and never rewritten:{' '}
              {countText(checkpoint.size, 'entry', 'entries')}.
            </p>
            <EarlierLogs rollbacks={view.rollbacks} />
            {isNewest && witnesses !== undefined ? (
              <>
                <LogWitnesses view={witnesses} />
                <h2>Entries</h2>
              </>
            ) : null}
            <Lines site={site} lines={lines} />
            <nav class="turn" aria-label="Pages of the log">
              {isNewest ? null : <a href={site.to.log}>The newest entries</a>}
              {view.before === null ? null : (
                <a href={`${site.to.log}?before=${view.before}`}>Older entries</a>
              )}
            </nav>
            <Disclosure summary="The signed checkpoint">
              <p>
                Entries contain hashes of what happened, not the content itself. This checkpoint signs them
                all:
              </p>
              <pre class="wrapped">{checkpoint.note}</pre>
              <p class="section-note">
                Served at{' '}
                <a href={`${site.root}/checkpoint${witnesses === undefined ? '' : '?newest=1'}`}>
                  /checkpoint{witnesses === undefined ? '' : '?newest=1'}
                </a>{' '}
                as C2SP tlog-checkpoint; tiles and entries are below <code>/tile/</code>; the key is at{' '}
                <a href={`${site.root}/.well-known/colophon-key`}>/.well-known/colophon-key</a>; entries as
                they land are streamed at <code>/api/events</code>.{' '}
                <a href={site.to.verify}>The verification page</a> reads the whole log and computes it again.
              </p>
            </Disclosure>
            {witnesses === undefined ? null : <CosignedNote site={site} view={witnesses} />}
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
        <caption>Newest first</caption>
        <thead>
          <tr>
            <th scope="col">When</th>
            <th scope="col">What happened</th>
            <th scope="col">Entry</th>
          </tr>
        </thead>
        <tbody>
          {byCall(lines).map((group) => {
            const [newest] = group;
            const said = group.filter(({ of }) => of?.kind === 'article');
            const shown = said.length === 0 ? group.slice(0, 1) : said;
            return (
              <tr key={newest.index} id={`entry-${newest.index}`}>
                <td>
                  <Ago iso={newest.ts} />
                </td>
                <td>
                  <Actor site={site} actor={newest.actor} isOpen={newest.isOpen} />{' '}
                  <GroupWords site={site} lines={shown.toReversed()} />
                  {newest.receipt === null ? null : (
                    <>
                      {' '}
                      <a class="line-receipt" href={site.to.receipt(newest.receipt)}>
                        receipt
                      </a>
                    </>
                  )}
                </td>
                <td class="entries">
                  {group.map(({ index, hash }, i) => (
                    <span key={index} {...(i === 0 ? {} : { id: `entry-${index}` })}>
                      <span class="number">{index.toLocaleString('en-GB')}</span>{' '}
                      <code class="hash" data-copy={hash}>
                        {hash.slice(0, 10)}…
                      </code>
                    </span>
                  ))}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

type Group = readonly [LogLine, ...LogLine[]];

/** Neighbouring entries of one call stand in one row. */
function byCall(lines: readonly LogLine[]): readonly Group[] {
  const groups: [LogLine, ...LogLine[]][] = [];
  for (const line of lines) {
    const last = groups.at(-1);
    if (last !== undefined && line.receipt !== null && last[0].receipt === line.receipt) last.push(line);
    else groups.push([line]);
  }
  return groups;
}

/** Entries that stand beside one of the article. */
function isPart(kind: LogLine['kind']): boolean {
  return kind === 'div' || kind === 'source';
}

const saidMax = 3;

/** What the entries of one call say, each phrase once, in the order in which they were written. */
function GroupWords({ site, lines }: Readonly<{ site: Site; lines: readonly LogLine[] }>) {
  const seen = new Set<string>();
  const told = lines.filter(({ kind, verb, of }) => {
    // The entry of the article says what was done to its parts.
    if (isPart(kind) && lines.some((each) => each.kind === 'article')) return false;
    const phrase = `${kind} ${verb} ${of?.kind === 'article' ? of.slug : ''}`;
    return !seen.has(phrase) && seen.add(phrase).size > 0;
  });
  return (
    <>
      {told.slice(0, saidMax).map((line, i) => (
        <>
          {i === 0 ? '' : ', '}
          <LineWords site={site} line={line} />
        </>
      ))}
      {told.length > saidMax ? ' and more' : ''}
    </>
  );
}

/** What an entry says in plain words; entries of drafts and closed workspaces name no object. */
function LineWords({ site, line: { kind, verb, of } }: { readonly site: Site; readonly line: LogLine }) {
  if (of?.kind === 'article') {
    const { slug, title, div } = of;
    const words = wordsOf({ kind, verb, of: div === '' ? [] : [div] }, { slug, title });
    return <ActWords site={site} slug={slug} words={words} />;
  }
  const key = of?.kind === 'receipt' ? of.key : null;
  return (
    <>
      {plainText(wordsOf({ kind, verb, key }))}
      {of?.kind === 'capability' ? (
        <>
          {' '}
          <a href={site.to.capability(of.fingerprint)}>
            <Id>{of.fingerprint}</Id>
          </a>
        </>
      ) : null}
    </>
  );
}
