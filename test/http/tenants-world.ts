/** A workspace with something of everything in it, and the names of all that, as its owner knows them. */
import { send } from './client.ts';
import { terminalKey, type Answer, type TestServer } from '../support/server.ts';

/** What a request can name. Each has an absent twin of the same shape and length. */
export interface Names {
  readonly workspace: string;
  readonly slug: string;
  readonly draft: string;
  readonly row: string;
  readonly inv: string;
  readonly fingerprint: string;
  readonly vote: string;
  readonly contribution: string;
  readonly question: string;
  readonly post: string;
  readonly cohort: string;
  readonly assignment: string;
  /** A target of notifications. */
  readonly hook: string;
}

export interface World {
  readonly names: Names;
  /** An API key for every row that a key can be for. */
  readonly key: string;
  /** A share of the owner's, without a limit of uses. */
  readonly share: string;
}

/** Nothing of it is there; everything looks as if it could be. */
export const absent: Names = {
  workspace: 'ghost',
  slug: 'ghost--notes',
  draft: 'ghost--draft',
  row: 'GHOST_WEATHER',
  inv: 'inv_aaaaaaaaaaaaaaaa',
  fingerprint: 'cap_0000000000000000',
  vote: 'vote_aaaaaaaaaaaaaaaa',
  contribution: 'mc_aaaaaaaaaaaaaaaa',
  question: 'qn_aaaaaaaaaaaaaaaa',
  post: 'dx_aaaaaaaaaaaaaaaa',
  cohort: 'ghost--ponds',
  assignment: 'norm_aaaaaaaaaaaaaaaa',
  hook: 'hook_aaaaaaaaaaaaaaaa',
};

export async function ownerPost(server: TestServer, path: string, body: object): Promise<Answer> {
  const answer = await send(server.base, {
    path,
    headers: { 'x-terminal-key': terminalKey },
    body,
  });
  if (answer.status >= 300) throw new Error(`${path} was answered with ${answer.status}: ${answer.body}`);
  return JSON.parse(answer.body) as Answer;
}

export async function ownerPut(server: TestServer, path: string, body: object): Promise<void> {
  const answer = await send(server.base, {
    method: 'PUT',
    path,
    headers: { 'x-terminal-key': terminalKey },
    body,
  });
  if (answer.status >= 300) throw new Error(`${path} was answered with ${answer.status}: ${answer.body}`);
}

/** `name` of five letters, so that the absent twin is as long; main is there already. */
export async function buildWorld(server: TestServer, name: string, status: string): Promise<World> {
  const at = `?workspace=${name}`;
  if (name !== 'main')
    await ownerPost(server, '/api/workspace', {
      name,
      title: `The ${name} survey`,
      purpose: 'A test.',
      status,
    });
  const prefix = name === 'main' ? '' : `${name}--`;
  const slug = `${prefix}notes`;
  const dispatch = (key: string, body: object, more: object = {}): Promise<Answer> =>
    ownerPost(server, '/api/dispatch', { key, body, workspace: name, ...more });
  await ownerPost(server, `/api/protocol/voxel-batch${at}`, {
    document: { slug, title: 'Notes', markdown: '# Notes\n\nAmber floats in brine.\n\nJet does not.\n' },
  });
  const draft = `${prefix}draft`;
  await ownerPost(server, `/api/protocol/voxel-batch${at}`, {
    document: { slug: draft, title: 'Draft', markdown: '# Draft\n\nUnsaid.\n', status: 'draft' },
  });
  await ownerPost(server, '/api/protocol/sources', {
    slug,
    sources: [
      {
        type: 'review',
        url: 'https://example.org/amber',
        title: 'Amber',
        quote: 'It floats.',
        summary: 'It floats.',
      },
    ],
  });
  const posted = await ownerPost(server, '/api/protocol/claim', {
    slug,
    text: 'Amber floats in saturated brine.',
    tier: 'system',
    who_claims: 'A test',
    rationale: 'A test.',
    source_ids: ['s1'],
  });
  const said = await dispatch('MIRROR_APPEND', {
    slug,
    claim_id: 'c1',
    kind: 'question',
    actor: 'bo',
    body: 'All of it?',
  });
  const voted = await dispatch('VOXEL_VOTE', {
    slug,
    target: 'c1',
    proposal: 'should_retier',
    rationale: 'It is known.',
    actor: 'bo',
  });
  const objected = await dispatch('OBJECTION_LOG', { slug, objection: 'How saturated?' });
  const asked = await ownerPost(server, `/api/protocol/ask`, {
    slug,
    question: 'Which gnomon casts a shadow?',
  });
  const row = `${name.toUpperCase()}_WEATHER`;
  await ownerPut(server, `/api/directory/${row}${at}`, {
    type: 'http',
    url: 'https://api.example.org/v1/weather?city=$1',
    args: [{ name: 'city' }],
    what: 'Tells the weather of a city.',
    when: 'Before an outing.',
    example: 'Bern',
    auth: 'none',
    risk: 'low',
  });
  const cohort = `${prefix}ponds`;
  await dispatch('LANDSCAPE_QUEUE', {
    cohort: 'ponds',
    query: 'Ponds',
    captured_at: '2026-03-01T12:00:00Z',
    targets: [{ id: 'one', name: 'One' }],
  });
  const leased = await dispatch('LANDSCAPE_NEXT', { lane: 'field', cohort: 'ponds' });
  const notified = await dispatch('NOTIFY_PUT', {
    feed: true,
    // Rare: no test of the log counts its messages.
    events: ['assignment.completed'],
  });
  const minted = await dispatch('KEY_MINT', {
    scopes:
      'read act pfx:VOXEL_ pfx:CLAIM_ rows:VOXEL_BURN,VOXEL_RATIFY,OIP_RECEIPT,CAP_EXPLAIN,OIP_REPAIR,OIP_REPLAY',
    workspace: name,
  });
  const cap = await dispatch('CAP_MINT', { scope: 'act', max_uses: 0, ttl: 86_400, workspace: name });
  return {
    names: {
      workspace: name,
      slug,
      draft,
      row,
      inv: String((posted['receipt'] as Answer)['id']),
      fingerprint: String((cap['result'] as Answer)['fingerprint']),
      vote: String((voted['result'] as Answer)['vote_id']),
      contribution: String(((said['result'] as Answer)['contribution'] as Answer)['id']),
      question: String((asked['question_node'] as Answer)['id']),
      post: String(((objected['result'] as Answer)['entry'] as Answer)['id']),
      cohort,
      assignment: String((leased['result'] as Answer)['assignment_id']),
      hook: String((notified['result'] as Answer)['id']),
    },
    key: String(minted['key']),
    share: String(cap['share']),
  };
}
