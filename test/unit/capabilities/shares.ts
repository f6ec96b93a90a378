/** Shares for tables about drafts. */
import type { Binding, TargetState } from '../../../src/domain/capabilities/binding.ts';
import type { Credential } from '../../../src/domain/capabilities/credential.ts';
import type { CapabilityGrant, CapabilityRow } from '../../../src/domain/capabilities/tables.ts';

/** A share of `main` that the owner minted, changed by link: the share itself first, then what it was cut from. */
export function shareOf(...links: readonly Partial<CapabilityGrant>[]): Credential {
  const chain = links.map((link, i) => ({
    fingerprint: `cap_${i}`,
    record: {
      fingerprint: `cap_${i}`,
      tenant: 'main',
      origin: 'owner',
      scope: 'read',
      keys: [],
      article: null,
      ...link,
    },
  })) as unknown as CapabilityRow[];
  return { kind: 'share', fingerprint: 'cap_0', chain };
}

/** The share of a lease whose target has this slug and state. */
export function draftBinding(tenant: string, article: TargetState, slug: string): Credential {
  const binding = { assignment: { tenant, item: { article: slug } }, article, ownerMinted: false } as Binding;
  return { ...(shareOf({}) as Extract<Credential, { kind: 'share' }>), binding };
}
