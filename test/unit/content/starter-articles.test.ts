/**
 * The articles that a new deployment starts with pass the ledger's own checks: division into DIVs, claims, sources,
 * links and the order of the series (spec §2.1, §2.11, §2.12; contract §5).
 */
import { describe, expect, it } from 'vitest';
import { appendSources } from '../../../src/domain/articles/append-sources.ts';
import { lintClaim } from '../../../src/domain/articles/claim-rules.ts';
import { plainWording } from '../../../src/domain/similarity/normalise.ts';
import { divide, join, type Division } from '../../../src/domain/articles/divide.ts';
import { checkSlug } from '../../../src/domain/articles/slugs.ts';
import { scrubJson, scrubText } from '../../../src/guard/secrets.ts';
import { isFault } from '../../../src/kernel/fault.ts';
import type { JsonValue } from '../../../src/kernel/json.ts';
import { emptyArticle, linksOf, prose, readStarters, seeding, sourceIds, type Starter } from './starters.ts';
import { evidenceClasses, slots, softwareClasses } from '../../../src/model/vocabulary.ts';

const starters = readStarters();
const requiredSlots = ['what_it_is', 'who_claims_what', 'what_is_known', 'what_is_unknown', 'limitations'];
/** Pages outside `/a/` that an article may link to (contract §8). */
const pages = new Set(['/', '/search', '/protocol', '/directory', '/verify', '/log', '/docs', '/owner']);

describe('the series of starter articles', () => {
  it('contains the eight articles in order', () => {
    expect(starters.map(({ folder, slug }) => [folder, slug])).toEqual([
      ['1-what-the-ledger-is', 'what-the-ledger-is'],
      ['2-claims-and-tiers', 'claims-and-tiers'],
      ['3-voxels', 'voxels'],
      ['4-receipts-and-proofs', 'receipts-and-proofs'],
      ['5-shares', 'shares'],
      ['6-the-mirror', 'the-mirror'],
      ['7-constitution-slots', 'constitution-slots'],
      ['8-url-only-protocol', 'url-only-protocol'],
    ]);
  });

  it('has previous and next links, positions, and the first article as hub', () => {
    expect(starters.map(({ traversal }) => traversal)).toEqual(
      starters.map((_, i) => ({
        prev: starters[i - 1]?.slug ?? null,
        next: starters[i + 1]?.slug ?? null,
        hub: 'what-the-ledger-is',
        series: 'starter',
        position: i + 1,
        of: 8,
      })),
    );
  });

  it('links from the text of the hub to every other article', () => {
    const hub = starters[0] as Starter;
    const linked = linksOf(hub.markdown).filter((link) => link.startsWith('/a/'));
    expect(new Set(linked)).toEqual(new Set(starters.slice(1).map(({ slug }) => `/a/${slug}`)));
  });
});

