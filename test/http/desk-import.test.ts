/** `/owner/images` and `/owner/import` (contract §8): uploads, previews that write nothing, and what is written. */
import { strToU8, zipSync } from 'fflate';
import { expect, it } from 'vitest';
import { onBothStores } from '../support/both-stores.ts';
import { png, pngChunk } from '../support/images.ts';
import { terminalKey, type TestServer } from '../support/server.ts';

const picture = png(3, 2, [pngChunk('eXIf', Buffer.from('GPS 46.9480 N'))]);

interface Page {
  readonly status: number;
  readonly location: string | null;
  readonly html: string;
}

onBothStores('the desk', (server: () => TestServer) => {
  const send = async (path: string, init: RequestInit & { cookie?: string }): Promise<Page> => {
    const { cookie = '', ...rest } = init;
    const response = await server().fetch(path, {
      redirect: 'manual',
      ...rest,
      headers: { cookie, origin: server().base, accept: 'text/html', ...rest.headers },
    });
    return {
      status: response.status,
      location: response.headers.get('location'),
      html: await response.text(),
    };
  };
  const signIn = async (): Promise<{ cookie: string; token: string }> => {
    const response = await server().fetch('/owner/login', {
      method: 'POST',
      redirect: 'manual',
      headers: { origin: server().base, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ key: terminalKey }).toString(),
    });
    const [cookie = ''] = (response.headers.get('set-cookie') ?? '').split(';');
    const { html } = await send('/owner/import', { cookie });
    const token = /name="form_token" value="([0-9a-f]{32})"/.exec(html)?.[1] ?? '';
    return { cookie, token };
  };
  type Files = Readonly<Record<string, string | Uint8Array>>;
  const upload = async (
    session: { cookie: string; token: string },
    path: string,
    fields: Readonly<Record<string, string>>,
    files: Files = {},
    field = 'files',
  ): Promise<Page> => {
    const form = new FormData();
    for (const [name, value] of Object.entries({ form_token: session.token, workspace: 'main', ...fields }))
      form.set(name, value);
    for (const [name, content] of Object.entries(files))
      form.append(field, new File([typeof content === 'string' ? content : new Uint8Array(content)], name));
    return send(path, { method: 'POST', body: form, cookie: session.cookie });
  };
  const choose = (session: { cookie: string; token: string }, path: string, fields: Record<string, string>) =>
    send(path, {
      method: 'POST',
      cookie: session.cookie,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ form_token: session.token, workspace: 'main', ...fields }).toString(),
    });
  const article = async (slug: string): Promise<Record<string, unknown>> => {
    const response = await server().fetch(`/api/articles/${slug}`, {
      headers: { 'x-terminal-key': terminalKey },
    });
    return (await response.json()) as Record<string, unknown>;
  };

  it('stores an image that a form sends, and gives the Markdown to paste', async () => {
    const session = await signIn();
    const sent = await upload(session, '/owner/images', { alt: 'A dance' }, { 'a.png': picture }, 'image');
    expect(sent.status).toBe(303);
    const { html } = await send(sent.location ?? '', { cookie: session.cookie });
    expect(html).toMatch(/value="!\[A dance\]\(\/blobs\/[0-9a-f]{64}\)"/);
    expect(html).toContain('Left out: EXIF.');
  });

  it('answers a script with JSON, and a form without an image with what to do', async () => {
    const session = await signIn();
    const form = new FormData();
    form.set('form_token', session.token);
    form.set('image', new File([new Uint8Array(picture)], 'a.png'));
    const answer = await server().fetch('/owner/images', {
      method: 'POST',
      headers: { cookie: session.cookie, origin: server().base, accept: 'application/json' },
      body: form,
    });
    expect([answer.status, await answer.json()]).toMatchObject([200, { ok: true, media_type: 'image/png' }]);
    const none = await upload(session, '/owner/images', { url: '' }, {});
    expect([none.status, none.html]).toEqual([422, expect.stringContaining('No image was chosen.')]);
    const bad = await upload(session, '/owner/images', { alt: 'Kept' }, { 'a.svg': '<svg/>' }, 'image');
    expect([bad.status, bad.html]).toEqual([422, expect.stringContaining('SVG is a document')]);
    expect(bad.html).toContain('value="Kept"');
  });

  it('shows what a vault would write, writes nothing before it is confirmed, and reports it afterwards', async () => {
    const session = await signIn();
    const vault = zipSync({
      'Bees.md': strToU8('---\ntags: [insects]\n---\n\n# Honey bees\n\nThey [[Dance]].\n\n![[pic.png]]\n'),
      'Dance.md': strToU8('---\nstatus: published\n---\n\nA dance of [[Wasps]].\n'),
      'pic.png': new Uint8Array(picture),
      '../out.md': strToU8('No.'),
    });
    const sent = await upload(session, '/owner/import', { status: 'draft' }, { 'vault.zip': vault });
    expect([sent.status, sent.location]).toEqual([303, expect.stringMatching(/^\/owner\/import\/imp_/)]);
    const at = sent.location ?? '';
    const { html } = await send(at, { cookie: session.cookie });
    for (const text of [
      'Honey bees',
      '/a/bees',
      'They [Dance](/a/dance).',
      'tagged insects',
      'EXIF will be left out',
    ])
      expect(html).toContain(text);
    expect(html).toContain('“Wasps” is not among the files');
    expect(html).toContain('../out.md</span>: Its name leads out of the folder.');
    expect((await article('bees'))['error']).toBe('not_found');
    const done = await choose(session, at, { do_0: 'write', do_1: 'write' });
    expect(done).toMatchObject({ status: 303, location: at });
    const report = (await send(at, { cookie: session.cookie })).html;
    expect(report).toContain('2 of 2 written.');
    expect(await article('bees')).toMatchObject({ title: 'Honey bees', status: 'draft', tags: ['insects'] });
    expect(await article('dance')).toMatchObject({ status: 'published', body: 'A dance of Wasps.\n' });
    // The form that is sent again writes nothing again.
    await choose(session, at, { do_0: 'write', do_1: 'write' });
    expect(await article('dance')).toMatchObject({ version: 2 });
  });

  it('takes a pasted text and several files, each with its own title, and leaves out what is not chosen', async () => {
    const session = await signIn();
    const sent = await upload(
      session,
      '/owner/import',
      { status: 'published', pasted: '# Pasted words\n\nText.\n' },
      { 'one.md': '---\ntitle: The first\n---\n\nOne.\n', 'two.txt': 'Two.\n' },
    );
    const at = sent.location ?? '';
    const { html } = await send(at, { cookie: session.cookie });
    for (const slug of ['/a/pasted-words', '/a/the-first', '/a/two']) expect(html).toContain(slug);
    await choose(session, at, { do_0: 'write', do_1: 'skip', do_2: 'write' });
    expect(await article('pasted-words')).toMatchObject({ title: 'Pasted words', status: 'published' });
    expect(await article('the-first')).toMatchObject({ error: 'not_found' });
  });

  it('shows both texts of an article that it did not write, and replaces or renames as chosen', async () => {
    const session = await signIn();
    await server().article('Mine.\n', { slug: 'ants', title: 'Ants' });
    const files = { 'Ants.md': '# Ants\n\nYours.\n' };
    const renamed = await upload(session, '/owner/import', {}, files);
    const { html } = await send(renamed.location ?? '', { cookie: session.cookie });
    expect(html).toContain('address taken');
    expect(html).toMatch(/<del>Mine/);
    await choose(session, renamed.location ?? '', { do_0: 'rename' });
    expect([(await article('ants'))['body'], (await article('ants-2'))['body']]).toEqual([
      'Mine.\n',
      '# Ants\n\nYours.\n',
    ]);
    const replaced = await upload(session, '/owner/import', {}, files);
    await choose(session, replaced.location ?? '', { do_0: 'replace' });
    expect((await article('ants'))['body']).toContain('Yours.');
  });

  it('writes the quoted entries of a bibliography as sources, and shows errors at their fields', async () => {
    const session = await signIn();
    await server().article('# Bees\n\nThey dance.\n', { slug: 'bees-cited', title: 'Bees' });
    const bib =
      '@article{a, title={On dances}, url={https://example.org/a}}\n@book{b, title={No address}}\n@misc{c, title={Later}, url={https://example.org/c}}';
    const { location } = await upload(session, '/owner/import', {}, { 'bees.bib': bib });
    const at = location ?? '';
    const first = (await send(at, { cookie: session.cookie })).html;
    expect(first).toContain('Which article?');
    expect(first).toContain('<option value="bees-cited">Bees</option>');
    const wrong = await choose(session, at, { article: 'no-such' });
    expect([wrong.status, wrong.html]).toEqual([
      422,
      expect.stringContaining('There is no article no-such.'),
    ]);
    expect(wrong.html).toMatch(/id="article"[^>]*aria-invalid="true"|aria-invalid="true"[^>]*id="article"/);
    const chosen = await choose(session, at, { article: `${server().base}/a/bees-cited#d1` });
    expect(chosen.status).toBe(303);
    const { html } = await send(at, { cookie: session.cookie });
    expect(html).toContain('The entry has no http(s) address and no DOI.');
    const none = await choose(session, at, { quote_0: '', quote_1: ' ' });
    expect([none.status, none.html]).toEqual([422, expect.stringContaining('No entry has a quote.')]);
    const typed = {
      url_0: 'https://example.org/a',
      title_0: 'On dances, typed',
      quote_0: 'They dance.',
      title_1: 'No address',
      url_1: '',
      quote_1: 'Words that were typed.',
    };
    const bad = await choose(session, at, typed);
    expect([bad.status, bad.html]).toEqual([
      422,
      expect.stringContaining('1 of 2 entries with a quote cannot be written yet.'),
    ]);
    for (const kept of [
      'Words that were typed.',
      'On dances, typed',
      'It has no http(s) address and no DOI.',
    ])
      expect(bad.html).toContain(kept);
    expect(((await article('bees-cited')) as { sources: unknown[] }).sources).toEqual([]);
    await choose(session, at, { ...typed, quote_1: '' });
    const report = (await send(at, { cookie: session.cookie })).html;
    expect(report).toContain('1 of 3 written.');
    expect(report).toContain('It has no exact quote.');
    const { sources } = (await article('bees-cited')) as { sources: { url: string; quote: string }[] };
    expect(sources.map(({ url, quote }) => [url, quote])).toEqual([['https://example.org/a', 'They dance.']]);

    // The same file again: what is here is left out.
    const again = await upload(session, '/owner/import', {}, { 'bees.bib': bib });
    await choose(session, again.location ?? '', { article: 'bees-cited' });
    const twice = await choose(session, again.location ?? '', typed);
    expect(twice.html).toContain('already here: s1 of the article');
  });

  it('runs an upload once, however often its form is sent', async () => {
    const session = await signIn();
    await server().article('# Bees\n\nThey dance.\n', { slug: 'bees-twice', title: 'Bees' });
    const bib = '@misc{a, title={On dances}, url={https://example.org/a}, quote={They dance.}}';
    const { location } = await upload(session, '/owner/import', {}, { 'bees.bib': bib });
    await choose(session, location ?? '', { article: 'bees-twice' });
    await Promise.all([1, 2, 3].map(() => choose(session, location ?? '', { title_0: 'On dances' })));
    const notes = await upload(session, '/owner/import', {}, { 'Gnats.md': '# Gnats\n\nThey swarm.\n' });
    await Promise.all([1, 2, 3].map(() => choose(session, notes.location ?? '', { do_0: 'write' })));
    expect(((await article('bees-twice')) as { sources: unknown[] }).sources.length).toBe(1);
    expect((await article('gnats'))['body']).toBe('# Gnats\n\nThey swarm.\n');
  });

  it('writes annotations as the entries that were chosen, at the block that holds their words', async () => {
    const session = await signIn();
    await server().article('# Bees\n\nThey *dance* at noon.\n\nThey rest.\n', {
      slug: 'bees-noted',
      title: 'Bees',
    });
    const note = (exact: string, value: string) => ({
      type: 'Annotation',
      creator: { name: 'Ada' },
      body: { type: 'TextualBody', value },
      target: { source: 'https://x.example', selector: { type: 'TextQuoteSelector', exact } },
    });
    const items = [
      note('dance at noon', 'Not in the rain.'),
      note('They rest.', 'Where?'),
      note('They sing.', 'Never.'),
      note('They rest.', 'So it is said.'),
    ];
    const file = JSON.stringify({
      '@context': 'http://www.w3.org/ns/anno.jsonld',
      type: 'AnnotationPage',
      items,
    });
    const { location } = await upload(session, '/owner/import', {}, { 'notes.jsonld': file });
    const at = location ?? '';
    await choose(session, at, { article: 'bees-noted' });
    const { html } = await send(at, { cookie: session.cookie });
    expect(html).toContain('3 of 4 annotations are at a block of the article.');
    expect(html).toContain('no block holds these words');
    await choose(session, at, { do_0: 'objection', do_1: 'question', do_2: 'objection', do_3: 'challenge' });
    const report = (await send(at, { cookie: session.cookie })).html;
    expect(report).toContain('3 of 4 written.');
    expect(report).toContain('No block of the article holds the quoted words.');
    const discourse = await server().read('/api/articles/bees-noted/discourse');
    const entries = discourse['entries'] as { stance: string; target: string; body: string; actor: string }[];
    expect(entries.map(({ stance, target, body, actor }) => [stance, target, body, actor])).toEqual([
      ['challenge', 'd3', 'On “They rest.”: So it is said.', 'Ada'],
      ['objection', 'd2', 'On “dance at noon”: Not in the rain.', 'Ada'],
    ]);

    // The same file again: what has been said is told, and not written twice.
    const again = (await upload(session, '/owner/import', {}, { 'notes.jsonld': file })).location ?? '';
    await choose(session, again, { article: 'bees-noted' });
    const known = (await send(again, { cookie: session.cookie })).html;
    expect(known.split('The discussion has this already.').length).toBe(4);
    const none = await choose(session, again, { do_0: 'skip' });
    expect([none.status, none.html]).toEqual([422, expect.stringContaining('Nothing was chosen.')]);
    await choose(session, again, { do_0: 'objection', do_1: 'question', do_2: 'skip', do_3: 'challenge' });
    expect((await send(again, { cookie: session.cookie })).html).toContain('0 of 4 written.');
    const { entries: after } = await server().read('/api/articles/bees-noted/discourse');
    expect((after as unknown[]).length).toBe(2);
    expect(((await article('bees-noted'))['contributions'] as unknown[]).length).toBe(1);
  });

  it('takes a bundle with its claims and history', async () => {
    const session = await signIn();
    await server().article('# Moths\n\nThey fly.\n', { slug: 'moths', title: 'Moths' });
    const bundle = await server().fetch('/api/articles/moths/bundle', {
      headers: { 'x-terminal-key': terminalKey },
    });
    const { location } = await upload(session, '/owner/import', {}, { 'moths.json': await bundle.text() });
    const at = location ?? '';
    expect((await send(at, { cookie: session.cookie })).html).toContain('A bundle of another deployment');
    const taken = await choose(session, at, { slug: 'moths' });
    expect([taken.status, taken.html]).toEqual([422, expect.stringContaining('Nothing was written.')]);
    expect(taken.html).toContain('name="slug" value="moths"');
    await choose(session, at, { slug: 'moths-2' });
    const report = (await send(at, { cookie: session.cookie })).html;
    expect(report).toContain('1 of 1 written.');
    expect((await article('moths-2'))['body']).toBe('# Moths\n\nThey fly.\n');
  });

  it('says at its field what is wrong with an upload, and keeps the pasted text', async () => {
    const session = await signIn();
    const none = await upload(session, '/owner/import', { pasted: ' ', title: 'Typed title' });
    expect([none.status, none.html]).toEqual([422, expect.stringContaining('Nothing was sent.')]);
    expect(none.html).toContain('value="Typed title"');
    const broken = await upload(session, '/owner/import', {}, { 'a.zip': 'PK\u0003\u0004broken' });
    expect([broken.status, broken.html]).toEqual([
      422,
      expect.stringContaining('The ZIP archive cannot be read.'),
    ]);
    const both = await upload(
      session,
      '/owner/import',
      { pasted: 'Kept words.', status: 'published' },
      {
        'a.zip': zipSync({ 'a.md': strToU8('A.') }),
      },
    );
    expect([both.status, both.html]).toEqual([
      422,
      expect.stringContaining('An archive is imported by itself.'),
    ]);
    expect(both.html).toContain('Kept words.</textarea>');
    expect(both.html).toMatch(/<p class="field-error" id="files-error">An archive/);
  });

  it('turns HTML into Markdown, pasted and in a file, and leaves nothing alive in it', async () => {
    const session = await signIn();
    const hostile =
      '<!doctype html><title>Flies</title><h1>Flies</h1><p onclick="x()">They <b>buzz</b> &lt;script&gt;<script>alert(1)</script> <a href="javascript:alert(1)">here</a>.</p><table><tr><th>a</th></tr><tr><td>1|2</td></tr></table>';
    const sent = await upload(
      session,
      '/owner/import',
      { pasted: '<p>They <em>bite</em>.</p>', title: 'Midges & co', status: 'published' },
      { 'flies.html': hostile },
    );
    const at = sent.location ?? '';
    const { html } = await send(at, { cookie: session.cookie });
    for (const text of ['/a/flies', '/a/midges-co', 'Left out: scripts (&lt;script>) ×1.'])
      expect(html.replaceAll('&gt;', '>')).toContain(text);
    await choose(session, at, { do_0: 'write', do_1: 'write' });
    expect(await article('midges-co')).toMatchObject({ title: 'Midges & co', body: 'They *bite*.\n' });
    const { body } = await article('flies');
    expect(body).toBe('# Flies\n\nThey **buzz** \\<script> here.\n\n| a    |\n| ---- |\n| 1\\|2 |\n');
    const page = await (await server().fetch('/a/flies')).text();
    expect(page).not.toContain('alert(1)');
    expect(page).toContain('&lt;script&gt;');
  });

  it('holds an upload for the session that sent it, and takes large bodies from sessions alone', async () => {
    const [one, other] = [await signIn(), await signIn()];
    const { location } = await upload(one, '/owner/import', { pasted: 'Private words.\n' });
    const foreign = await send(location ?? '', { cookie: other.cookie });
    expect([foreign.status, foreign.html.includes('Private words')]).toEqual([404, false]);
    const large = { 'a.md': 'x'.repeat(1_500_000) };
    expect((await upload({ cookie: '', token: '' }, '/owner/import', {}, large)).status).toBe(413);
    expect((await upload(one, '/owner/import', {}, large)).status).toBe(303);
    const forged = await upload({ cookie: one.cookie, token: '0'.repeat(32) }, '/owner/import', {
      pasted: 'x',
    });
    expect(forged.status).toBe(403);
  });
});
