/** Records bear the names of spec §2.10 and §2.11; lists say how many they hold and how many there are (contract §2). */
import { expect, it } from 'vitest';
import { verifyBundle } from '../../verify/index.ts';
import { onBothStores } from '../support/both-stores.ts';
import type { Answer, TestServer } from '../support/server.ts';

async function challenge(server: TestServer, stance: string, body: string): Promise<Answer> {
  const { divs } = await server.read('/api/articles/named/voxels');
  const { thread_head: head } = await server.read('/api/articles/named/discourse');
  const target = divs.find((div: Answer) => div.div_id === 'd2');
  const { entry } = await server.anybody('/api/protocol/voxel-challenge', {
    slug: 'named',
    expected_thread_head: head,
    target_div: 'd2',
    expected_hash: target.vx_hash,
    stance,
    body,
    actor: 'ada',
  });
  return { ...entry, head, vx_hash: target.vx_hash };
}

onBothStores('the names of the specification', (server) => {
  it('are members of contributions: article, claim_id, kind, actor, body, timestamp, status, receipt', async () => {
    await server().article('# Named\n\nA gnomon casts a shadow.\n', { slug: 'named' });
    const { contribution } = await server().anybody('/api/articles/named/mirror', {
      claim_id: '',
      kind: 'question',
      actor: 'ada',
      body: 'Which gnomon?',
    });
    expect(contribution.timestamp).toBe(contribution.ts);
    for (const path of ['mirror', 'contributions']) {
      const { contributions } = await server().read(`/api/articles/named/${path}`);
      expect([path, contributions]).toMatchObject([
        path,
        [
          {
            article: 'named',
            claim_id: '',
            kind: 'question',
            actor: 'ada',
            body: 'Which gnomon?',
            timestamp: contribution.ts,
            status: 'proposed',
            receipt: contribution.receipt,
          },
        ],
      ]);
    }
    const { result } = await server().read('/api/dispatch?invoke=MIRROR_FEED&body=named');
    expect(result.contributions[0].timestamp).toBe(contribution.ts);
  });

  it('are members of discourse: stance, body, target_div, expected_hash, expected_thread_head', async () => {
    const first = await challenge(server(), 'challenge', 'Which shadow is meant?');
    const second = await challenge(server(), 'support', 'The shadow is seen daily.');
    expect([first.expected_thread_head, second.expected_thread_head]).toEqual(['genesis', first.hash]);
    const { entries } = await server().read('/api/articles/named/discourse');
    expect(entries).toMatchObject([
      {
        stance: 'challenge',
        body: 'Which shadow is meant?',
        target_div: 'd2',
        expected_hash: first.vx_hash,
        expected_thread_head: first.head,
        objection: null,
      },
      { stance: 'support', target_div: 'd2', expected_thread_head: second.head },
    ]);
  });

  it('are members of objections: actor, objection, surface, minimum_patch', async () => {
    const { entry } = await server().anybody('/api/articles/named/objections', {
      actor: 'bob',
      objection: 'The latitude is left out.',
      surface: 'S2',
      minimum_patch: 'Name the latitude.',
    });
    expect(entry.objection).toBe('The latitude is left out.');
    await server().anybody('/api/articles/named/mirror', {
      claim_id: '',
      kind: 'objection',
      actor: 'eve',
      body: 'The season is left out.',
    });
    const answer = await server().read('/api/articles/named/objections');
    expect([answer.count, answer.total]).toEqual([2, 2]);
    expect(answer.objections).toMatchObject([
      {
        actor: 'bob',
        objection: 'The latitude is left out.',
        surface: 'S2',
        minimum_patch: 'Name the latitude.',
        target_div: null,
        status: 'open',
      },
      {
        actor: 'eve',
        objection: 'The season is left out.',
        surface: null,
        minimum_patch: null,
        status: 'proposed',
      },
    ]);
  });

  it('repeat what the entries commit to, which the verifier compares', async () => {
    const key = (await (await server().fetch('/.well-known/colophon-key')).text()).trim();
    const altered: readonly (readonly [path: string, list: string, member: string, value: string])[] = [
      ['discourse', 'entries', 'target_div', 'd1'],
      ['discourse', 'entries', 'expected_hash', 'f'.repeat(64)],
      ['discourse', 'entries', 'expected_thread_head', 'f'.repeat(64)],
      ['discourse', 'entries', 'objection', 'Something else.'],
      ['contributions', 'contributions', 'timestamp', '2001-01-01T00:00:00.000Z'],
    ];
    for (const [path, list, member, value] of altered) {
      const document = await server().read(`/api/articles/named/${path}`);
      const sound = await verifyBundle(document, key);
      document[list][0][member] = value;
      const broken = await verifyBundle(document, key);
      expect([member, sound.ok, broken.ok]).toEqual([member, true, false]);
    }
  });

  it('are not in bundles, which show each committed member once', async () => {
    const { contributions, discourse } = await server().read('/api/articles/named/bundle');
    expect([contributions.length, discourse.length]).toEqual([2, 3]);
    for (const item of [...contributions, ...discourse])
      for (const name of ['timestamp', 'target_div', 'expected_hash', 'expected_thread_head', 'objection'])
        expect(Object.keys(item as object)).not.toContain(name);
  });

  it('count what an answer holds, and total what there is', async () => {
    const { result } = await server().read('/api/dispatch?invoke=MIRROR_FEED&body=named%7C1');
    expect([result.count, result.total, result.contributions.length]).toEqual([1, 2, 1]);
    const ledger = await server().read('/api/articles/named/ledger?limit=2');
    expect([ledger.count, ledger.entries.length, ledger.total > 2]).toEqual([2, 2, true]);
    const graph = await server().read('/api/graph?slugs=named&layer=reflex&limit=2');
    expect([graph.count.nodes, graph.nodes.length, graph.total.nodes]).toEqual([2, 2, 7]);
    const registry = await server().read('/api/dispatch?registry=1&limit=3');
    expect([registry.count, registry.rows.length, registry.total > 40]).toEqual([3, 3, true]);
    const grow = await server().read('/api/protocol/grow?limit=1');
    expect([grow.count, grow.needs.length, grow.total, grow.truncated]).toEqual([1, 1, 4, true]);
    const whole = await server().read('/api/protocol/grow');
    expect([whole.count, whole.total, whole.truncated]).toEqual([4, 4, false]);
    for (const part of ['mirror', 'contributions', 'claims', 'objections', 'votes']) {
      const { count, total } = await server().read(`/api/articles/named/${part}`);
      expect([part, total]).toEqual([part, count]);
    }
  });

  it('keeps one identity in the JSON, the skill and the page of an article (spec §2.1)', async () => {
    await server().article('# Same\n\nOne text.\n', { slug: 'same' });
    const { object } = await server().read('/api/articles/same');
    const { id } = object.identity;
    expect(id).toMatch(/^art_[a-z2-7]{16}$/);
    expect(await (await server().fetch('/api/articles/same/skill')).text()).toContain(`(${id}, version 1)`);
    expect(await (await server().fetch('/a/same')).text()).toContain(`"identifier":"${id}"`);
  });
});
