/**
 * A credential counts in the headers of its request and nowhere else (contract §7): what stands in an address or in a
 * message is kept by logs, transcripts and models. One that is found there is refused before anything is done.
 */
import { fault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { credentialParameter } from '../http/envelope.ts';

const ownToken = /\b(?:sh\.[A-Za-z0-9_-]{20,}|[ct]k_[A-Za-z0-9_-]{8,})/;

/** `own` are arguments that a row has under such a name: CAP_EXPLAIN is asked about a token. */
export function misplacedCredential(given: JsonObject, own: readonly string[]): Fault | undefined {
  const name = Object.keys(given).find((each) => credentialParameter.test(each) && !own.includes(each));
  return name === undefined ? undefined : headersOnly(name);
}

/** What a client says about its message is for the protocol: no member of it may hold a token of ours. */
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
