/**
 * Credentials are accepted in request headers only (contract §7), because logs, transcripts and models keep URLs
 * and messages. Misplaced ones are refused before anything else.
 */
import { fault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { credentialParameter } from '../http/envelope.ts';

const ownToken = /\b(?:sh\.[A-Za-z0-9_-]{20,}|[ct]k_[A-Za-z0-9_-]{8,})/;

/** `own`: arguments of the row with such a name; CAP_EXPLAIN takes a token. */
export function misplacedCredential(given: JsonObject, own: readonly string[]): Fault | undefined {
  const name = Object.keys(given).find((each) => credentialParameter.test(each) && !own.includes(each));
  return name === undefined ? undefined : headersOnly(name);
}

/** Refuses tokens in the metadata of a message. */
export function credentialInMeta(meta: JsonObject): Fault | undefined {
  return (
    misplacedCredential(meta, []) ?? (ownToken.test(JSON.stringify(meta)) ? headersOnly('_meta') : undefined)
  );
}

export function headersOnly(name: string): Fault {
  return fault(
    'invalid_request',
    `"${name.slice(0, 60)}" is no place for a credential.`,
    'Send it as the header Authorization: Bearer <TOKEN>, or the terminal key as x-terminal-key.',
    { parameter: name.slice(0, 60) },
  );
}
