/**
 * POST /api/dispatch of store-only rows: durable, every gate, a receipt and a proof in the answer, over 64
 * connections on SQLite. Beside it the official MCP server package answering a tool that does nothing with
 * nothing recorded, a bare Fastify route that echoes a JSON body of the same size, and, to tell how much of the way
 * between is durability, one that makes two durable inserts and nothing else.
 */
import { inTurns, type Contender, type Measured } from './load.ts';
import { startColophon, startPeer } from './processes.ts';
import { alone, versus, type Row, type Settings } from './row.ts';

const json = { 'content-type': 'application/json' };
const appended =
  'what-the-ledger-is|c1|question|ada|Which entries does the checkpoint of today cover, and who has signed the one before it? Asked as {n}.';
const listed = 'claims-and-tiers|20';

export async function run(settings: Settings): Promise<Row[]> {
  const [colophon, mcp, fastify, durable] = [
    await startColophon(),
    await startPeer('peer-mcp.ts'),
    await startPeer('peer-fastify.ts'),
    await startPeer('peer-inserts.ts'),
  ];
  try {
    for (const text of ['one', 'two', 'three']) {
      await colophon.owner('/api/dispatch', {
        key: 'MIRROR_APPEND',
        body: `claims-and-tiers|c1|question|ada|Which tier is ${text}?`,
      });
    }
    const minted = await colophon.owner('/api/dispatch', {
      key: 'CAP_MINT',
      body: { scope: 'act', ttl: 86_400, max_uses: 0, purpose: 'bench' },
    });
    const share = String(minted['share']);
    const dispatch = (name: string, body: unknown): Contender => ({
      name,
      server: colophon,
      job: { method: 'POST', path: '/api/dispatch', headers: json, body: JSON.stringify(body), status: 200 },
    });
    const sent: Omit<Contender['job'], 'path'> = {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ key: 'MIRROR_APPEND', body: appended }),
      status: 200,
    };
    const [append, appendShare, feed, feedShare, noop, echo, inserts] = await inTurns(
      [
        dispatch('append', { key: 'MIRROR_APPEND', body: appended }),
        dispatch('append, share', { key: 'MIRROR_APPEND', body: appended, share }),
        dispatch('feed', { key: 'MIRROR_FEED', body: listed }),
        dispatch('feed, share', { key: 'MIRROR_FEED', body: listed, share }),
        { name: 'mcp', server: mcp, job: noopCall },
        { name: 'echo', server: fastify, job: { ...sent, path: '/echo' } },
        { name: 'inserts', server: durable, job: { ...sent, path: '/inserted' } },
      ],
      { connections: 64, rounds: settings.quick ? 2 : 7, seconds: settings.quick ? 1.5 : 3 },
    );
    return [
      ...rowsOf('MIRROR_APPEND, no credential', append, noop, echo),
      ...rowsOf('MIRROR_APPEND, unlimited share', appendShare, noop, echo),
      ...rowsOf('MIRROR_FEED, no credential', feed, noop, echo),
      ...rowsOf('MIRROR_FEED, unlimited share', feedShare, noop, echo),
      ...besideInserts(append, inserts, echo),
    ];
  } finally {
    await Promise.all([colophon, mcp, fastify, durable].map((each) => each.stop()));
  }
}

/** What a client of the current protocol revision sends. */
const noopCall: Contender['job'] = {
  method: 'POST',
  path: '/mcp',
  headers: {
    ...json,
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'noop',
  },
  body: JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: {
      name: 'noop',
      arguments: {},
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1.0.0' },
        'io.modelcontextprotocol/clientCapabilities': {},
      },
    },
  }),
  status: 200,
};

function rowsOf(
  name: string,
  own: Measured | undefined,
  noop: Measured | undefined,
  echo: Measured | undefined,
): Row[] {
  if (own === undefined || noop === undefined || echo === undefined)
    throw new Error('a contender was not measured');
  return [
    versus(`dispatch ${name}`, own.perSecond, 'calls/s', 'MCP no-op tool', noop.perSecond, '>= 0.9', {
      cpu: noop.cpuUs / own.cpuUs,
    }),
    versus(`dispatch ${name}`, own.perSecond, 'calls/s', 'Fastify echo', echo.perSecond, '', {
      cpu: echo.cpuUs / own.cpuUs,
    }),
    alone(`dispatch ${name}, p99`, own.p99, 'ms', '<= 25'),
  ];
}

/** A bare route that writes durably, and MIRROR_APPEND beside it. */
function besideInserts(
  own: Measured | undefined,
  inserts: Measured | undefined,
  echo: Measured | undefined,
): Row[] {
  if (own === undefined || inserts === undefined || echo === undefined)
    throw new Error('a contender was not measured');
  const name = 'Fastify with two durable inserts';
  return [
    versus(name, inserts.perSecond, 'calls/s', 'Fastify echo', echo.perSecond, '', {
      cpu: echo.cpuUs / inserts.cpuUs,
    }),
    versus('dispatch MIRROR_APPEND', own.perSecond, 'calls/s', name, inserts.perSecond, '>= 0.37', {
      cpu: inserts.cpuUs / own.cpuUs,
    }),
  ];
}
