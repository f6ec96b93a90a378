/**
 * Reads the files of a log that may be hostile: bounded in size and time, and from no other place than its own address, as a
 * redirect is not followed.
 */
import { bytesOf, type LogFetch } from './files.ts';
import { InvalidEvidence } from './report.ts';

/** Nothing could be read, which says nothing about the log. */
export class Unreachable extends Error {
  /** Of the HTTP answer, if there was one. */
  readonly status: number | undefined;
  constructor(reason: string, status?: number) {
    super(reason);
    this.status = status;
  }
}

/** Upper bounds in bytes, by the beginning of the path; a bundle has 256 entries of 65,535 bytes behind their lengths. */
const bytesMax: readonly (readonly [string, number])[] = [
  ['tile/entries/', 256 * 65_537],
  ['tile/', 256 * 32],
  ['api/', 16 * 1024 * 1024],
  ['', 64 * 1024],
];
const answerMs = 30_000;

/** `signal` ends what is under way. Nothing is answered where the log has no such file; else it throws. */
export function monitorFetch(base: string, signal: AbortSignal): LogFetch {
  const root = base.endsWith('/') ? base : `${base}/`;
  return async (path) => {
    let response: Response;
    let bytes: Uint8Array | undefined;
    const [, max = 0] = bytesMax.find(([start]) => path.startsWith(start)) ?? [];
    try {
      response = await fetch(new URL(path, root), {
        redirect: 'manual',
        headers: { accept: path.startsWith('api/') ? 'application/json' : '*/*' },
        signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
      });
      bytes = response.status === 200 ? await bytesOf(response, max) : undefined;
      if (response.status !== 200) await response.body?.cancel();
    } catch (error) {
      throw new Unreachable(`${path}: ${reasonOf(error)}`);
    }
    const { status } = response;
    if (status === 404) return undefined;
    if (status === 0 || (status >= 300 && status < 400))
      throw new Unreachable(`${path} is redirected to ${placeOf(response)}, which is not followed`, status);
    if (status !== 200) throw new Unreachable(`${path} was answered with ${status}`, status);
    if (bytes === undefined) throw new InvalidEvidence('fetch', `${path} is larger than ${max} bytes`);
    return bytes;
  };
}

function placeOf(response: Response): string {
  return (response.headers.get('location') ?? 'another place').slice(0, 200);
}

function reasonOf(error: unknown): string {
  const { name, message, cause } = error as Error;
  if (name === 'TimeoutError') return `there was no whole answer within ${answerMs / 1000} s`;
  return cause instanceof Error && cause.message !== '' ? cause.message : message;
}
