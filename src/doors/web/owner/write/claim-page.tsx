/** Rewording and retracting one claim at the desk (contract §3 CLAIM_REPAIR, CLAIM_RETRACT; §8). */
import { type Claim, claimCharsMax } from '../../../../model/claim.ts';
import { Button } from '../../components/button.tsx';
import { writePaths } from './desk.ts';
import {
  ClaimText,
  EvidenceForm,
  evidencePage,
  type EvidenceView,
  fieldsOf,
  Unwritten,
  EvidenceField,
  TierField,
} from './evidence-fields.tsx';
import { FindingsList } from './findings.tsx';

export function claimPage(view: EvidenceView & { readonly claim: Claim }): string {
  const { article, claim, values, refusal, findings } = view;
  const { context, state } = article;
  const { slug } = state.row;
  const of = fieldsOf(view, 'claim', ['text', 'tier', 'rationale', 'reason']);
  const action = writePaths(context.site.root).claim(slug, claim.id);
  const may = (key: string): boolean => context.may(key, slug);
  const isRetracted = claim.status === 'retracted';
  // What was refused is said once, above both forms.
  const form = { view: { article, values, sentences: [] }, action } as const;
  return evidencePage(
    article,
    `Claim ${claim.id}`,
    <>
      <blockquote class="assertion" dir="auto">
        <p>{claim.text}</p>
      </blockquote>
      <p class="section-note">
        {claim.tier}, claimed by <bdi>{claim.who_claims}</bdi>, version {claim.version}
        {isRetracted ? ', retracted' : ''}.
      </p>
      <Unwritten refusal={refusal} others={of.others} />
      {isRetracted || !may('CLAIM_REPAIR') ? null : (
        <EvidenceForm {...form}>
          <h2>Reword</h2>
          <input type="hidden" name="claim_id" value={claim.id} />
          <input type="hidden" name="expected_hash" value={claim.hash} />
          <ClaimText of={of} value={values.get('text') ?? claim.text} />
          <FindingsList findings={findings} />
          <TierField of={of} tier={claim.tier} />
          <EvidenceField of={of} name="rationale" label="Why" required maxLength={claimCharsMax.rationale} />
          <p class="buttons">
            <Button kind="primary" name="act" value="repair">
              Reword
            </Button>
          </p>
        </EvidenceForm>
      )}
      {isRetracted || !may('CLAIM_RETRACT') ? null : (
        <EvidenceForm {...form} checked={false}>
          <h2>Retract</h2>
          <p>It stays listed as retracted, with your reason, and weighs nothing.</p>
          <input type="hidden" name="claim_id" value={claim.id} />
          <EvidenceField of={of} name="reason" label="What was found to be wrong" required maxLength={2000} />
          <p class="buttons">
            <Button kind="danger" name="act" value="retract">
              Retract
            </Button>
          </p>
        </EvidenceForm>
      )}
    </>,
  );
}
