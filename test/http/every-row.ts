/**
 * Every built-in row called once with success, in an order in which each finds what it needs. Who walks says how a call
 * is made: by POST, by URL, once or twice. The article that all of it is about is `walked`.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { png } from '../support/images.ts';
import { startPeer } from '../support/peer.ts';
import { openLocal, owner, type LocalServer, type Reply } from './local.ts';

export type Visit = (key: string, body: string | object) => Promise<Reply>;

export interface WalkedServer extends LocalServer {
  /** The address of a page that WEB_FETCH may fetch. */
  readonly page: string;
}

/** A server with a page to fetch and a repository to tail. */
export async function openWalked(databaseUrl: string | undefined): Promise<WalkedServer> {
  const peer = await startPeer((_request, reply) => {
    reply
      .writeHead(200, { 'content-type': 'text/html' })
      .end(`<title>Gnomons</title><p>${'A gnomon casts a shadow. '.repeat(40)}</p>`);
  });
  const folder = mkdtempSync(join(tmpdir(), 'colophon-walk-'));
  const git = (...args: readonly string[]): void =>
    void execFileSync('git', [
      '-C',
      folder,
      '-c',
      'user.name=ada',
      '-c',
      'user.email=ada@example.org',
      ...args,
    ]);
  git('init', '-q', '-b', 'main');
  writeFileSync(join(folder, 'a.txt'), 'a\n');
  git('add', '-A');
  git('commit', '-q', '--no-gpg-sign', '-m', 'Begin');
  const server = await openLocal({
    ...(databaseUrl === undefined ? {} : { databaseUrl }),
    env: { COLOPHON_EGRESS_ALLOW: '127.0.0.1', COLOPHON_REPO: folder },
  });
  return {
    ...server,
    page: `${peer.base}/page`,
    async end() {
      await server.end();
      await peer.stop();
      rmSync(folder, { recursive: true });
    },
  };
}

const slug = 'walked';
const claim = { slug, tier: 'system', who_claims: 'RFC 6962', rationale: 'A test.' };

export async function callEveryRow(server: WalkedServer, visit: Visit): Promise<void> {
  const said = async (key: string, body: string | object): Promise<Record<string, unknown>> =>
    (await visit(key, body)).json['result'] as Record<string, unknown>;
  await articleRows(server, visit, said);
  await talkRows(server, visit, said);
  await mirrorAndQuestionRows(server, visit, said);
  await protocolRows(server, visit, said);
  await otherRows(server, visit);
}

type Said = (key: string, body: string | object) => Promise<Record<string, unknown>>;

async function part(server: LocalServer, name: string): Promise<Record<string, unknown>> {
  return (await server.send({ path: `/api/articles/${slug}${name}` })).json;
}

async function articleRows(server: WalkedServer, visit: Visit, said: Said): Promise<void> {
  const markdown = '# Walked\n\nOne.\n\nTwo.\n\nThree.\n\nFour.\n\nFive.\n';
  await visit('VOXEL_BATCH', { document: { slug, title: 'Walked', markdown } });
  await visit('VOXEL_DIVIDE', slug);
  await visit('SOURCE_POST', {
    slug,
    sources: [
      {
        type: 'review',
        url: 'https://www.rfc-editor.org/rfc/rfc6962',
        title: 'RFC 6962',
        quote: 'Merkle Hash Trees',
      },
    ],
    actor: 'ada',
  });
  const posted = await said('CLAIM_POST', {
    ...claim,
    text: 'A Merkle tree of two leaves has one inner node.',
    source_ids: ['s1'],
  });
  await visit('CLAIM_POST', {
    ...claim,
    text: 'Leaves are hashed with a zero byte in front.',
    why_material: 'x',
    slot: 'mechanism',
    tier: 'mechanistic',
    actor: 'ada',
    evidence_class: 'source_code',
    comparison: { population: 'trees', axis: 'leaves', captured_at: '2026-01-01', selection: 'all' },
  });
  await visit('CLAIM_REPAIR', {
    slug,
    claim_id: 'c1',
    text: 'A Merkle tree of two leaves has exactly one inner node.',
    rationale: 'Exact.',
    expected_hash: (posted['claim'] as { hash: string }).hash,
  });
  await visit('CLAIM_RETRACT', { slug, claim_id: 'c2', reason: 'A test.' });
  const { version } = await part(server, '');
  await visit('ARTICLE_META', { slug, expected_version: version as number, tags: ['proof'] });
  const divs = (await part(server, '/voxels'))['divs'] as { vx_hash: string }[];
  const hashes = divs.map(({ vx_hash: hash }) => hash);
  await visit('VOXEL_EDIT', `${slug}|d2|${hashes[1]}|One, edited.|ada`);
  await visit('VOXEL_MOVE', `${slug}|d3|3|down`);
  await visit('VOXEL_CONSOLIDATE', {
    slug,
    div_ids: ['d3', 'd5'],
    expected_hashes: [hashes[2], hashes[4]],
  });
  await visit('VOXEL_BURN', { slug, ids: ['d4'], reason: 'A test.' });
  const edited = '5939529bc1ae1b0001678294daa56da68905d709ac1235b9b171935254582eb6';
  await visit('VOXEL_SPLIT', `${slug}|d2|${edited}|edited.`);
  await visit('VOXEL_BATCH', {
    slug,
    operations: [
      { op: 'vote', target: 'd2', proposal: 'should_split', rationale: 'It holds two.', actor: 'ada' },
      { op: 'vote', target: 'd99', proposal: 'should_split', rationale: 'It holds two.', actor: 'ada' },
    ],
  });
  const { version: now } = await part(server, '');
  const standing = (await part(server, '/voxels'))['divs'] as { div_id: string; text: string }[];
  const blocks = standing.map(({ div_id, text }, i) => ({ div_id, text: i === 0 ? '# Rewritten' : text }));
  await visit('ARTICLE_REWRITE', { slug, expected_version: now, blocks, note: 'A test.' });
  await visit('ARTICLE_REVERT', `${slug}|${String(now)}|${Number(now) + 1}|A test.`);
  await visit('ARTICLE_IMPORT', { slug: 'copied', bundle: await part(server, '/bundle') });
}

