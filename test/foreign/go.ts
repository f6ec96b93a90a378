/**
 * The Go program beside this file (`go/main.go`), which stands for notes, logs and witnesses that nobody here wrote: the
 * packages of the Go checksum database, as Debian has them (golang-go, golang-golang-x-mod-dev). Built without a network.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const sources = '/usr/share/gocode';

export const hasGo =
  spawnSync('go', ['version']).status === 0 && existsSync(join(sources, 'src/golang.org/x/mod/sumdb/tlog'));
if (!hasGo)
  console.warn(
    'There is no go or no golang-golang-x-mod-dev here; nothing is compared with the packages of Go.',
  );

/** One request of `go/main.go`. */
export type GoRequest = Readonly<Record<string, unknown>> & { readonly do: string };

export interface GoAnswer {
  readonly error?: string;
  readonly text?: string;
  readonly note?: string;
  readonly key?: string;
  /** `name+id` of every verified signature, and its time (0 for a plain one). */
  readonly signed?: readonly { readonly key: string; readonly time: number }[];
  readonly unverified?: number;
  readonly size?: number;
  readonly root?: string;
  readonly leaves?: readonly string[];
  readonly inclusion?: readonly (readonly string[])[];
  readonly trees?: readonly {
    readonly size: number;
    readonly root: string;
    readonly proof: readonly string[];
  }[];
  readonly steps?: readonly {
    readonly size: number;
    readonly status: number;
    readonly type: string;
    readonly body: string;
    readonly signed: readonly { readonly key: string; readonly time: number }[] | null;
  }[];
}

export class GoProgram {
  readonly folder = mkdtempSync(join(tmpdir(), 'colophon-go-'));
  readonly #program = join(this.folder, 'foreign');

  constructor() {
    const built = spawnSync('go', ['build', '-o', this.#program, 'main.go'], {
      cwd: join(import.meta.dirname, 'go'),
      encoding: 'utf8',
      env: {
        PATH: process.env['PATH'],
        GO111MODULE: 'off',
        GOPATH: sources,
        GOPROXY: 'off',
        GOCACHE: join(this.folder, 'cache'),
      },
    });
    if (built.status !== 0) throw new Error(`go build failed: ${built.stderr}`);
  }

  /** The answers, in the order of the requests. */
  async ask(requests: readonly GoRequest[]): Promise<GoAnswer[]> {
    const child = spawn(this.#program, { stdio: ['pipe', 'pipe', 'inherit'] });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    const ended = new Promise<void>((done, failed) => {
      child.on('error', failed);
      child.on('close', () => done());
    });
    child.stdin.end(requests.map((request) => `${JSON.stringify(request)}\n`).join(''));
    await ended;
    const answers = Buffer.concat(chunks)
      .toString('utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as GoAnswer);
    if (answers.length !== requests.length)
      throw new Error(`${requests.length} requests had ${answers.length} answers`);
    return answers;
  }

  /** The answer to one request. Throws where it is a failure. */
  async did(request: GoRequest): Promise<GoAnswer> {
    const [answer] = (await this.ask([request])) as [GoAnswer];
    if (answer.error !== undefined) throw new Error(`${request.do}: ${answer.error}`);
    return answer;
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
