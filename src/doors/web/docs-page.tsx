/** `/docs` and `/docs/errors`: an index of all descriptions, and every error code with its fix (contract §2, §8). */
import type { FaultCode } from '../../kernel/fault.ts';
import { retryable, statusOf } from '../http/statuses.ts';
import { errorDescriptions } from './error-page.tsx';
import { renderPage } from './shell.tsx';
import type { Site } from './site.ts';

export function docsPage(site: Site): string {
  const { base } = site.service;
  const places: readonly (readonly [href: string, name: string, what: string])[] = [
    [site.to.protocol, 'The protocol', 'reading, calling, authority, proof and errors in five minutes'],
    [site.to.directory, 'The directory', 'every capability with its contract, arguments and an example'],
    [`${site.to.docs}/errors`, 'Errors', 'every code, its status, when it is given and what helps'],
    [
      site.to.verify,
      'Verification',
      'checking receipts, articles and the whole log without trusting this site',
    ],
    [site.to.log, 'The log', 'every entry in commit order, with the signed head'],
    [
      `${site.root}/api/openapi.json`,
      'The interface',
      'every route, parameter, body and answer, as OpenAPI 3.1',
    ],
    [
      `${site.root}/api/openai/actions.json`,
      'Actions',
      'the same in at most thirty operations, for runtimes that take an action definition',
    ],
    [
      `${site.root}/api/model-lane`,
      'Lane guidance',
      'what a language model of each kind can do here, as JSON',
    ],
    [site.to.start, 'Start', 'a share for a day and addresses for a model, as JSON'],
    [site.to.search, 'Search', 'articles, claims and sources by words; /api/search?q= is the same as JSON'],
    [`${site.root}/llms.txt`, 'llms.txt', 'the site for language models, as text'],
    [`${site.root}/feed.xml`, 'The feed', 'what changed last, as Atom'],
    [`${site.root}/sitemap.xml`, 'The site map', 'the page of every published article, as XML'],
    ['#events', 'Events', 'the log as it grows, as Server-Sent Events'],
    ['#mcp', 'Model Context Protocol', 'rows as tools and articles as resources'],
    [`${site.to.manifest}?registry=1`, 'The registry', 'the directory as JSON'],
    [`${site.root}/api/articles/constitution`, 'The constitution', 'the slots of an article, as JSON'],
    [`${site.root}/api/build-landscape`, 'The landscape', 'cohorts and the work on them, as JSON'],
    [
      `${site.root}/api/articles/system-map`,
      'The system map',
      'the parts of the service and where each is read and written, as JSON',
    ],
  ];
  return renderPage(
    site,
    {
      title: 'Documentation',
      description: 'Where the interface of this site is described.',
      canonical: `${base}/docs`,
      here: 'Documentation',
    },
    <article class="prose-page">
      <h1>Documentation</h1>
      <p class="lead">Descriptions of this site, for people and for programs.</p>
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

      <h2 id="mcp">Connecting an MCP client</h2>
      <p>
        <code>{base}/mcp</code> answers the Model Context Protocol over streamable HTTP, without sessions. The
        rows that a credential reaches are tools with the rows' keys for names; <code>search</code>,{' '}
        <code>read</code>, <code>describe</code> and <code>dispatch</code> work with everything, and articles
        are resources. Configure a client with the address and, if you have one, the token:
      </p>
      <pre class="wrapped">{mcpSettings(base)}</pre>
      <p>
        Send a share or an API key in that header only; without one, the open rows are available. Calls pass
        the same gates as over HTTP and leave the same receipts. Article text in tools and resources is
        untrusted and written by others. Without a credential, name a workspace other than <code>main</code>{' '}
        as <code>{base}/mcp?workspace=</code>.
      </p>

      <h2 id="events">Following the log</h2>
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

/** The settings format that most clients use. */
function mcpSettings(base: string): string {
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
      here: 'Documentation',
    },
    <article class="prose-page">
      <h1>Errors</h1>
      <p class="lead">
        An error is problem details (RFC 9457) with a stable code in <code>error</code>. Codes do not change;
        the words around them may.
      </p>
      <p>
        Where an invocation was recorded, <code>invocation</code> names it, and <code>charged</code> says
        whether it took a use. A reader that cannot see error bodies adds <code>soft=1</code> to an address
        and gets them with status 200.
      </p>
      <dl class="templates errors">
        {codes.map((code) => (
          <div key={code} id={code}>
            <dt>
              <code>{code}</code> <span class="status">{statusOf[code]}</span>
            </dt>
            <dd>
              {errorDescriptions[code][0]} {errorDescriptions[code][1]}
              {retryable.has(code) ? ' The same request may succeed later.' : ''}
            </dd>
          </div>
        ))}
      </dl>
    </article>,
  );
}