async function talkRows(server: WalkedServer, visit: Visit, said: Said): Promise<void> {
  const head = async (): Promise<unknown> => (await part(server, '/claims'))['thread_head'];
  const [, div] = (await part(server, '/voxels'))['divs'] as { vx_hash: string }[];
  await visit('VOXEL_CHALLENGE', {
    slug,
    expected_thread_head: await head(),
    target_div: 'd2',
    expected_hash: div?.vx_hash,
    stance: 'challenge',
    body: 'It names no source.',
    actor: 'bo',
  });
  await visit(
    'VOXEL_ATTEST',
    `${slug}|nothing_to_add|${String((await part(server, ''))['content_hash'])}|ada`,
  );
  const vote = await said('VOXEL_VOTE', `${slug}|d6|should_burn|It repeats d2.|ada`);
  await visit('VOXEL_RATIFY', `${String(vote['vote_id'])}|ratified`);
  await visit('OBJECTION_LOG', `${slug}|Two is unsourced.|S2|Cite one.|ada`);
  const objected = await said('OBJECTION_LOG', `${slug}/d2|It is edited.`);
  await visit('THREAD_SETTLE', `${slug}|${(objected['entry'] as { id: string }).id}|It reads better now.`);
  await visit('OIP_ARTICLE_REVIEW', `${slug}|needs_work|Cite more.|ada`);
  await visit('MODEL_CHAT_INTAKE', `${slug}|ada|A turn.`);
  await visit(
    'THREAD_UPDATE',
    `ada|${slug}|So [OBJECTION_LOG]${slug}|Three is gone.[/OBJECTION_LOG] and [VOXEL_BURN]${slug}|d2|x[/VOXEL_BURN].`,
  );
}

async function mirrorAndQuestionRows(server: WalkedServer, visit: Visit, said: Said): Promise<void> {
  const question = await said('MIRROR_APPEND', `${slug}|c1|question|ada|How deep is it?`);
  const { id } = question['contribution'] as { id: string };
  await visit('MIRROR_FEED', `${slug}|20`);
  await visit('MIRROR_RESOLVE', `${slug}|${id}|accepted|weighed`);
  for (const name of ['masthead', 'claims', 'sources', 'voxels', 'discourse', 'health'])
    await visit('ARTICLE_INSPECT', `${slug}|${name}`);
  await visit('ARTICLE_ASK', `${slug}|How many inner nodes has a Merkle tree?`);
  const asked = await said('ARTICLE_ASK', `${slug}|Which gnomon casts a shadow?`);
  await visit('ARTICLE_INGEST', {
    slug,
    evidence: `A gnomon casts a shadow, says ${server.page}.`,
    question_node_id: (asked['question_node'] as { id: string }).id,
  });
  await visit('PROOF_CERTIFY', `${slug}|verified||colophon verify|All chains were recomputed.|ada`);
  await visit('WEBHOOK_SECRET', slug);
  await visit('PAPER_STATE', '');
  await visit('PAPER_GROW', '');
  await visit('PAPER_STATE', '');
}

