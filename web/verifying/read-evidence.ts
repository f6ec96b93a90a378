/**
 * Classifies a text before it is verified: a receipt, an article, a bundle, a proof, a
 * checkpoint, evidence against a log, or nothing that can be. So that “unreadable” and “does not verify” stay apart.
 */
import { shownName, type Json, type JsonRecord, parseDocument, parseProof } from '../../verify/index.ts';

export type Evidence =
  | {
      readonly kind: 'document' | 'checkpoint' | 'proof' | 'fork';
      readonly what: string;
      readonly text: string;
    }
  | { readonly kind: 'unreadable'; readonly why: string };

export const expected =
  'Expected is a receipt or a confirmation, an article or a bundle as JSON, a checkpoint (a signed note), a proof that begins with c2sp.org/tlog-proof, or evidence that a log signed two histories.';

const proofStart = 'c2sp.org/tlog-proof@';

export function readEvidence(given: string): Evidence {
  const text = given
    .replace(/^\uFEFF/, '')
    .replace(/^\s+(?=\S)/, '')
    .replaceAll('\r\n', '\n');
  if (text.trim() === '') return unreadable('It is empty.');
  if (/[\0\uFFFD]/.test(text.slice(0, 2000)))
    return unreadable('It is not text: perhaps an image, an archive or a file in another encoding.');
  if (text.startsWith(proofStart)) return proofIn(withLineEnd(text));
  if (/^[^\n]+\n\d+\n[A-Za-z0-9+/=]+\n/.test(text)) return checkpointIn(withLineEnd(text));
  if (/^<(?:!doctype|html|\?xml|svg)/i.test(text))
    return unreadable(
      'It is a web page, which shows evidence but is none. Save the receipt or the article as JSON.',
    );
  if (!/^[[{"]/.test(text)) return unreadable('It is plain text and no document of the ledger.');
  let value: Json;
  try {
    value = parseDocument(text);
  } catch (error) {
    return unreadable(`It is not JSON that can be trusted to mean one thing: ${reasonOf(error)}.`);
  }
  return documentIn(value, text);
}

function proofIn(text: string): Evidence {
  try {
    const { index } = parseProof(text);
    return { kind: 'proof', what: `a proof that an entry is number ${counting(index)} of a log`, text };
  } catch (error) {
    return unreadable(`It begins like a proof and cannot be read on: ${reasonOf(error)}.`);
  }
}

function checkpointIn(text: string): Evidence {
  const [origin = '', size = ''] = text.split('\n');
  if (!text.includes('\n\n\u2014 '))
    return unreadable(`It begins like a checkpoint of ${origin} and bears no signature.`);
  return {
    kind: 'checkpoint',
    what: `a checkpoint of ${origin} over ${counting(Number(size))} entries`,
    text,
  };
}

function documentIn(value: Json, text: string): Evidence {
  if (!isRecord(value))
    return Array.isArray(value)
      ? { kind: 'document', what: `a list of ${counting(value.length)}`, text }
      : unreadable('It is a single JSON text or number.');
  if (value['ok'] === false && typeof value['error'] === 'string' && value['proof'] === undefined)
    return unreadable(
      `It is an error answer (${value['error']}), not evidence: ${said(value['detail']) || said(value['title'])}`,
    );
  if (value['confirmed'] === false)
    return unreadable('It says that the ledger has no such call, which proves nothing.');
  if (value['evidence'] === 1) return { kind: 'fork', what: forkOf(value['key']), text };
  return { kind: 'document', what: whatIs(value), text };
}

function forkOf(key: Json | undefined): string {
  const origin = shownName(said(key).replace(/\+.*$/s, ''));
  return origin === '' ? 'evidence against a log' : `evidence against the log ${origin}`;
}

function whatIs(value: JsonRecord): string {
  const { id, key, status, slug, title, version } = value;
  if (typeof id === 'string' && id.startsWith('inv_'))
    return `the receipt ${id}${typeof key === 'string' ? `, a call of ${key}` : ''}${typeof status === 'string' ? ` with status ${status}` : ''}`;
  if (value['bundle_version'] !== undefined || value['chains'] !== undefined)
    return `a bundle${typeof slug === 'string' ? ` of the article ${slug}` : ''}`;
  if (typeof title === 'string' && value['body'] !== undefined)
    return `the article “${title}”${typeof version === 'number' ? `, version ${version}` : ''}`;
  return typeof slug === 'string' ? `a part of the article ${slug}` : 'a document';
}

function withLineEnd(text: string): string {
  return text.endsWith('\n') ? text : `${text}\n`;
}

function counting(n: number): string {
  return n.toLocaleString('en-GB');
}

function said(value: Json | undefined): string {
  return typeof value === 'string' ? value : '';
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function isRecord(value: Json): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unreadable(why: string): Evidence {
  return { kind: 'unreadable', why };
}
