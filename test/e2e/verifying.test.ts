/** Verification in a real browser: what is sound is called so, and what was changed on the way is named. */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signCheckpoint } from '../../src/ledger/checkpoint.ts';
import { cosignerFromSeed } from '../../src/ledger/cosignature.ts';
import { signerFromSeed } from '../../src/ledger/note.ts';
import { chromiumPath, launchBrowser, needsChromium, visit } from '../support/browser.ts';
import type { Answer, TestServer } from '../support/server.ts';
import { history } from '../support/witnessed-log.ts';
import { leafOf, oracleConsistency, oracleRoot } from '../unit/ledger/support.ts';
import { startSeededServer, type SeededServer } from './seeded-server.ts';

let seeded: SeededServer;
let server: TestServer;
let browser: Browser;

interface Seal {
  readonly state: string | undefined;
  readonly text: string;
  readonly checks: readonly string[];
}

/** Until the verifier has come, nothing is verified. */
async function started(page: Page): Promise<void> {
  await page.waitForFunction(() => document.getElementById('seal')?.dataset['state'] !== 'open');
}

async function sealOf(page: Page): Promise<Seal> {
  await page.waitForFunction(
    () =>
      !['working', undefined].includes(document.getElementById('seal')?.dataset['state']) &&
      document.querySelector('#seal-text strong')?.textContent !== 'Verifying in this browser …',
  );
  return page.evaluate(() => ({
    state: document.getElementById('seal')?.dataset['state'],
    text: ['seal-text', 'seal-note']
      .map((id) => document.getElementById(id)?.textContent?.trim() ?? '')
      .join(' ')
      .trim(),
    checks: [...document.querySelectorAll('#seal-checks li')].map((item) => item.textContent ?? ''),
  }));
}

/** Opens a page whose API answers pass through `change` on the way. */
async function tampered(path: string, api: RegExp, change: (answer: Answer) => void): Promise<Seal> {
  const { page, close } = await visit(browser, server.base, '/protocol');
  await page.context().route(api, async (route) => {
    const response = await route.fetch();
    const answer = (await response.json()) as Answer;
    change(answer);
    await route.fulfill({ response, json: answer });
  });
  await page.goto(server.base + path);
  await page.waitForFunction(() =>
    ['sound', 'broken'].includes(document.getElementById('seal')?.dataset['state'] ?? ''),
  );
  const seal = await sealOf(page);
  await close();
  return seal;
}

