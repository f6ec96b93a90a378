/** Removing secrets from stored content (contract §3, §5 "Secrets"): the owner's alone. */
import Type from 'typebox';
import { defineRow, type Row } from '../domain/capabilities/row.ts';
import { slug, words } from '../model/arguments.ts';
import { Scrubbed } from '../model/directory.ts';

const secretScrub = defineRow({
  key: 'SECRET_SCRUB',
  category: 'secrets',
  target: 'ledger',
  wishes: ['remove a password that was written', 'take out a leaked secret'],
  contract: {
    what: 'Replaces a secret by [redacted:secret] in everything stored: articles with all their revisions, discourse, requests and responses of receipts, large results. Every chain still verifies; contents that held it are shown as scrubbed, and a scrub entry names each. With auto the whole rule set runs over what is stored. The secret itself is never recorded. shape:true says where it would bite.',
    when: 'When a secret was written before it was recognized as one.',
    example: '{"secret":"auto"}',
  },
  input: Type.Object(
    {
      // First and the rest: a secret may hold pipes, and no part of it may be taken for an article's name.
      secret: words(65_536, 'the secret itself, all of it as it was written, or auto'),
      slug: Type.Optional({
        ...slug,
        description: 'one article and the calls on it; everything when left out',
      }),
    },
    { additionalProperties: false },
  ),
  output: Scrubbed,
  rest: 'secret',
  confidential: ['secret'],
  auth: 'owner',
  risk: 'high',
  safe: false,
  inAct: false,
  prefixable: false,
  plan: (input) => ({ do: 'scrub', input }),
});

export const secretRows: readonly Row[] = [secretScrub];
