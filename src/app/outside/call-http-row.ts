/**
 * The request of an http row (contract §3): secrets are put into its headers here, behind the ledger, and taken out
 * of whatever comes back. No redirect is followed, so that a secret stays with the host that the owner named.
 */
import type { Result } from '../../domain/context.ts';
import { secretsOf } from '../../domain/directory/definition.ts';
import type { Fetch, Fetched } from '../../domain/outside/fetch.ts';
import type { CallHttp } from '../../domain/outside/own-rows.ts';
import { literalSecret, unfitSecret } from '../../guard/literal-secret.ts';
import { redactionMarker } from '../../guard/secrets.ts';
import { fault, isFault, type Fault } from '../../kernel/fault.ts';
import { parseJson, type JsonObject, type JsonValue } from '../../kernel/json.ts';
import { plainText } from '../../represent/page-text.ts';
import { textOf } from './fetch-body.ts';
import { textTypes } from './fetch-text.ts';
import type { RowSecrets } from '../credentials/row-secrets.ts';

const answerBytesMax = 256 * 1024;
const excerptCharsMax = 500;

export function callHttpWith(fetch: Fetch, secrets: RowSecrets): CallHttp {
  return async ({ tenant, key, method, url, headers, body, timeoutMs, signal }) => {
    const values = new Map<string, string>();
    for (const name of secretsOf(headers)) {
      const value = await secrets.read(tenant, key, name);
      if (value === undefined) return noSecret(key, name);
      values.set(name, value);
    }
    const fetched = await fetch({
      url,
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...filled(headers, values),
      },
      ...(body === undefined ? {} : { body }),
      redirectsMax: 0,
      bytesMax: answerBytesMax,
      timeoutMs,
      types: textTypes,
      signal,
    });
    if (isFault(fetched)) return fetched;
    return answerOf(key, fetched, [...values.values()]);
  };
}

function filled(headers: Readonly<Record<string, string>>, values: ReadonlyMap<string, string>) {
  return Object.fromEntries(
    Object.entries(headers).map(([header, value]) => [
      header,
      value.replace(/\{secret:([^}]*)\}/g, (_all, name: string) => values.get(name) ?? ''),
    ]),
  );
}

/** A host that echoes what it was sent must not bring the secret into the ledger, whatever it writes it in. */
function withoutValues(text: string, values: readonly string[]): string {
  return values.reduce((rest, value) => rest.replaceAll(value, redactionMarker), text);
}

/** The same behind the escapes of JSON and of addresses, and in base64, where the secret is no word of every day. */
function withoutForms<T extends JsonValue>(told: T, values: readonly string[]): T {
  const forms = values
    .flatMap((value) => [value, Buffer.from(value).toString('base64').replace(/=+$/, '')])
    .filter((form) => unfitSecret(form) === undefined);
  return forms.reduce((rest, form) => literalSecret(form).redact(rest).value as T, told);
}

function answerOf(key: string, fetched: Fetched, secrets: readonly string[]): Result | Fault {
  const raw = withoutValues(textOf(fetched), secrets);
  const { text } = plainText(raw, answerBytesMax);
  if (fetched.status >= 300) {
    return fault(
      'runner_failed',
      `${key} was answered with ${fetched.status}.`,
      'Read the answer, correct the body and repair the invocation.',
      { status: fetched.status, body: withoutForms(text, secrets).slice(0, excerptCharsMax).toWellFormed() },
    );
  }
  const parsed = fetched.type.includes('json') ? parseJson(raw) : undefined;
  const told: JsonObject = {
    untrusted: true,
    status: fetched.status,
    content_type: fetched.type.slice(0, 200),
    body: parsed === undefined || isFault(parsed) ? text : parsed.value,
  };
  const result = withoutForms(told, secrets);
  const body = result['body'] as JsonValue;
  return { result, text: typeof body === 'string' ? body : JSON.stringify(body), material: [] };
}

function noSecret(key: string, name: string): Fault {
  return fault(
    'runner_failed',
    `${key} needs the secret ${name}, and it is not set.`,
    `The owner sets it with PUT /api/directory/${key}/secrets/${name}.`,
    { reason: 'secret_missing', secret: name },
  );
}
