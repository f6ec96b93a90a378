/** Asking an article at the desk (contract §5 "Ask", §8): the box, the answer, and who may ask. */
import { expect, it } from 'vitest';
import { onBothStores } from '../support/both-stores.ts';
import { formType, signIn, type SignedIn } from '../support/desk.ts';
import { terminalKey, type TestServer } from '../support/server.ts';

function post(
  server: TestServer,
  path: string,
  fields: Readonly<Record<string, string>>,
  cookie = '',
): Promise<Response> {
  return server.fetch(path, {
    method: 'POST',
    redirect: 'manual',
    headers: { ...formType, origin: server.base, cookie },
    body: new URLSearchParams(fields).toString(),
  });
}

const page = async (server: TestServer, path: string, { cookie }: SignedIn): Promise<string> =>
  (await server.fetch(path, { headers: { cookie } })).text();

onBothStores('asking at the desk', (server) => {
  it('answers a question about a draft on a page of its own, with what it rests on and what it cost', async () => {
    await server().article('# On bees\n\nHoney bees dance in the dark hive.\n', {
      slug: 'bees',
      status: 'draft',
    });
    const me = await signIn(server().base, terminalKey);
    const desk = await page(server(), '/owner/a/bees', me);
    expect(desk).toContain('No model is configured here: the answer is put together from the claims');
    expect(desk).toContain('Nothing has been asked yet.');
    const fields = { form_token: me.formToken, question: 'Where do honey bees dance?', once: 'form_a' };
    const asked = await post(server(), '/owner/a/bees/ask', fields, me.cookie);
    expect(asked.status).toBe(303);
    expect(asked.headers.get('location')).toMatch(/^\/owner\/a\/bees\/ask\?done=inv_[a-z2-7]{16}$/);
    const answer = await page(server(), String(asked.headers.get('location')), me);
    expect(answer).toContain('Where do honey bees dance?</h2>');
    expect(answer).toContain('Honey bees dance in the dark hive.');
    expect(answer).toContain('Put together from the article, not written by a model.');
    expect(answer).toContain('It cost nothing.');
    expect(answer).toMatch(/<input type="hidden" name="parent" value="qn_[a-z2-7]{16}"/);
    expect(await page(server(), '/owner/a/bees', me)).toContain('Questions asked so far (1)');
  });

  it('gives a refused question back with the reason at its field', async () => {
    await server().article('# Empty\n\nNothing.\n', { slug: 'empty-question' });
    const me = await signIn(server().base, terminalKey);
    const refused = await post(
      server(),
      '/owner/a/empty-question/ask',
      { form_token: me.formToken, question: '   ' },
      me.cookie,
    );
    expect([refused.status, (await refused.text()).includes('id="question-error"')]).toEqual([422, true]);
  });

  it('shows no box to a credential that may not ask, and takes no question from it or from elsewhere', async () => {
    await server().article('# Rivers\n\nRivers rise in spring.\n', { slug: 'rivers' });
    const { share } = await server().owner('/api/dispatch', {
      key: 'CAP_MINT',
      body: JSON.stringify({
        scope: 'rows',
        keys: ['VOXEL_EDIT'],
        article: 'rivers',
        ttl: 600,
        purpose: 'edit',
        actor: 'Maya',
      }),
    });
    const editor = await signIn(server().base, String(share));
    expect(await page(server(), '/owner/a/rivers', editor)).not.toContain('Ask the article');
    const question = 'When do rivers rise?';
    const denied = await post(
      server(),
      '/owner/a/rivers/ask',
      { form_token: editor.formToken, question },
      editor.cookie,
    );
    expect(denied.status).toBe(403);
    const me = await signIn(server().base, terminalKey);
    const own = await post(
      server(),
      '/owner/a/rivers/ask',
      { form_token: me.formToken, question: 'What rises?' },
      me.cookie,
    );
    const answer = String(own.headers.get('location'));
    expect(await page(server(), answer, me)).toContain('Put together from the article');
    expect(await page(server(), answer, editor)).not.toContain('Put together from the article');
    const foreign = await post(
      server(),
      '/owner/a/rivers/ask',
      { form_token: '0'.repeat(32), question },
      me.cookie,
    );
    const nobody = await post(server(), '/owner/a/rivers/ask', { form_token: me.formToken, question });
    expect([foreign.status, nobody.status]).toEqual([403, 401]);
    expect((await server().read('/api/articles/rivers/question-graph'))['count']).toBe(1);
  });
});
