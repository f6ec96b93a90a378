import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openLocal, owner, type LocalServer } from './local.ts';

interface Match {
  readonly kind: 'row' | 'read';
  readonly key?: string;
  readonly name?: string;
  readonly url: string;
  readonly auth?: string;
  readonly templates: readonly string[];
}

let server: LocalServer;

beforeAll(async () => {
  server = await openLocal();
});

afterAll(async () => {
  await server.end();
});

async function ask(question: string, headers: Record<string, string> = {}) {
  const { json } = await server.get({ ask: question }, headers);
  const { best, matches } = json as unknown as { best: Match | null; matches: Match[] };
  return { best: best === null ? null : nameOf(best), matches };
}

const nameOf = ({ kind, key, name }: Match): string => `${kind} ${String(key ?? name)}`;

describe('a wish in plain words', () => {
  it.each([
    ['dispute claim c2', 'row OBJECTION_LOG'],
    ['prove that my call happened', 'read confirm'],
    ['read what others objected', 'read objections'],
    ['file an objection to a claim', 'row OBJECTION_LOG'],
    ['who may write here', 'read workspace'],
    ['propose a better wording', 'row MIRROR_APPEND'],
    ['find an article about volcanic ash', 'read search'],
    ['where does the discussion of this article stand?', 'read thread-state'],
    ['read the discussion of an article', 'read discourse'],
    ['challenge a passage', 'row VOXEL_CHALLENGE'],
    ['what may my token do', 'row CAP_EXPLAIN'],
    ['make a narrower share for a helper', 'row CAP_MINT'],
    ['take back a share', 'row CAP_REVOKE'],
    ['get work to do', 'row LANDSCAPE_NEXT'],
    ['give an assignment back', 'row LANDSCAPE_RETURN'],
    ['correct a call that failed', 'row OIP_REPAIR'],
    ['do the same call again', 'row OIP_REPLAY'],
    ['review an article as a whole', 'row OIP_ARTICLE_REVIEW'],
    ['vote to split an article', 'row VOXEL_VOTE'],
    ['fetch a web page', 'row WEB_FETCH'],
    ['which sources does an article cite?', 'read sources'],
    ['list all articles', 'read articles'],
    ['how did this article change', 'read revisions'],
    ['who can give me more rights', 'read workspace'],
    ['check that nothing was altered', 'read health'],
    ['fix a typo in an article', 'row VOXEL_EDIT'],
    ['say that claim c2 is wrong', 'row OBJECTION_LOG'],
    ['flag a paragraph that overstates', 'row VOXEL_CHALLENGE'],
    ['what happened to my proposal', 'read confirm'],
    ['add a citation to an article', 'row SOURCE_POST'],
    ['delete a claim', 'row CLAIM_RETRACT'],
    ['make a token with fewer rights', 'row CAP_MINT'],
    ['make my token invalid', 'row CAP_REVOKE'],
    ['merge two paragraphs', 'row VOXEL_CONSOLIDATE'],
    ['undo an edit', 'row ARTICLE_REVERT'],
    ['list what is disputed', 'read objections'],
  ])('“%s” finds %s', async (wish, found) => {
    const { best, matches } = await ask(wish);
    expect(best).toBe(found);
    expect(nameOf(matches[0] as Match)).toBe(found);
    for (const { url } of matches) {
      expect(url).not.toMatch(/[{}<>]|%7B/i);
      const { pathname, search } = new URL(url);
      expect(`${url} ${(await server.send({ path: `${pathname}${search}` })).status}`).toBe(`${url} 200`);
    }
  });

  it.each([
    'how is the weather in Lisbon tomorrow',
    'translate this poem into French',
    'what is the capital of Portugal',
    'book a flight to Rome',
    'recommend a good restaurant nearby',
    'who won the football match yesterday',
    'calculate the square root of nine',
  ])('that nothing here fulfils has no best match: “%s”', async (wish) => {
    expect((await ask(wish)).best).toBeNull();
  });

  it('is filled into the address of the read that it asks for', async () => {
    const found = await ask('find an article about tides');
    expect(found.matches[0]?.url).toBe(
      'http://127.0.0.1:8787/api/search?q=find%20an%20article%20about%20tides',
    );
    const { id } = (await server.call('PAPER_STATE', '', {}, owner)).json['invocation'] as { id: string };
    const confirmed = await ask(`prove that my call ${id} happened`);
    expect(confirmed.matches[0]?.url).toBe(`http://127.0.0.1:8787/api/dispatch?confirm=${id}`);
  });

  it('names a row that the asker can call before one that is the owner’s alone, and the other way to the owner', async () => {
    const places = async (headers: Record<string, string>): Promise<number[]> => {
      const { matches } = await ask('contribution accepted or proposed to a claim', headers);
      const keys = matches.map(({ key }) => key);
      return [keys.indexOf('MIRROR_RESOLVE'), keys.indexOf('MIRROR_FEED')];
    };
    const [resolve = -1, feed = -1] = await places({});
    expect(feed).toBeGreaterThanOrEqual(0);
    expect(resolve).toBeGreaterThan(feed);
    const [owners = -1, open = -1] = await places(owner);
    expect(owners).toBeGreaterThanOrEqual(0);
    expect(open).toBeGreaterThan(owners);
    expect((await ask('accept a contribution', owner)).best).toBe('row MIRROR_RESOLVE');
  });
});
