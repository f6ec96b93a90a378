/**
 * The frame of the desk's pages (contract §8): the menu, forms, and the outcome of the last form. Menu and buttons show
 * what the credential of the session permits (`may`); every call is judged by the gates all the same.
 */
import type { ComponentChildren, VNode } from 'preact';
import type { Session } from '../../../app/credentials/sessions.ts';
import type { LogAlarm } from '../../../app/log-alarms.ts';
import { mainTenant } from '../../../domain/articles/slugs.ts';
import { opaqueId } from '../../../kernel/ids.ts';
import { renderPage } from '../shell.tsx';
import type { Site } from '../site.ts';
import { LogAlarmList } from '../log-alarm-list.tsx';
import { Id, ReceiptLink } from '../parts.tsx';
import { keepsCookie } from '../../http/browser-forms.ts';
import { type KeptForm, KeptFields } from './kept-form.tsx';

/** The pages of the menu. `owner` pages show what only the owner may see. */
export const sections = {
  start: { title: 'Desk', path: '', owner: false },
  waiting: { title: 'Waiting', path: '/waiting', owner: false },
  access: { title: 'Shares and keys', path: '/access', owner: true },
  landscape: { title: 'Landscape', path: '/landscape', owner: true },
  costs: { title: 'Costs and growth', path: '/costs', owner: true },
  scrub: { title: 'Scrub', path: '/scrub', owner: true },
} as const satisfies Readonly<Record<string, SectionShape>>;

interface SectionShape {
  readonly title: string;
  /** Below `/owner`. */
  readonly path: string;
  readonly owner: boolean;
}

export type Section = keyof typeof sections;

export interface ConsoleContext {
  readonly site: Site;
  readonly session: Session;
  /** The name of the workspace. */
  readonly workspace: string;
  /** Its tenant. */
  readonly tenant: string;
  /** The workspaces that the session can look at. */
  readonly workspaces: readonly string[];
  /** Whether the workspace has public pages. */
  readonly isOpen: boolean;
  /** Keys of the rows that have public pages. */
  readonly publicRows: ReadonlySet<string>;
  /** Alterations that the background audit found, one line each. */
  readonly altered: readonly string[];
  /** What is wrong with transparency logs. */
  readonly logAlarms: readonly LogAlarm[];
  readonly notice?: Notice | undefined;
  /** Whether the session may call this row, for this article where it is given: at once, or for the owner to approve. */
  may(key: string, slug?: string): boolean;
}

/** The outcome of the form that was just sent. */
export type Notice =
  | { readonly done: string; readonly inv?: string | undefined }
  | { readonly failed: string; readonly fix: string; readonly inv?: string | undefined };

export function consolePage(
  context: ConsoleContext,
  section: Section,
  content: VNode,
  scripts: readonly string[] = [],
): string {
  const { title, path } = sections[section];
  return deskPage(
    context,
    { title, here: section, path, scripts },
    <>
      <h1>{title}</h1>
      <SignedInAs context={context} />
      {content}
    </>,
  );
}

interface DeskPage {
  readonly title: string;
  /** The entry of the menu that is current. */
  readonly here: Section | 'articles' | 'import' | 'notifications';
  /** The page of the same kind in another workspace, below `/owner`; none for a page about one object. */
  readonly path?: string;
  readonly scripts?: readonly string[];
}

/** A page in the frame of the desk; its content begins with its heading. */
export function deskPage(
  context: ConsoleContext,
  { title, here, path, scripts = [] }: DeskPage,
  content: VNode,
): string {
  const { site, notice, session } = context;
  const isOwner = session.credential.kind === 'owner';
  const { start, waiting, ...others } = sections;
  const menu = {
    start,
    waiting,
    articles: { title: 'Articles', path: '/articles', owner: false },
    import: { title: 'Import', path: '/import', owner: false },
    ...others,
    notifications: { title: 'Notifications', path: '/notifications', owner: true },
  };
  return renderPage(
    site,
    {
      title: title === 'Desk' ? title : `${title} · Desk`,
      unlisted: true,
      register: 'working',
      scripts,
    },
    <div class="console">
      <nav class="console-nav" aria-label="Desk">
        <ul>
          {(Object.entries(menu) as [Section, SectionShape][])
            .filter(([, each]) => isOwner || !each.owner)
            // Imports write articles or sources.
            .filter(
              ([, each]) => each !== menu.import || context.may('VOXEL_BATCH') || context.may('SOURCE_POST'),
            )
            .map(([name, each]) => (
              <li key={name}>
                <a href={addressOf(context, each.path)} aria-current={name === here ? 'page' : undefined}>
                  {each.title}
                </a>
              </li>
            ))}
        </ul>
        <form method="post" action={`${site.root}/owner/logout`}>
          <input type="hidden" name="form_token" value={session.formToken} />
          <button type="submit">Log out</button>
        </form>
      </nav>
      {context.workspaces.length < 2 || path === undefined ? null : (
        <Workspaces context={context} path={path} />
      )}
      {context.altered.length === 0 ? null : <AlteredLedgerAlert altered={context.altered} />}
      {context.logAlarms.length === 0 ? null : (
        <div class="console-notice failed" role="alert">
          <p>
            <strong>A transparency log is not what it should be.</strong> The runbook says what to do.
          </p>
          <LogAlarmList site={site} alarms={context.logAlarms} />
        </div>
      )}
      {notice === undefined ? null : <NoticeBox site={site} notice={notice} />}
      {content}
    </div>,
  );
}

