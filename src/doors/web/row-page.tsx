/** `/directory/<KEY>` (spec §2.6, contract §3): what a row does, its arguments, and URLs to call it. */
import { findPlaceholders } from '../../domain/capabilities/example.ts';
import { contractText, type Row } from '../../domain/capabilities/row.ts';
import { links } from '../../domain/links.ts';
import { addressesOf } from '../../app/reads/directory.ts';
import { Button } from './components/button.tsx';
import { Field } from './components/field.tsx';
import { capital } from './directory-page.tsx';
import { Facts, Mono } from './parts.tsx';
import { wantedText } from './plain-words.ts';
import { answersOf, type AnswerLine, argumentsOf, authorityText } from './row-schema-text.ts';
import { renderPage } from './shell.tsx';
import type { Site } from './site.ts';

export function rowPage(site: Site, row: Row): string {
  const { base } = site.service;
  return renderPage(
    site,
    {
      title: row.key,
      description: row.contract.what,
      canonical: links.rowPage(base, row.key),
      alternates: [
        { type: 'application/json', href: links.row(base, row.key), title: 'The row as JSON' },
        {
          type: 'text/markdown',
          href: `${links.row(base, row.key)}?format=skill`,
          title: 'The row as a skill',
        },
      ],
      here: 'Directory',
      register: 'working',
    },
    <article class="row">
      <h1 class="record-sentence">{capital(wantedText(row.key))}</h1>
      <p class="record-kind">
        Row <code data-copy>{row.key}</code> of <a href={site.to.directory}>the directory</a>
      </p>
      <p class="lead">{row.contract.what}</p>
      <p>{row.contract.when}</p>
      <Facts
        facts={[
          {
            name: 'Kind',
            value: row.safe
              ? 'a read: nothing changes, each call runs again'
              : 'a write: each call is recorded, and a repeated one gets the first answer',
          },
          { name: 'Authority', value: authorityText[row.auth] },
          { name: 'Risk', value: row.risk },
          {
            name: 'Approval',
            value: row.requiresApproval ? 'each call waits for the owner' : 'not required',
          },
          { name: 'Scope act', value: row.inAct ? 'covers it' : 'does not cover it: the row must be named' },
        ]}
      />
      <TryIt site={site} row={row} />
      <Arguments row={row} />
      <Answers site={site} row={row} />
      <Calls site={site} row={row} />
      <h2>Contract</h2>
      <pre class="wrapped">{contractText(row)}</pre>
      <p class="section-note">
        Its hash: <Mono>{row.contractHash}</Mono>. The same as <a href={site.to.rowJson(row.key)}>JSON</a>, as{' '}
        <a href={`${site.to.rowJson(row.key)}?format=markdown`}>Markdown</a> or as{' '}
        <a href={`${site.to.rowJson(row.key)}?format=skill`}>a skill</a>.
      </p>
    </article>,
  );
}

