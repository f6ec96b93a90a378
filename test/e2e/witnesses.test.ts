/**
 * What pages show of witnesses, with two deployments that witness each other: how many of the policy's witnesses have seen
 * a receipt or an article, what `/log` says of each, and that a wrong cosignature is called so.
 */
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chromiumPath, launchBrowser, needsChromium, visit } from '../support/browser.ts';
import type { Answer, TestServer } from '../support/server.ts';
import { startWitnessedServers, type WitnessedServers } from '../support/witnessed-servers.ts';
import { findingsInLooks } from './accessibility.ts';

let servers: WitnessedServers;
let first: TestServer;
let browser: Browser;
/** A call that three of four witnesses have seen. */
let seen: string;

interface Seal {
  readonly state: string | undefined;
  readonly text: string;
  readonly checks: readonly string[];
}

async function sealOf(page: Page): Promise<Seal> {
  await page.waitForFunction(
    () => !['open', 'working', undefined].includes(document.getElementById('seal')?.dataset['state']),
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

/** Opens a page whose requests may be answered otherwise. */
async function opened(
  server: TestServer,
  path: string,
  prepare: (page: Page) => Promise<void> = async () => undefined,
): Promise<Seal> {
  const { page, complaints, close } = await visit(browser, server.base, '/docs/keys');
  await prepare(page);
  await page.goto(server.base + path);
  const seal = await sealOf(page);
  expect(complaints).toEqual([]);
  await close();
  return seal;
}

/** `change` alters what the API answers on its way to the page. */
const altered =
  (api: RegExp, change: (answer: Answer) => void) =>
  async (page: Page): Promise<void> => {
    await page.context().route(api, async (route) => {
      const response = await route.fetch();
      const answer = (await response.json()) as Answer;
      change(answer);
      await route.fulfill({ response, json: answer });
    });
  };

async function ask(body: string): Promise<string> {
  const said = await first.anybody('/api/articles/on-bees/mirror', { kind: 'question', actor: 'ada', body });
  return String(said['receipt'].id);
}

/** The signature line of this key in a note, with one byte of the signature changed. */
function spoilt(note: string, name: string): string {
  return note.replace(
    new RegExp(`^(— ${name} \\S{40})(.)`, 'm'),
    (_, before: string, char: string) => `${before}${char === 'A' ? 'B' : 'A'}`,
  );
}

const firstNote = (text: string): string => text.slice(text.indexOf('\n\n') + 2);

describe.skipIf(chromiumPath === undefined)(`witnesses on pages${needsChromium}`, () => {
  beforeAll(async () => {
    servers = await startWitnessedServers();
    ({ first } = servers);
    browser = await launchBrowser();
    await first.article('# On bees\n\nBees find their way back to the hive.\n', { slug: 'on-bees' });
    await servers.untilCosignedBy(3);
    seen = await ask('Where do they winter?');
    await servers.untilCosignedBy(3);
  });

  afterAll(async () => {
    await browser?.close();
    await servers?.stop();
  });

  it('says on a receipt how many of the witnesses have seen it, and when', async () => {
    const { state, text, checks } = await opened(first, `/receipt/${seen}`);
    expect(state).toBe('sound');
    expect(text).toMatch(
      /^Verified in this browser\. Seen by 3 of 4 witnesses, (?:within a second|\d+ s) after it was written\. \d+ checks passed, against the key and the policy that this site publishes\.$/,
    );
    for (const name of ['b', 'bq', 'c'])
      expect(checks.join('\n')).toMatch(
        new RegExp(String.raw`^${name} cosigned at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC, `, 'm'),
      );
    expect(checks).toEqual(
      expect.arrayContaining([
        'gone has not cosigned this checkpoint yet',
        'the quorum “two” of the policy is met',
        'the policy is the one that this site publishes',
      ]),
    );
  });

  it('says so in the sentence of the receipt, without a script', async () => {
    const html = await (await first.fetch(`/receipt/${seen}`)).text();
    expect(html).toMatch(/In the log at <a [^>]+>\d+<\/a>, seen by 3 of 4 witnesses\./);
    expect(html).toContain('the policy that names the witnesses');
  });

  it('says on an article how many of the witnesses have seen it', async () => {
    const { state, text, checks } = await opened(first, '/a/on-bees');
    expect(state).toBe('sound');
    expect(text).toMatch(
      /from genesis to the signed log\. Seen by 3 of 4 witnesses, (?:within a second|\d+ s) after the newest entry was written\.$/,
    );
    expect(checks.filter((check) => / cosigned at /.test(check))).toHaveLength(3);
  });

  it('says of an article of the other deployment that its one witness has seen it', async () => {
    await servers.second.article('# On wasps\n\nWasps build with paper.\n', { slug: 'on-wasps' });
    await servers.untilCosignedBy(1, servers.second);
    const { state, text } = await opened(servers.second, '/a/on-wasps');
    expect([state, text]).toEqual(['sound', expect.stringContaining('Seen by 1 of 1 witness, ')]);
  });

  it.each([
    [
      'a receipt',
      (): string => `/receipt/${seen}`,
      /api\/dispatch\?confirm=/,
      (answer: Answer): void => {
        answer['proof'].tlog_proof = spoilt(answer['proof'].tlog_proof, 'c.example');
      },
    ],
    [
      'an article',
      (): string => '/a/on-bees',
      /\/on-bees\/bundle$/,
      (answer: Answer): void => {
        answer['origin'].checkpoint = spoilt(answer['origin'].checkpoint, 'c.example');
      },
    ],
  ] as const)('calls %s with a wrong cosignature broken', async (_, path, api, change) => {
    const { state, checks } = await opened(first, path(), altered(api, change));
    expect(state).toBe('broken');
    expect(checks.join('\n')).toContain('Broken: the cosignature of c is wrong');
  });

  it('calls an article broken whose page proves it with a wrong cosignature', async () => {
    const { state, checks } = await opened(first, '/a/on-bees', async (page) => {
      await page.context().route('**/a/on-bees', async (route) => {
        const response = await route.fetch();
        await route.fulfill({ response, body: spoilt(await response.text(), 'c.example') });
      });
    });
    expect(state).toBe('broken');
    expect(checks.join('\n')).toContain('Broken: the cosignature of c is wrong');
  });

  it('awaits witnesses where cosignatures were left out on the way', async () => {
    const cut = altered(/api\/dispatch\?confirm=/, (answer) => {
      answer['proof'].tlog_proof = String(answer['proof'].tlog_proof)
        .split('\n')
        .filter((line) => !line.includes('/witness '))
        .join('\n');
    });
    const { state, text } = await opened(first, `/receipt/${seen}`, cut);
    expect(state).toBe('awaiting');
    expect(text).toMatch(
      /^Verified, awaiting witnesses\. Not yet seen by enough witnesses \(1 of 4; 2 needed\)\. \d+ checks passed/,
    );
  });

  it('names cosignatures that the browser cannot check', async () => {
    const without = async (page: Page): Promise<void> => {
      await page.addInitScript(() => {
        const importKey = SubtleCrypto.prototype.importKey;
        SubtleCrypto.prototype.importKey = function (this: SubtleCrypto, ...given: readonly unknown[]) {
          if ((given[2] as { readonly name?: string }).name === 'ML-DSA-44')
            return Promise.reject(new DOMException('Unrecognized name', 'NotSupportedError'));
          return Reflect.apply(importKey, this, given) as Promise<CryptoKey>;
        } as typeof importKey;
      });
    };
    const { state, text, checks } = await opened(first, `/receipt/${seen}`, without);
    expect([state, text]).toEqual(['sound', expect.stringContaining('Seen by 2 of 4 witnesses')]);
    expect(checks).toContain('not checked: this browser has no ML-DSA-44 for the cosignature of bq');
    const alone = await opened(first, `/receipt/${seen}`, async (page) => {
      await without(page);
      await altered(/api\/dispatch\?confirm=/, (answer) => {
        answer['proof'].tlog_proof = String(answer['proof'].tlog_proof).replace(/^— c\.example .*\n/m, '');
      })(page);
    });
    expect([alone.state, alone.text]).toEqual([
      'unchecked',
      expect.stringContaining(
        'Verified, except for witnesses. Seen by 1 of 4 witnesses as far as this browser can check (2 needed; it has no ML-DSA-44 for bq).',
      ),
    ]);
  });

  it('demands the quorum of a policy that is given on the verification page', async () => {
    const receipt = await first.read(`/api/dispatch?confirm=${seen}`);
    const { page, close } = await visit(browser, first.base, '/verify');
    const judge = async (document: Answer): Promise<Seal> => {
      await page.getByLabel(/^Or paste/).fill(JSON.stringify(document));
      await page.getByRole('button', { name: 'Verify', exact: true }).click();
      await page.waitForFunction(
        () => !['open', 'working'].includes(document.getElementById('seal')?.dataset['state'] ?? ''),
      );
      return sealOf(page);
    };
    await page.getByText('Demand witnesses').click();
    await page.getByLabel(/^A trust policy/).fill(servers.policy);
    expect((await judge(receipt)).state).toBe('sound');
    const bare = structuredClone(receipt);
    const proof = String(bare['proof'].tlog_proof);
    const [text, signatures = ''] = firstNote(proof).split('\n\n');
    bare['proof'].tlog_proof =
      `${proof.slice(0, proof.indexOf('\n\n') + 2)}${text}\n\n${signatures.split('\n')[0]}\n`;
    const { state, text: said } = await judge(bare);
    expect([state, said]).toEqual(['broken', expect.stringContaining('Broken: the quorum of witnesses.')]);
    await close();
  });

  const witnessesOn = async (page: Page): Promise<readonly (readonly string[])[]> =>
    page.evaluate(() =>
      [...document.querySelectorAll('.witness-lines tbody tr')].map((row) =>
        [...row.children].map((cell) => (cell as HTMLElement).innerText.trim()),
      ),
    );

  it('shows on /log what each witness has seen, and the policy', async () => {
    const size = Number((await (await first.fetch('/checkpoint')).text()).split('\n')[1]);
    const { page, close } = await visit(browser, first.base, '/log');
    expect(await page.locator('.log-witnesses > p').allInnerTexts()).toEqual([
      `Seen by 3 of 4 witnesses up to entry ${size - 1}.`,
    ]);
    const rows = await witnessesOn(page);
    expect(rows.map(([name, state, entries]) => [name, state, entries])).toEqual([
      ['b', 'cosigned', expect.stringMatching(new RegExp(`^${size} entries, `))],
      ['bq', 'cosigned', expect.stringMatching(new RegExp(`^${size} entries, `))],
      ['c', 'cosigned', expect.stringMatching(new RegExp(`^${size} entries, `))],
      ['gone', expect.stringMatching(/^failing\s+it cannot be reached$/), 'nothing yet'],
    ]);
    await page.getByText('The cosigned checkpoint and the policy').click();
    const shown = await page.locator('.disclosure[open]').innerText();
    expect(shown).toContain('— c.example ');
    expect(shown).toContain('group two 2 b bq c gone\nquorum two');
    expect(await findingsInLooks(page)).toEqual({});
    await close();
  });

  it('mentions the policy to models and on the verification page', async () => {
    expect(await (await first.fetch('/llms.txt')).text()).toContain(
      '/.well-known/colophon-policy): the witnesses',
    );
    const { page, close } = await visit(browser, first.base, '/verify');
    expect(await page.locator('article').innerText()).toContain(
      'take this site’s word for the key and the policy',
    );
    expect(await findingsInLooks(page)).toEqual({});
    await close();
  });

  describe('while witnesses are stopped', () => {
    let unseen: string;

    beforeAll(async () => {
      await servers.stopSecond();
      servers.answerOfC = { status: 500, text: '' };
      unseen = await ask('What do they eat?');
    });

    it('verifies newer writes without the quorum, and says so', async () => {
      const { state, text, checks } = await opened(first, `/receipt/${unseen}`);
      expect(state).toBe('awaiting');
      expect(text).toMatch(
        /^Verified, awaiting witnesses\. Not yet seen by enough witnesses \(0 of 4; 2 needed\)\. \d+ checks passed, against the key and the policy that this site publishes\.$/,
      );
      expect(checks).toContain('the quorum “two” of the policy is not met yet');
      expect(await (await first.fetch(`/receipt/${unseen}`)).text()).toContain(
        'not yet seen by enough witnesses.',
      );
      const article = await opened(first, '/a/on-bees');
      expect([article.state, article.text]).toEqual([
        'awaiting',
        expect.stringMatching(/^Verified, awaiting witnesses\. .*\(0 of 4; 2 needed\)\.$/),
      ]);
    });

    it('keeps what was seen before', async () => {
      const { state, text } = await opened(first, `/receipt/${seen}`);
      expect([state, text]).toEqual(['sound', expect.stringContaining('Seen by 3 of 4 witnesses')]);
    });

    it('says on /log which of them fail, and warns of one that contradicts the log', async () => {
      interface Shown {
        readonly rows: readonly (string | undefined)[];
        readonly said: readonly string[];
        /** What axe finds. */
        readonly findings: object;
      }
      const states = async (): Promise<Shown> => {
        const { page, close } = await visit(browser, first.base, '/log');
        const rows = (await witnessesOn(page)).map(([, state]) => state?.split(/\s/)[0]);
        const said = await page.locator('.log-witnesses > p').allInnerTexts();
        const findings = await findingsInLooks(page);
        await close();
        return { rows, said, findings };
      };
      const until = async (wanted: readonly string[]): Promise<Shown> => {
        for (;;) {
          const found = await states();
          if (JSON.stringify(found.rows) === JSON.stringify(wanted)) return found;
        }
      };
      const failing = await until(['failing', 'failing', 'failing', 'failing']);
      expect(failing.said).toEqual([
        expect.stringMatching(
          /^Seen by 3 of 4 witnesses up to entry \d+\. 2 newer entries wait for cosignatures\.$/,
        ),
      ]);
      servers.answerOfC = { status: 422, text: '' };
      const alarmed = await until(['failing', 'failing', 'contradicts', 'failing']);
      expect(alarmed.said[0]).toMatch(
        /^The witness c contradicts this log\. Either this log was changed, or its key signed a second history, /,
      );
      expect([failing.findings, alarmed.findings]).toEqual([{}, {}]);
    });
  });
});
