/** Content rules and metadata at the front door (spec §2.12, contract §5): what a claim, an edit, a document and a batch may say. */
import { expect, it } from 'vitest';
import { onBothStores } from '../support/both-stores.ts';
import { terminalKey, type Answer } from '../support/server.ts';

onBothStores('the content rules', (server) => {
  const send = async (path: string, body: object): Promise<{ status: number; json: Answer }> => {
    const response = await server().fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-terminal-key': terminalKey },
      body: JSON.stringify(body),
    });
    return { status: response.status, json: (await response.json()) as Answer };
  };
  const places = (json: Answer) =>
    json['violations']?.map(({ code, at }: Answer) => `${code} ${String(at).replace(/#.*/, '')}`);
  const claim = { tier: 'system', who_claims: 'us', why_material: 'Readers rely on it.' };

  it('apply to every text of a claim and a source, except to the exact quote and the title', async () => {
    await server().article('# R\n\nText.\n', { slug: 'texts' });
    const posted = await send('/api/protocol/claim', {
      slug: 'texts',
      text: 'Ibuprofen lowers a fever.',
      ...claim,
      why_material: 'Adults take two tablets twice daily.',
      falsifier: 'A daily aspirin is recommended.',
      rationale: 'The usual dose is 500 milligrams.',
      comparison: {
        population: 'p',
        axis: 'Take 5 mg of warfarin daily.',
        captured_at: '2026-01-01',
        selection: 's',
      },
    });
    expect([posted.status, places(posted.json)?.sort()]).toEqual([
      422,
      [
        'dose /comparison/axis',
        'dose /falsifier',
        'dose /rationale',
        'dose /why_material',
        'medical_advice /comparison/axis',
        'medical_advice /falsifier',
      ],
    ]);
    const source = {
      type: 'review',
      url: 'https://example.org/leaflet',
      title: 'Take 500 mg of ibuprofen daily',
      quote: 'Adults take two tablets twice daily.',
    };
    const refused = await send('/api/protocol/sources', {
      slug: 'texts',
      sources: [{ ...source, summary: 'Says that adults take 500 mg daily.' }],
    });
    expect(places(refused.json)).toEqual(['dose /sources/0/summary']);
    expect((await send('/api/protocol/sources', { slug: 'texts', sources: [source] })).status).toBe(200);
  });

  it.each(['!!!', '12345', '— … —'])('reject the claim %s, which contains no letter', async (text) => {
    const slug = `letters-${[...text].length}-${text.length}`;
    await server().article('# L\n\nText.\n', { slug });
    const { json } = await send('/api/protocol/claim', { slug, text, ...claim });
    expect(places(json)).toContain('no_words /text');
  });

  it('accept a macro, an operator and an amount of fuel', async () => {
    await server().article('# M\n\nText.\n', { slug: 'macros' });
    for (const text of [
      'The macro println! writes a line to standard output.',
      'The ? operator returns early from a function.',
      'The injector meters 35 mg of fuel per stroke.',
    ])
      expect([text, (await send('/api/protocol/claim', { slug: 'macros', text, ...claim })).status]).toEqual([
        text,
        200,
      ]);
    const two = await send('/api/protocol/claim', {
      slug: 'macros',
      text: 'It works! Nothing else does.',
      ...claim,
    });
    expect(places(two.json)).toContain('several_sentences /text');
  });

  it('warn about a comparison without population, axis, time and selection', async () => {
    await server().article('# C\n\nText.\n', { slug: 'compared' });
    const text = 'SQLite starts faster than PostgreSQL on this machine.';
    const { json } = await send('/api/protocol/claim', {
      slug: 'compared',
      text,
      ...claim,
      tier: 'anecdotal',
    });
    expect(json['warnings']).toMatchObject([{ code: 'comparison_unstated', severity: 'warning' }]);
  });

  it('count the model of a document, an edit and an operation in the energy of the article', async () => {
    await server().article('# E\n\nText.\n', { slug: 'energy', model: 'writer-1' });
    const { divs } = await server().read('/api/articles/energy/voxels');
    await server().owner('/api/protocol/voxel-edit', {
      slug: 'energy',
      div_id: 'd2',
      expected_hash: divs[1].vx_hash,
      text: 'Better text.',
      model: 'editor-2',
    });
    await server().owner('/api/protocol/voxel-batch', {
      slug: 'energy',
      model: 'poster-3',
      operations: [{ op: 'claim', text: 'Each write leaves a receipt.', ...claim }],
    });
    const { energy, model, version, provenance } = await server().read('/api/articles/energy');
    expect([model, energy.models]).toEqual(['writer-1', { 'writer-1': 1, 'editor-2': 1, 'poster-3': 1 }]);
    expect(provenance.map((each: Answer) => each['model'])).toEqual(['writer-1', 'editor-2', 'poster-3']);
    await server().owner('/api/protocol/article', {
      slug: 'energy',
      expected_version: version,
      model: 'curator-4',
    });
    expect((await server().read('/api/articles/energy'))['model']).toBe('curator-4');
  });

  it('list VOXEL_DIVIDE as idempotent in the directory', async () => {
    const { operation_semantics: semantics } = await server().read('/api/directory/VOXEL_DIVIDE');
    expect(semantics).toMatchObject({ safe: false, idempotent: true });
  });

  it('reject a document that would change the metadata of an existing article', async () => {
    await server().article('# Kept title\n\nText.\n', { slug: 'kept', tags: ['a'] });
    const markdown = '\nMore.\n';
    const other = await send('/api/protocol/voxel-batch', {
      document: { slug: 'kept', markdown, title: 'Another title', tags: ['b'] },
    });
    expect([other.status, other.json['error'], other.json['differs']]).toEqual([
      409,
      'conflict',
      ['title', 'tags'],
    ]);
    expect((await server().read('/api/articles/kept'))['version']).toBe(1);
    const same = { slug: 'kept', markdown, title: 'Kept title', tags: ['a'] };
    expect((await send('/api/protocol/voxel-batch', { document: same })).json['revision']).toBe(2);
  });

  it('reject a batch operation whose name and stance differ', async () => {
    await server().article('# S\n\nText.\n', { slug: 'stances' });
    const { divs } = await server().read('/api/articles/stances/voxels');
    const post = {
      slug: 'stances',
      target_div: 'd2',
      expected_hash: divs[1].vx_hash,
      expected_thread_head: 'batch',
      body: 'The passage names no source.',
      actor: 'ada',
    };
    const smuggled = await send('/api/protocol/voxel-batch', {
      atomic: true,
      operations: [{ op: 'support', stance: 'challenge', ...post }],
    });
    expect([smuggled.status, places(smuggled.json)]).toEqual([422, ['not_carried /operations/0/stance']]);
    expect((await server().read('/api/articles/stances/discourse'))['counts'].total).toBe(0);
    const fits = await send('/api/protocol/voxel-batch', {
      operations: [{ op: 'support', stance: 'support', ...post }],
    });
    expect(fits.json['results'][0]).toMatchObject({ op: 'support', ok: true });
  });
});
