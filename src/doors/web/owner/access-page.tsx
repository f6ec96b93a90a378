/**
 * `/owner/access`: shares and API keys: presets, forms with a preview of exactly what would be permitted, the token shown
 * once, and the list of what was minted.
 */
import type { ListedCapability } from '../../../app/credentials/explain.ts';
import type { Row } from '../../../domain/capabilities/row.ts';
import type { Fault } from '../../../kernel/fault.ts';
import type { JsonObject } from '../../../kernel/json.ts';
import type { Form } from '../../http/browser-forms.ts';
import { Ago } from '../components/ago.tsx';
import { Button } from '../components/button.tsx';
import { Combobox } from '../components/combobox.tsx';
import { Disclosure } from '../components/disclosure.tsx';
import { Field } from '../components/field.tsx';
import { Id, Time } from '../parts.tsx';
import { countText } from '../format-text.ts';
import { addressOf, CallForm, type ConsoleContext, consolePage, RowLink, sections } from './console-page.tsx';
import { usualDurations } from './durations.ts';
import { memberOf, violationsOf } from './write/desk.ts';

export interface AccessView {
  readonly items: readonly ListedCapability[];
  readonly more: boolean;
  /** Rows that can be named, with what they do. */
  readonly rows: readonly Row[];
  /** A new token, shown only once. */
  readonly minted?: Minted | undefined;
  /** The form that was sent, where it was refused or only looked at. */
  readonly sent?: Form | undefined;
  /** What the sent form would permit. */
  readonly preview?: JsonObject | undefined;
  /** The preset that the form begins with. */
  readonly preset?: string | undefined;
  /** The article that the owner comes from: shares begin with it. */
  readonly article?: string | undefined;
  /** Why the sent form was refused. */
  readonly refusal?: Fault | undefined;
}

export interface Minted {
  readonly fingerprint: string;
  readonly token: string;
  readonly isKey: boolean;
  readonly drop?: string | undefined;
  readonly invokeUrl?: string | undefined;
}

type Fields = Readonly<Record<string, string>>;

const presets: Readonly<Record<string, { readonly name: string; readonly fields: Fields }>> = {
  question: {
    name: 'One question to an article',
    fields: { scope: 'row', keys: 'MIRROR_APPEND', ttl: '1 day', max_uses: '1', purpose: 'one question' },
  },
  review: {
    name: 'Review for a week',
    fields: { scope: 'reviewer', ttl: '1 week', max_uses: '0', purpose: 'to review for a week' },
  },
  edit: {
    name: 'Edit an article for a day',
    fields: { scope: 'editor', ttl: '1 day', max_uses: '0', purpose: 'to edit for a day' },
  },
  contribute: {
    name: 'Contribute to one claim',
    fields: {
      scope: 'row',
      keys: 'MIRROR_APPEND',
      ttl: '1 day',
      max_uses: '5',
      purpose: 'contributions to c1',
    },
  },
};

const plain: Fields = { scope: 'row', ttl: '10 minutes', max_uses: '1' };

const scopes = [
  ['row', 'one row'],
  ['rows', 'the rows named'],
  ['pfx', 'rows whose key begins so'],
  ['act', 'the act tier'],
  ['read', 'reads only'],
  ['reviewer', 'all that a reviewer does'],
  ['editor', 'all that an editor does'],
] as const;