describe.each(starters)('the starter article $slug', (starter) => {
  const { slug, title, markdown, claims, sources } = starter;

  it('has an unreserved slug and valid metadata', () => {
    expect(checkSlug(slug)).toBeUndefined();
    expect(starter.register).toBe('standard');
    expect(starter.category).toBe('protocol');
    expect(starter.tags).toContain('starter');
    for (const tag of starter.tags) expect(tag).toMatch(/^[a-z]+(?:-[a-z]+)*$/);
  });

  it('begins with its title and has 500 to 1,200 words', () => {
    expect(markdown.startsWith(`# ${title}\n\n`)).toBe(true);
    const words = markdown.split(/\s+/).filter((word) => /\w/.test(word)).length;
    expect(words).toBeGreaterThanOrEqual(500);
    expect(words).toBeLessThanOrEqual(1200);
  });

  it('divides into blocks that join to its exact text and include headings and a table or list', () => {
    const division = divide(markdown);
    expect(isFault(division)).toBe(false);
    const { lead, blocks } = division as Division;
    expect(join(lead, blocks)).toBe(markdown);
    const kinds = blocks.map(({ kind }) => kind);
    expect(kinds.filter((kind) => kind === 'heading').length).toBeGreaterThanOrEqual(5);
    expect(kinds).toContain('table');
    expect(kinds).toContain('code');
    expect(kinds).toContain('list');
    // One level 1 heading, and no level is skipped on the way down.
    const levels = blocks.filter(({ kind }) => kind === 'heading').map(({ level }) => level);
    expect(levels.filter((level) => level === 1)).toHaveLength(1);
    for (const [i, level] of levels.entries()) expect(level - (levels[i - 1] ?? 0)).toBeLessThanOrEqual(1);
  });

  it('contains nothing that the guard redacts as a secret', () => {
    expect(scrubText(markdown).finds).toEqual([]);
    expect(scrubJson({ sources, claims } as unknown as JsonValue).finds).toEqual([]);
  });

  it('has at least five distinct claims without errors or warnings', () => {
    expect(claims.length).toBeGreaterThanOrEqual(5);
    const ids = sourceIds(starter);
    expect(claims.flatMap((claim) => lintClaim(claim, ids).map(({ code }) => [code, claim.text]))).toEqual([]);
    expect(claims.filter(({ text }) => [...text].length > 280)).toEqual([]);
    expect(claims.filter(({ falsifier }) => !/\w/.test(falsifier ?? ''))).toEqual([]);
    for (const { evidence_class } of claims) {
      if (evidence_class !== undefined) expect(evidenceClasses).toContain(evidence_class);
    }
    expect(new Set(claims.map(({ text }) => plainWording(text))).size).toBe(claims.length);
  });

  it('has two to five sources that are accepted and all cited', () => {
    expect(sources.length).toBeGreaterThanOrEqual(2);
    expect(sources.length).toBeLessThanOrEqual(5);
    const outcome = appendSources(emptyArticle(slug), sources, seeding);
    if (isFault(outcome)) expect.fail(JSON.stringify(outcome));
    expect(outcome.events).toHaveLength(1 + sources.length);
    const cited = new Set(claims.flatMap((claim) => claim.source_ids ?? []));
    expect(cited).toEqual(sourceIds(starter));
    for (const source of sources) {
      expect(source.summary).toMatch(/\w/);
      expect(source.accessed_at).toMatch(/^\d{4}-\d\d-\d\d$/);
      if (source.software_class !== undefined) expect(softwareClasses).toContain(source.software_class);
    }
  });

  it('gives a reason for each claim without a source, and for no other claim', () => {
    const sourced = claims.filter((claim) => (claim.source_ids ?? []).length > 0);
    const explained = claims.filter((claim) => claim.why_material !== undefined);
    expect(new Set([...sourced, ...explained])).toEqual(new Set(claims));
    expect(sourced.filter((claim) => explained.includes(claim))).toEqual([]);
  });

  it('fills every required slot of the constitution and the mechanism slot', () => {
    const filled = new Set(claims.map((claim) => claim.slot));
    for (const slot of [...requiredSlots, 'mechanism']) expect(filled).toContain(slot);
    for (const slot of filled) expect(slots).toContain(slot);
  });

  it('puts each claim under one of its own headings', () => {
    const headings = [...markdown.matchAll(/^#{1,6} (.+)$/gm)].map((hit) => hit[1]);
    for (const { section } of claims) expect(headings).toContain(section);
  });

  it('links only to articles of the series, to known pages and to its own sources', () => {
    const articles = new Set(starters.map((each) => `/a/${each.slug}`));
    const cited = new Set(sources.map(({ url }) => url));
    const links = linksOf(markdown);
    expect(links.length).toBeGreaterThan(0);
    for (const link of links) {
      if (link.startsWith('/a/')) expect(articles).toContain(link);
      else if (link.startsWith('/')) expect(pages).toContain(link);
      else expect(cited).toContain(link);
    }
    expect(links).not.toContain(`/a/${slug}`);
  });

  it('contains no address to the reader, advice or decoration', () => {
    const text = prose(markdown);
    expect(text.match(/\b(?:you|your|yours|we|our|us|please|should|ought|let's|I)\b/gi) ?? []).toEqual([]);
    expect(
      text.match(
        /\b(?:simply|just|easily|easy|powerful|robust|seamless(?:ly)?|elegant|beautiful|amazing|revolutionary|cutting-edge|leverage\w*|unparalleled|remarkable|vibrant|world-class)\b/gi,
      ) ?? [],
    ).toEqual([]);
    expect(text.match(/\b(?:arguably|perhaps|somewhat|sort of|might)\b/gi) ?? []).toEqual([]);
    expect(text).not.toContain('!');
  });
});
