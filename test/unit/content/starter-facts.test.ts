/**
 * The statements of the starter articles about the service agree with the interface specification and the contract:
 * addresses, rows, codes with their statuses, weights, limits and worked examples. The expected names are copied from
 * those two documents, not from the code.
 */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { faultCodes } from '../../../src/kernel/fault.ts';
import { readStarters } from './starters.ts';

const starters = readStarters();
const all = starters.map(({ markdown }) => markdown).join('\n');
const textOf = (slug: string): string => {
  const found = starters.find((starter) => starter.slug === slug);
  if (found === undefined) throw new Error(`no starter article ${slug}`);
  return found.markdown;
};

/** Contract §3, "Rows". */
const rows = [
  'MIRROR_FEED', 'PAPER_STATE', 'ARTICLE_INSPECT', 'OIP_TREE', 'CAP_EXPLAIN', 'OIP_RECEIPT', 'REPO_TAIL',
  'MIRROR_APPEND', 'OBJECTION_LOG', 'OIP_ARTICLE_REVIEW', 'MODEL_CHAT_INTAKE', 'VOXEL_CHALLENGE', 'VOXEL_ATTEST',
  'VOXEL_VOTE', 'THREAD_UPDATE', 'CLAIM_POST', 'SOURCE_POST', 'ARTICLE_INGEST', 'ARTICLE_META', 'VOXEL_DIVIDE',
  'VOXEL_BATCH', 'OIP_REPLAY', 'OIP_REPAIR', 'PAPER_GROW', 'WEB_FETCH', 'LANDSCAPE_NEXT', 'CLAIM_RETRACT',
  'CLAIM_REPAIR', 'VOXEL_EDIT', 'VOXEL_MOVE', 'VOXEL_CONSOLIDATE', 'VOXEL_BURN', 'VOXEL_RATIFY', 'LANDSCAPE_QUEUE',
  'ARTICLE_ASK', 'CAP_MINT', 'KEY_MINT', 'KEY_REVOKE', 'OIP_APPROVE', 'MIRROR_RESOLVE', 'SECRET_SCRUB', 'CAP_REVOKE',
  'CREATIVE_GENERATE',
];

/** Spec §4, contract §6 to §8: addresses without their parameters. */
const addresses = [
  '/api/dispatch', '/api/workspace', '/api/openapi.json', '/api/openai/actions.json', '/api/articles/constitution',
  '/api/articles/<slug>', '/api/articles/<slug>/bundle', '/api/articles/<slug>/claims', '/api/articles/<slug>/revisions',
  '/api/articles/<slug>/mirror', '/api/articles/<slug>/mirror/<id>/resolve', '/api/articles/<slug>/objections',
  '/api/articles/<slug>/webhook', '/api/protocol/claim', '/api/protocol/sources', '/api/protocol/repair',
  '/api/protocol/retract', '/api/protocol/voxel-divide', '/api/protocol/voxel-edit', '/api/protocol/voxel-move',
  '/api/protocol/voxel-consolidate', '/api/protocol/voxel-challenge', '/api/protocol/voxel-attest',
  '/api/protocol/voxel-batch', '/a/<slug>', '/a/<slug>/c1', '/a/<slug>/d3', '/checkpoint', '/tile/<L>/<N>',
  '/tile/entries/<N>', '/.well-known/colophon-key', '/start', '/llms.txt', '/mcp', '/robots.txt', '/protocol', '/verify',
];

/** Contract §2, for the codes that the articles name. */
const statuses: Readonly<Record<string, number>> = {
  token_malformed: 401, token_corrupted: 401, token_expired: 401, token_revoked: 401, ancestor_revoked: 401,
  ancestor_expired: 401, scope_denied: 403, risk_ceiling: 403, owner_gate_required: 403, fixed_body_only: 403,
  token_exhausted: 403, payload_ceiling: 413, unknown_key: 404, hash_stale: 409, order_stale: 409, thread_moved: 409,
  duplicate_source: 409, content_rule: 422, boundary_moved: 422, batch_limit: 422, body_mismatch: 422, rate_limited: 429,
};

