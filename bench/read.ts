/**
 * Warm reads over 64 connections: the article as JSON, as a page, and as the 304 of a client that has it; beside
 * bare Fastify routes that send the very same bytes, or a bare 304.
 */
import { writeFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { inTurns, type Contender, type Measured } from './load.ts';
import { startColophon, startPeer, temporaryFolder, type Serving } from './processes.ts';
import { skipped, versus, type Row, type Settings } from './row.ts';

const jsonPath = '/api/articles/what-the-ledger-is';
const pagePath = '/a/what-the-ledger-is';

export async function run(settings: Settings): Promise<Row[]> {
  const folder = temporaryFolder();
  const servers: Serving[] = [];
  try {
    const colophon = await startColophon();
    servers.push(colophon);
    const peerOf = async (
      path: string,
    ): Promise<{ readonly etag: string; readonly peer: Serving } | undefined> => {
      const answer = await fetch(colophon.url + path, { headers: { 'accept-encoding': 'identity' } });
      if (answer.status !== 200) return undefined;
      const file = join(folder, path.replaceAll('/', '_'));
      writeFileSync(file, Buffer.from(await answer.arrayBuffer()));
      const peer = await startPeer('peer-fastify.ts', {
        PEER_BYTES: file,
        PEER_TYPE: answer.headers.get('content-type') ?? '',
      });
      servers.push(peer);
      return { etag: answer.headers.get('etag') ?? '', peer };
    };
    const json = await peerOf(jsonPath);
    const page = await peerOf(pagePath);
    if (json === undefined) throw new Error(`${jsonPath} is not answered`);
    const measured = await inTurns(
      [
        get('json', colophon, jsonPath),
        get('json bytes', json.peer, '/bytes'),
        ...(page === undefined
          ? []
          : [get('page', colophon, pagePath), get('page bytes', page.peer, '/bytes')]),
        get('unchanged', colophon, jsonPath, 304, { 'if-none-match': json.etag }),
        get('bare 304', json.peer, '/unchanged', 304, { 'if-none-match': json.etag }),
      ],
      { connections: 64, rounds: settings.quick ? 2 : 7, seconds: settings.quick ? 1.5 : 3 },
    );
    return [
      row('article JSON read, warm', measured, 'json', 'json bytes', 'Fastify, same bytes', '>= 0.75'),
      page === undefined
        ? skipped('article page, warm', `${pagePath} is not answered yet`)
        : row('article page, warm', measured, 'page', 'page bytes', 'Fastify, same bytes', '>= 0.70'),
      row('conditional read', measured, 'unchanged', 'bare 304', 'Fastify 304', '>= 0.85'),
    ];
  } finally {
    await Promise.all(servers.map((each) => each.stop()));
    rmSync(folder, { recursive: true });
  }
}

function get(
  name: string,
  server: Serving,
  path: string,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Contender {
  return { name, server, job: { method: 'GET', path, headers, body: '', status } };
}

function row(
  name: string,
  measured: readonly Measured[],
  own: string,
  peer: string,
  as: string,
  reach: string,
): Row {
  const [a, b] = [own, peer].map((each) => measured.find((one) => one.name === each)) as [Measured, Measured];
  return versus(name, a.perSecond, 'reads/s', as, b.perSecond, reach, { cpu: b.cpuUs / a.cpuUs });
}