/** Shows editors and reviewers with which credential they are signed in. */
function SignedInAs({ context: { site, session } }: { readonly context: ConsoleContext }) {
  const { credential } = session;
  if (credential.kind === 'owner') return null;
  const own = credential.chain[0]?.record;
  return (
    <p class="section-note">
      Signed in with the {own?.kind === 'key' ? 'API key' : 'share'}{' '}
      <a href={site.to.capability(credential.fingerprint)}>
        <Id>{credential.fingerprint}</Id>
      </a>
      {own?.owner_gate === true ? '; each of its writes waits for the owner’s approval' : ''}. This page shows
      what it may do.
    </p>
  );
}

/** The URL of a console page in the current workspace. */
export function addressOf({ site, workspace }: ConsoleContext, path: string): string {
  return `${site.root}/owner${path}${workspace === mainTenant ? '' : `?workspace=${workspace}`}`;
}

function Workspaces({ context, path }: { readonly context: ConsoleContext; readonly path: string }) {
  return (
    <p class="section-note">
      Workspace{' '}
      {context.workspaces.map((name, i) => (
        <span key={name}>
          {i === 0 ? '' : ' · '}
          {name === context.workspace ? (
            <strong>{name}</strong>
          ) : (
            <a href={addressOf({ ...context, workspace: name }, path)}>{name}</a>
          )}
        </span>
      ))}
    </p>
  );
}

/** Public pages and the console ignore credentials: names from closed workspaces are not linked. */
export function PublicLink({
  context,
  href,
  children,
}: Readonly<{ context: ConsoleContext; href: string; children: ComponentChildren }>) {
  return context.isOpen ? (
    <a href={href} dir="auto">
      {children}
    </a>
  ) : (
    <span dir="auto">{children}</span>
  );
}

/** Rows of a single workspace have no public page. */
export function RowLink({ context, row }: { readonly context: ConsoleContext; readonly row: string }) {
  return context.publicRows.has(row) ? <a href={context.site.to.row(row)}>{row}</a> : <>{row}</>;
}

/** Number of alterations that are listed. */
const alarmLinesMax = 5;

function AlteredLedgerAlert({ altered }: { readonly altered: readonly string[] }) {
  const more = altered.length - alarmLinesMax;
  return (
    <div class="console-notice failed" role="alert">
      <p>
        <strong>The stored ledger was altered.</strong> Run <code>colophon verify</code>, keep a copy of what
        is there, and restore a backup from before.
      </p>
      <ul>
        {altered.slice(0, alarmLinesMax).map((line) => (
          <li key={line}>{line}</li>
        ))}
      </ul>
      {more > 0 ? <p>And {more} more places.</p> : null}
    </div>
  );
}

function NoticeBox({ site, notice }: { readonly site: Site; readonly notice: Notice }) {
  const failed = 'failed' in notice;
  return (
    <div class={failed ? 'console-notice failed' : 'console-notice'} role="status">
      <p>
        {failed ? (
          <>
            <strong>Not done.</strong> {notice.failed} {notice.fix}
          </>
        ) : (
          notice.done
        )}
        {notice.inv === undefined ? null : (
          <>
            {' '}
            Receipt <ReceiptLink site={site} inv={notice.inv} />.
          </>
        )}
      </p>
    </div>
  );
}

/** A form that calls a row. */
export function CallForm({
  context,
  row,
  section,
  children,
  name,
}: Readonly<{
  context: ConsoleContext;
  row: string;
  section: Section;
  children: ComponentChildren;
  name?: string;
}>) {
  return (
    <form method="post" action={`${context.site.root}/owner/call`} aria-label={name} class="call-form">
      <input type="hidden" name="form_token" value={context.session.formToken} />
      <input type="hidden" name="once" value={opaqueId('form_')} />
      <input type="hidden" name="row" value={row} />
      <input type="hidden" name="section" value={section} />
      <input type="hidden" name="workspace" value={context.workspace} />
      {children}
    </form>
  );
}

/** `kept` is a form that comes back after the sign-in. */
export function loginPage(site: Site, problem?: string, kept?: KeptForm): string {
  return renderPage(
    site,
    { title: 'Desk', unlisted: true, register: 'working' },
    <div class="console">
      <h1>Desk</h1>
      <p class="lead">
        Where this site is written and decided upon. It opens with the owner key that the first start printed
        or that <code>COLOPHON_TERMINAL_KEY</code> sets, and for editors and reviewers with the share or API
        key that the owner gave them.
      </p>
      {problem === undefined ? null : (
        <p class="console-notice failed" role="alert">
          {problem}
        </p>
      )}
      {keepsCookie(site.service.base) ? (
        <form method="post" action={`${site.root}/owner/login`} class="call-form">
          <p class="field">
            <label for="key">Owner key, share or API key</label>
            <input id="key" name="key" type="password" required autocomplete="current-password" />
          </p>
          <KeptFields kept={kept} />
          <button type="submit">Log in</button>
        </form>
      ) : (
        <p class="console-notice failed">
          This deployment’s address begins with <code>http:</code> and is not on this machine, where a login
          could be read on the way. Set <code>COLOPHON_BASE_URL</code> to its <code>https:</code> address.
        </p>
      )}
      <p class="section-note">
        Every button of the desk is a dispatched row with a receipt, under the authority of the key that
        signed in. The same rows answer to that key without a browser. Signing in takes no use of a share.
      </p>
    </div>,
  );
}
