/** The discussion of an article and its forms, as a browser without JavaScript sends them (spec §2.10, §2.11; contract §8). */
import { describe, expect, it } from 'vitest';
import { onBothStores } from '../support/both-stores.ts';
import { startServer, type Answer, type TestServer } from '../support/server.ts';

const text = '# On bees\n\nBees dance in the dark.\n\nWasps build with paper.\n';

/** An article with the blocks d1 to d3 and the claims c1 and c2. */
async function made(server: TestServer, slug: string): Promise<string> {
  await server.article(text, { slug });
  for (const words of ['Honey bees dance in the dark.', 'Paper wasps build with paper.'])
    await server.owner('/api/protocol/claim', {
      slug,
      text: words,
      tier: 'human',
      who_claims: 'a keeper',
      why_material: 'It is what the article is about.',
    });
  return slug;
}

type Fields = Readonly<Record<string, string>>;

/** The hidden fields of the form about a target, as the page has them. */
async function opened(server: TestServer, slug: string, on: string): Promise<Fields> {
  const page = await (await server.fetch(`/a/${slug}/discuss?on=${on}`)).text();
  return hiddenIn(page);
}

function hiddenIn(page: string): Fields {
  const form = page.slice(page.indexOf('id="say"'));
  return Object.fromEntries(
    [...form.matchAll(/<input type="hidden" name="([a-z_]+)" value="([^"]*)"/g)].map(([, name, value]) => [
      String(name),
      String(value),
    ]),
  );
}

function send(
  server: TestServer,
  slug: string,
  fields: Fields,
  origin: string | undefined = server.base,
): Promise<Response> {
  return server.fetch(`/a/${slug}/discuss`, {
    method: 'POST',
    redirect: 'manual',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(origin === undefined ? {} : { origin }),
    },
    body: new URLSearchParams(fields).toString(),
  });
}

const alert = (page: string): string =>
  (/<div class="notice refusal" role="alert">[^]*?<\/div>/.exec(page)?.[0] ?? '').replace(/<[^>]*>/g, ' ');