describe('the text of the starter articles', () => {
  it('names only rows of the directory', () => {
    const named = new Set([...all.matchAll(/\b[A-Z]+(?:_[A-Z]+)+\b/g)].map((hit) => hit[0]));
    expect(named.size).toBeGreaterThan(10);
    for (const row of named) expect(rows).toContain(row);
  });

  it('names only paths of the interface', () => {
    const spans = [...all.matchAll(/`(?:(?:GET|POST) )?(\/[^`\s]*)`|^(\/\S+)$|\]\((\/[^a)][^)]*)\)/gm)];
    const named = new Set(spans.map((hit) => (hit[1] ?? hit[2] ?? hit[3] ?? '').split('?')[0]));
    expect(named.size).toBeGreaterThan(25);
    for (const address of named) expect(addresses).toContain(address);
  });

  it('gives every error code with its HTTP status', () => {
    const found: [string, number][] = [];
    for (const line of all.split('\n')) {
      for (const hit of line.matchAll(/\b(4\d\d)\b[^|.]*?`([a-z_]+)`((?:, `[a-z_]+`)*)/g)) {
        const more = [...(hit[3] ?? '').matchAll(/`([a-z_]+)`/g)].map((other) => other[1] as string);
        for (const code of [hit[2] as string, ...more]) found.push([code, Number(hit[1])]);
      }
      const column = /^\| (`[a-z_]+`(?:, `[a-z_]+`)*) \| (4\d\d) \|/.exec(line);
      for (const hit of (column?.[1] ?? '').matchAll(/`([a-z_]+)`/g)) found.push([hit[1] as string, Number(column?.[2])]);
    }
    const codes = found.filter(([code]) => (faultCodes as readonly string[]).includes(code));
    expect(codes.length).toBeGreaterThan(18);
    for (const [code, status] of codes) expect([code, status]).toEqual([code, statuses[code]]);
    for (const code of faultCodes) if (all.includes(`\`${code}\``)) expect(Object.keys(statuses)).toContain(code);
  });

  it('gives the tiers with the weights of the specification', () => {
    const weights = [...textOf('claims-and-tiers').matchAll(/^\| `([a-z]+)` \| (0\.\d+) \|$/gm)];
    expect(Object.fromEntries(weights.map((hit) => [hit[1], Number(hit[2])]))).toEqual({
      human: 0.8, preclinical: 0.5, anecdotal: 0.3, mechanistic: 0.3, speculative: 0.1, system: 0.35,
    });
  });

  it('lists the gates in the order of their checks', () => {
    const gates = [...textOf('shares').matchAll(/^\d\. (.+)$/gm)].map((hit) => hit[1]);
    expect(gates).toEqual([
      'credential', 'scope', 'ancestor', 'tenant', 'risk', 'owner gate', 'fixed body', 'use budget', 'payload ceiling',
    ]);
  });

  it('lists the seven slots of the constitution and marks the five required ones', () => {
    const slots = [...textOf('constitution-slots').matchAll(/^\| `([a-z_]+)` \| (yes|no) \|/gm)];
    expect(slots.map((hit) => [hit[1], hit[2]])).toEqual([
      ['what_it_is', 'yes'],
      ['who_claims_what', 'yes'],
      ['what_is_known', 'yes'],
      ['what_is_unknown', 'yes'],
      ['mechanism', 'no'],
      ['limitations', 'yes'],
      ['disclaimer', 'no'],
    ]);
  });

  it('lists the seven kinds of contributions', () => {
    const kinds = [...textOf('the-mirror').matchAll(/^\| `([a-z]+)` \|/gm)].map((hit) => hit[1]);
    expect(kinds).toEqual(['question', 'objection', 'source', 'repair', 'compression', 'contradiction', 'audit']);
  });

  it('lists the kinds of DIVs', () => {
    const line = /^\| `kind` \| (.+) \|$/m.exec(textOf('voxels'))?.[1] ?? '';
    expect([...line.matchAll(/`([a-z_]+)`/g)].map((hit) => hit[1])).toEqual([
      'heading', 'paragraph', 'list', 'code', 'quote', 'table', 'html', 'rule', 'definition', 'front_matter', 'mixed',
    ]);
  });

  it('lists the states of an invocation', () => {
    const table = /\| Status \| Meaning \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(textOf('receipts-and-proofs'))?.[1] ?? '';
    expect([...table.matchAll(/`([a-z]+)`/g)].slice(0, 6).map((hit) => hit[1])).toEqual([
      'running', 'success', 'failed', 'denied', 'proposed', 'declined',
    ]);
  });

  it.each([
    ['claims-and-tiers', 'at most 280 characters'],
    ['voxels', 'up to 300 operations'],
    ['voxels', 'up to 2 MiB'],
    ['voxels', 'up to 64 KiB'],
    ['receipts-and-proofs', '`inv_` and 16 lowercase base32 characters'],
    ['receipts-and-proofs', '32 random bytes of salt'],
    ['receipts-and-proofs', 'Merkle hashes, 256 to a full tile'],
    ['shares', '`sh.` and 48 characters of base64url, 51 characters in all'],
    ['shares', '`cap_` and the first 16 hex digits'],
    ['shares', '| TTL | lifetime in seconds, from 1 second to 7 days, for the owner to 30 days | 600 |'],
    ['shares', '| max uses | number of calls; 0 means unlimited | 1 |'],
    ['shares', '| risk ceiling | `low` or `high` | `low` |'],
    ['shares', '| owner gate | whether the owner approves each call | 0 |'],
    ['shares', 'up to a depth of 8'],
    ['shares', 'a token of 24 hours, 25 uses and low risk'],
    ['the-mirror', '8,000 characters of text, 30 contributions a minute per client address and 200 a minute per article'],
    ['constitution-slots', 'The constitution has version 3'],
    ['url-only-protocol', 'has 51 characters, so that a whole call fits into 250'],
    ['url-only-protocol', 'at most 30 operations'],
  ])('in %s states: %s', (slug, statement) => {
    expect(textOf(slug)).toContain(statement);
  });
});

