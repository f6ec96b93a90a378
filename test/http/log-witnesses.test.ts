/** Witnesses in served pages (contract §6, §8): `/log` follows cosignatures and answers, though no entry is written. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parse } from 'yaml';
import { startServer, type TestServer } from '../support/server.ts';
import { startWitnessedServers, type WitnessedServers } from '../support/witnessed-servers.ts';

let servers: WitnessedServers;
let first: TestServer;

async function page(path: string): Promise<string> {
  return (await (await first.fetch(path)).text()).replace(/\s+/g, ' ');
}

async function until(path: string, holds: (html: string) => boolean): Promise<string> {
  for (;;) {
    const html = await page(path);
    if (holds(html)) return html;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** The states that the page shows, in the order of the policy. */
function statesIn(html: string): readonly string[] {
  const section = html.slice(html.indexOf('id="witnesses"'), html.indexOf('<h2>Entries</h2>'));
  return Array.from(section.matchAll(/class="chip [^"]+">([^<]+)</g), ([, word = '']) => word);
}

/** What the rule of deploy/alerts.yml compares with 0: metrics of one node, subtracted from the first. */
function alertValue(alert: string, metrics: string): number {
  const path = join(import.meta.dirname, '../../deploy/alerts.yml');
  const { groups } = parse(readFileSync(path, 'utf8')) as {
    groups: { rules: { alert: string; expr: string }[] }[];
  };
  const expr = groups.flatMap(({ rules }) => rules).find((rule) => rule.alert === alert)?.expr ?? '';
  const [value = NaN, ...others] = Array.from(expr.matchAll(/colophon_\w+/g), ([name]) =>
    Number(new RegExp(` ${name} (\\d+) `).exec(metrics)?.[1]),
  );
  return others.reduce((left, other) => left - other, value);
}

describe('pages of a log with witnesses', () => {
  beforeAll(async () => {
    servers = await startWitnessedServers();
    ({ first } = servers);
    await first.article('# On bees\n\nBees find home.\n', { slug: 'on-bees' });
    await servers.untilCosignedBy(3);
  });

  afterAll(() => servers.stop());

  it('tells on /log who has seen how much', async () => {
    const html = await until('/log', (text) => statesIn(text)[3] === 'failing');
    expect(statesIn(html)).toEqual(['cosigned', 'cosigned', 'cosigned', 'failing']);
    const size = (await first.deployment.service.store.read.checkpoint())?.size as number;
    expect(html).toContain(`Seen by 3 of 4 witnesses up to entry ${(size - 1).toLocaleString('en-GB')}.`);
    expect(html).not.toContain('log-alarm');
  });

  it('shows the section on the newest page only, and the cosigned checkpoint on each', async () => {
    const older = await page('/log?before=2');
    expect(older).not.toContain('id="witnesses"');
    expect(older).toContain('The newest checkpoint with the quorum of the policy');
    expect(older).toContain('— c.example ');
  });

  it('follows what witnesses answer, though the cached page is of the same entries', async () => {
    servers.answerOfC = { status: 409, text: '5000\n' };
    await first.article('# On wasps\n\nWasps build with paper.\n', { slug: 'on-wasps' });
    const ahead = await until('/log', (text) => text.includes('log-alarm'));
    expect(ahead).toContain('The witness <bdi>c</bdi> is ahead of this log.');
    expect(ahead).toContain('it says that it has cosigned 5000 entries of this log');
    expect(statesIn(ahead)[2]).toBe('ahead');
    const metrics = await page('/metrics');
    expect(metrics).toContain(' colophon_cosigning_alarms 1 ');
    expect(metrics).toContain(' colophon_log_alarms 1 ');
    // The alert of the witness says it; the one for other alarms stays silent.
    expect([
      alertValue('ColophonWitnessContradicts', metrics),
      alertValue('ColophonLogAlarm', metrics),
    ]).toEqual([1, 0]);
    servers.answerOfC = { status: 500, text: '' };
    const failures = (): number => first.deployment.service.cosigning?.status()[2]?.failures ?? 0;
    const before = failures();
    await vi.waitFor(() => expect(failures()).toBeGreaterThan(before), 20_000);
    // The alarm stays until the witness cosigns again.
    expect(statesIn(await page('/log'))[2]).toBe('ahead');
    servers.answerOfC = 'cosign';
    const again = await until('/log', (text) => statesIn(text)[2] === 'cosigned');
    expect(again).not.toContain('log-alarm');
    expect(again).toContain('Seen by 3 of 4 witnesses up to entry');
  });

  it('tells on a receipt how many have seen it', async () => {
    const { invocation } = await first.anybody('/api/dispatch', {
      key: 'MIRROR_APPEND',
      body: 'on-bees||question|ada|Where do they winter?',
    });
    const html = await until(`/receipt/${invocation.id}`, (text) =>
      text.includes('seen by 3 of 4 witnesses.'),
    );
    expect(html).toMatch(/In the log at <a [^>]+>\d+<\/a>, seen by 3 of 4 witnesses\./);
    expect(html).toContain('data-policy');
  });
});

describe('pages of a log without a policy', () => {
  it('mention no witness and no policy', async () => {
    const server = await startServer();
    try {
      const slug = await server.article('# On bees\n\nBees find home.\n', { slug: 'on-bees' });
      const paths = ['/log', `/a/${slug}`, '/verify', '/llms.txt'];
      for (const path of paths) {
        const html = await (await server.fetch(path)).text();
        expect([path, html.includes('colophon-policy'), html.includes('data-policy')]).toEqual([
          path,
          false,
          false,
        ]);
      }
      expect(await (await server.fetch('/log')).text()).not.toContain('id="witnesses"');
    } finally {
      await server.stop();
    }
  });
});
