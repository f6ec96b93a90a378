/** What waits at the desk of a seeded server, one of each kind, and sessions of an owner, an editor and a reviewer. */
import { signIn, type SignedIn } from '../support/desk.ts';
import { terminalKey, type TestServer } from '../support/server.ts';

export type Role = 'owner' | 'editor' | 'reviewer';

export interface DeskSeed {
  readonly sessions: Readonly<Record<Role, SignedIn>>;
  /** A rewording that waits, by its id. */
  readonly wording: string;
  /** An objection that waits, by its id. */
  readonly objection: string;
  /** A share, by its fingerprint. */
  readonly fingerprint: string;
}

export async function seedDesk(server: TestServer, slug: string): Promise<DeskSeed> {
  const propose = async (body: Readonly<Record<string, string>>): Promise<string> => {
    const { result } = await server.anybody('/api/dispatch', {
      key: 'MIRROR_APPEND',
      body: { slug, claim_id: '', actor: 'Noor', ...body },
    });
    return (result as { contribution: { id: string } }).contribution.id;
  };
  const mint = async (grant: object): Promise<{ share: string; fingerprint: string }> => {
    const minted = await server.owner('/api/dispatch', { key: 'CAP_MINT', body: { ttl: 86_400, ...grant } });
    return { share: String(minted['share']), fingerprint: String(minted['result']['fingerprint']) };
  };
  const wording = await propose({
    claim_id: 'c1',
    kind: 'repair',
    body: 'Honey bees keep the angle between their path and the sun.',
    rationale: 'It is their path that is meant.',
  });
  await propose({ claim_id: 'c2', kind: 'compression', body: 'Honey bees remember rows of trees.' });
  const source = {
    type: 'review',
    url: 'https://example.org/trees?row=1',
    title: 'Rows of trees',
    quote: 'Bees follow rows of trees.',
  };
  await propose({ claim_id: 'c2', kind: 'source', body: JSON.stringify(source) });
  await propose({ kind: 'question', body: 'How far do they fly at dusk?', actor: 'zed' });
  const objected = await server.anybody('/api/dispatch', {
    key: 'OBJECTION_LOG',
    body: { slug: `${slug}/d4`, objection: 'This paragraph names no study.', actor: 'ada' },
  });
  const objection = (objected['result'] as { entry: { id: string } }).entry.id;
  const gated = await mint({
    scope: 'rows',
    keys: ['CLAIM_POST', 'CREATIVE_GENERATE', 'VOXEL_BATCH'],
    risk_ceiling: 'high',
    owner_gate: true,
    max_uses: 0,
    purpose: 'pictures and claims for the article',
    actor: 'Maya',
  });
  const waits = async (prompt: string): Promise<string> => {
    const { invocation } = await server.anybody('/api/dispatch', {
      key: 'CREATIVE_GENERATE',
      share: gated.share,
      body: { engine: 'local', prompt, size: '256x256' },
    });
    return (invocation as { id: string }).id;
  };
  const approved = await waits('A bee over a field');
  await server.owner('/api/dispatch', { key: 'OIP_APPROVE', body: { id: approved, decision: 'approved' } });
  await waits('A wasp at its nest');
  const writer = await mint({
    scope: 'row',
    key: 'VOXEL_BATCH',
    max_uses: 0,
    purpose: 'to draft an article',
  });
  await server.anybody('/api/dispatch', {
    key: 'VOXEL_BATCH',
    share: writer.share,
    body: { document: { slug: 'on-ants', title: 'On ants', markdown: 'Ants walk.\n', status: 'draft' } },
  });
  const revoked = await mint({ scope: 'row', key: 'MIRROR_FEED', purpose: 'to look around' });
  await server.owner('/api/dispatch', { key: 'CAP_REVOKE', body: { fingerprint: revoked.fingerprint } });
  await server.owner('/api/dispatch', {
    key: 'NOTIFY_PUT',
    body: { feed: true, name: 'What waits' },
  });
  await server.owner('/api/workspace', { name: 'den', title: 'Den', status: 'closed' });
  const role = async (name: 'editor' | 'reviewer'): Promise<SignedIn> =>
    signIn(server.base, (await mint({ role: name, max_uses: 0, purpose: `to work as ${name}` })).share);
  return {
    wording,
    objection,
    fingerprint: gated.fingerprint,
    sessions: {
      owner: await signIn(server.base, terminalKey),
      editor: await role('editor'),
      reviewer: await role('reviewer'),
    },
  };
}
