/** Rows about capabilities and the protocol itself (spec §2.6.1, contract §3 and §4). */
import Type from 'typebox';
import { defineRow, type Row } from '../domain/capabilities/row.ts';
import { mintRules } from '../domain/capabilities/mint.ts';
import { optionalWords, slug, words } from '../model/arguments.ts';
import { Explained, KeyMinted, Minted, Revoked } from '../model/capability.ts';
import { Tree } from '../model/directory.ts';
import { Receipt } from '../model/invocation.ts';
import { grantRules } from '../domain/capabilities/grants.ts';
import { WebhookRotated } from '../model/workspace.ts';

const capMint = defineRow({
  key: 'CAP_MINT',
  category: 'capability',
  target: 'capability',
  wishes: [
    'make a narrower share',
    'make a token with fewer rights',
    'delegate part of my authority',
    'hand out a share',
    'mint a token for one task',
  ],
  contract: {
    what: 'Mints a scoped, short-lived share. Under a share it only cuts a narrower one. The token is shown once.',
    when: 'To hand out exactly the authority that one task needs, for minutes or days. A program that writes for longer takes KEY_MINT.',
    example: 'row|MIRROR_APPEND|600|1|one question on c1|low|0',
  },
  input: Type.Object(
    {
      scope: Type.Optional(Type.String({ maxLength: 10, description: 'row, rows, pfx, act or read' })),
      key: Type.Optional(Type.String({ maxLength: 80, description: 'the row, for scope row' })),
      ttl: Type.Optional(
        Type.Integer({ description: 'seconds; when left out 600, or what the share that asks has left' }),
      ),
      max_uses: Type.Optional(
        Type.Integer({
          description: '0 is unlimited; when left out 1, or what the share that asks has left',
        }),
      ),
      purpose: optionalWords(500, 'plain text'),
      risk_ceiling: Type.Optional(
        Type.String({ maxLength: 10, description: 'low or high; low when left out' }),
      ),
      owner_gate: Type.Optional(Type.Boolean({ description: '1: every call waits for the owner' })),
      keys: Type.Optional(Type.Array(Type.String({ maxLength: 80 }), { minItems: 1, maxItems: 100 })),
      article: Type.Optional(Type.String({ maxLength: 120, description: 'binds the share to one article' })),
      body_fixed: Type.Optional(
        Type.String({ maxLength: 32_000, description: 'the only body that it may send' }),
      ),
      max_body_bytes: Type.Optional(Type.Integer({ minimum: 1 })),
      actor: optionalWords(200, 'who it is meant for; display metadata'),
      workspace: Type.Optional(
        Type.String({
          maxLength: 32,
          description: 'where it is good; main when left out, under a share its own',
        }),
      ),
      role: Type.Optional(
        Type.String({
          maxLength: 20,
          description: 'an invitation: the rows of observer, contributor, reviewer, editor or owner',
        }),
      ),
    },
    { additionalProperties: false },
  ),
  output: Minted,
  auth: 'owner',
  risk: 'high',
  safe: false,
  inAct: false,
  selfLimiting: true,
  rules: (given) => mintRules(given),
  plan: (input) => ({ do: 'mint', input }),
});

const capExplain = defineRow({
  key: 'CAP_EXPLAIN',
  category: 'capability',
  target: 'capability',
  wishes: [
    'what may my token do',
    'what does this share allow',
    'how many uses are left',
    'when does my credential expire',
  ],
  contract: {
    what: 'Returns what a share may invoke, its expiry, uses left, risk ceiling, owner gate, revocation and ledger trail. It never echoes the token.',
    when: 'Before using a share, or to see what became of one.',
    example: '<share_fingerprint>',
  },
  input: Type.Object({ token: words(80, 'a token or a cap_ fingerprint') }, { additionalProperties: false }),
  output: Explained,
  auth: 'share',
  risk: 'low',
  safe: true,
  inAct: true,
  plan: ({ token }) => ({ do: 'read', question: { name: 'explain', token } }),
});

const capRevoke = defineRow({
  key: 'CAP_REVOKE',
  category: 'capability',
  target: 'capability',
  wishes: ['take back a share', 'revoke a token', 'make my token invalid', 'a token was leaked'],
  contract: {
    what: 'Revokes a share and everything cut from it, at once. Later calls are denied and ledgered.',
    when: 'When a share (sh.…) is no longer needed, or is in the wrong hands. An API key is revoked by KEY_REVOKE.',
    example: '<share_fingerprint>',
  },
  input: Type.Object(
    { fingerprint: Type.String({ pattern: '^cap_[0-9a-f]{16}$', description: 'a cap_ fingerprint' }) },
    { additionalProperties: false },
  ),
  output: Revoked,
  auth: 'share',
  risk: 'low',
  safe: false,
  inAct: false,
  selfLimiting: true,
  plan: ({ fingerprint }) => ({ do: 'revoke', fingerprint }),
});

