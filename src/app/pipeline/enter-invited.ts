/**
 * Accepts an invitation (contract §7): cuts a share from it for the rows of its role, with the invitation's remaining
 * time and uses. The cut is a CAP_MINT call, so it is on the ledger and ends with the invitation. Opening the same
 * address again shows the fingerprint of the share, not the share.
 */
import type { CapabilityRecord, CapabilityRow } from '../../domain/capabilities/tables.ts';
import { links } from '../../domain/links.ts';
import type { Role } from '../../model/vocabulary.ts';
import { isFault, type Fault } from '../../kernel/fault.ts';
import { canonicalJson } from '../../kernel/json.ts';
import type { Presented } from '../credentials/authenticate.ts';
import { welcome } from '../reads/entry.ts';
import type { HandedShare } from '../../model/capability.ts';
import type { Entered } from '../../model/workspace.ts';
import type { Workspace } from '../reads/workspaces.ts';
import type { Service } from '../service.ts';
import { dispatch } from './dispatch.ts';

export interface InvitedEntry {
  readonly workspace: Workspace;
  readonly role: Role;
  readonly actor: string | null;
  readonly invitation: CapabilityRow;
  readonly presented: Presented;
  /** Each `n` makes another share. */
  readonly n: string | undefined;
  readonly client: string;
}

export async function enterInvited(service: Service, entry: InvitedEntry): Promise<Entered | Fault> {
  const { workspace, role, actor, invitation, presented, n, client } = entry;
  const { name } = workspace.state;
  const { record, uses } = invitation;
  const answer = await dispatch(service, {
    key: 'CAP_MINT',
    // Without a ttl the cut gets the time that is left when it is decided.
    body: canonicalJson({
      max_uses: record.max_uses === 0 ? 0 : record.max_uses - uses,
      purpose: `${role} of ${name}`,
      ...(actor === null ? {} : { actor }),
    }),
    presented,
    tenant: workspace.tenant,
    method: 'POST',
    // Remaining uses change; the idempotency key does not.
    idempotencyKey: `enter ${role} ${actor ?? ''} ${n ?? ''}`,
    firstForEver: true,
    channel: 'http',
    client,
    // The door limits entries by itself.
    meter: undefined,
  });
  if (isFault(answer)) return answer;
  if (answer.kind === 'shape') throw new Error('an entry is no dry run');
  if (answer.refusal !== undefined) return answer.refusal;
  const cut = answer.result?.result['capability'] as CapabilityRecord;
  const receipt = {
    id: answer.inv,
    url: links.receipt(service.base, answer.inv),
    confirm: answer.proof.confirm,
  };
  const { fingerprint, expires_at, max_uses, keys } = cut;
  const handed = answer.result?.reveal as Pick<HandedShare, 'share' | 'explain_url' | 'drop'> | undefined;
  if (handed === undefined) {
    return {
      workspace: name,
      role,
      credential: { token: null, fingerprint, expires_at, grants: [...keys], uses: max_uses },
      idempotent_replay: true,
      note: 'The token was shown when this address was opened first; with another n= it is another entry.',
      next: [links.capability(service.base, fingerprint)],
      receipt,
    };
  }
  const welcomed = await welcome(service, workspace, keys, { ...handed, fingerprint, expires_at, max_uses });
  return { workspace: name, role, ...welcomed, receipt };
}
