/**
 * The load: a closed loop of keep-alive connections, each sending its next request when the last was answered,
 * in a process of its own. Written on bare sockets because the generator shares two cores with what it measures:
 * at 20 µs a request it stays below a bare Fastify route's cost, where autocannon's 45 µs would have been the
 * limit that is measured. Reads its job as JSON from the command line and prints a `Report` as JSON.
 */
import { connect } from 'node:net';

export interface Job {
  readonly port: number;
  /** Ports of further nodes; connections are divided among all. */
  readonly ports?: readonly number[];
  readonly connections: number;
  readonly seconds: number;
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** `{n}` becomes a number that no other request has, always of the same length. */
  readonly body: string;
  /** Sent in turns by every connection in place of `body`. */
  readonly bodies?: readonly string[];
  /** Any other status ends the run with an error. */
  readonly status: number;
}

export interface Report {
  readonly calls: number;
  readonly seconds: number;
  /** Milliseconds. */
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly bytesIn: number;
  /** CPU microseconds that the generator spent on one request. */
  readonly ownCpuUs: number;
}

const lastChunk = Buffer.from('0\r\n\r\n');
const numberLength = 15;
const bucketsPerMs = 50;
const buckets = new Uint32Array(20_000 * bucketsPerMs);

function run(job: Job): void {
  const lines = Object.entries(job.headers)
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  const parts = (job.bodies ?? [job.body]).map((body) => {
    const [before = '', after] = body.split('{n}');
    const length =
      Buffer.byteLength(before) + (after === undefined ? 0 : numberLength + Buffer.byteLength(after));
    const head = `${job.method} ${job.path} HTTP/1.1\r\nhost: 127.0.0.1:${job.port}\r\n${lines}${job.method === 'POST' ? `content-length: ${length}\r\n` : ''}\r\n`;
    return { head: head + before, after };
  });
  const ports = [job.port, ...(job.ports ?? [])];
  let next = Date.now() * 100;
  const message = (turn: number): string => {
    const { head, after } = parts[turn % parts.length] as (typeof parts)[number];
    return after === undefined ? head : head + String(next++).padStart(numberLength, '0') + after;
  };
  const expected = `HTTP/1.1 ${job.status} `;
  const cpu = process.cpuUsage();
  const start = performance.now();
  const end = start + job.seconds * 1000;
  let calls = 0;
  let bytesIn = 0;
  let max = 0;
  let open = job.connections;
  for (let i = 0; i < job.connections; i++) {
    const socket = connect(ports[i % ports.length] as number, '127.0.0.1');
    let turn = i;
    socket.setNoDelay(true);
    let sent = 0;
    /** Bytes of the answer still to come; -1 while its head is, infinite where it comes in chunks. */
    let missing = -1;
    let held: Buffer | undefined;
    const send = (): void => {
      sent = performance.now();
      if (sent < end) {
        socket.write(message(turn++));
        return;
      }
      socket.destroy();
      if (--open === 0) finish();
    };
    socket.on('connect', send);
    socket.on('error', (error) => fail(error.message));
    socket.on('data', (chunk: Buffer) => {
      bytesIn += chunk.length;
      let bytes = chunk;
      if (missing < 0) {
        if (held !== undefined) bytes = Buffer.concat([held, chunk]);
        const blank = bytes.indexOf('\r\n\r\n');
        held = blank < 0 ? bytes : undefined;
        if (blank < 0) return;
        const answer = bytes.toString('latin1', 0, blank + 2);
        if (!answer.startsWith(expected))
          fail(
            `${job.path} answered ${answer.slice(0, 12)}: ${bytes.toString('utf8', blank + 4).slice(0, 400)}`,
          );
        missing = lengthIn(answer) - (bytes.length - blank - 4);
      } else missing -= bytes.length;
      if (missing === Infinity ? !bytes.subarray(-lastChunk.length).equals(lastChunk) : missing > 0) return;
      missing = -1;
      const took = performance.now() - sent;
      calls++;
      if (took > max) max = took;
      const bucket = Math.min(buckets.length - 1, Math.floor(took * bucketsPerMs));
      buckets[bucket] = (buckets[bucket] as number) + 1;
      send();
    });
  }
  const finish = (): void => {
    const { user, system } = process.cpuUsage(cpu);
    const report: Report = {
      calls,
      seconds: (performance.now() - start) / 1000,
      p50: percentile(calls, 0.5),
      p99: percentile(calls, 0.99),
      max,
      bytesIn,
      ownCpuUs: (user + system) / calls,
    };
    console.log(JSON.stringify(report));
  };
}

function lengthIn(head: string): number {
  const at = /\r\ncontent-length: *(\d+)/i.exec(head);
  if (at !== null) return Number(at[1]);
  if (/^HTTP\/1\.1 (?:204|304) /.test(head)) return 0;
  return Infinity;
}

function percentile(calls: number, share: number): number {
  let left = calls * share;
  for (let i = 0; i < buckets.length; i++) {
    left -= buckets[i] as number;
    if (left <= 0) return (i + 1) / bucketsPerMs;
  }
  return NaN;
}

function fail(reason: string): never {
  console.error(reason);
  process.exit(1);
}

run(JSON.parse(process.argv[2] as string) as Job);
