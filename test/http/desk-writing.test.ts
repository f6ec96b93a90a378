/** Writing articles at the desk over HTTP (contract §8): lists, edits, merges, claims, metadata, old revisions. */
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { png } from '../support/images.ts';
import { startPeer, type Peer } from '../support/peer.ts';
import { sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { formType, signIn, type SignedIn } from '../support/desk.ts';
import { storeKinds } from '../support/stores.ts';
import { openLocal, owner, terminalKey, type LocalServer, type Reply } from './local.ts';

const dot = png(3, 2);
const dotHash = createHash('sha256').update(dot).digest('hex');

describe.each(storeKinds().map(({ name }) => name))('writing at the desk on %s', (name) => {
  let server: LocalServer;
  let peer: Peer;
  let database: TestDatabases | undefined;
  let me: SignedIn;

  beforeAll(async () => {
    if (name === 'postgres') database = await sharedPostgres();
    peer = await startPeer((request, reply) => {
      const send = (bytes: Buffer | string) =>
        reply.writeHead(200, { 'content-type': 'image/png' }).end(bytes);
      if (request.url === '/dot.png' || request.url === '/old.png') return send(dot);
      if (request.url === '/page.png') return send('<html>No picture.</html>');
      if (request.url === '/large.png') return send(Buffer.concat([dot, Buffer.alloc(6 * 1024 * 1024)]));
      if (request.url === '/inside.png')
        return reply.writeHead(302, { location: 'http://10.0.0.1/a.png' }).end();
      return reply.writeHead(404).end('gone');
    });
    const env = { COLOPHON_EGRESS_ALLOW: '127.0.0.1' };
    server = await openLocal({
      env,
      ...(database === undefined ? {} : { databaseUrl: await database.database() }),
    });
    me = await signIn(server.base, terminalKey);
  });
  afterAll(async () => {
    await server.end();
    await peer.stop();
    await database?.stop();
  });

  const post = (path: string, fields: Record<string, string>, cookie?: string): Promise<Reply> =>
    server.send({
      path,
      headers: { ...formType, origin: server.base, ...(cookie === undefined ? {} : { cookie }) },
      body: new URLSearchParams(fields).toString(),
    });
  const page = (path: string, { cookie } = me): Promise<Reply> => server.send({ path, headers: { cookie } });
  const send = (path: string, fields: Record<string, string>, { cookie, formToken } = me): Promise<Reply> =>
    post(path, { form_token: formToken, ...fields }, cookie);
  const articleOf = async (slug: string): Promise<Record<string, unknown>> =>
    (await server.send({ path: `/api/articles/${slug}`, headers: owner })).json;
  const textOf = async (slug: string): Promise<unknown> => (await articleOf(slug))['body'];
  const divsOf = async (slug: string): Promise<readonly string[]> => {
    const { json } = await server.send({ path: `/api/articles/${slug}/voxels`, headers: owner });
    return (json['divs'] as { div_id: string; text: string }[]).map((div) => `${div.div_id}: ${div.text}`);
  };
  const make = (slug: string, markdown: string, more: object = {}) =>
    server.deployment.did('VOXEL_BATCH', { document: { slug, title: slug, markdown, ...more } });
  /** The hidden fields of the editor, as it is opened now. */
  const opened = async (slug: string, block = ''): Promise<Record<string, string>> => {
    const { body, status } = await page(`/owner/a/${slug}/edit${block}`);
    expect(status).toBe(200);
    return hidden(body);
  };
  const edit = (slug: string, fields: Record<string, string>): Promise<Reply> =>
    send(`/owner/a/${slug}/edit`, { act: 'save', title: slug, note: 'Because.', ...fields });

  it('leads to the sign-in without a session, and writes nothing', async () => {
    await make('closed', 'One.\n', { status: 'draft' });
    const size = await server.size();
    for (const path of ['/owner/articles', '/owner/new', '/owner/a/closed', '/owner/a/closed/edit'])
      expect(await server.send({ path })).toMatchObject({
        status: 303,
        headers: { location: `/owner?next=${encodeURIComponent(path)}` },
      });
    for (const next of ['//evil.example', 'https://evil.example', '/a/x', '/owner/../a'])
      expect((await server.send({ path: `/owner?next=${encodeURIComponent(next)}` })).body).not.toContain(
        'kept_path',
      );
    const elsewhere = { kept_path: '//evil.example/owner/x', kept_fields: '{}', key: terminalKey };
    expect((await post('/owner/login', elsewhere)).headers['location']).toBe('/owner');
    const fields = { form_token: me.formToken, text: 'Two.\n', version: '1', note: 'n', title: 'closed' };
    for (const path of ['/owner/new', '/owner/preview', '/owner/a/closed/edit', '/owner/a/closed/preview'])
      expect((await post(path, fields)).status).toBe(401);
    const foreign = await post('/owner/a/closed/edit', { ...fields, form_token: '0'.repeat(32) }, me.cookie);
    expect(foreign.status).toBe(403);
    expect(await server.size()).toBe(size);
  });

  it('lists drafts first and filters by words and status', async () => {
    await make('apples', 'Apples.\n', { tags: ['fruit'] });
    await make('pears', 'Pears.\n', { status: 'draft', tags: ['fruit'] });
    const { body } = await page('/owner/articles?q=fruit');
    expect([...body.matchAll(/href="\/owner\/a\/([a-z]+)" dir/g)].map(([, slug]) => slug)).toEqual([
      'pears',
      'apples',
    ]);
    const drafts = (await page('/owner/articles?q=fruit&status=draft')).body;
    expect(drafts).toContain('/owner/a/pears');
    expect(drafts).not.toContain('/owner/a/apples"');
  });

  it('makes an article with tags, category and a place in a series', async () => {
    const reply = await send('/owner/new', {
      text: '# On bees\n\nBees dance.\n',
      title: '',
      status: 'draft',
      tags: 'bees, dances, bees',
      category: 'Nature',
      series: 'Insects',
      position: '2',
      act: 'save',
    });
    expect(reply.status).toBe(303);
    expect(reply.headers['location']).toMatch(/^\/owner\/a\/on-bees\?done=inv_/);
    expect(await articleOf('on-bees')).toMatchObject({
      title: 'On bees',
      status: 'draft',
      category: 'Nature',
      tags: ['bees', 'dances'],
      extra: { normandy_v1: { traversal: { series: 'Insects', position: 2 } } },
    });
    expect((await page(String(reply.headers['location']))).body).toContain('Created with 2 blocks.');
  });

  it('refuses a text without title, heading and address at the title, and gives the form back filled', async () => {
    const before = (await page('/owner/articles')).body;
    const reply = await send('/owner/new', {
      text: 'Bees dance.\n',
      title: ' ',
      status: 'published',
      act: 'save',
    });
    expect(reply.status).toBe(422);
    expect(reply.body).toMatch(/id="title-error">\s*The article has no title, and its text does not begin/);
    expect(textIn(reply.body)).toBe('Bees dance.\n');
    expect((await page('/owner/articles')).body.match(/\/owner\/a\//g)).toEqual(
      before.match(/\/owner\/a\//g),
    );
  });

  it('refuses an address that is taken, and gives the form back filled', async () => {
    await make('taken', 'Mine.\n');
    const reply = await send('/owner/new', {
      text: 'Typed <text>.\n',
      title: 'Other',
      slug: 'taken',
      act: 'save',
    });
    expect(reply.status).toBe(409);
    expect(reply.body).toMatch(
      /id="slug-error">\s*An article has the address taken already\. Choose another, for example taken-2, or edit/,
    );
    expect(textIn(reply.body)).toBe('Typed <text>.\n');
    expect(await textOf('taken')).toBe('Mine.\n');
    const again = await send('/owner/new', {
      ...hidden(reply.body),
      text: 'Typed <text>.\n',
      title: 'Other',
      slug: 'taken',
      free_slug: 'taken-2',
    });
    expect(again.status).toBe(303);
    expect(await textOf('taken-2')).toBe('Typed <text>.\n');
  });

  it('makes one article where two tabs send the same address at once', async () => {
    const fields = { title: 'Twice', slug: 'twice', act: 'save' };
    const replies = await Promise.all(
      ['First.\n', 'Second.\n', 'Third.\n'].map((text) => send('/owner/new', { ...fields, text })),
    );
    expect(replies.map(({ status }) => status).sort((a, b) => a - b)).toEqual([303, 409, 409]);
    expect(await divsOf('twice')).toHaveLength(1);
  });

  it('appends a document only to the version that it names, and 0 is no article', async () => {
    const write = (slug: string, expected_version: number) =>
      server.call('VOXEL_BATCH', { document: { slug, markdown: 'More.\n', expected_version } }, {}, owner);
    await make('counted', 'One.\n');
    expect((await write('counted', 1)).status).toBe(200);
    const stale = await write('counted', 1);
    expect([stale.status, stale.json['current_version']]).toEqual([409, 2]);
    expect((await write('counted', 0)).json).toMatchObject({ error: 'conflict', free_slug: 'counted-2' });
    expect((await write('uncounted', 3)).status).toBe(409);
    expect((await write('uncounted', 0)).status).toBe(200);
    expect(await textOf('counted')).toBe('One.\n\nMore.\n');
  });

  it('makes a document with members of its own, and sets no traversal by them', async () => {
    const document = { slug: 'own', markdown: 'One.\n', extra: { shelf: 7 } };
    expect((await server.call('VOXEL_BATCH', { document }, {}, owner)).status).toBe(200);
    expect((await articleOf('own'))['extra']).toEqual({ shelf: 7 });
    const other = { ...document, extra: { shelf: 8 } };
    expect((await server.call('VOXEL_BATCH', { document: other }, {}, owner)).json).toMatchObject({
      error: 'conflict',
      differs: ['extra'],
    });
    const marked = { slug: 'marked', markdown: 'One.\n', extra: { normandy_v1: { next: 'own' } } };
    const refused = await server.call('VOXEL_BATCH', { document: marked }, {}, owner);
    expect([refused.status, refused.json['error']]).toEqual([422, 'body_mismatch']);
  });

  it('saves an edit as one revision in which untouched blocks keep their ids', async () => {
    await make('edited', '# Edited\n\nFirst paragraph here.\n\nSecond paragraph here.\n\nThird.\n');
    const reply = await edit('edited', {
      ...(await opened('edited')),
      text: '# Edited\n\nThird.\n\nFirst paragraph, mended here.\n\nBrand new words.\n',
      note: 'Mended.',
    });
    expect(reply.status).toBe(303);
    expect(await divsOf('edited')).toEqual([
      'd1: # Edited',
      'd4: Third.',
      'd2: First paragraph, mended here.',
      'd5: Brand new words.',
    ]);
    expect((await articleOf('edited'))['version']).toBe(2);
    expect((await page(String(reply.headers['location']))).body).toContain(
      'Saved as revision 2: 1 block changed, 1 new, 1 moved, 1 removed.',
    );
  });

  it('edits one block alone', async () => {
    await make('alone', '# Alone\n\nFirst.\n\nSecond.\n');
    const fields = await opened('alone', '?block=d2');
    expect(fields['block']).toBe('d2');
    expect((await edit('alone', { ...fields, text: 'First of all.' })).status).toBe(303);
    expect(await divsOf('alone')).toEqual(['d1: # Alone', 'd2: First of all.', 'd3: Second.']);
  });

  it('asks for the note, and gives the text back', async () => {
    await make('noted', 'One.\n');
    const reply = await edit('noted', { ...(await opened('noted')), text: 'Two, typed.\n', note: ' ' });
    expect(reply.status).toBe(422);
    expect(reply.body).toContain('Two, typed.');
    expect(reply.body).toMatch(/id="note-error">\s*The note is missing\. Say in a few words/);
    expect(await textOf('noted')).toBe('One.\n');
  });

  it('publishes a draft with the text that was typed', async () => {
    await make('shy', 'Shy.\n', { status: 'draft' });
    const reply = await edit('shy', {
      ...(await opened('shy')),
      text: 'Bold.\n',
      act: 'publish',
      title: 'Bold',
    });
    expect(reply.status).toBe(303);
    expect(await articleOf('shy')).toMatchObject({ status: 'published', title: 'Bold', body: 'Bold.\n' });
  });

  it('writes nothing for a preview, which marks what changed', async () => {
    await make('seen', '# Seen\n\nOld words.\n');
    const size = await server.size();
    const fields = { ...(await opened('seen')), text: '# Seen\n\nOld words, changed.\n\n**New.**\n' };
    const reply = await send('/owner/a/seen/preview', fields);
    expect(reply.status).toBe(200);
    expect([...reply.body.matchAll(/data-change="(\w+)"/g)].map(([, change]) => change)).toEqual([
      'kept',
      'edited',
      'made',
    ]);
    expect(reply.body).toContain('data-summary="1 block changed, 1 new"');
    expect(reply.body).toContain('<strong>New.</strong>');
    expect((await send('/owner/preview', { text: '# Fresh\n' })).body).toContain('Fresh');
    expect(await server.size()).toBe(size);
  });

  it('merges with another save of other blocks, and writes after the merge was shown', async () => {
    await make('merged', '# Merged\n\nThe first one.\n\nThe second one.\n');
    const [mine, theirs] = [await opened('merged'), await opened('merged')];
    await edit('merged', {
      ...theirs,
      text: '# Merged\n\nThe first one, theirs.\n\nThe second one.\n',
      note: 'Theirs.',
    });
    const shown = await edit('merged', {
      ...mine,
      text: '# Merged\n\nThe first one.\n\nThe second one, mine.\n',
    });
    expect(shown.status).toBe(409);
    expect(shown.body).toContain('The article changed while you wrote');
    expect(shown.body).toContain('<bdi>Theirs.</bdi>');
    expect((await articleOf('merged'))['version']).toBe(2);
    const text = textIn(shown.body);
    expect(text).toBe('# Merged\n\nThe first one, theirs.\n\nThe second one, mine.\n');
    expect((await edit('merged', { ...hidden(shown.body), text })).status).toBe(303);
    expect(await divsOf('merged')).toEqual([
      'd1: # Merged',
      'd2: The first one, theirs.',
      'd3: The second one, mine.',
    ]);
  });

  it('shows both sides of a conflict, keeps the decision, and is refused again if the article moved again', async () => {
    await make('fought', '# Fought\n\nIt is grey today.\n');
    const mine = await opened('fought');
    await edit('fought', { ...(await opened('fought')), text: '# Fought\n\nIt is white today.\n' });
    const shown = await edit('fought', { ...mine, text: '# Fought\n\nIt is black today.\n', note: 'Mine.' });
    expect(shown.status).toBe(409);
    expect(shown.body).toContain('1 block changed in both texts.');
    expect(shown.body).toMatch(/Block d2, changed by the owner/);
    expect(shown.body).toMatch(/data-text="It is white today\."/);
    expect(shown.body).toMatch(/data-text="It is black today\."/);
    const fields = { ...hidden(shown.body), note: 'Mine.', 'part.1': 'It is black and white.' };
    await edit('fought', { ...(await opened('fought')), text: '# Fought\n\nIt is red today.\n' });
    const again = await edit('fought', fields);
    expect(again.status).toBe(409);
    expect(again.body).toMatch(/data-text="It is black and white\."/);
    expect(await divsOf('fought')).toEqual(['d1: # Fought', 'd2: It is red today.']);
    expect((await edit('fought', { ...hidden(again.body), 'part.1': 'It is all of them.' })).status).toBe(
      303,
    );
    expect(await divsOf('fought')).toEqual(['d1: # Fought', 'd2: It is all of them.']);
  });

  it('is not stopped by a claim that was made meanwhile', async () => {
    await make('calm', '# Calm\n\nThe sea is calm.\n');
    const mine = await opened('calm');
    await server.deployment.did('CLAIM_POST', {
      slug: 'calm',
      ...claim('The sea at Calm is without waves.'),
    });
    expect((await edit('calm', { ...mine, text: '# Calm\n\nThe sea is very calm.\n' })).status).toBe(303);
    expect(await articleOf('calm')).toMatchObject({ version: 3, body: '# Calm\n\nThe sea is very calm.\n' });
  });

  it('saves a document of a megabyte', async () => {
    const line = 'Words and words and more words, which nobody will ever read. '.repeat(16);
    const markdown = Array.from({ length: 1060 }, (_, i) => `${i} ${line.trimEnd()}`).join('\n\n');
    expect(Buffer.byteLength(markdown)).toBeGreaterThan(1_000_000);
    await make('huge', `${markdown}\n`);
    const reply = await edit('huge', { ...(await opened('huge')), text: `${markdown}\n\nThe end.\n` });
    expect(reply.status).toBe(303);
    expect((await divsOf('huge')).at(-1)).toBe('d1061: The end.');
  }, 60_000);

  it('fetches the pictures of changed blocks, and serves them from here in one revision', async () => {
    await make('seeing', `# Seeing\n\n![Old](${peer.base}/old.png)\n\nWords.\n`);
    const asked = peer.asked.length;
    const text = `# Seeing\n\n![Old](${peer.base}/old.png)\n\nWords.\n\n![A dot](${peer.base}/dot.png "T")\n`;
    expect((await page('/owner/a/seeing/edit')).body).toMatch(
      /name="fetch_pictures" value="1" checked\/>\s*<span[^>]*>Fetch the pictures of changed/,
    );
    const listed = await send('/owner/a/seeing/preview', { ...(await opened('seeing')), text });
    expect(listed.body).toMatch(/Fetch this picture and serve it from here.*\/dot\.png/s);
    expect(listed.body).toContain('Also 1 picture in paragraphs that you did not change');
    expect(peer.asked).toHaveLength(asked);
    const saved = await edit('seeing', { ...(await opened('seeing')), text, fetch_pictures: '1' });
    expect(saved.status).toBe(303);
    expect(await textOf('seeing')).toBe(
      `# Seeing\n\n![Old](${peer.base}/old.png)\n\nWords.\n\n![A dot](/blobs/${dotHash} "T")\n`,
    );
    expect((await articleOf('seeing'))['version']).toBe(2);
    const { body } = await server.send({ path: '/a/seeing', headers: { accept: 'text/html' } });
    expect(body).toMatch(new RegExp(`<img [^>]*src="[^"]*/blobs/${dotHash}"`));
    // The picture that was not fetched is a link, so that no reader's browser asks its host.
    expect(body).toContain(`href="${peer.base}/old.png"`);
    expect(body).not.toContain(`src="${peer.base}`);
    const rest = { ...(await opened('seeing')), text: String(await textOf('seeing')), fetch_pictures: '1' };
    expect((await edit('seeing', { ...rest, fetch_all: '1' })).status).toBe(303);
    expect(await textOf('seeing')).not.toContain(peer.base);
  });

  it('leaves pictures where they are if the box is not checked', async () => {
    await make('unseen', 'One.\n');
    const asked = peer.asked.length;
    const text = `One.\n\n![A dot](${peer.base}/dot.png)\n`;
    expect((await edit('unseen', { ...(await opened('unseen')), text })).status).toBe(303);
    expect([await textOf('unseen'), peer.asked.length]).toEqual([text, asked]);
  });

  it('names each picture that cannot be fetched, writes nothing, and takes a link in its place', async () => {
    await make('pictured', 'One.\n');
    const urls = ['gone.png', 'page.png', 'large.png', 'inside.png'].map((path) => `${peer.base}/${path}`);
    const all = [`${peer.base}/dot.png`, ...urls, 'http://169.254.169.254/latest/a.png'];
    const text = `One.\n\n${all.map((url) => `![P](${url})`).join('\n\n')}\n`;
    const fields = await opened('pictured');
    const refused = await edit('pictured', { ...fields, text, fetch_pictures: '1' });
    expect(refused.status).toBe(422);
    expect(await textOf('pictured')).toBe('One.\n');
    expect(refused.body).toContain('5 pictures could not be fetched.');
    const told = [...refused.body.matchAll(/class="field-error">(.*?)<\/p>/gs)].map(([, said = '']) =>
      plain(said.replace(/<[^>]*>/g, '')),
    );
    expect(told).toEqual([
      expect.stringMatching(/gone\.png \(P\): The image was answered with 404\./),
      expect.stringMatching(/page\.png \(P\): .*(?:PNG|image)/),
      expect.stringMatching(/large\.png \(P\): .*more than 5242880 bytes/),
      expect.stringMatching(/inside\.png \(P\): .*not public/),
      expect.stringMatching(/169\.254\.169\.254\/…\/a\.png \(P\): .*not public/),
    ]);
    // What was fetched is in the text that comes back.
    const kept = textIn(refused.body);
    expect(kept).toContain(`![P](/blobs/${dotHash})`);
    const choices = { 'picture.0': 'drop', 'picture.1': 'link', 'picture.2': 'link', 'picture.3': 'link' };
    const saved = await edit('pictured', {
      ...hidden(refused.body),
      ...choices,
      'picture.4': 'link',
      text: kept,
      fetch_pictures: '1',
    });
    expect(saved.status).toBe(303);
    expect(await textOf('pictured')).toBe(
      `One.\n\n![P](/blobs/${dotHash})\n\n${all
        .slice(2)
        .map((url) => `[P](${url})`)
        .join('\n\n')}\n`,
    );
    expect((await articleOf('pictured'))['version']).toBe(2);
  });

  it('fetches nothing for a save that is refused anyway', async () => {
    await make('early', 'One.\n');
    const asked = peer.asked.length;
    const text = `One.\n\n![A dot](${peer.base}/dot.png)\n\n${'x'.repeat(70_000)}\n`;
    expect((await edit('early', { ...(await opened('early')), text, fetch_pictures: '1' })).status).toBe(413);
    const noNote = { ...(await opened('early')), text: `![A](${peer.base}/dot.png)\n`, note: '' };
    expect((await edit('early', { ...noNote, fetch_pictures: '1' })).status).toBe(422);
    expect(peer.asked).toHaveLength(asked);
  });

  it('makes an article with its pictures, or keeps the text where one is missing', async () => {
    const fields = { title: 'Album', slug: 'album', status: 'published', fetch_pictures: '1', act: 'save' };
    const text = `![A](${peer.base}/dot.png) ![B](${peer.base}/gone.png)\n`;
    const refused = await send('/owner/new', { ...fields, text });
    expect([refused.status, textIn(refused.body)]).toEqual([
      422,
      `![A](/blobs/${dotHash}) ![B](${peer.base}/gone.png)\n`,
    ]);
    expect((await server.send({ path: '/a/album' })).status).toBe(404);
    const choice = { 'picture.0': 'drop', 'picture_url.0': `${peer.base}/gone.png` };
    expect((await send('/owner/new', { ...fields, ...choice, text: textIn(refused.body) })).status).toBe(303);
    expect(await textOf('album')).toBe(`![A](/blobs/${dotHash}) \n`);
  });

  it('lets an editor change one block, and shows neither title nor note', async () => {
    await make('edited-by', '# Edited by\n\nFirst.\n\nSecond.\n');
    const { share } = await server.mint({ role: 'editor', max_uses: 20 });
    const guest = await signIn(server.base, share);
    expect((await page('/owner/articles', guest)).body).not.toContain('/owner/a/edited-by/edit"');
    expect((await page('/owner/a/edited-by', guest)).body).toContain('/owner/a/edited-by/edit?block=d2');
    const whole = await page('/owner/a/edited-by/edit', guest);
    expect([whole.status, whole.body.includes('Your key edits one block at a time.')]).toEqual([403, true]);
    const { body } = await page('/owner/a/edited-by/edit?block=d2', guest);
    expect(body).not.toContain('name="note"');
    expect(body).not.toContain('Edit the whole text');
    const fields = { ...hidden(body), title: 'edited-by', act: 'save' };
    const two = await send('/owner/a/edited-by/edit', { ...fields, text: 'One.\n\nTwo.' }, guest);
    expect([two.status, two.body.includes('changes the text of one block')]).toEqual([422, true]);
    const saved = await send('/owner/a/edited-by/edit', { ...fields, text: 'First of all.' }, guest);
    expect((await page(String(saved.headers['location']), guest)).body).toContain(
      'Saved as revision 2: 1 block changed.',
    );
    expect(await divsOf('edited-by')).toEqual(['d1: # Edited by', 'd2: First of all.', 'd3: Second.']);
  });

  it('says which limit a text breaks, and gives it back', async () => {
    await make('limited', 'One.\n');
    const block = 'x'.repeat(70_000);
    const reply = await edit('limited', { ...(await opened('limited')), text: `One.\n\n${block}\n` });
    expect(reply.status).toBe(413);
    expect(reply.body).toContain('65536');
    expect(reply.body).toContain(block);
  });

  it('tells the rules of a claim while it is typed, and writes nothing', async () => {
    await make('ruled', '# Ruled\n\nText.\n');
    await server.deployment.did('CLAIM_POST', { slug: 'ruled', ...claim('Every write leaves a receipt.') });
    const size = await server.size();
    const check = (text: string): Promise<Reply> =>
      send('/owner/a/ruled/claim', { ...claim(text), act: 'check' });
    expect((await check('Is it so?')).body).toContain('A question asserts nothing.');
    expect((await check('The ledger grows by appending entries.')).body).toContain('Every rule is kept.');
    expect((await check('Every write leaves a receipt.')).body).toContain('The same as c1');
    expect((await check('No write leaves a receipt.')).body).toContain('The opposite of c1');
    expect(await server.size()).toBe(size);
  });

  it('makes, rewords and retracts a claim, and adds a source', async () => {
    await make('argued', '# Argued\n\nText.\n');
    const source = { type: 'review', url: 'https://example.org/a', title: 'A page', quote: 'exact words' };
    expect((await send('/owner/a/argued/source', source)).status).toBe(303);
    const refused = await send('/owner/a/argued/claim', { ...claim('Why is it so?'), section: 'Argued' });
    expect(refused.status).toBe(422);
    expect(refused.body).toMatch(/id="claim-text-error">\s*A question asserts nothing\./);
    expect(refused.body).toContain('Why is it so?');
    const made = await send('/owner/a/argued/claim', {
      text: 'The text is short.',
      tier: 'system',
      who_claims: 'Colophon',
      'source.s1': '1',
      section: 'Argued',
    });
    expect((await page(String(made.headers['location']))).body).toContain('The claim is made: c1.');
    const { body } = await page('/owner/a/argued/claim?claim=c1');
    const reword = hidden(body.slice(0, body.lastIndexOf('<form method="post"')));
    await send('/owner/a/argued/claim', {
      ...reword,
      text: 'The text has one word.',
      rationale: 'exact',
      act: 'repair',
    });
    const stale = await send('/owner/a/argued/claim', {
      ...reword,
      text: 'The text has two words.',
      rationale: 'late',
      act: 'repair',
    });
    expect(stale.status).toBe(409);
    await send('/owner/a/argued/claim', { claim_id: 'c1', reason: 'It has four.', act: 'retract' });
    const { json } = await server.send({ path: '/api/articles/argued/claims' });
    expect(json['claims']).toMatchObject([
      { id: 'c1', text: 'The text has one word.', version: 2, status: 'retracted', source_ids: ['s1'] },
    ]);
  });

  it('changes the metadata it was asked to, and keeps the rest', async () => {
    await make('filed', 'One.\n', { tags: ['a'], category: 'Old' });
    const from = String((await articleOf('filed'))['version']);
    await send('/owner/a/filed/meta', {
      version: from,
      title: 'filed',
      tags: 'b, c',
      category: 'Old',
      series: 'S',
    });
    expect(await articleOf('filed')).toMatchObject({ tags: ['b', 'c'], category: 'Old', version: 2 });
    const late = await send('/owner/a/filed/meta', { version: from, title: 'Late', tags: 'z' });
    expect(late.status).toBe(409);
    expect(late.body).toContain('value="Late"');
    expect(await articleOf('filed')).toMatchObject({ title: 'filed', tags: ['b', 'c'] });
    await server.deployment.did('CLAIM_POST', { slug: 'filed', ...claim('A claim makes a version.') });
    const done = await send('/owner/a/filed/meta', { version: '2', status: 'archived' });
    expect((await page(String(done.headers['location']))).body).toContain('Archived: it stays readable.');
    expect((await articleOf('filed'))['extra']).toEqual({ normandy_v1: { traversal: { series: 'S' } } });
    await send('/owner/a/filed/meta', { version: '4', title: 'filed', series: '' });
    expect((await articleOf('filed'))['extra']).toEqual({ normandy_v1: null });
  });

  it('shows what an old revision would change before it restores it', async () => {
    await make('again', '# Again\n\nThe old words.\n');
    await edit('again', { ...(await opened('again')), text: '# Again\n\nThe new words.\n\nMore.\n' });
    const { body } = await page('/owner/a/again/revert?rev=1');
    expect(body).toContain('1 block changed, 1 removed');
    expect(body).toMatch(/<del>new<\/del>\s*<ins>old<\/ins>/);
    expect(await textOf('again')).toBe('# Again\n\nThe new words.\n\nMore.\n');
    const done = await send('/owner/a/again/revert', { ...hidden(body), note: 'It was better.' });
    expect((await page(String(done.headers['location']))).body).toContain(
      'Revision 1 is restored, as revision 3.',
    );
    expect(await textOf('again')).toBe('# Again\n\nThe old words.\n');
    expect((await page('/owner/a/again/revert?rev=9')).status).toBe(404);
  });

  it('keeps what was typed when the session has ended', async () => {
    await make('kept', 'One.\n');
    const other = await signIn(server.base, terminalKey);
    const fields = await opened('kept');
    await send('/owner/logout', {}, other);
    const ended = await send(
      '/owner/a/kept/edit',
      { ...fields, title: 'kept', text: 'Typed & kept.\n', note: 'n', act: 'save' },
      other,
    );
    expect(ended.status).toBe(401);
    const wrong = await post('/owner/login', { key: 'tk_wrong', ...hidden(ended.body) });
    expect(wrong.status).toBe(401);
    const again = await post('/owner/login', { key: terminalKey, ...hidden(wrong.body) });
    expect(again.status).toBe(200);
    expect(again.body).toContain('Back to the text');
    const [cookie = ''] = String(again.headers['set-cookie']).split(';');
    const back = await post('/owner/a/kept/edit', hidden(again.body), cookie);
    expect(back.status).toBe(200);
    expect(textIn(back.body)).toBe('Typed & kept.\n');
    expect(await textOf('kept')).toBe('One.\n');
  });

  it('reads a large text only with the cookie of a session, and keeps it when that has ended', async () => {
    await make('large', 'One.\n');
    const other = await signIn(server.base, terminalKey);
    const fields = await opened('large');
    await send('/owner/logout', {}, other);
    const text = 'Words that were typed. '.repeat(60_000);
    const typed = { ...fields, title: 'large', text, note: 'n', act: 'save' };
    const path = '/owner/a/large/edit';
    const [random = '', mac = ''] = other.cookie.split('.');
    for (const cookie of [
      undefined,
      random,
      `${random.slice(0, -1)}${random.endsWith('A') ? 'B' : 'A'}.${mac}`,
    ])
      expect([cookie, (await post(path, typed, cookie)).status]).toEqual([cookie, 413]);
    const body = new URLSearchParams(typed).toString();
    const headers = { ...formType, origin: server.base };
    expect((await server.send({ path, headers, body, chunked: true })).status).toBe(413);
    const ended = await post(path, typed, other.cookie);
    expect(ended.status).toBe(401);
    const kept = hidden(ended.body);
    expect((await post('/owner/login', { key: terminalKey, ...kept })).status).toBe(413);
    const again = await post('/owner/login', { key: terminalKey, ...kept }, other.cookie);
    expect(again.status).toBe(200);
    expect(hidden(again.body)['text']?.trim()).toBe(text.trim());
  }, 30_000);

  it('shows a share of one article no other draft, and no button that it may not use', async () => {
    await make('theirs', 'Theirs.\n', { status: 'draft' });
    await make('others', 'Others.\n', { status: 'draft' });
    const { share } = await server.mint({ scope: 'row', key: 'CLAIM_POST', article: 'theirs', max_uses: 5 });
    const guest = await signIn(server.base, share);
    const { body, status } = await page('/owner/a/theirs', guest);
    expect(status).toBe(200);
    expect(body).toContain('Make a claim');
    expect(body).not.toContain('/owner/a/theirs/edit');
    expect((await page('/owner/a/others', guest)).status).toBe(404);
    expect((await page('/owner/articles', guest)).body).not.toContain('Others');
    const { version, blocks } = await opened('theirs');
    const refused = await send(
      '/owner/a/theirs/edit',
      {
        version: version ?? '',
        blocks: blocks ?? '',
        title: 'theirs',
        text: 'Mine.\n',
        note: 'n',
        act: 'save',
      },
      guest,
    );
    expect(refused.status).toBe(403);
    expect(await textOf('theirs')).toBe('Theirs.\n');
  });
});

const claim = (text: string) => ({
  text,
  tier: 'system',
  who_claims: 'Colophon',
  why_material: 'It matters.',
});

/** Names and values of the hidden fields of a page's last form but the menu's. */
function hidden(body: string): Record<string, string> {
  const form = body.slice(Math.max(body.lastIndexOf('<form method="post"'), 0));
  return Object.fromEntries(
    [...form.matchAll(/<input type="hidden" name="([^"]+)" value="([^"]*)"/g)].map(
      ([, name = '', value = '']) => [name, plain(value)],
    ),
  );
}

function textIn(body: string): string {
  return plain(/<textarea[^>]*name="text"[^>]*>([^]*?)<\/textarea>/.exec(body)?.[1] ?? '');
}

function plain(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}