export function accessPage(context: ConsoleContext, view: AccessView): string {
  const { sent, preview } = view;
  const isKey = sent?.get('row') === 'KEY_MINT';
  const isShare = sent?.get('row') === 'CAP_MINT';
  const article = view.article ?? '';
  const share: Fields = isShare
    ? Object.fromEntries(sent)
    : { ...(presets[view.preset ?? '']?.fields ?? plain), ...(article === '' ? {} : { article }) };
  // A member that is refused stands at its field; `scopes` and the purpose of a key have ids of their own.
  const errorAt = (name: string): string | undefined => {
    const found = violationsOf(view.refusal).find((each) => memberOf(each) === name);
    return found === undefined ? undefined : `${found.message} ${found.fix}`;
  };
  return consolePage(
    context,
    'access',
    <>
      {view.minted === undefined ? null : <MintedToken minted={view.minted} />}
      <section aria-labelledby="mint">
        <h2 id="mint">Mint a share</h2>
        <p class="section-note">
          A share permits what is said here for a while, and nothing else. Hand it to a person or a model;
          editors and reviewers sign in to this desk with theirs.
        </p>
        <p class="buttons">
          {Object.entries(presets).map(([id, { name }]) => (
            <Button key={id} href={`${presetAddress(context, id, share['article'] ?? '')}#mint`}>
              {share['article'] ? name.replace('an article', 'this article') : name}
            </Button>
          ))}
        </p>
        {isShare && preview !== undefined ? <Preview context={context} preview={preview} /> : null}
        <CallForm context={context} row="CAP_MINT" section="access" name="Mint a share">
          <div class="fields">
            <Select id="scope" label="What it may do" value={share['scope']} options={scopes} />
            <Combobox
              id="keys"
              name="keys"
              label="Row keys"
              hint="For one row, rows named and beginnings; several with commas."
              error={isShare ? errorAt('keys') : undefined}
              value={share['keys'] ?? ''}
              suggestions={view.rows.map(({ key, contract }) => ({
                value: key,
                label: `${key}: ${contract.what.split(/[.:]/, 1)[0] ?? ''}`,
              }))}
            />
            <Text
              id="article"
              label="Only for the article"
              hint="Its slug; empty for all."
              error={isShare ? errorAt('article') : undefined}
              value={share['article']}
            />
            <Combobox
              id="ttl"
              name="ttl"
              label="For how long"
              hint="Such as 10 minutes, 1 day or 2 weeks; at most 30 days."
              error={isShare ? errorAt('ttl') : undefined}
              value={share['ttl'] ?? ''}
              suggestions={usualDurations.map((value) => ({ value }))}
            />
            <Text
              id="max_uses"
              label="Uses"
              hint="0: as many as it takes."
              error={isShare ? errorAt('max_uses') : undefined}
              value={share['max_uses']}
            />
            <Text id="actor" label="For whom" hint="Shown to you; proves nothing." value={share['actor']} />
            <Select
              id="owner_gate"
              label="Approval"
              value={share['owner_gate']}
              options={[
                ['0', 'its writes happen at once'],
                ['1', 'each write waits for me'],
              ]}
            />
            <Select
              id="risk_ceiling"
              label="Risk"
              value={share['risk_ceiling']}
              options={[
                ['low', 'low: no row that is hard to undo'],
                ['high', 'high as well'],
              ]}
            />
          </div>
          <Text id="purpose" label="Purpose" value={share['purpose']} />
          <p class="buttons">
            <Button name="shape" value="1">
              Preview
            </Button>
            <Button name="shape" value="0" kind="primary">
              Mint the share
            </Button>
          </p>
        </CallForm>
      </section>
      <section aria-labelledby="mint-key">
        <h2 id="mint-key">Mint an API key</h2>
        {isKey && preview !== undefined ? <Preview context={context} preview={preview} /> : null}
        <Disclosure summary="For a program that writes for longer than a share lives" open={isKey}>
          <CallForm context={context} row="KEY_MINT" section="access" name="Mint an API key">
            <div class="fields">
              <Text
                id="scopes"
                label="Scopes"
                hint="read, act, rows:A,B or pfx:A_, each with @slug for one article; separated by spaces."
                error={isKey ? errorAt('scopes') : undefined}
                value={isKey ? sent.get('scopes') : undefined}
                required
              />
              <Text
                id="key-ttl"
                name="ttl"
                label="Ends after"
                hint="Such as 1 day; empty for no end."
                error={isKey ? errorAt('ttl') : undefined}
                value={isKey ? sent.get('ttl') : undefined}
              />
              <Text
                id="key-purpose"
                name="purpose"
                label="What it is for"
                value={isKey ? sent.get('purpose') : undefined}
              />
            </div>
            <p class="buttons">
              <Button name="shape" value="1">
                Preview
              </Button>
              <Button name="shape" value="0">
                Mint the key
              </Button>
            </p>
          </CallForm>
        </Disclosure>
      </section>
      <section aria-labelledby="listed">
        <h2 id="listed">Minted{view.more ? ` (the first ${view.items.length})` : ''}</h2>
        {view.items.length === 0 ? (
          <p>
            No share and no key yet. Each that you mint is listed here, with what it did, until it is revoked.
          </p>
        ) : (
          <Listed context={context} items={view.items} />
        )}
      </section>
    </>,
    view.minted === undefined ? ['access'] : ['access', 'copy'],
  );
}

function presetAddress(context: ConsoleContext, preset: string, article: string): string {
  const address = addressOf(context, sections.access.path);
  const query = new URLSearchParams({ preset, ...(article === '' ? {} : { article }) });
  return `${address}${address.includes('?') ? '&' : '?'}${query}`;
}

type TextProps = Readonly<{
  id: string;
  label: string;
  name?: string;
  hint?: string;
  error?: string | undefined;
  value?: string | undefined;
  required?: boolean;
}>;

