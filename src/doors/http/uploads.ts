/**
 * Forms with files (contract §8): `multipart/form-data`, read whole into memory within the route's limit. Only routes
 * that declare `isUpload` read it, and only a signed-in session may send more than any other request.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { fault } from '../../kernel/fault.ts';
import { textProblem } from '../../kernel/json.ts';
import type { Form } from './browser-forms.ts';

export interface UploadedFile {
  /** As the sender's system calls it. */
  readonly name: string;
  readonly bytes: Uint8Array;
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A form with files, which a session may send up to the route's `bodyLimit`. */
    readonly isUpload?: boolean;
  }
}

/** Bytes of an archive, image or set of files that a browser sends. */
export const uploadBytesMax = 24 * 1024 * 1024;
const partsMax = 2_000;

class UploadForm extends Map<string, string> {
  readonly files = new Map<string, UploadedFile[]>();
}

/** The files of a field; none where nothing was chosen. */
export function filesOf(form: Form, field: string): readonly UploadedFile[] {
  return form instanceof UploadForm ? (form.files.get(field) ?? []) : [];
}

export function readUploads(scope: FastifyInstance): void {
  scope.addContentTypeParser(
    'multipart/form-data',
    { parseAs: 'buffer' },
    async (request: FastifyRequest, body: Buffer) => parseUpload(request.headers['content-type'] ?? '', body),
  );
}

async function parseUpload(type: string, body: Buffer): Promise<UploadForm> {
  const parts = await new Response(new Uint8Array(body), { headers: { 'content-type': type } })
    .formData()
    .catch(() => undefined);
  if (parts === undefined) throw unreadable('The form cannot be read.');
  const form = new UploadForm();
  let count = 0;
  for (const [name, value] of parts) {
    if (++count > partsMax) throw unreadable(`The form has more than ${partsMax} fields.`);
    if (typeof value === 'string') {
      if (form.has(name)) throw unreadable('A field is sent twice.');
      if (textProblem(name + value) !== undefined) throw unreadable('A field is no well-formed text.');
      form.set(name, value.replaceAll('\r\n', '\n'));
    } else if (value.name !== '' || value.size > 0) {
      const file = { name: value.name.slice(0, 500), bytes: new Uint8Array(await value.arrayBuffer()) };
      form.files.set(name, [...(form.files.get(name) ?? []), file]);
    }
  }
  return form;
}

function unreadable(message: string): Error {
  const problem = fault('invalid_request', message, 'Send the form as the page has it.');
  return Object.assign(new Error(message), { problem });
}
