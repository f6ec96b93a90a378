/**
 * The addresses that come with a share (contract §2, §4): one that is ready to open, for whoever can do nothing else,
 * and the patterns of all others. Opening an address must never write what nobody meant, so a row that writes and
 * needs arguments is addressed without any: it answers, uncharged, with the arguments that it takes and an example.
 */
import { covers } from '../../domain/capabilities/grants.ts';
import type { Row } from '../../domain/capabilities/row.ts';
import type { CapabilityRecord } from '../../domain/capabilities/tables.ts';
import { links } from '../../domain/links.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { holderTemplates } from '../../represent/receipt-templates.ts';
import type { Service } from '../service.ts';

/** Addresses as whoever is handed the token gets them: shown once, with it. */
export function shareAddresses(service: Service, share: string, record: CapabilityRecord): JsonObject {
  const dispatch = links.dispatch(service.base);
  const row = firstRow(service, record);
  const body = row === undefined ? undefined : readyBody(row, record);
  return {
    ...(row === undefined
      ? {}
      : {
          invoke_url: `${dispatch}?invoke=${row.key}${body === undefined ? '' : `&body=${encodeURIComponent(body)}`}&share=${share}`,
        }),
    explain_url: `${dispatch}?explain=1&share=${share}`,
    templates: [...callTemplates(dispatch, share, record), ...holderTemplates(service.base, share)],
  };
}

/** A pattern for each row that the share names; one with an open key where it names none. */
export function callTemplates(dispatch: string, share: string, { scope, keys }: CapabilityRecord): string[] {
  const named = scope === 'row' || scope === 'rows' ? keys : ['{key}'];
  return named.map((key) => `${dispatch}?invoke=${key}&body={body}&share=${share}`);
}

/** The only row, or of several the first read that can be asked as it stands; else the first one. */
function firstRow(service: Service, record: CapabilityRecord): Row | undefined {
  const covered = [...service.rows.values()].filter((row) => covers(record, row));
  const { article } = record;
  return (
    covered.find((row) => row.safe && (article === null ? needsNothing(row) : isAboutArticle(row))) ??
    covered[0]
  );
}

function needsNothing({ input }: Row): boolean {
  return ((input as { readonly required?: readonly string[] }).required ?? []).length === 0;
}

function isAboutArticle({ argNames }: Row): boolean {
  return argNames[0] === 'slug';
}

/** The body of a call that can be made as it stands; undefined where only whoever calls can know it. */
function readyBody(
  row: Row,
  { body_fixed: fixed, article, fingerprint }: CapabilityRecord,
): string | undefined {
  if (fixed !== null) return fixed;
  if (needsNothing(row)) return '';
  const bound = article !== null && isAboutArticle(row) ? article : undefined;
  // The scope is judged before the arguments: a share of one article names it even where the rest is missing.
  if (!row.safe) return bound;
  if (row.target === 'capability') return fingerprint;
  if (row.target === 'invocation') return undefined;
  // The example's article is one that a ledger is seeded with.
  const { example } = row.contract;
  return bound === undefined ? example : example.replace(/^[^|]*/, bound);
}
