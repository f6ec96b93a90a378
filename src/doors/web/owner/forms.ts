/**
 * The console's forms (contract §8): what a browser sends is read strictly, and becomes the body of a row that is
 * dispatched like any other call. A form can do nothing that a call could not.
 */
import type { FastifyBodyParser, FastifyInstance } from 'fastify';
import { fault, type Fault } from '../../../kernel/fault.ts';
import { badText, type JsonObject, type JsonValue } from '../../../kernel/json.ts';

export type Form = ReadonlyMap<string, string>;

const bytesMax = 256 * 1024;

/** Forms are read below `app` only. */
export function readForms(app: FastifyInstance): void {
  const parse: FastifyBodyParser<string> = (_request, text, done) => {
    const form = new Map<string, string>();
    for (const [name, value] of new URLSearchParams(text)) {
      const bad = badText(name + value);
      const problem = form.has(name)
        ? fault('invalid_request', 'A field is sent twice.', 'Send the form as the page has it.')
        : bad === undefined
          ? undefined
          : fault('invalid_request', `A field cannot be read: ${bad}.`, 'Send well-formed text without NUL.');
      if (problem !== undefined) {
        done(Object.assign(new Error(problem.message), { problem }), undefined);
        return;
      }
      form.set(name, value.replaceAll('\r\n', '\n'));
    }
    done(null, form);
  };
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: bytesMax },
    parse,
  );
}

type Reader = (value: string) => JsonValue;

const asText: Reader = (value) => value;
const asNumber: Reader = (value) => (/^\d{1,15}$/.test(value) ? Number(value) : value);
const asFlag: Reader = (value) => value === '1';
const asList: Reader = (value) => value.split(/[\s,]+/).filter((item) => item !== '');

/** The rows that the console calls, and how their fields are read. */
const callable: Readonly<Record<string, Readonly<Record<string, Reader>>>> = {
  OIP_APPROVE: { id: asText, decision: asText, note: asText },
  MIRROR_RESOLVE: { slug: asText, contribution_id: asText, decision: asText, note: asText },
  VOXEL_RATIFY: { vote_id: asText, decision: asText },
  CAP_MINT: {
    scope: asText,
    keys: asList,
    article: asText,
    ttl: asNumber,
    max_uses: asNumber,
    purpose: asText,
    actor: asText,
    risk_ceiling: asText,
    owner_gate: asFlag,
  },
  CAP_REVOKE: { fingerprint: asText },
  KEY_MINT: { scopes: asText, purpose: asText, ttl: asNumber, actor: asText },
  KEY_REVOKE: { fingerprint: asText },
  SECRET_SCRUB: { slug: asText, secret: asText },
};

export interface FormCall {
  readonly key: string;
  readonly body: string;
}

/** The call that a form makes. Fields that were left empty are left out. */
export function callOf(form: Form): FormCall | Fault {
  const key = form.get('row') ?? '';
  const fields = Object.hasOwn(callable, key) ? callable[key] : undefined;
  if (fields === undefined)
    return fault('invalid_request', 'The console has no such form.', 'Use the forms as they stand.');
  const args: Record<string, JsonValue> = {};
  for (const [name, read] of Object.entries(fields)) {
    const value = form.get(name)?.trim() ?? '';
    if (value !== '') args[name] = read(value);
  }
  return { key, body: JSON.stringify(args satisfies JsonObject) };
}