describe('the worked examples of the starter articles', () => {
  it.each([
    ['claims-and-tiers', 'A claim is one falsifiable assertion.', '222b5d96008b73eed57516a66c6f8914291ef84a77f14fb33e008bbc6b2607c0'],
    ['voxels', 'Dividing an article changes none of its bytes.', '3cbfb94e6261fc6dfe8ff87bb8260eba62c8833b870f4d49a9b7d691bc37b681'],
  ])('in %s show the hash of the text that they quote', (slug, text, hash) => {
    expect(textOf(slug)).toContain(`printf '%s' '${text}' | sha256sum\n# ${hash}\n`);
    expect(createHash('sha256').update(text).digest('hex')).toBe(hash);
  });

  it('in receipts-and-proofs show an entry in canonical form with its leaf hash', () => {
    const markdown = textOf('receipts-and-proofs');
    const line = /^\{"actor".*\}$/m.exec(markdown)?.[0] ?? '';
    const entry = JSON.parse(line) as Record<string, string | number>;
    expect(Object.keys(entry)).toEqual(['actor', 'chain', 'n', 'op', 'prev', 'text_sha', 'ts']);
    expect(JSON.stringify(entry)).toBe(line);
    const hash = 'b17de099207b6a7cf393a30aace901d05baa82b65e118ea0b7cb2c5ac2777e35';
    expect(createHash('sha256').update(`\0${line}`).digest('hex')).toBe(hash);
    expect(markdown).toContain(`Its hash is \`${hash}\``);
  });

  it.each(starters.map(({ slug }) => slug))('in %s are well-formed JSON if marked as JSON', (slug) => {
    for (const block of textOf(slug).matchAll(/^```json\n([^]*?)\n```$/gm)) {
      expect(() => JSON.parse(block[1] as string) as unknown).not.toThrow();
    }
    expect(textOf(slug)).toMatch(/^```(?:json|text|sh)$/m);
  });

  it('post claims with members of the claim endpoint only', () => {
    const members = [
      'slug', 'text', 'tier', 'who_claims', 'source_ids', 'rationale', 'why_material', 'falsifier', 'materiality',
      'evidence_basis', 'evidence_class', 'slot', 'section', 'source_role', 'comparison', 'model',
    ];
    let seen = 0;
    for (const block of all.matchAll(/^```json\n([^]*?)\n```$/gm)) {
      const example = JSON.parse(block[1] as string) as object;
      if (!('who_claims' in example)) continue;
      seen++;
      for (const member of Object.keys(example)) expect(members).toContain(member);
    }
    expect(seen).toBe(2);
  });
});
