/** REPO_TAIL (spec §2.6.1, contract §3): what the configured repository holds, and what was done last. */
import Type from 'typebox';
import { defineRow, type Row } from '../domain/capabilities/row.ts';
import { effect } from '../domain/outside/effect.ts';
import { isFault } from '../kernel/fault.ts';
import { RepositoryTail } from '../model/outside.ts';

const repoTail = defineRow({
  key: 'REPO_TAIL',
  category: 'repository',
  target: 'repository',
  contract: {
    what: 'Returns metadata, the root listing and the three latest commits of the configured repository.',
    when: 'To see what the software behind a claim was last changed by.',
    example: '',
  },
  input: Type.Object({}, { additionalProperties: false }),
  output: RepositoryTail,
  auth: 'share',
  risk: 'low',
  safe: true,
  inAct: true,
  plan: () => ({
    ...effect(['readRepository'], 10_000, async (signal, { readRepository }) => {
      const tail = await readRepository(signal);
      if (isFault(tail)) return tail;
      const latest = tail.commits.map(({ sha, subject }) => `${sha.slice(0, 12)} ${subject}`).join('\n');
      return {
        result: tail,
        text: `${tail.name} at ${tail.head.slice(0, 12)}${tail.branch === null ? '' : ` on ${tail.branch}`}:\n${latest}`,
        material: [],
      };
    }),
    check: ({ repositoryLacks }) => repositoryLacks(),
  }),
});

export const repositoryRows: readonly Row[] = [repoTail];
