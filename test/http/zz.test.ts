import { it, expect } from 'vitest';
import { openLocal, owner } from './local.ts';
it('x', { timeout: 300000 }, async () => {
  const s = await openLocal();
  const t = async (what: string, f: () => Promise<any>) => { const a = performance.now(); const r = await f().catch((e) => ({ status: String(e) })); console.log(what, Math.round(performance.now() - a), 'ms', r?.status, r?.body?.slice(0, 200)); return r; };
  const docs = await Promise.all(Array.from({ length: 100 }, (_, i) => s.send({ path: '/api/protocol/voxel-batch', headers: owner, body: { document: { markdown: `# Same title\n\n${i}\n` } } })));
  console.log('same title', docs.map((d) => d.status).reduce((m: any, x) => ({ ...m, [x]: (m[x] ?? 0) + 1 }), {}), docs.find((d) => d.status !== 200)?.body.slice(0, 300));
  for (let i = 0; i < 40; i++) await s.send({ path: '/api/protocol/voxel-batch', headers: owner, body: { document: { slug: `many-${i}`, markdown: 'x\n' } } });
  await t('40 articles', () => s.send({ path: '/api/protocol/voxel-batch', headers: owner, body: { operations: Array.from({ length: 40 }, (_, i) => ({ op: 'claim', slug: `many-${i}`, text: `The article of number ${i} has a claim.`, tier: 'system', who_claims: 'x', why_material: 'y' })) } }));
  await t('big 1', () => s.send({ path: '/api/protocol/voxel-batch', headers: owner, body: { document: { slug: 'big', markdown: 'Words and words. '.repeat(90_000) } } }));
  await t('big 2', () => s.send({ path: '/api/protocol/voxel-batch', headers: owner, body: { document: { slug: 'big', markdown: 'Words and words. '.repeat(90_000) } } }));
  await t('big read', () => s.send({ path: '/api/articles/big' }));
  const made = await s.send({ path: '/api/protocol/voxel-batch', headers: owner, body: { document: { slug: 'redos', markdown: 'one\n\ntwo\n\nthree\n' } } });
  let hash = (made.json['divs'] as any)[1].vx_hash;
  const n = 60_000;
  for (const [name, text] of Object.entries({ open: '['.repeat(n), close: ']'.repeat(n), nest: '['.repeat(n / 2) + ']'.repeat(n / 2), star: '*'.repeat(n), starA: '*a '.repeat(n / 3), tick: '`'.repeat(n), tickA: '`a'.repeat(n / 2), lt: '<'.repeat(n), lta: '<a '.repeat(n / 3), pipe: '|'.repeat(n), table: '|a'.repeat(n / 4) + '\n' + '|-'.repeat(n / 4), quote: '>'.repeat(n), list: '- '.repeat(n / 2), defs: '[a]: b\n'.repeat(n / 7), def2: '[a]: '.repeat(n / 5), link: '[a]('.repeat(n / 4), img: '![a'.repeat(n / 3), amp: '&'.repeat(n), bs: '\\'.repeat(n), under: '_'.repeat(n), tilde: '~'.repeat(n), hash: '#'.repeat(n), eq: 'a\n' + '='.repeat(n), lines: 'a\n'.repeat(n / 2), dash: '-'.repeat(n), html: '<!--'.repeat(n / 4), url: 'http://a@'.repeat(n / 9), mail: 'a@b.'.repeat(n / 4), blanks: ' '.repeat(n) + 'x', tabs: 'x' + '\t'.repeat(n) + 'y' })) {
    const r = await t(`edit ${name}`, () => s.send({ path: '/api/protocol/voxel-edit', headers: owner, body: { slug: 'redos', div_id: 'd2', expected_hash: hash, text } }));
    if (r.status === 200) { hash = r.json.div.vx_hash; await t(`  page ${name}`, () => s.send({ path: '/a/redos' })); }
  }
  for (const [name, text] of Object.entries({ claimdots: '. '.repeat(2000), claimands: 'and it is '.repeat(400), claimlong: 'a'.repeat(4000) })) await t(`claim ${name}`, () => s.send({ path: '/api/protocol/claim', headers: owner, body: { slug: 'redos', text, tier: 'system', who_claims: 'x', why_material: 'y' } }));
  for (const [name, text] of Object.entries({ beg: '-----BEGIN '.repeat(20000), aws: 'AKIA'.repeat(50000), url: 'a://b:'.repeat(40000), bearer: 'Bearer '.repeat(30000), sh: 'sh.'.repeat(70000), pem: ('-----BEGIN RSA PRIVATE KEY-----\n' + 'A'.repeat(60) + '\n').repeat(2000), b64: 'QUJD'.repeat(60000), dash: 'a-'.repeat(120000), under: '_'.repeat(240000), q: '"'.repeat(100000) })) await t(`secret ${name}`, () => s.call('MIRROR_APPEND', `redos||question|a|${text.slice(0, 240000)}`));
  await t('700k divs', () => s.send({ path: '/api/protocol/voxel-batch', headers: owner, body: { document: { slug: 'many-divs', markdown: 'a\n\n'.repeat(100_000) } } }));
  console.log(process.memoryUsage().rss / 1e6);
  await s.end(); expect(1).toBe(1);
});