async function protocolRows(server: WalkedServer, visit: Visit, said: Said): Promise<void> {
  const minted = await visit('CAP_MINT', {
    scope: 'row',
    key: 'MIRROR_APPEND',
    max_uses: 3,
    owner_gate: true,
  });
  const { share, result } = minted.json as { share: string; result: { fingerprint: string } };
  await visit('CAP_EXPLAIN', result.fingerprint);
  const waiting = await server.call('MIRROR_APPEND', `${slug}||question|ada|May this be asked?`, { share });
  await visit('OIP_APPROVE', `${idOf(waiting)}|approved|as agreed`);
  const refused = await server.call('MIRROR_APPEND', `${slug}||question|ada|And this?`, { share });
  await visit('OIP_APPROVE', `${idOf(refused)}|declined|`);
  await visit('OIP_RECEIPT', idOf(await visit('OBJECTION_LOG', `${slug}|It is short.`)));
  await visit('OIP_REPLAY', idOf(await visit('MIRROR_FEED', slug)));
  const failed = await server.call('MIRROR_FEED', 'no-such-article', {}, owner);
  await visit('OIP_REPAIR', `${idOf(failed)}|MIRROR_FEED|${slug}|20`);
  const unburned = await server.call('VOXEL_BURN', { slug, ids: ['d99'], reason: 'A test.' }, {}, owner);
  await visit('OIP_REPAIR', `${idOf(unburned)}|VOXEL_BURN|{"slug":"walked","ids":["d6"],"reason":"A test."}`);
  await visit('OIP_TREE', '');
  await visit('CAP_REVOKE', result.fingerprint);
  const key = await said('KEY_MINT', 'read act pfx:VOXEL_@walked|a script');
  await visit('CAP_EXPLAIN', String(key['fingerprint']));
  await visit('KEY_REVOKE', String(key['fingerprint']));
}

async function otherRows(server: WalkedServer, visit: Visit): Promise<void> {
  await visit('LANDSCAPE_QUEUE', {
    cohort: 'trees',
    query: 'Kinds of hash tree',
    captured_at: '2026-03-01T12:00:00Z',
    targets: [
      { name: 'Merkle tree', axis: 'leaves' },
      { name: 'Walked', slot: 'mechanism' },
    ],
  });
  for (const lane of ['field', 'build', 'opposition', 'synthesis']) {
    const leased = await visit('LANDSCAPE_NEXT', lane);
    if (lane !== 'synthesis') continue;
    await visit('LANDSCAPE_RETURN', (leased.json['result'] as { assignment_id: string }).assignment_id);
  }
  const hook = await visit('NOTIFY_PUT', { feed: true, name: 'What waits' });
  await visit('NOTIFY_TEST', (hook.json['result'] as { id: string }).id);
  const other = await visit('NOTIFY_PUT', { url: 'https://example.org/hook', events: ['vote.cast'] });
  await visit('NOTIFY_REMOVE', (other.json['result'] as { id: string }).id);
  await visit('WORKSPACE_CREATE', 'survey|The survey|Observations of the survey|open');
  await visit('WORKSPACE_SET', { name: 'survey', status: 'closed' });
  await visit('DIRECTORY_PUT', {
    key: 'WEATHER',
    type: 'http',
    url: 'https://api.example.org/v1/weather?city=$1',
    headers: { authorization: 'Bearer {secret:API_KEY}' },
    args: [{ name: 'city' }],
    what: 'Tells the weather of a city.',
    when: 'Before an outing.',
    example: 'Bern',
  });
  await visit('DIRECTORY_PATCH', { key: 'WEATHER', enabled: false });
  await visit('ROW_SECRET', 'WEATHER|API_KEY|set');
  await visit('WEB_FETCH', `GET|${server.page}||`);
  await visit('REPO_TAIL', '');
  await visit('CREATIVE_GENERATE', { engine: 'local', prompt: 'A ledger | its readers', size: '96x64' });
  await visit('IMAGE_STORE', { data: png().toString('base64'), alt: 'A pixel' });
  await visit('SECRET_SCRUB', { secret: 'gnomon casts a shadow' });
}

function idOf(reply: Reply): string {
  return (reply.json['invocation'] as { id: string }).id;
}