describe.skipIf(chromiumPath === undefined)(`verifying in a browser${needsChromium}`, () => {
  beforeAll(async () => {
    seeded = await startSeededServer();
    ({ server } = seeded);
    browser = await launchBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await server?.stop();
  });

  it('says that nothing was verified until the script has checked', async () => {
    for (const path of [seeded.pages['article'], seeded.pages['receipt']]) {
      const { page, close } = await visit(browser, server.base, path as string, { javaScriptEnabled: false });
      expect(await page.locator('#seal').innerText()).toMatch(/^Not verified in this browser\./);
      await close();
    }
  });

  it('verifies a sound article and lists the checks', async () => {
    const { page, close } = await visit(browser, server.base, seeded.pages['article'] as string);
    await started(page);
    const { state, text, checks } = await sealOf(page);
    expect([state, ...checks.filter((check) => check.startsWith('Broken'))]).toEqual(['sound']);
    const size = Number((await (await server.fetch('/checkpoint')).text()).split('\n')[1]);
    expect(text).toMatch(
      /^Verified in this browser\. \d+ chains of \d+ entries, from genesis to the signed log\.$/,
    );
    expect(checks[0]).toMatch(/^\d+ chains of \d+ entries from genesis, without a break$/);
    expect(checks[1]).toMatch(/^the body, \d+ DIVs, 3 claims: what their hashes say$/);
    expect(checks[2]).toBe('1 source, 1 contribution, 1 word of discourse: what their entries commit to');
    expect(checks[3]).toMatch(new RegExp(String.raw`^127\.0\.0\.1:\d+ signed the log of ${size} entries$`));
    expect(checks[4]).toMatch(/^all \d+ entries are in that log$/);
    expect(checks[5]).toBe('the key is the one that this site publishes');
    await close();
  });

  it('verifies an earlier revision of an article', async () => {
    const { page, close } = await visit(browser, server.base, seeded.pages['article as it stood'] as string);
    await started(page);
    const { state, checks } = await sealOf(page);
    expect([state, ...checks.filter((check) => check.startsWith('Broken'))]).toEqual(['sound']);
    expect(checks[1]).toMatch(/^the body, \d+ DIVs, 2 claims: what their hashes say$/);
    expect(await page.locator('.past').innerText()).toMatch(/^As of .+, in revision 4\. Read the newest/);
    await close();
  });

  it('verifies an article with decided contributions that give reasons', async () => {
    const { owner, anybody, read } = server;
    const slug = await server.article('# On wasps\n\nWasps are no bees.\n', { slug: 'on-wasps' });
    const { claim } = await owner('/api/protocol/claim', {
      slug,
      text: 'Wasps build nests of paper.',
      tier: 'human',
      who_claims: 'the garden',
      why_material: 'It tells them from bees.',
    });
    const repair = { slug, claim_id: 'c1', rationale: 'More exact.', expected_hash: claim.hash };
    const proposed = [
      await anybody(`/api/articles/${slug}/mirror`, {
        kind: 'question',
        actor: 'ada',
        body: 'Where do they winter?',
      }),
      await anybody(`/api/articles/${slug}/mirror`, {
        claim_id: 'c1',
        kind: 'objection',
        actor: 'ada',
        body: 'Not all.',
      }),
      await anybody('/api/protocol/repair', { ...repair, text: 'Wasps build nests of chewed wood.' }),
    ];
    const decisions = ['accepted', 'rejected', 'accepted'];
    for (const [i, { contribution }] of proposed.entries())
      await owner('/api/dispatch', {
        key: 'MIRROR_RESOLVE',
        body: `${slug}|${contribution.id}|${decisions[i]}|Seen.`,
      });
    await anybody('/api/protocol/repair', {
      ...repair,
      text: 'Wasps build nests of grey paper.',
      expected_hash: (await read(`/api/articles/${slug}/claims`))['claims'][0].hash,
    });
    const { page, close } = await visit(browser, server.base, `/a/${slug}`);
    await started(page);
    const { state, checks } = await sealOf(page);
    expect([state, ...checks.filter((check) => check.startsWith('Broken'))]).toEqual(['sound']);
    expect(checks[2]).toBe('4 contributions: what their entries commit to');
    await close();
  });

  it('verifies a sound receipt', async () => {
    const { page, close } = await visit(browser, server.base, seeded.pages['receipt'] as string);
    await page.waitForFunction(() => document.getElementById('seal')?.dataset['state'] === 'sound');
    const { text, checks } = await sealOf(page);
    expect(text).toMatch(
      /^Verified in this browser\. \d+ checks passed, against the key that this site publishes\.$/,
    );
    expect(checks.join('\n')).toContain(`chain ${seeded.receipt}: 1 entry from genesis`);
    expect(checks.join('\n')).toContain('of that log is this one');
    await close();
  });

  /** The chain, beside the list made of it. */
  const provenanceIn = (bundle: Answer): Answer[] =>
    Object.entries(bundle['chains'] as Record<string, Answer[]>).find(([name]) =>
      name.endsWith('.provenance'),
    )?.[1] ?? [];

  const bundleApi = /\/api\/articles\/on-bees\/bundle$/;

  it.each<readonly [string, (answer: Answer) => void, RegExp]>([
    [
      'a provenance entry',
      (article) => void (article['provenance'][1].entry.actor = 'anonymous'),
      /^Broken: entry 1 of chain art_\w+\.provenance: hash does not match the entry, which hashes to [0-9a-f]{64}/,
    ],
    [
      'a provenance entry that is left out',
      (article) => {
        for (const list of [article['provenance'], provenanceIn(article)]) list.splice(2, 1);
      },
      /^Broken: entry 2 of chain art_\w+\.provenance: it is missing/,
    ],
    [
      'the text of a claim',
      (article) => void (article['claims'][0].text += ' Always.'),
      /^Broken: the text hashes to [0-9a-f]{64}, not to [0-9a-f]{64} \(at claims\[0\]\)/,
    ],
    [
      'the quote of a source',
      (article) => void (article['sources'][0].quote = 'Bees lose the angle to the sun.'),
      /^Broken: source s1 is not what entry 0 of chain art_\w+\.sources commits to/,
    ],
    [
      'the body of a contribution',
      (article) => void (article['contributions'][0].body += '!'),
      /^Broken: contribution mc_\w+ is not what entry 0 of chain art_\w+\.mirror commits to/,
    ],
    [
      'the body',
      (article) => void (article['body'] += '\n'),
      /^Broken: the text hashes to [0-9a-f]{64}, not to [0-9a-f]{64} \(at body|^Broken: the DIVs do not join to the body/,
    ],
    [
      'the text of a DIV',
      (article) => void (article['voxels'][1].text += ' '),
      /^Broken: the text hashes to [0-9a-f]{64}, not to [0-9a-f]{64} \(at voxels\[1\]\)/,
    ],
    [
      'an entry of a DIV',
      (article) => void (article['voxels'][1].chain[0].ts = '2020-01-01T00:00:00.000Z'),
      /^Broken: entry 0 of chain art_\w+\.d\d+: hash does not match the entry/,
    ],
    [
      'a word of discourse',
      (article) => void (article['discourse'][0].body = 'Which wasps?'),
      /^Broken: post dx_\w+ is not what entry 0 of chain art_\w+\.thread commits to/,
    ],
  ])('names %s when it was changed in transit', async (_what, change, named) => {
    const { state, text, checks } = await tampered('/a/on-bees', bundleApi, change);
    expect(state).toBe('broken');
    expect(text).toMatch(/^Does not verify\. \d+ of \d+ checks of this article failed:$/);
    expect(checks.filter((check) => named.test(check))).not.toEqual([]);
  });

  it('detects that the page and the ledger show different texts', async () => {
    const { page, close } = await visit(browser, server.base, '/protocol');
    await page.context().route('**/a/on-bees', async (route) => {
      const response = await route.fetch();
      await route.fulfill({
        response,
        body: (await response.text()).replace(/data-content-hash="[0-9a-f]{4}/, 'data-content-hash="0000'),
      });
    });
    await page.goto(`${server.base}/a/on-bees`);
    await page.waitForFunction(() => document.getElementById('seal')?.dataset['state'] === 'broken');
    expect((await sealOf(page)).checks.join('\n')).toContain(
      'Broken: the page was made of a body that hashes to 0000',
    );
    await close();
  });

  it.each([
    ['the thesis', /(class="thesis"[^>]*>)./, 'Broken: the thesis does not verify'],
    ['the words of a claim', /(class="claim-text"[^>]*>)./, 'Broken: claim c'],
    ['a quote', /(<blockquote[^>]*><p>)./, 'Broken: the quote of s1 does not verify'],
  ])('names %s that the page shows otherwise than the ledger', async (_, words, named) => {
    const { page, close } = await visit(browser, server.base, '/protocol');
    await page.context().route('**/a/on-bees', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replace(words, '$1~') });
    });
    await page.goto(`${server.base}/a/on-bees`);
    await page.waitForFunction(() => document.getElementById('seal')?.dataset['state'] === 'broken');
    expect((await sealOf(page)).checks.join('\n')).toContain(named);
    await close();
  });

  it('says that it does not compare the blocks as the page shows them', async () => {
    const { page, close } = await visit(browser, server.base, seeded.pages['article'] as string);
    await started(page);
    expect((await sealOf(page)).checks.join('\n')).toContain('not compared: how this page shows the blocks');
    await close();
  });

  it('rejects a proof of another log', async () => {
    const { page, close } = await visit(browser, server.base, '/protocol');
    await page.context().route('**/.well-known/colophon-key', (route) =>
      route.fulfill({
        contentType: 'text/plain',
        body: 'elsewhere.example+530ddd2d+ASpyTSRdEqxzGAWWOUgZKR6mDHPo2v7LLgSXzwNS5nqs\n',
      }),
    );
    await page.goto(`${server.base}${seeded.pages['receipt']}`);
    await page.waitForFunction(() => document.getElementById('seal')?.dataset['state'] === 'broken');
    expect((await sealOf(page)).checks.join('\n')).toMatch(/Broken: /);
    await close();
  });

  it.each<readonly [string, (answer: Answer) => void, RegExp]>([
    [
      'its entry',
      (receipt) => void (receipt['entries'][0].actor = 'anonymous'),
      /entry 0 of chain inv_\w+: hash does not match/,
    ],
    [
      'its status',
      (receipt) => void (receipt['status'] = 'failed'),
      /the receipt says status failed, the entries say success/,
    ],
    [
      'its proof',
      (receipt) =>
        void (receipt['proof'].tlog_proof = String(receipt['proof'].tlog_proof).replace(
          /index \d+/,
          'index 0',
        )),
      /the proof does not lead from this entry at 0 to the signed root/,
    ],
  ])('names the failed check of a receipt when %s was changed in transit', async (_what, change, named) => {
    const { state, checks } = await tampered(
      seeded.pages['receipt'] as string,
      /api\/dispatch\?confirm=/,
      change,
    );
    expect(state).toBe('broken');
    expect(checks.join('\n')).toMatch(named);
  });

  it('asks to reload the page when the article has changed since', async () => {
    const { page, close } = await visit(browser, server.base, '/a/short');
    await page.waitForFunction(() => document.getElementById('seal')?.dataset['state'] === 'sound');
    const [div] = (await server.read('/api/articles/short/voxels'))['divs'] as readonly Answer[];
    await server.owner('/api/protocol/voxel-edit', {
      slug: 'short',
      div_id: div?.['div_id'],
      expected_hash: div?.['vx_hash'],
      text: 'Another paragraph.',
    });
    await page.getByText('details', { exact: true }).click();
    await page.getByRole('button', { name: 'Verify again' }).click();
    await page.waitForFunction(
      () => document.getElementById('seal-note')?.textContent?.includes('now at version 2') === true,
    );
    expect((await sealOf(page)).state).toBe('open');
    await close();
  });

  it('says when the ledger does not answer', async () => {
    const { page, close } = await visit(browser, server.base, '/protocol');
    await page.context().route(/api\/dispatch\?confirm=/, (route) => route.abort());
    await page.goto(`${server.base}${seeded.pages['receipt']}`);
    await page.waitForFunction(
      () => document.getElementById('seal-text')?.textContent?.includes('could not be done') === true,
    );
    expect((await sealOf(page)).text).toMatch(/^Not verified in this browser\. It could not be done: /);
    await close();
  });

  describe('the verification page', () => {
    async function judged(
      document: string,
      more: { readonly key?: string; readonly entry?: string } = {},
    ): Promise<Seal> {
      const { page, complaints, close } = await visit(browser, server.base, '/verify');
      await page.getByLabel(/^Or paste/).fill(document);
      if (more.key !== undefined) {
        await page.getByText('Use another key').click();
        await page.getByLabel(/^The key/).fill(more.key);
      }
      if (more.entry !== undefined) await page.getByLabel(/^The hash of the entry/).fill(more.entry);
      await page.getByRole('button', { name: 'Verify', exact: true }).click();
      const seal = await sealOf(page);
      expect(complaints).toEqual([]);
      await close();
      return seal;
    }

    async function confirmation(): Promise<Answer> {
      return server.read(`/api/dispatch?confirm=${seeded.receipt}`);
    }

    it('verifies a pasted receipt completely when its bodies are included', async () => {
      const { state, checks } = await judged(JSON.stringify(await confirmation()));
      expect([state, checks.filter((check) => check.startsWith('Broken'))]).toEqual(['sound', []]);
    });

    it('verifies an article', async () => {
      const { state } = await judged(JSON.stringify(await server.read('/api/articles/on-bees')));
      expect(state).toBe('sound');
    });

    it('verifies a single inclusion proof of an entry', async () => {
      const { proof } = await confirmation();
      const sound = await judged(proof.tlog_proof, { entry: proof.entry_hash });
      expect(sound.state).toBe('sound');
      const wrong = await judged(proof.tlog_proof, { entry: '0'.repeat(64) });
      expect(wrong.state).toBe('broken');
    });

    it('uses a pasted key', async () => {
      const other = 'elsewhere.example+530ddd2d+ASpyTSRdEqxzGAWWOUgZKR6mDHPo2v7LLgSXzwNS5nqs';
      const { state, text } = await judged(JSON.stringify(await confirmation()), { key: other });
      expect(state).toBe('broken');
      expect(text).toContain('Against the key that was given');
    });

    it.each<readonly [string, string, RegExp]>([
      ['JSON with a key that stands twice', '{"a":1,"a":2}', /the key "a" stands twice/],
      ['a web page', '<!doctype html><title>x</title>', /It is a web page/],
      ['prose', 'Trust me, it is true.', /It is plain text/],
      ['JSON without evidence', '{"a":1}', /It is JSON without evidence/],
      [
        'an error answer',
        '{"ok":false,"error":"not_found","detail":"Gone."}',
        /It is an error answer \(not_found\)/,
      ],
      [
        'a proof that is cut off',
        'c2sp.org/tlog-proof@v1\nindex 3\n',
        /begins like a proof and cannot be read on/,
      ],
    ])('cannot read %s, and says what is expected', async (_what, text, why) => {
      const seal = await judged(text);
      expect(seal.state).toBe('unreadable');
      expect(seal.text).toMatch(/^Cannot be read as evidence\. /);
      expect(seal.text).toMatch(why);
      expect(seal.text).toContain('Expected is a receipt or a confirmation, an article or a bundle as JSON');
    });

    it('asks for a document where none is given', async () => {
      expect((await judged('   ')).text).toContain('There is nothing to verify');
    });

    it('verifies a checkpoint, and names the signature of a changed one', async () => {
      const checkpoint = await (await server.fetch('/checkpoint')).text();
      const sound = await judged(checkpoint);
      expect([sound.state, sound.text]).toEqual([
        'sound',
        expect.stringMatching(/It is a checkpoint of 127\.0\.0\.1:\d+ over [\d,]+ entries\. 1 check passed/),
      ]);
      const changed = await judged(checkpoint.replace(/\n\d+\n/, '\n7\n'));
      expect(changed.state).toBe('broken');
      expect(changed.text).toContain('Broken: the signature of the log.');
    });

    it('names the part of a receipt that is broken', async () => {
      const receipt = await confirmation();
      receipt.entries[0].actor = 'anonymous';
      const { state, text } = await judged(JSON.stringify(receipt));
      expect(state).toBe('broken');
      expect(text).toMatch(
        /^Does not verify\. It is the receipt inv_\w+, a call of CAP_MINT with status success\./,
      );
      expect(text).toContain('a chain of entries');
    });

    /** Drops files on the page as a reader does, and waits for the verdicts. */
    async function dropped(
      files: readonly { readonly name: string; readonly text: string }[],
    ): Promise<{ readonly seal: Seal; readonly findings: readonly string[] }> {
      const { page, complaints, close } = await visit(browser, server.base, '/verify');
      await page.locator('#verify-form').waitFor({ state: 'visible' });
      const transfer = await page.evaluateHandle((given) => {
        const data = new DataTransfer();
        for (const { name, text } of given) data.items.add(new File([text], name));
        return data;
      }, files);
      await page.dispatchEvent('#drop-zone', 'dragenter', { dataTransfer: transfer });
      expect(await page.locator('.drop-over').count()).toBe(1);
      await page.dispatchEvent('#drop-zone', 'drop', { dataTransfer: transfer });
      await page.waitForFunction(() => document.getElementById('seal')?.hidden === false);
      const seal = await sealOf(page);
      const findings = await page.locator('#findings > li > p').allInnerTexts();
      expect(complaints).toEqual([]);
      await close();
      return { seal, findings };
    }

    it('verifies a file that is dropped', async () => {
      const { seal } = await dropped([{ name: 'a.receipt', text: JSON.stringify(await confirmation()) }]);
      expect(seal.state).toBe('sound');
      expect(seal.text).toContain('a call of CAP_MINT with status success');
    });

    it('judges several files apart, and finds the entry of a proof in the receipt beside it', async () => {
      const receipt = await confirmation();
      const changed = { ...receipt, status: 'failed' };
      const { seal, findings } = await dropped([
        { name: 'a.receipt', text: JSON.stringify(receipt) },
        { name: 'a.proof', text: receipt.proof.tlog_proof },
        { name: 'changed.receipt', text: JSON.stringify(changed) },
        { name: 'photo.png', text: '\u0089PNG\0\0' },
      ]);
      expect(seal.state).toBe('broken');
      expect(seal.text).toContain('2 of 4 files verified');
      expect(findings.map((text) => text.slice(0, text.indexOf('.')))).toEqual([
        'Verifies a',
        'Verifies a',
        'Does not verify changed',
        'Cannot be read photo',
      ]);
    });

    it('demands the quorum of a policy that is dropped or pasted', async () => {
      const key = (await (await server.fetch('/.well-known/colophon-key')).text()).trim();
      const checkpoint = await (await server.fetch('/checkpoint')).text();
      const witness = cosignerFromSeed('witness.example', 'ed25519', Buffer.alloc(32, 1));
      const line = witness.cosign(`${checkpoint.split('\n\n')[0] as string}\n`, 1_790_000_000) as string;
      const policy = { name: 'policy', text: `log ${key}\nwitness w1 ${witness.key.text}\nquorum w1\n` };
      const met = await dropped([policy, { name: 'checkpoint', text: checkpoint + line }]);
      expect([met.seal.state, met.seal.text]).toEqual([
        'sound',
        expect.stringContaining('2 checks passed, against the policy that was given') as string,
      ]);
      expect(met.seal.checks).toContain('cosigned by w1 at 2026-09-21T14:13:20Z: the quorum w1 is met');
      const lacking = await dropped([
        { name: 'a.receipt', text: JSON.stringify(await confirmation()) },
        policy,
      ]);
      expect([lacking.seal.state, lacking.seal.text]).toEqual([
        'broken',
        expect.stringContaining('Broken: the quorum of witnesses.') as string,
      ]);
      expect(lacking.seal.checks.join(' ')).toContain(
        'cosigned by no witness of the policy: the quorum w1 is not met',
      );
    });

    describe('evidence that a log signed two histories', () => {
      const roots = [history(5), history(9, 2), history(9)].map((leaves) =>
        oracleRoot(leaves.map(leafOf)),
      ) as [Uint8Array, Uint8Array, Uint8Array];
      const proof = (leaves: readonly number[]): string[] =>
        oracleConsistency(5, leaves.map(leafOf)).map((hash) => Buffer.from(hash).toString('base64'));
      const liar = signerFromSeed('liar.example', Buffer.alloc(32, 4));
      const evidence = (second: Uint8Array, leaves: readonly number[]): string =>
        `${JSON.stringify({
          evidence: 1,
          key: liar.key.text,
          checkpoints: [signCheckpoint(liar, 5, roots[0]), signCheckpoint(liar, 9, second)],
          proof: proof(leaves),
        })}\n`;

      it('convicts the key in words that are no praise', async () => {
        const { seal } = await dropped([{ name: 'fork.json', text: evidence(roots[1], history(9, 2)) }]);
        expect(seal).toEqual({
          state: 'forked',
          text: 'This key signed two histories. The log liar.example signed a history of 5 entries, and one of 9 entries that does not begin with it. Its key is not the one that this site publishes. What such a log shows to you, it may show otherwise to others: keep this file, and show it to those who rely on the log.',
          checks: [
            'the file itself names the key of liar.example',
            'the key of liar.example signed both checkpoints',
            expect.stringMatching(
              /^the key of liar\.example signed two histories: 5 entries with root [0-9a-f]{64}, and 9 entries with root [0-9a-f]{64}$/,
            ) as string,
          ],
        });
      });

      it('proves no fork where the second history begins with the first', async () => {
        const { seal } = await dropped([{ name: 'fork.json', text: evidence(roots[2], history(9)) }]);
        expect([seal.state, seal.text]).toEqual([
          'broken',
          'Does not verify. It is evidence against the log liar.example. Against the key that it is about, 1 of 3 checks failed. Broken: the contradiction of the two checkpoints.',
        ]);
        expect(seal.checks).toEqual([
          'Broken: it proves no fork: the second history begins with the first one',
        ]);
      });

      it('is judged by the key that the reader gives, and among other files', async () => {
        const seal = await judged(evidence(roots[1], history(9, 2)), {
          key: signerFromSeed('liar.example', Buffer.alloc(32, 5)).key.text,
        });
        expect([seal.state, seal.checks]).toEqual([
          'broken',
          ['Broken: the evidence is about another key of liar.example than the given one'],
        ]);
        const { seal: both, findings } = await dropped([
          { name: 'a.receipt', text: JSON.stringify(await confirmation()) },
          { name: 'fork.json', text: evidence(roots[1], history(9, 2)) },
        ]);
        expect(both.state).toBe('forked');
        expect(findings[1]).toMatch(
          /^This key signed two histories fork\.json The log liar\.example signed a history of 5/,
        );
      });

      it('is readable on a narrow screen, in light and dark', async () => {
        for (const colorScheme of ['light', 'dark'] as const) {
          const { page, close } = await visit(browser, server.base, '/verify', {
            colorScheme,
            viewport: { width: 320, height: 900 },
          });
          await page.getByLabel(/^Or paste/).fill(evidence(roots[1], history(9, 2)));
          await page.getByRole('button', { name: 'Verify', exact: true }).click();
          await page.waitForFunction(() => document.getElementById('seal')?.dataset['state'] === 'forked');
          const wide = await page.evaluate(() => document.documentElement.scrollWidth);
          expect(wide).toBeLessThanOrEqual(320);
          const [strong, bad] = await page.evaluate(() => {
            const shown = getComputedStyle(document.querySelector('#seal-text strong') as Element).color;
            const probe = document.createElement('i');
            probe.style.color = 'var(--bad)';
            document.body.append(probe);
            return [shown, getComputedStyle(probe).color];
          });
          expect(strong).toBe(bad);
          await close();
        }
      });
    });

    it('says without JavaScript how to verify', async () => {
      const { page, close } = await visit(browser, server.base, '/verify', { javaScriptEnabled: false });
      expect(await page.locator('#verify-form').isVisible()).toBe(false);
      expect(await page.locator('.notice').innerText()).toContain(
        'Checking in the browser needs JavaScript.',
      );
      expect(await page.locator('#commands ~ pre').first().innerText()).toContain('colophon verify --url');
      await close();
    });

    it('verifies the whole log', async () => {
      const { page, complaints, close } = await visit(browser, server.base, '/verify');
      await page.getByRole('button', { name: 'Verify the whole log' }).click();
      await page.waitForFunction(() =>
        ['sound', 'broken'].includes(document.getElementById('seal')?.dataset['state'] ?? ''),
      );
      const { state, checks } = await sealOf(page);
      expect([state, complaints]).toEqual(['sound', []]);
      expect(checks.join('\n')).toMatch(/signed a log of \d+ entries with root [0-9a-f]{64}/);
      await close();
    });
  });
});
