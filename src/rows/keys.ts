/** API keys (spec §5, contract §3, §4): the owner mints and revokes them. */
import Type from 'typebox';
import { defineRow, type Row } from '../domain/capabilities/row.ts';
import { grantRules } from '../domain/capabilities/grants.ts';
import { optionalWords, words } from '../model/arguments.ts';
import { KeyMinted, Revoked } from '../model/capability.ts';

const keyMint = defineRow({
  key: 'KEY_MINT',
  category: 'capability',
  target: 'key',
  contract: {
    what: 'Mints an API key with one or more scopes: read, act, rows:KEY,KEY or pfx:PREFIX_, each optionally @slug. The key is shown once; only its hash is kept.',
    when: 'When a program should write for longer than a share lives.',
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
  contract: {
    what: 'Revokes an API key at once. Later calls with it are denied and ledgered.',
    when: 'When a key is no longer needed, or is in the wrong hands.',
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
