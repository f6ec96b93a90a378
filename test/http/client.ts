/** HTTP as tests need it: answers whole, whatever their status, and bytes on a bare socket where clients are too polite. */
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { expectDeclared } from '../support/declared-answers.ts';

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

export interface HttpRequest {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Bytes as they stand; an object is sent as JSON. */
  readonly body?: string | Buffer | object;
  /** Send the body without its length. */
  readonly chunked?: boolean;
}

/** One request and its answer, which must be what its operation declares. */
export async function send(base: string, request: HttpRequest): Promise<HttpAnswer> {
  const answer = await exchange(base, request);
  const method = request.method ?? (request.body === undefined ? 'GET' : 'POST');
  const type = String(answer.headers['content-type'] ?? '');
  expectDeclared(method, request.path, answer.status, type, answer.body);
  return answer;
}

function exchange(
  base: string,
  { method, path, headers = {}, body, chunked = false }: HttpRequest,
): Promise<HttpAnswer> {
  const isObject = typeof body === 'object' && !Buffer.isBuffer(body);
  const bytes = body === undefined ? undefined : Buffer.from(isObject ? JSON.stringify(body) : body);
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      {
        hostname,
        port,
        path,
        method: method ?? (bytes === undefined ? 'GET' : 'POST'),
        headers: {
          ...(isObject ? { 'content-type': 'application/json' } : {}),
          ...(bytes === undefined || chunked ? {} : { 'content-length': String(bytes.length) }),
          ...headers,
        },
      },
      (response) => {
        // The stream of the log has no end to wait for: what it begins with is its head. One of MCP ends.
        const isStream = String(response.headers['content-type']).startsWith('text/event-stream');
        if (isStream && !path.startsWith('/mcp')) {
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body: '' });
          response.destroy();
          return;
        }
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(parts).toString('utf8'),
          }),
        );
        response.on('error', reject);
      },
    );
    sent.on('error', reject);
    if (bytes === undefined) sent.end();
    else if (chunked) {
      for (let at = 0; at < bytes.length; at += 65_536) sent.write(bytes.subarray(at, at + 65_536));
      sent.end();
    } else sent.end(bytes);
  });
}

/** Writes bytes on a socket and reads one answer; for requests that no client would make. */
export function sendBytes(port: number, bytes: string | Buffer): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let received: Buffer = Buffer.alloc(0);
    const finish = (): void => {
      socket.destroy();
      const answer = parseAnswer(received);
      if (answer === undefined) reject(new Error(`no answer: ${received.toString('latin1').slice(0, 200)}`));
      else resolve(answer);
    };
    socket.setTimeout(10_000, finish);
    socket.on('data', (part: Buffer) => {
      received = Buffer.concat([received, part]);
      if (parseAnswer(received) !== undefined) finish();
    });
    socket.on('end', finish);
    socket.on('error', (error: NodeJS.ErrnoException) =>
      received.length > 0 || error.code === 'EPIPE' ? undefined : reject(error),
    );
    socket.write(bytes);
  });
}

function parseAnswer(bytes: Buffer): HttpAnswer | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
  const length = Number(headers['content-length'] ?? '0');
  const body = bytes.subarray(end + 4);
  if (body.length < length) return undefined;
  return { status: Number(first.split(' ')[1]), headers, body: body.subarray(0, length).toString('utf8') };
}

/** Entries in the log, as anybody can read it. */
export async function logSize(base: string): Promise<number> {
  const { status, body } = await send(base, { path: '/checkpoint' });
  return status === 404 ? 0 : Number(body.split('\n')[1]);
}
