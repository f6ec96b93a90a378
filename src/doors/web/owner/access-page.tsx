/** `/owner/access`: all shares and keys, and forms to mint and revoke them. */
import type { ListedCapability } from '../../../app/credentials/explain.ts';
import { Id, Time } from '../parts.tsx';
import { countText } from '../format-text.ts';
import { CallForm, Choice, type ConsoleContext, consolePage, Field } from './console-page.tsx';

export interface AccessView {
  readonly items: readonly ListedCapability[];
  readonly more: boolean;
  /** A new token, shown only once. */
  readonly minted?: Minted | undefined;
}

export interface Minted {
  readonly fingerprint: string;
  readonly token: string;
  readonly isKey: boolean;
  readonly drop?: string | undefined;
  readonly invokeUrl?: string | undefined;
}

export function accessPage(context: ConsoleContext, view: AccessView): string {
  return consolePage(
    context,
    'access',
    <>
      {view.minted === undefined ? null : <MintedToken minted={view.minted} />}
      <section aria-labelledby="mint">
        <h2 id="mint">Mint a share</h2>
        <CallForm context={context} row="CAP_MINT" section="access" name="Mint a share">
          <div class="fields">
            <Choice
              name="scope"
              label="Scope"
              options={[
                ['row', 'row: one row'],
                ['rows', 'rows: the rows named'],
                ['pfx', 'pfx: keys that begin so'],
                ['act', 'act: the act tier'],
                ['read', 'read: reads only'],
              ]}
            />
            <Field name="keys" label="Row keys" hint="for row, rows and pfx" />
            <Field name="article" label="Article" hint="a slug; any when empty" />
            <Field name="ttl" label="Seconds" value="600" hint="at most 2,592,000" />
            <Field name="max_uses" label="Uses" value="1" hint="0 is unlimited" />
            <Choice
              name="risk_ceiling"
              label="Risk ceiling"
              options={[
                ['low', 'low'],
                ['high', 'high'],
              ]}
            />
            <Choice
              name="owner_gate"
              label="Owner gate"
              options={[
                ['0', 'no'],
                ['1', 'each write waits for me'],
              ]}
            />
            <Field name="actor" label="For whom" hint="display only" />
          </div>
          <Field name="purpose" label="Purpose" />
          <button type="submit">Mint the share</button>
        </CallForm>
      </section>
      <section aria-labelledby="mint-key">
        <h2 id="mint-key">Mint an API key</h2>
        <CallForm context={context} row="KEY_MINT" section="access" name="Mint an API key">
          <div class="fields">
            <Field
              name="scopes"
              label="Scopes"
              hint="read, act, rows:A,B or pfx:A_, each with @slug"
              required
            />
            <Field name="ttl" label="Seconds until it ends" hint="no end when empty" />
            <Field name="purpose" label="What it is for" />
          </div>
          <button type="submit">Mint the key</button>
        </CallForm>
      </section>
      <section aria-labelledby="listed">
        <h2 id="listed">Minted{view.more ? ` (the first ${view.items.length})` : ''}</h2>
        {view.items.length === 0 ? <p>None yet.</p> : <Listed context={context} items={view.items} />}
      </section>
    </>,
    view.minted === undefined ? [] : ['copy'],
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
  const id = `fresh-${label.slice(0, 5).toLowerCase().trimEnd()}`;
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
    <ul class="queue">
      {items.map((item) => (
        <li key={item.fingerprint}>
          <p class="queue-head">
            <a href={context.site.to.capability(item.fingerprint)}>
              <Id>{item.fingerprint}</Id>
            </a>{' '}
            {item.isKey ? 'key' : 'share'}, <strong>{item.state.replaceAll('_', ' ')}</strong>,{' '}
            <code>{item.scopes}</code>
          </p>
          <p class="hint" dir="auto">
            {[item.purpose, item.actor].filter((text) => text !== null && text !== '').join(', for ')}
          </p>
          <p class="hint">
            Minted <Time iso={item.mintedAt} />
            {item.expiresAt === null ? (
              ', without an end'
            ) : (
              <>
                , until <Time iso={item.expiresAt} />
              </>
            )}
            {item.isKey
              ? ''
              : item.usesLeft === null
                ? ', uses unlimited'
                : `, ${countText(item.usesLeft, 'use')} left`}
          </p>
          {item.state !== 'valid' && item.state !== 'exhausted' ? null : (
            <CallForm
              context={context}
              row={item.isKey ? 'KEY_REVOKE' : 'CAP_REVOKE'}
              section="access"
              name={`Revoke ${item.fingerprint}`}
            >
              <input type="hidden" name="fingerprint" value={item.fingerprint} />
              <button type="submit">Revoke</button>
            </CallForm>
          )}
        </li>
      ))}
    </ul>
  );
}