onBothStores('the forms of a discussion', (server) => {
  it.each([
    ['d2', 'challenge', {}, 'stance', 'challenge'],
    ['d2', 'support', {}, 'stance', 'support'],
    ['d2', 'upgrade', {}, 'stance', 'upgrade'],
    ['d3', 'objection', { surface: 'S4', minimum_patch: 'Say which.' }, 'stance', 'objection'],
    ['c1', 'objection', {}, 'stance', 'objection'],
    ['', 'objection', {}, 'stance', 'objection'],
    ['', 'review', { verdict: 'needs_work' }, 'verdict', 'needs_work'],
    ['', 'attest', { outcome: 'nothing_to_add' }, 'outcome', 'nothing_to_add'],
    ['d3', 'vote', { proposal: 'should_burn' }, 'proposal', 'should_burn'],
    ['c2', 'vote', { proposal: 'should_retier', vote_tier: 'anecdotal' }, 'proposal', 'should_retier'],
    ['', 'vote', { proposal: 'should_split' }, 'proposal', 'should_split'],
    ['c1', 'question', {}, 'kind', 'question'],
    ['c1', 'contradiction', {}, 'kind', 'contradiction'],
    ['', 'audit', {}, 'kind', 'audit'],
    [
      'c1',
      'source',
      { url: 'https://example.org/', quote: 'Bees dance.', text: 'It says so.' },
      'kind',
      'source',
    ],
    [
      'c1',
      'repair',
      { text: 'Honey bees dance on dark combs.', rationale: 'It is more exact.' },
      'kind',
      'repair',
    ],
    ['c2', 'compression', { text: 'Paper wasps build.' }, 'kind', 'compression'],
  ])(
    'on “%s” records it as %s, with a receipt and a page of its own',
    async (on, as, more, member, value) => {
      const slug = `kinds-${on === '' ? 'article' : on}-${as}`;
      await made(server(), slug);
      const taken = await send(server(), slug, {
        ...(await opened(server(), slug, on)),
        as,
        text: `This is what I say of it as ${as}.`,
        actor: 'Ada',
        ...(more as Fields),
      });
      expect(taken.status).toBe(303);
      const location = String(taken.headers.get('location'));
      expect(location).toMatch(
        new RegExp(`^/a/${slug}/discuss/(dx|mc|vote)_[a-z2-7]{16}\\?said=inv_[a-z2-7]{16}$`),
      );
      const id = location.slice(location.lastIndexOf('/') + 1, location.indexOf('?'));
      const all: Answer[] = [];
      for (const [part, list] of [
        ['discourse', 'entries'],
        ['mirror', 'contributions'],
        ['votes', 'votes'],
      ] as const)
        all.push(...((await server().read(`/api/articles/${slug}/${part}`))[list] as Answer[]));
      const [found] = all;
      expect([all.length, found?.['id'], found?.[member], found?.['actor']]).toEqual([1, id, value, 'Ada']);
      const page = await (await server().fetch(location)).text();
      expect(page).toContain('<strong>Recorded.</strong>');
      expect(page).toContain(`<a href="/receipt/${String(found?.['receipt'])}">`);
      // The notice is for whoever sent the form.
      const later = await (await server().fetch(`/a/${slug}/discuss/${id}`)).text();
      expect(later).not.toContain('Recorded.');
    },
  );

  it('keeps the typed text when the thread has moved, shows what was said meanwhile, and takes it sent again', async () => {
    const slug = await made(server(), 'thread-moves');
    const form: Fields = {
      ...(await opened(server(), slug, 'd2')),
      as: 'challenge',
      text: 'Who saw it?',
      actor: 'Ada',
    };
    const other = { ...form, text: 'They dance in daylight on the board.', actor: 'Noor', as: 'support' };
    expect((await send(server(), slug, other)).status).toBe(303);
    const moved = await send(server(), slug, form);
    const page = await moved.text();
    expect(moved.status).toBe(409);
    expect(alert(page)).toContain(
      '1 entry came in while you wrote. Read it, and send again if it still holds.',
    );
    expect(page).toContain('They dance in daylight on the board.');
    expect(page).toMatch(/<textarea[^>]*>Who saw it\?<\/textarea>/);
    expect(page).toContain('>Send again</button>');
    const again = await send(server(), slug, { ...form, ...hiddenIn(page) });
    expect(again.status).toBe(303);
  });

  it('keeps the typed text when the block has changed and shows the change word by word', async () => {
    const slug = await made(server(), 'text-moves');
    const form: Fields = {
      ...(await opened(server(), slug, 'd2')),
      as: 'challenge',
      text: 'Who saw it?',
      actor: 'Ada',
    };
    await server().owner('/api/protocol/voxel-edit', {
      slug,
      div_id: 'd2',
      expected_hash: form['text_hash'],
      text: 'Bees dance in the light.',
    });
    const moved = await send(server(), slug, form);
    const page = await moved.text();
    expect(moved.status).toBe(409);
    expect(alert(page)).toContain('Block d2 was changed while you wrote.');
    expect(page).toContain('<del>dark</del><ins>light</ins>');
    expect(page).toMatch(/<textarea[^>]*>Who saw it\?<\/textarea>/);
    expect((await send(server(), slug, { ...form, ...hiddenIn(page) })).status).toBe(303);
  });

  it('shows the claim as it reads now to a wording proposed for an older one', async () => {
    const slug = await made(server(), 'claim-moves');
    const form: Fields = {
      ...(await opened(server(), slug, 'c1')),
      as: 'repair',
      text: 'Honey bees dance on dark combs.',
      actor: 'Zed',
    };
    await server().owner('/api/protocol/repair', {
      slug,
      claim_id: 'c1',
      text: 'Honey bees dance in dark hives.',
      rationale: 'More exact.',
      expected_hash: form['text_hash'],
    });
    const moved = await send(server(), slug, form);
    const page = await moved.text();
    expect(moved.status).toBe(409);
    expect(page).toContain('<p>Honey bees dance in dark hives.</p>');
    expect(page).toMatch(/<textarea[^>]*>Honey bees dance on dark combs\.<\/textarea>/);
    expect((await send(server(), slug, { ...form, ...hiddenIn(page) })).status).toBe(303);
  });

  it.each(['objection', 'vote'])(
    'shows who sends an %s what has changed about its claim first, and takes it sent again',
    async (as) => {
      const slug = await made(server(), `unseen-${as}`);
      const more: Fields = as === 'vote' ? { proposal: 'should_burn' } : {};
      const form: Fields = {
        ...(await opened(server(), slug, 'c1')),
        ...more,
        as,
        text: 'Nobody has seen it.',
        actor: 'Ada',
      };
      const other = await opened(server(), slug, 'c2');
      // What is said about something else is no news here.
      await send(server(), slug, { ...other, as: 'objection', text: 'Not all of them.', actor: 'Noor' });
      await send(server(), slug, { ...form, as: 'objection', text: 'Only at night.', actor: 'Noor' });
      await server().owner('/api/protocol/repair', {
        slug,
        claim_id: 'c1',
        text: 'Honey bees dance in dark hives.',
        rationale: 'More exact.',
        expected_hash: form['text_hash'],
      });
      const moved = await send(server(), slug, form);
      const page = await moved.text();
      expect(moved.status).toBe(409);
      expect(alert(page)).toContain(
        'Claim c1 was changed while you wrote, and 2 entries came in while you wrote',
      );
      expect(page).toContain('Only at night.');
      expect(page).toContain('<ins> hives</ins>');
      const again: Fields = { ...form, ...hiddenIn(page) };
      const later: Fields = { ...again, as: 'objection', text: 'It was too dark.', actor: 'Ines' };
      expect((await send(server(), slug, later)).status).toBe(303);
      const said = await send(server(), slug, again);
      expect([said.status, alert(await said.text())]).toEqual([
        409,
        expect.stringContaining('1 entry came in while you wrote.') as string,
      ]);
      const fresh = { ...again, ...(await opened(server(), slug, 'c1')) };
      expect((await send(server(), slug, fresh)).status).toBe(303);
    },
  );

  it('shows a near duplicate of a challenge with the entry it repeats, and records a confirmation on request', async () => {
    const slug = await made(server(), 'said-before');
    const first = {
      ...(await opened(server(), slug, 'd2')),
      as: 'challenge',
      text: 'Nobody has seen it.',
      actor: 'Ada',
    };
    expect((await send(server(), slug, first)).status).toBe(303);
    const { entries } = await server().read(`/api/articles/${slug}/discourse`);
    const second = {
      ...(await opened(server(), slug, 'd2')),
      as: 'challenge',
      text: 'Nobody has seen it!',
      actor: 'Noor',
    };
    const refused = await send(server(), slug, second);
    const page = await refused.text();
    expect(refused.status).toBe(409);
    expect(page).toContain('This is what was said already:');
    expect(page).toContain('Nobody has seen it.');
    expect(page).toContain(
      `name="duplicate_of" value="${entries[0].id}" class="button button-quiet">Confirm what was said</button>`,
    );
    const again = await send(server(), slug, { ...second, ...hiddenIn(page), duplicate_of: entries[0].id });
    expect(again.status).toBe(303);
    const after = await server().read(`/api/articles/${slug}/discourse`);
    expect(after['entries'][1]).toMatchObject({
      stance: 'confirmation',
      confirms: entries[0].id,
      actor: 'Noor',
    });
  });

  it('shows an objection that was raised already, and records a confirmation on request', async () => {
    const slug = await made(server(), 'raised-before');
    const raised = async (actor: string): Promise<Fields> => ({
      ...(await opened(server(), slug, 'c1')),
      as: 'objection',
      text: 'Nobody has seen it.',
      actor,
    });
    expect((await send(server(), slug, await raised('Ada'))).status).toBe(303);
    const { entries } = await server().read(`/api/articles/${slug}/discourse`);
    const second = await raised('Noor');
    const refused = await send(server(), slug, second);
    const page = await refused.text();
    expect([refused.status, page.includes('This is what was said already:')]).toEqual([409, true]);
    expect(page).toContain(`name="duplicate_of" value="${entries[0].id}"`);
    const confirmed = { ...second, ...hiddenIn(page), duplicate_of: entries[0].id };
    expect((await send(server(), slug, confirmed)).status).toBe(303);
    const after = await server().read(`/api/articles/${slug}/discourse`);
    expect(after['entries'][1]).toMatchObject({ stance: 'confirmation', confirms: entries[0].id });
  });

  it('says on the page of an entry how it is answered, since there are no replies', async () => {
    const slug = await made(server(), 'answered');
    const said = { ...(await opened(server(), slug, 'd2')), as: 'objection', text: 'Not so.', actor: 'Ada' };
    const first = await send(server(), slug, said);
    const page = await (await server().fetch(String(first.headers.get('location')))).text();
    expect(page).toContain(`href="/a/${slug}/discuss?on=d2#say"`);
    expect(page).toContain('Respond on d2');
    expect(page).toContain('by the owner, who settles it with a note, or by a vote that names it.');
    const asked = { ...(await opened(server(), slug, 'c1')), as: 'question', text: 'Which?', actor: 'Ada' };
    const second = await send(server(), slug, asked);
    const other = await (await server().fetch(String(second.headers.get('location')))).text();
    expect(other).toContain('It is answered by the owner, who accepts or rejects it, with a note.');
  });

  it('answers rules at their fields, with the text kept and nothing recorded', async () => {
    const slug = await made(server(), 'rules');
    const fields = await opened(server(), slug, 'c1');
    const broken = await send(server(), slug, {
      ...fields,
      as: 'repair',
      text: 'Do bees dance? They do.',
      actor: 'ada\u202e',
    });
    const page = await broken.text();
    expect(broken.status).toBe(422);
    expect(page).toMatch(/<p class="field-error" id="say-c1-text-error">[^<]*question/i);
    expect(page).toMatch(/<p class="field-error" id="say-c1-actor-error">/);
    expect(page).toMatch(/<textarea[^>]*aria-invalid="true"[^>]*>Do bees dance\? They do\.<\/textarea>/);
    const empty = await send(server(), slug, { ...fields, as: 'vote', actor: 'ada' });
    const errors = await empty.text();
    expect(empty.status).toBe(422);
    expect(errors).toMatch(/id="say-c1-text-error"/);
    expect(errors).toMatch(/id="say-c1-proposal-error"/);
    expect((await server().read(`/api/articles/${slug}/mirror`))['count']).toBe(0);
  });

  it('records a name that was left out as anonymous', async () => {
    const slug = await made(server(), 'nameless');
    await send(server(), slug, {
      ...(await opened(server(), slug, '')),
      as: 'question',
      text: 'Which bees?',
      actor: '',
    });
    const { contributions } = await server().read(`/api/articles/${slug}/mirror`);
    expect(contributions).toMatchObject([{ actor: 'anonymous', body: 'Which bees?' }]);
  });

  it('takes a form from a page of this site only', async () => {
    const slug = await made(server(), 'origins');
    const form: Fields = {
      ...(await opened(server(), slug, '')),
      as: 'question',
      text: 'Which bees?',
      actor: 'ada',
    };
    for (const origin of ['https://elsewhere.example', 'null'])
      expect((await send(server(), slug, form, origin)).status).toBe(403);
    const unsaid = await server().fetch(`/a/${slug}/discuss`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form).toString(),
    });
    expect(unsaid.status).toBe(403);
    expect((await server().read(`/api/articles/${slug}/mirror`))['count']).toBe(0);
    expect((await send(server(), slug, form)).status).toBe(303);
  });

  it('takes the same form sent twice once', async () => {
    const slug = await made(server(), 'twice');
    const form: Fields = {
      ...(await opened(server(), slug, '')),
      as: 'review',
      verdict: 'sound',
      text: 'Sound.',
      actor: 'ada',
    };
    const [first, second] = [await send(server(), slug, form), await send(server(), slug, form)];
    expect(second.headers.get('location')).toBe(first.headers.get('location'));
    expect((await server().read(`/api/articles/${slug}/discourse`))['counts'].total).toBe(1);
  });

  it('refuses a kind that the form does not offer', async () => {
    const slug = await made(server(), 'no-such-kind');
    for (const [on, as] of [
      ['c1', 'challenge'],
      ['d2', 'repair'],
      ['', 'settle'],
    ] as const)
      expect((await send(server(), slug, { on, as, text: 'x', actor: 'ada' })).status).toBe(400);
  });
});

