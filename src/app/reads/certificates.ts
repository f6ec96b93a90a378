/** Certificates (contract §7): counts beside a proof, and the list of one article or receipt. */
import type { CallerContext } from '../read-context.ts';
import {
  certificateTable,
  certifiedPlace,
  certifiedTable,
  isReceiptId,
} from '../../domain/certificates/certify.ts';
import { authorizeArticle } from './article-access.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import { links } from '../../domain/links.ts';
import { about, fault, isFault } from '../../kernel/fault.ts';
import { CertificateList, type Certifications } from '../../model/proofs.ts';
import { chainWithin } from './invocation.ts';
import { defineRead } from './define-read.ts';

const anonymous: Credential = { kind: 'anonymous' };
const uncounted = { verified: 0, broken: 0, inconclusive: 0 };

/** Counts of a proof's certificates by outcome, and where they are. */
export async function certifications(context: CallerContext, target: string): Promise<Certifications> {
  const row = await context.read.row(certifiedTable, certifiedPlace(context.tenant, target));
  return { ...(row?.counts ?? uncounted), read: links.certificates(context.base, target) };
}

/** The certificates of one proof, newest first, paged; `before` is a certificate's number. */
export const listCertificates = defineRead(
  CertificateList,
  async (context: CallerContext, target: string, limit: number, before: number | undefined) => {
    if (!isReceiptId(target)) {
      const access = await authorizeArticle({ ...context, viewer: anonymous }, target);
      if (isFault(access)) return access;
    }
    const { base, read } = context;
    const place = certifiedPlace(context.tenant, target);
    const rows = await read.list(certificateTable, place, {
      limit: limit + 1,
      reverse: true,
      ...(before === undefined ? {} : { before }),
    });
    if (isReceiptId(target) && chainWithin(context.tenant, await read.chain(target)).length === 0)
      return about(
        fault('not_found', `There is no receipt ${target}.`, 'Name an invocation id as receipts show it.'),
        { kind: 'receipt', id: target },
      );
    const page = rows.slice(0, limit);
    return {
      target,
      count: page.length,
      certifications: await certifications(context, target),
      certificates: page.map(({ certificate, prev, hash }) => ({
        ...certificate,
        confirm: links.confirm(base, certificate.receipt),
        prev,
        hash,
      })),
      next:
        rows.length > limit
          ? `${links.certificates(base, target)}&limit=${limit}&cursor=${page.at(-1)?.n ?? 0}`
          : null,
    };
  },
);
