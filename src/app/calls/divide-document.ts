/**
 * What a document-mode batch (spec §4.4 voxel-batch) needs before its act: its text divided once, a number at
 * which its slug is likely free, and the id that its article gets. All of it names what the act will touch, so
 * that deciding it once is enough: a document is the longest of all decisions.
 */
import { slugPath, slugTable } from '../../domain/articles/tables.ts';
import { derivedSlugIn, numbered } from '../../domain/articles/slugs.ts';
import { prepareDocument, type DocumentInput } from '../../domain/articles/write-document.ts';
import { conformanceTable } from '../../domain/capabilities/conformance.ts';
import { reads, writes, type Key } from '../../engine/act.ts';
import { isFault } from '../../kernel/fault.ts';
import { opaqueId } from '../../kernel/ids.ts';
import type { DividedDocument } from './before.ts';
import type { PreparedCall } from './call.ts';
import type { Service } from '../service.ts';

export async function divideBefore(
  service: Service,
  call: PreparedCall,
  input: DocumentInput,
): Promise<DividedDocument> {
  const divided = prepareDocument(input, service.limits);
  const named = input.slug !== undefined;
  const prepared =
    isFault(divided) || named ? divided : { ...divided, slug: derivedSlugIn(call.workspace, divided.slug) };
  const number = isFault(prepared) || named ? 1 : await freeNumber(service, call.tenant, prepared.slug);
  return { prepared, named, number, aid: opaqueId('art_') };
}

/** A number at which a slug is free while the one before it is taken: doubled until one is free, then halved. */
async function freeNumber(service: Service, tenant: string, slug: string): Promise<number> {
  const isFree = async (n: number): Promise<boolean> =>
    (await service.store.read.row(slugTable, slugPath(tenant, numbered(slug, n)))) === undefined;
  let taken = 0;
  let free = 1;
  while (!(await isFree(free))) [taken, free] = [free, free * 2];
  while (free - taken > 1) {
    const middle = Math.floor((taken + free) / 2);
    if (await isFree(middle)) free = middle;
    else taken = middle;
  }
  return free;
}

/** The slug and the article that the act will make, or the article that it will add to. */
export async function keysOfDocument(
  service: Service,
  tenant: string,
  { prepared, named, number, aid }: DividedDocument,
): Promise<Key[]> {
  if (isFault(prepared)) return [];
  const path = slugPath(tenant, named ? prepared.slug : numbered(prepared.slug, number));
  const existing = named ? await service.store.read.row(slugTable, path) : undefined;
  const article = existing?.aid ?? aid;
  return [
    existing === undefined ? writes('slug', path) : reads('slug', path),
    writes('article', article),
    writes(conformanceTable.name, article),
  ];
}