onBothStores('the page of a discussion', (server) => {
  it('lists threads by what they are about, waiting ones first, with decisions and reasons', async () => {
    const slug = await made(server(), 'threads');
    const objection = await server().anybody('/api/dispatch', {
      key: 'OBJECTION_LOG',
      body: JSON.stringify({ slug, objection: 'It leaves out wild bees.', actor: 'Ada' }),
    });
    await server().owner('/api/dispatch', {
      key: 'THREAD_SETTLE',
      body: JSON.stringify({ slug, entry: objection['result'].entry.id, note: 'The title says honey bees.' }),
    });
    const { contribution } = await server().anybody(`/api/articles/${slug}/mirror`, {
      claim_id: 'c1',
      kind: 'repair',
      actor: 'Zed',
      body: 'Honey bees dance on dark combs.',
    });
    await server().owner(`/api/articles/${slug}/mirror/${contribution.id}/resolve`, {
      decision: 'accepted',
      note: 'More exact.',
    });
    await server().owner('/api/protocol/retract', { slug, claim_id: 'c2', reason: 'It was about hornets.' });
    await server().anybody('/api/dispatch', {
      key: 'OBJECTION_LOG',
      body: JSON.stringify({ slug: `${slug}/d3`, objection: 'Not all wasps do.', actor: 'Noor' }),
    });
    const response = await server().fetch(`/a/${slug}/discuss`);
    const page = await response.text();
    expect(response.status).toBe(200);
    expect([...page.matchAll(/<h2 id="on-([a-z0-9]+)"/g)].map(([, target]) => target)).toEqual([
      'd3',
      'c2',
      'c1',
      'article',
    ]);
    const words = page.replace(/<[^>]*>/g, ' ').replace(/\s+/g, ' ');
    expect(words).toContain('3 entries, 1 waiting for an answer.');
    expect(words).toContain('Retracted c2: “It was about hornets.”');
    expect(words).toMatch(
      /“ Zed ” proposed wording accepted.*Accepted by the owner , .* : “More exact\.” It became version 2 of c1\./,
    );
    expect(words).toMatch(/Settled by the owner , .* : “The title says honey bees\.”/);
    // The list may be filtered, and its pages are not indexed then.
    const open = await (await server().fetch(`/a/${slug}/discuss?show=open`)).text();
    expect([...open.matchAll(/<h2 id="on-([a-z0-9]+)"/g)].map(([, target]) => target)).toEqual(['d3']);
    expect(open).toContain('<meta name="robots" content="noindex"/>');
  });

  it('sets formulas in the title of a thread, and leaves the marks of footnotes out', async () => {
    const markdown = 'The speed is $c > 0$ here[^1].\n\n$$\na_k = 1\n$$\n\n[^1]: In metres.\n';
    const slug = await server().article(markdown, { slug: 'formulas', title: 'Formulas' });
    await server().anybody('/api/dispatch', {
      key: 'OBJECTION_LOG',
      body: JSON.stringify({ slug: `${slug}/d1`, objection: 'Which speed?', actor: 'Ada' }),
    });
    await server().anybody('/api/dispatch', {
      key: 'OBJECTION_LOG',
      body: JSON.stringify({ slug: `${slug}/d2`, objection: 'Which k?', actor: 'Ada' }),
    });
    const page = await (await server().fetch(`/a/${slug}/discuss`)).text();
    expect(page).toMatch(/<h2 id="on-d2"[^>]*><a [^>]*>The formula in block d2<\/a>/);
    const heading = /<h2 id="on-d1"[^]*?<\/h2>/.exec(page)?.[0] ?? '';
    expect(heading).toContain('<math');
    expect(
      heading
        .replace(/<math[^]*<\/math>/, 'F')
        .replace(/<[^>]*>/g, '')
        .trim(),
    ).toBe('The speed is F here.');
  });

  it('gives each entry a page that says whether its text has changed since', async () => {
    const slug = await made(server(), 'entry-pages');
    const form: Fields = {
      ...(await opened(server(), slug, 'd2')),
      as: 'challenge',
      text: 'Who saw it?',
      actor: 'Ada',
    };
    const location = String((await send(server(), slug, form)).headers.get('location')).replace(/\?.*/, '');
    await server().owner('/api/protocol/voxel-edit', {
      slug,
      div_id: 'd2',
      expected_hash: form['text_hash'],
      text: 'Bees dance in the light.',
    });
    const page = await (await server().fetch(location)).text();
    expect(page).toContain('<title>challenge on d2 of On bees · Colophon</title>');
    expect(page).toContain('<span class="chip chip-stale">stale</span>');
    expect(page).toContain('<del>dark</del><ins>light</ins>');
  });

  it('teaches where nothing has been said', async () => {
    const slug = await made(server(), 'silent');
    const page = await (await server().fetch(`/a/${slug}/discuss`)).text();
    expect(page).toContain('Nothing has been said about this article yet. You need no account');
    expect(page).toMatch(/<details[^>]* open/);
  });

  it('lists questions that were asked, with their answers', async () => {
    const slug = await made(server(), 'asked');
    await server().owner('/api/protocol/ask', { slug, question: 'Where do honey bees dance?' });
    const page = await (await server().fetch(`/a/${slug}/discuss`)).text();
    expect(page).toContain('Where do honey bees dance?');
    expect(page).toMatch(/<h2 id="questions">Questions asked<\/h2>/);
  });

  it('opens the form with the kind and the words that an address names', async () => {
    const slug = await made(server(), 'opened');
    const page = await (
      await server().fetch(`/a/${slug}/discuss?on=d2&as=upgrade&quote=${encodeURIComponent('in the <dark>')}`)
    ).text();
    expect(page).toMatch(/<input type="radio" name="as" value="upgrade"[^>]* checked/);
    expect(page).toContain('Instead of\n\n> in the &lt;dark>\n\nwrite\n\n> in the &lt;dark></textarea>');
    const repair = await (await server().fetch(`/a/${slug}/discuss?on=c1&as=repair`)).text();
    expect(repair).toMatch(/<textarea[^>]*>Honey bees dance in the dark\.<\/textarea>/);
  });

  it('answers with a 404 page for what does not exist or is not public', async () => {
    await made(server(), 'known');
    await server().article('# Not yet\n\nA secret.\n', { slug: 'not-yet', status: 'draft' });
    for (const path of [
      '/a/nobody/discuss',
      '/a/not-yet/discuss',
      '/a/not-yet/discuss?on=d1',
      '/a/known/discuss?on=c9',
      '/a/known/discuss?on=d9',
      '/a/known/discuss?on=x',
      '/a/known/discuss?on=c1&on=c2',
      '/a/known/discuss/dx_aaaaaaaaaaaaaaaa',
      '/a/known/discuss/hello',
      '/a/known/propose?claim=c9',
    ]) {
      const response = await server().fetch(path);
      expect([path, response.status, response.headers.get('content-type')]).toEqual([
        path,
        404,
        'text/html; charset=utf-8',
      ]);
    }
  });

  it('shows the form at its earlier address', async () => {
    await made(server(), 'earlier-form');
    const response = await server().fetch('/a/earlier-form/propose?claim=c1');
    expect(response.status).toBe(200);
    expect(hiddenIn(await response.text())).toMatchObject({ on: 'c1' });
  });
});

describe('the rate limit of open intake', () => {
  it('is answered in the form, with the text kept', async () => {
    const server = await startServer({ COLOPHON_RATE_LIMIT: 'on' });
    const slug = await made(server, 'limited');
    const fields = await opened(server, slug, '');
    let page = '';
    let status = 0;
    for (let i = 0; i <= 30; i++) {
      const answer = await send(server, slug, {
        ...fields,
        as: 'question',
        text: `Which of ${i}?`,
        actor: 'ada',
      });
      status = answer.status;
      page = await answer.text();
    }
    expect(status).toBe(429);
    expect(alert(page)).toContain('Nothing was recorded; what you typed is below.');
    expect(page).toMatch(/<textarea[^>]*>Which of 30\?<\/textarea>/);
    await server.stop();
  });
});
