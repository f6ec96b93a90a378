/**
 * The request of an http row (contract §3): adds secrets to its headers after recording, and removes them from the
 * response. Redirects are not followed, so secrets go only to the host that the owner named.
 */
import type { Result } from '../../domain/context.ts';
import { secretsOf } from '../../domain/directory/definition.ts';
import type {
  CallHttp,
  Fetch,
  Fetched,
  HttpCall,
  HttpLacks,
  JudgeUrl,
} from '../../domain/outside/outside.ts';
import { redactDisguised } from '../../guard/disguised-secret.ts';
import { redactionMarker } from '../../guard/secrets.ts';
import { type Fault, fault, isFault } from '../../kernel/fault.ts';
import { type JsonObject, type JsonValue, parseJson } from '../../kernel/json.ts';
import { plainText } from '../../represent/page-text.ts';
import { decodeText, textTypes } from './fetch-body.ts';
import type { RowSecrets } from '../service.ts';

const answerBytesMax = 256 * 1024;
const excerptCharsMax = 500;

export function callHttpWith(fetch: Fetch, secrets: RowSecrets): CallHttp {
  return async ({ tenant, key, method, url, headers, body, timeoutMs, signal }) => {
    const values = await secretsFor(secrets, { tenant, key, headers });
    if (isFault(values)) return values;
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
    const sent = [...values.values()];
    if (isFault(fetched)) return refusalOf(fetched, sent);
    return answerOf(key, fetched, sent);
  };
}

/** Missing configuration, refused before the call is charged. */
export function httpLacksWith(judgeUrl: JudgeUrl, secrets: RowSecrets): HttpLacks {
  return async (call) => {
    const values = await secretsFor(secrets, call);
    return isFault(values) ? values : judgeUrl(call.url);
  };
}

async function secretsFor(
  secrets: RowSecrets,
  { tenant, key, headers }: Pick<HttpCall, 'tenant' | 'key' | 'headers'>,
): Promise<ReadonlyMap<string, string> | Fault> {
  const values = new Map<string, string>();
  for (const name of secretsOf(headers)) {
    const value = await secrets.read(tenant, key, name);
    if (value === undefined) return noSecret(key, name);
    values.set(name, value);
  }
  return values;
}

/** A refusal may quote the host. */
function refusalOf(refused: Fault, sent: readonly string[]): Fault {
  const { message, details = {} } = refused;
  return { ...refused, ...redactDisguised({ message, details }, sent) };
}

function filled(headers: Readonly<Record<string, string>>, values: ReadonlyMap<string, string>) {
  return Object.fromEntries(
    Object.entries(headers).map(([header, value]) => [
      header,
      value.replace(/\{secret:([^}]*)\}/g, (_all, name: string) => values.get(name) ?? ''),
    ]),
  );
}

/** A secret too short for all encodings is searched for as sent. */
function withoutValues(text: string, sent: readonly string[]): string {
  return sent.reduce((rest, value) => rest.replaceAll(value, redactionMarker), text);
}

function answerOf(key: string, fetched: Fetched, sent: readonly string[]): Result | Fault {
  const raw = withoutValues(decodeText(fetched), sent);
  const { text } = plainText(raw, answerBytesMax);
  if (fetched.status >= 300) {
    return fault(
      'runner_failed',
      `${key} was answered with ${fetched.status}.`,
      'Read the answer, correct the body and repair the invocation.',
      { status: fetched.status, body: redactDisguised(text, sent).slice(0, excerptCharsMax).toWellFormed() },
    );
  }
  const parsed = fetched.type.includes('json') ? parseJson(raw) : undefined;
  const response: JsonObject = {
    untrusted: true,
    status: fetched.status,
    content_type: redactDisguised(withoutValues(fetched.type, sent), sent).slice(0, 200),
    body: parsed === undefined || isFault(parsed) ? text : parsed.value,
  };
  const result = redactDisguised(response, sent);
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
