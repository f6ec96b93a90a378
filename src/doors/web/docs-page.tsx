/**
 * `/docs`, `/docs/guides/<name>` and `/docs/errors` (contract §2, §8): what one can do here, the guides, the documents
 * for programs, and every error code with its fix.
 */
import type { FaultCode } from '../../kernel/fault.ts';
import { retryable, statusOf } from '../http/statuses.ts';
import { errorDescriptions } from './error-page.tsx';
import { renderPage } from './shell.tsx';
import { type Guide, guideHtml, guides } from './guides.ts';
import type { Site } from './site.ts';

export function docsPage(site: Site): string {
  const { base } = site.service;
  return renderPage(
    site,
    {
      title: 'Documentation',
      description: 'How to read, answer, verify, write and run Colophon.',
      canonical: `${base}/docs`,
      here: 'Docs',
      isOwnText: true,
    },
    <article class="prose-page docs">
      <h1>Documentation</h1>
      <p class="lead">
        Colophon keeps articles in which every sentence has a record: who claims it, the words it rests on,
        what was said against it, and what became of that.
      </p>

      <h2 id="what-for">What would you like to do?</h2>
      <dl class="tasks">
        <div>
          <dt>Read and check</dt>
          <dd>
            <a href={site.to.home}>Open an article</a>. Its claims stand beside the text, each with its source
            and its objections. <a href={site.to.verify}>Verify</a> checks a receipt, a proof or a whole
            article in your browser.
          </dd>
        </div>
        <div>
          <dt>Object, ask, propose</dt>
          <dd>
            Follow “object” or “propose” beside a claim or a block, or select a sentence. You need no account.{' '}
            <a href={site.to.guide('contributor')}>How contributions work</a>.
          </dd>
        </div>
        <div>
          <dt>Send a language model</dt>
          <dd>
            <a href={site.to.help}>A text to paste into a chat</a>, what the model may do, and how to stop it.
          </dd>
        </div>
        <div>
          <dt>Write and decide, as the owner</dt>
          <dd>
            <a href={site.to.owner}>The desk</a> has what waits for you.{' '}
            <a href={site.to.guide('owner')}>The guide for owners</a>.
          </dd>
        </div>
        <div>
          <dt>Look behind it</dt>
          <dd>
            <a href={site.to.log}>The log</a> shows every act. <a href={site.to.protocol}>The protocol</a>{' '}
            says how calls, authority and proof work, <a href={site.to.directory}>the directory</a> what can
            be called, <a href={`${site.to.docs}/errors`}>Errors</a> what refusals mean.
          </dd>
        </div>
      </dl>

      <h2 id="run">Run your own</h2>
      <p>
        One process and one folder; no other service is needed. Requirements: npm and any Node.js 20 or newer.
        In a checkout of Colophon:
      </p>
      <pre class="wrapped">npm ci{'\n'}npm start</pre>
      <p>
        It prints the address of the site and, once, the owner key. Open the address, then <code>/owner</code>{' '}
        with the key. <a href={site.to.guide('operator')}>Operating a deployment</a> covers backups and
        upgrades, <a href={site.to.guide('configuration')}>Configuration</a> every setting.
      </p>

      <h2 id="guides">Guides</h2>
      <dl class="templates">
        {guides.map(({ name, title, what }) => (
          <div key={name}>
            <dt>
              <a href={site.to.guide(name)}>{title}</a>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>

      <h2 id="programs">For programs</h2>
      <ProgramPlaces site={site} />

      <h2 id="mcp">Connect an MCP client</h2>
      <p>
        <code>{base}/mcp</code> speaks the Model Context Protocol over streamable HTTP, without sessions. The
        rows that a credential reaches are tools named by their keys; <code>search</code>, <code>read</code>,{' '}
        <code>describe</code> and <code>dispatch</code> work with everything, and articles are resources.
        Configure a client with the address and, if you have one, the token:
      </p>
      <pre class="wrapped">{mcpSettings(base)}</pre>
      <p>
        Send a share or an API key in that header only; without one, the open rows are available. Calls pass
        the same gates as over HTTP and leave the same receipts. Article text in tools and resources is
        untrusted and written by others. Without a credential, name a workspace other than <code>main</code>{' '}
        as <code>{base}/mcp?workspace=</code>.
      </p>

      <h2 id="events">Follow the log</h2>
      <p>
        <code>{base}/api/events</code> streams every new entry as Server-Sent Events: public entries, and
        those that the credential in the header may read. <code>slug</code> narrows it to an article,{' '}
        <code>kind</code> to kinds of entries, separated by commas. An event’s id is its log index:{' '}
        <code>Last-Event-ID</code> or <code>after</code> resumes without a gap; <code>after=-1</code> begins
        with the first entry. <a href={site.to.log}>The log page</a> follows it in a browser.
      </p>
      <pre class="wrapped">{`curl -N '${base}/api/events?kind=contribution,discourse'`}</pre>
    </article>,
  );
}

/** Documents and addresses for programs. */
function ProgramPlaces({ site }: { readonly site: Site }) {
  const places: readonly (readonly [href: string, name: string, what: string])[] = [
    [site.to.start, 'Start', 'a share for a day and addresses for a model, as JSON'],
    [`${site.root}/llms.txt`, 'llms.txt', 'the site in one page of text'],
    [`${site.root}/api/openapi.json`, 'OpenAPI', 'every route, parameter, body and answer, as OpenAPI 3.1'],
    [
      `${site.root}/api/openai/actions.json`,
      'Actions',
      'the same in at most thirty operations, for runtimes that take an action definition',
    ],
    ['#mcp', 'Model Context Protocol', 'rows as tools and articles as resources'],
    [`${site.to.manifest}?registry=1`, 'The registry', 'the directory as JSON'],
    [`${site.root}/api/search?q=ledger`, 'Search', 'articles, claims and sources by words, as JSON'],
    [`${site.root}/api/recent`, 'Recent changes', 'what happened to articles, with filters, as JSON'],
    [`${site.root}/api/tags`, 'Tags', 'tags with their numbers, and series under /api/series, as JSON'],
    [`${site.root}/api/model-lane`, 'Lanes', 'what a language model of each kind can do here, as JSON'],
    [`${site.root}/api/articles/constitution`, 'The constitution', 'the slots of an article, as JSON'],
    [`${site.root}/api/build-landscape`, 'The landscape', 'cohorts and the work on them, as JSON'],
    [
      `${site.root}/api/articles/system-map`,
      'The system map',
      'the parts of the service and where each is read and written, as JSON',
    ],
    ['#events', 'Events', 'the log as it grows, as Server-Sent Events'],
    [`${site.root}/feed.xml`, 'The feed', 'what changed last, as Atom'],
    [`${site.root}/sitemap.xml`, 'The site map', 'the page of every published article, as XML'],
  ];
  return (
    <dl class="templates">
      {places.map(([href, name, what]) => (
        <div key={href}>
          <dt>
            <a href={href} {...(href === site.to.start ? { rel: 'nofollow' } : {})}>
              {name}
            </a>
          </dt>
          <dd>{what}</dd>
        </div>
      ))}
    </dl>
  );
}

/** `/docs/guides/<name>`: one guide. */
export function guidePage(site: Site, guide: Guide): string {
  const { base } = site.service;
  return renderPage(
    site,
    {
      title: guide.title,
      description: guide.what,
      canonical: `${base}/docs/guides/${guide.name}`,
      here: 'Docs',
      isOwnText: true,
    },
    <article class="prose-page guide">
      <p class="crumbs">
        <a href={site.to.docs}>Documentation</a>
      </p>
      <div dangerouslySetInnerHTML={{ __html: guideHtml(guide, site.to.guide) }} />
    </article>,
  );
}

/** The settings of an MCP client, in the format that most clients use. */
export function mcpSettings(base: string): string {
  const colophon = { type: 'http', url: `${base}/mcp`, headers: { Authorization: 'Bearer {token}' } };
  return JSON.stringify({ mcpServers: { colophon } }, null, 2);
}

export function errorsPage(site: Site): string {
  const { base } = site.service;
  const codes = Object.keys(errorDescriptions) as FaultCode[];
  return renderPage(
    site,
    {
      title: 'Errors',
      description: 'Every error code of this site, its status, when it is given and what helps.',
      canonical: `${base}/docs/errors`,
      here: 'Docs',
      isOwnText: true,
    },
    <article class="prose-page">
      <h1>Errors</h1>
      <p class="lead">
        A refusal says what happened, why, and what to do next. Nothing was written unless the message says
        so.
      </p>
      {errorGroups.map(({ title, about, statuses }) => (
        <section key={title} aria-labelledby={`errors-${statuses[0]}`}>
          <h2 id={`errors-${statuses[0]}`}>{title}</h2>
          <p>{about}</p>
          <dl class="templates errors">
            {codes
              .filter((code) => statuses.includes(statusOf[code]))
              .map((code) => (
                <div key={code} id={code}>
                  <dt>
                    {errorDescriptions[code][0]}{' '}
                    <span class="status">
                      <code>{code}</code> {statusOf[code]}
                    </span>
                  </dt>
                  <dd>
                    {errorDescriptions[code][1]}
                    {retryable.has(code) ? ' The same request may succeed later.' : ''}
                  </dd>
                </div>
              ))}
          </dl>
        </section>
      ))}
      <h2 id="programs">For programs</h2>
      <p>
        An error is problem details (RFC 9457) with a stable code in <code>error</code>; codes do not change,
        the words around them may. <code>gate</code> names the gate that refused, <code>fix</code> is one
        sentence on what to do, and <code>next</code> lists up to five addresses that lead on. Where a call
        was recorded, <code>invocation</code> names it, and <code>charged</code> says whether it took a use. A
        reader that cannot see error bodies adds <code>soft=1</code> to an address and gets them with status
        200.
      </p>
    </article>,
  );
}

const errorGroups: readonly {
  readonly title: string;
  readonly about: string;
  readonly statuses: readonly number[];
}[] = [
  {
    title: 'Something was not found',
    about: 'The address or the name is not known here, or not to you.',
    statuses: [404],
  },
  {
    title: 'You may not, or not yet',
    about: 'The credential is missing, damaged, at its end, or does not cover this.',
    statuses: [401, 403],
  },
  {
    title: 'The text moved while you wrote',
    about: 'Another call changed it first. Nothing was written; read again and decide anew.',
    statuses: [409],
  },
  {
    title: 'The text breaks a rule',
    about: 'Nothing was written. The answer lists each rule with its place and how to mend it.',
    statuses: [422],
  },
  {
    title: 'The request cannot be read',
    about: 'Its form is wrong, so nothing else was checked.',
    statuses: [400, 405, 413, 415],
  },
  {
    title: 'Too much at once, or out of order here',
    about: 'Wait a little and send the same again.',
    statuses: [429, 500, 501, 502, 503, 504],
  },
];