function Arguments({ row }: { readonly row: Row }) {
  const args = argumentsOf(row);
  return (
    <>
      <h2>Arguments</h2>
      {args.length === 0 ? (
        <p>It takes none.</p>
      ) : (
        <div class="scroll">
          <table class="arguments">
            <caption>In the order of a body split at |</caption>
            <thead>
              <tr>
                <th scope="col">Place</th>
                <th scope="col">Name</th>
                <th scope="col">Type</th>
                <th scope="col">What it is</th>
              </tr>
            </thead>
            <tbody>
              {args.map(({ place, name, type, required, about }) => (
                <tr key={name}>
                  <td>{place}</td>
                  <td>
                    <code>{name}</code>
                  </td>
                  <td>{type}</td>
                  <td>
                    {[...(required ? [] : ['optional']), about].filter((part) => part !== '').join('; ')}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

function Answers({ site, row }: { readonly site: Site; readonly row: Row }) {
  const forms = answersOf(row);
  if (row.output === undefined)
    return (
      <>
        <h2>What it answers</h2>
        <p>Its owner has not declared a result schema.</p>
      </>
    );
  return (
    <>
      <h2>What it answers</h2>
      {forms.length === 0 ? <p>The members of the result differ from call to call.</p> : null}
      {forms.map((lines, i) => (
        <AnswerForm key={i} lines={lines} caption={i === 0 ? 'Members of result' : 'Or'} />
      ))}
      <p class="section-note">
        In full: <a href={`${site.to.manifest}?schema=${row.key}`}>the JSON Schema</a>.
      </p>
    </>
  );
}

function AnswerForm({ lines, caption }: { readonly lines: readonly AnswerLine[]; readonly caption: string }) {
  return (
    <div class="scroll">
      <table class="arguments">
        <caption>{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Type</th>
            <th scope="col">What it is</th>
          </tr>
        </thead>
        <tbody>
          {lines.map(({ name, type, always, about }) => (
            <tr key={name}>
              <td>
                <code>{name}</code>
              </td>
              <td>{type}</td>
              <td>
                {[...(always ? [] : ['not always there']), about].filter((part) => part !== '').join('; ')}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Calls({ site, row }: { readonly site: Site; readonly row: Row }) {
  const dispatch = links.dispatch(site.service.base);
  const { example } = row.contract;
  const [call, whole] = addressesOf(site.service, row);
  return (
    <>
      <h2>Calling it</h2>
      <p>As a URL; replace what is in braces, URL-encoded:</p>
      <pre class="wrapped">{call}</pre>
      {whole === undefined ? null : (
        <>
          <p>With its optional arguments, of which any may be left out:</p>
          <pre class="wrapped">{whole}</pre>
        </>
      )}
      <p>The example of its contract as a request:</p>
      <pre class="wrapped">{curl(dispatch, row)}</pre>
      <ExamplePlaceholders example={example} />
      <p>As a tag in a model’s turn:</p>
      <pre class="wrapped">{`[${row.key}]${example}[/${row.key}]`}</pre>
    </>
  );
}

/**
 * A form that calls the row, a field for each argument. Rows that write need a share in an address, and are rehearsed
 * unless the reader unticks it: then nothing is written.
 */
function TryIt({ site, row }: { readonly site: Site; readonly row: Row }) {
  if (row.auth === 'owner')
    return (
      <p class="section-note">
        Only the owner calls it: from <a href={site.to.owner}>the desk</a> or with the owner key in a header.
      </p>
    );
  const args = argumentsOf(row);
  const example = exampleParts(row);
  const needsShare = !row.safe || row.auth === 'share';
  return (
    <form class="try" action={site.to.manifest} method="get" aria-labelledby="try">
      <h2 id="try">Try it</h2>
      <input type="hidden" name="invoke" value={row.key} />
      {args.map(({ name, type, required, about }, i) => (
        <Field
          key={name}
          id={`try-${name}`}
          label={name}
          hint={[about, type, ...(required ? [] : ['optional'])].filter((part) => part !== '').join('; ')}
        >
          {(wired) => (
            <input
              type="text"
              {...wired}
              name={`arg.${name}`}
              value={example[i] ?? ''}
              required={required}
              autocomplete="off"
              spellcheck={false}
            />
          )}
        </Field>
      ))}
      {needsShare ? (
        <>
          <Field
            id="try-share"
            label="Share"
            hint={
              <>
                A token that begins with <code>sh.</code>. It stands in the address that opens, so use one
                that was made for this. <a href={site.to.help}>How to get one</a>.
              </>
            }
          >
            {(wired) => (
              <input
                type="text"
                {...wired}
                name="share"
                class="exact"
                required
                autocomplete="off"
                spellcheck={false}
              />
            )}
          </Field>
          {row.safe ? null : (
            <p>
              <label class="try-rehearse">
                <input type="checkbox" name="shape" value="1" checked /> Rehearse only: show which gates pass
                and write nothing
              </label>
            </p>
          )}
        </>
      ) : null}
      <Button kind="primary">Call it</Button>
      <p class="section-note">The answer is JSON{row.safe ? '' : ', with the receipt of the call'}.</p>
    </form>
  );
}

/** The arguments of the contract’s example that stand in it as text; placeholders are left to the reader. */
function exampleParts(row: Row): readonly string[] {
  const { example } = row.contract;
  if (example.trimStart().startsWith('{')) return [];
  return example.split('|').map((part) => (/[<{]/.test(part) ? '' : part));
}

/** Placeholders of the example, and where to read their values. */
function ExamplePlaceholders({ example }: { readonly example: string }) {
  const places = findPlaceholders(example);
  if (places.length === 0) return null;
  return (
    <>
      <p>Replace first:</p>
      <ul>
        {places.map(({ place, readAt }) => (
          <li key={place}>
            <code>{place}</code>: {readAt}
          </li>
        ))}
      </ul>
    </>
  );
}

const authorityHeader = {
  share: 'authorization: Bearer <TOKEN>',
  owner: 'x-terminal-key: <OWNER_KEY>',
} as const;

function curl(dispatch: string, row: Row): string {
  const body = JSON.stringify({ key: row.key, body: row.contract.example }).replaceAll("'", String.raw`'\''`);
  const authority = row.auth === 'none' ? '' : ` \\\n  -H '${authorityHeader[row.auth]}'`;
  return `curl -X POST ${dispatch} \\\n  -H 'content-type: application/json'${authority} \\\n  -d '${body}'`;
}