function Text({ id, label, name = id, hint, error, value = '', required = false }: TextProps) {
  return (
    <Field id={id} label={label} hint={hint} error={error}>
      {(wired) => (
        <input type="text" autocomplete="off" name={name} value={value} required={required} {...wired} />
      )}
    </Field>
  );
}

type SelectProps = Readonly<{
  id: string;
  label: string;
  value?: string | undefined;
  options: readonly (readonly [value: string, text: string])[];
}>;

function Select({ id, label, value, options }: SelectProps) {
  return (
    <Field id={id} label={label}>
      {(wired) => (
        <select name={id} {...wired}>
          {options.map(([option, text]) => (
            <option key={option} value={option} selected={option === value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** Exactly what would be permitted: the rows, the article, the end, the uses. */
function Preview({ context, preview }: Readonly<{ context: ConsoleContext; preview: JsonObject }>) {
  const verbs = preview['verbs'] as readonly string[];
  const { article, expires_at: end, max_uses: uses, owner_gate: gated } = preview;
  return (
    <section class="toast toast-note" aria-labelledby="preview" role="status">
      <h3 id="preview">
        It would permit {verbs.length === 0 ? 'nothing' : countText(verbs.length, 'row')}
        {typeof article === 'string' ? `, for ${article} only` : ''}
      </h3>
      <p>
        {typeof end === 'string' ? (
          <>
            Until <Time iso={end} />
          </>
        ) : (
          'Without an end'
        )}
        , {uses === 0 ? 'any number of uses' : countText(Number(uses), 'use')}
        {gated === true ? '; each write waits for your approval' : ''}. Nothing was minted.
      </p>
      <ul class="access-verbs">
        {verbs.map((key) => (
          <li key={key}>
            <RowLink context={context} row={key} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function MintedToken({ minted }: { readonly minted: Minted }) {
  return (
    <section class="console-notice" aria-labelledby="fresh">
      <h2 id="fresh">
        {minted.isKey ? 'The API key' : 'The share'} <Id>{minted.fingerprint}</Id>
      </h2>
      <p>It is shown here once. Only its fingerprint is kept.</p>
      <Copyable label={minted.isKey ? 'Key' : 'Token'} text={minted.token} rows={2} />
      {minted.drop === undefined ? null : (
        <Copyable label="Drop, for handing to a model" text={minted.drop} rows={14} />
      )}
      {minted.invokeUrl === undefined ? null : (
        <Copyable label="Ready address" text={minted.invokeUrl} rows={3} />
      )}
    </section>
  );
}

function Copyable({ label, text, rows }: Readonly<{ label: string; text: string; rows: number }>) {
  const id = `fresh-${label.split(/\W/, 1)[0]?.toLowerCase()}`;
  return (
    <p class="field copyable">
      <label for={id}>{label}</label>
      <textarea id={id} readOnly rows={rows} spellcheck={false}>
        {text}
      </textarea>
    </p>
  );
}

function Listed({
  context,
  items,
}: Readonly<{ context: ConsoleContext; items: readonly ListedCapability[] }>) {
  return (
    <div class="scroll">
      <table class="access-list">
        <thead>
          <tr>
            {['Share or key', 'May', 'State', 'Uses left', 'Ends', ''].map((name) => (
              <th key={name} scope="col">
                {name === '' ? <span class="visually-hidden">Revoke</span> : name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={item.fingerprint}>
              <th scope="row" dir="auto">
                {[item.purpose, item.actor].filter((text) => text !== null && text !== '').join(', for ') ||
                  (item.isKey ? 'API key' : 'Share')}
                <br />
                <a href={context.site.to.capability(item.fingerprint)}>
                  what it did <Id>{item.fingerprint}</Id>
                </a>
                {item.uses === null ? null : `, used ${countText(item.uses, 'time')}`}
              </th>
              <td data-label="May">
                <code>{item.scopes}</code>
              </td>
              <td data-label="State">{item.state.replaceAll('_', ' ')}</td>
              <td data-label="Uses left">{item.usesLeft ?? 'any'}</td>
              <td data-label="Ends">{item.expiresAt === null ? 'never' : <Ago iso={item.expiresAt} />}</td>
              <td>
                {item.state !== 'valid' && item.state !== 'exhausted' ? null : (
                  <CallForm
                    context={context}
                    row={item.isKey ? 'KEY_REVOKE' : 'CAP_REVOKE'}
                    section="access"
                    name={`Revoke ${item.fingerprint}`}
                  >
                    <input type="hidden" name="fingerprint" value={item.fingerprint} />
                    <Button kind="danger" aria-label={`Revoke ${item.fingerprint}`}>
                      Revoke
                    </Button>
                  </CallForm>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
