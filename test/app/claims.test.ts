import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isFault, type Fault } from '../../src/kernel/fault.ts';
import { openDeployment, type TestDeployment } from '../support/deployment.ts';

let deployment: TestDeployment;
const base = { slug: 'drugs', tier: 'human', who_claims: 'a trial', why_material: 'it decides treatment' };

beforeAll(async () => {
  deployment = await openDeployment();
  await deployment.did('VOXEL_BATCH', { document: { slug: 'drugs', markdown: '# Drugs\n\nText.\n' } });
  await deployment.did('CLAIM_POST', { ...base, text: 'Aspirin reduces the risk of stroke in adults.' });
});
afterAll(() => deployment.end());

async function refusal(body: object): Promise<Fault> {
  const answer = await deployment.call('CLAIM_POST', body);
  const found = isFault(answer) ? answer : answer.kind === 'called' ? answer.refusal : undefined;
  if (found === undefined) throw new Error('it was posted');
  return found;
}

describe('a claim similar to a stored one', () => {
  it.each([
    ['in case and punctuation', 'aspirin reduces the risk of stroke, in adults'],
    ['in inflection', 'Aspirin reduced the risk of stroke in adults.'],
  ])('is rejected with a link to the stored claim when it differs only %s', async (_, text) => {
    const same = await refusal({ ...base, text });
    expect(same.fault).toBe('duplicate_claim');
    expect(same.details?.['canonical']).toMatchObject({
      id: 'c1',
      permalink: expect.stringMatching(/\/a\/drugs\/c1$/),
    });
  });

  it('with the opposite meaning is accepted, with a proposal to record the contradiction', async () => {
    const posted = await deployment.did('CLAIM_POST', {
      ...base,
      text: 'Aspirin does not reduce the risk of stroke in adults.',
    });
    expect(posted).toMatchObject({
      claim_id: 'c2',
      contrary: [
        {
          id: 'c1',
          proposal: { key: 'MIRROR_APPEND', body: { slug: 'drugs', claim_id: 'c1', kind: 'contradiction' } },
        },
      ],
    });
    const [contrary] = posted['contrary'] as readonly {
      readonly proposal: { readonly key: string; readonly body: object };
    }[];
    await deployment.did(contrary?.proposal.key ?? '', contrary?.proposal.body ?? {}, { presented: {} });
  });

  it('is accepted when its author insists, with a rationale', async () => {
    const again = { ...base, text: 'Aspirin reduces the risk of stroke in adults!', distinct: true };
    expect((await refusal(again)).fault).toBe('duplicate_claim');
    expect(
      await deployment.did('CLAIM_POST', { ...again, rationale: 'another trial, another population' }),
    ).toMatchObject({ claim_id: 'c3' });
  });

  it('is accepted once the stored one is retracted', async () => {
    await deployment.did('CLAIM_POST', { ...base, text: 'Warfarin interacts with vitamin K.' });
    expect((await refusal({ ...base, text: 'warfarin interacts with vitamin k' })).fault).toBe(
      'duplicate_claim',
    );
    await deployment.did('CLAIM_RETRACT', { slug: 'drugs', claim_id: 'c4', reason: 'posted by mistake' });
    expect(
      await deployment.did('CLAIM_POST', { ...base, text: 'Warfarin interacts with vitamin K.' }),
    ).toMatchObject({ claim_id: 'c5' });
  });
});

describe('a claim that breaks rules', () => {
  it('is rejected with all violations at once, each with code, place and fix', async () => {
    const { fault, details } = await refusal({
      slug: 'drugs',
      tier: 'sure',
      who_claims: '',
      text: 'You should take 5 mg. Does it help?',
      source_ids: ['s9'],
    });
    expect(fault).toBe('content_rule');
    const codes = (
      (details?.['violations'] ?? []) as unknown as readonly { readonly code: string; readonly fix: string }[]
    ).map(({ code }) => code);
    expect(codes.toSorted()).toEqual([
      'advice',
      'dangling_source',
      'dose',
      'missing_who_claims',
      'question',
      'several_sentences',
      'unknown_tier',
    ]);
  });
});
