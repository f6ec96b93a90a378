/**
 * Certificates of inspected proofs (spec §4.2, contract §7): who looked at which receipt or article chain, at which
 * head, and what it came to. Open intake: a certificate adds a statement and changes nothing about the proof.
 */
import { actEntry } from '../entries.ts';
import type { Event, EventDraft, Projection, StoredEvent } from '../../engine/act.ts';
import { eventFrom } from '../../engine/memory-projection.ts';
import { integer, json, table, text, type RowOf } from '../../engine/tables.ts';
import { about, fault, type Fault } from '../../kernel/fault.ts';
import { sha256Hex } from '../../kernel/hash.ts';
import { headOf, type Head } from '../../ledger/entry.ts';
import type { ArticleState } from '../articles/state.ts';
import type { Context, Result } from '../context.ts';
import { links } from '../links.ts';
import type { InspectionOutcome } from '../../model/vocabulary.ts';
import { exactly } from '../../model/exact.ts';
import { Certified, type Certificate, type CertifyInput } from '../../model/proofs.ts';

export const certifiedTable = table('certified', {
  key: { place: text() },
  columns: { counts: json<Readonly<Record<InspectionOutcome, number>>>(), head: json<Head>() },
  aggregate: 'certified',
});
export type CertifiedRow = RowOf<typeof certifiedTable>;

export const certificateTable = table('certificate', {
  key: { place: text(), n: integer() },
  columns: { certificate: json<Certificate>(), prev: text(), hash: text() },
});

/** Where the certificates of an article or a receipt stand. */
export function certifiedPlace(tenant: string, target: string): string {
  return `${tenant}/${target}`;
}

export function isReceiptId(target: string): boolean {
  return /^inv_[a-z2-7]{16}$/.test(target);
}

/** The article or invocation that the name refers to, as far as it is public. */
export interface ProofSubject {
  readonly article: ArticleState | undefined;
  /** The chain of an invocation of the workspace; empty if the workspace has no such invocation. Only its first entry names the workspace. */
  readonly chain: readonly StoredEvent[];
  readonly certified: CertifiedRow | undefined;
}

export function certify(
  { article, chain, certified }: ProofSubject,
  input: CertifyInput,
  context: Context,
): { readonly event: EventDraft; readonly result: Result } | Fault {
  const last = chain.at(-1);
  const head = last === undefined ? article?.row.heads.provenance?.hash : eventFrom(last).sealed.hash;
  if (head === undefined)
    return about(
      fault(
        'not_found',
        `There is no published article and no receipt ${input.target.slice(0, 80)}.`,
        'Name the slug of an article, or an invocation id as /api/proven-work lists them.',
      ),
      { kind: input.target.startsWith('inv_') ? 'receipt' : 'article', id: input.target },
    );
  if (input.head !== undefined && input.head !== head)
    return fault(
      'hash_stale',
      'The chain has another head than the one that was inspected.',
      'Inspect it again as it stands, and certify that head.',
      { expected_hash: input.head, current_hash: head },
    );
  const certificate: Certificate = {
    id: context.id('cert_'),
    kind: article === undefined ? 'receipt' : 'article',
    target: input.target,
    head,
    outcome: input.outcome,
    method: input.method ?? '',
    note: input.note ?? '',
    actor: context.actor,
    name: context.actorName,
    ts: context.now,
    receipt: context.inv,
  };
  const url = links.certificates(context.base, input.target);
  return {
    event: actEntry(
      context,
      `proofs_${sha256Hex(certifiedPlace(context.tenant, input.target)).slice(0, 16)}`,
      certified?.head ?? null,
      'certify',
      { tenant: context.tenant, certificate },
    ),
    result: {
      result: exactly(Certified, {
        ...(article === undefined ? {} : { slug: input.target }),
        certificate_id: certificate.id,
        certificate,
        permalink: url,
      }),
      text: `Recorded ${certificate.id}: ${input.target} was found ${input.outcome} at ${head.slice(0, 12)}…. ${url}`,
      material: [{ kind: 'certificate', id: certificate.id, url }],
    },
  };
}

const none: Readonly<Record<InspectionOutcome, number>> = { verified: 0, broken: 0, inconclusive: 0 };

export function projectCertificate(event: Event, to: Projection): void {
  const { entry, hash } = event.sealed;
  if (!entry.chain.startsWith('proofs_')) return;
  const content = event.contents['content_sha'] as
    { readonly tenant: string; readonly certificate: Certificate } | undefined;
  if (content === undefined) return;
  const { certificate } = content;
  const place = certifiedPlace(content.tenant, certificate.target);
  const counts = to.row(certifiedTable, place)?.counts ?? none;
  to.put(certifiedTable, {
    place,
    counts: { ...counts, [certificate.outcome]: counts[certificate.outcome] + 1 },
    head: headOf(event.sealed),
  });
  to.put(certificateTable, { place, n: entry.n, certificate, prev: entry.prev, hash });
}