const oipTree = defineRow({
  key: 'OIP_TREE',
  category: 'protocol',
  target: 'protocol',
  wishes: ['what can this service do', 'list all rows'],
  contract: {
    what: 'Returns the recursive protocol tree.',
    when: 'To learn what the service offers.',
    example: '',
  },
  input: Type.Object({}, { additionalProperties: false }),
  output: Tree,
  auth: 'share',
  risk: 'low',
  safe: true,
  inAct: true,
  plan: () => ({ do: 'read', question: { name: 'tree' } }),
});

const oipReceipt = defineRow({
  key: 'OIP_RECEIPT',
  category: 'protocol',
  target: 'invocation',
  wishes: ['show the receipt of my call', 'what was called and what came back', 'prove what I did'],
  contract: {
    what: 'Returns the recorded request and response of an invocation, its lineage, its proof and the verbs that act on it.',
    when: 'To prove what was called and what came back.',
    example: '<invocation_id>',
  },
  input: Type.Object(
    { id: Type.String({ pattern: '^inv_[a-z2-7]{16}$', description: 'an invocation id' }) },
    { additionalProperties: false },
  ),
  output: Receipt,
  auth: 'share',
  risk: 'low',
  safe: true,
  inAct: true,
  plan: ({ id }) => ({ do: 'read', question: { name: 'receipt', inv: id } }),
});

export const capabilityRows: readonly Row[] = [capMint, capExplain, capRevoke, oipTree, oipReceipt];

const keyMint = defineRow({
  key: 'KEY_MINT',
  category: 'capability',
  target: 'key',
  wishes: ['make an API key for a program'],
  contract: {
    what: 'Mints an API key with one or more scopes: read, act, rows:KEY,KEY or pfx:PREFIX_, each optionally @slug. The key is shown once; only its hash is kept.',
    when: 'When a program should write for longer than a share of CAP_MINT lives.',
    example: 'act pfx:VOXEL_@what-the-ledger-is|the import script',
  },
  input: Type.Object(
    {
      scopes: words(2000, 'separated by spaces'),
      purpose: optionalWords(500, 'plain text'),
      ttl: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 315_360_000, description: 'seconds; no end when left out' }),
      ),
      actor: optionalWords(200, 'who it is meant for; display metadata'),
      workspace: Type.Optional(
        Type.String({ maxLength: 32, description: 'where it is good; main when left out' }),
      ),
    },
    { additionalProperties: false },
  ),
  output: KeyMinted,
  auth: 'owner',
  risk: 'high',
  safe: false,
  inAct: false,
  rules: ({ scopes }) => grantRules(scopes),
  plan: (input) => ({ do: 'mint-key', input }),
});

const keyRevoke = defineRow({
  key: 'KEY_REVOKE',
  category: 'capability',
  target: 'key',
  wishes: ['revoke an API key', 'take back a key'],
  contract: {
    what: 'Revokes an API key at once. Later calls with it are denied and ledgered.',
    when: 'When an API key (ck_…) is no longer needed, or is in the wrong hands. A share is revoked by CAP_REVOKE.',
    example: '<key_fingerprint>',
  },
  input: Type.Object(
    { fingerprint: Type.String({ pattern: '^cap_[0-9a-f]{16}$', description: 'as it is listed' }) },
    { additionalProperties: false },
  ),
  output: Revoked,
  auth: 'owner',
  risk: 'high',
  safe: false,
  inAct: false,
  plan: ({ fingerprint }) => ({ do: 'revoke', fingerprint }),
});

export const keyRows: readonly Row[] = [keyMint, keyRevoke];

const webhookSecret = defineRow({
  key: 'WEBHOOK_SECRET',
  category: 'webhook',
  target: 'article',
  wishes: ['send claims by webhook', 'get a webhook secret'],
  contract: {
    what: 'Mints the secret with which senders sign webhooks for an article, shown once; the one before is revoked. A signature posts claims and sources to that article, and nothing else.',
    when: 'When another service should send claims or sources, or when a secret may have become known.',
    example: 'what-the-ledger-is',
  },
  input: Type.Object({ slug }, { additionalProperties: false }),
  output: WebhookRotated,
  auth: 'owner',
  risk: 'high',
  safe: false,
  inAct: false,
  plan: ({ slug: at }) => ({ do: 'rotate-webhook', slug: at }),
});

export const webhookRows: readonly Row[] = [webhookSecret];
