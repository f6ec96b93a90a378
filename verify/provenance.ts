/**
 * An article beside its provenance (contract §5): every change that made it stands there, whole, and the last word
 * counts. So what the article says of itself and of its claims must be what its provenance says. Changes that were
 * scrubbed say nothing any more, and those from before publication are not shown to everybody: then nothing is asked.
 */
import { canonical, isRecord, type Json, type JsonRecord } from './json.ts';
import { failed, passed, type Check } from './report.ts';

/** Of a document that lists its provenance; nothing for any other. */
export function checkProvenance(document: JsonRecord): Check[] {
  const { provenance } = document;
  if (!Array.isArray(provenance) || provenance.length === 0) return [];
  const items = (provenance as readonly Json[]).filter(isRecord);
  if (items.some(({ content, change }) => content !== 'present' || !isRecord(change))) return [];
  const said = lastWord(items.toSorted((a, b) => placeOf(a) - placeOf(b)));
  const wrong = [
    ...differing(document, said.article).map((name) =>
      failed('article', `${name} is shown otherwise than the provenance has it`, name),
    ),
    ...claimProblems(document['claims'], said.claims),
  ];
  return wrong.length > 0
    ? wrong
    : [passed('article', 'the article and its claims are what the provenance says')];
}

function placeOf({ entry }: JsonRecord): number {
  return isRecord(entry) ? Number(entry['n']) : 0;
}

function lastWord(items: readonly JsonRecord[]): { article: JsonRecord; claims: Map<string, JsonRecord> } {
  const article: Record<string, Json> = {};
  const claims = new Map<string, JsonRecord>();
  for (const { change, rev } of items) {
    if (!isRecord(change)) continue;
    const { created, title, status, meta } = change;
    if (isRecord(created)) Object.assign(article, { slug: created['slug'], lead: created['lead'] });
    if (title !== undefined) article['title'] = title;
    if (status !== undefined) article['status'] = status;
    if (isRecord(meta)) Object.assign(article, meta, { meta });
    if (typeof rev === 'number') article['version'] = rev;
    for (const made of Array.isArray(change['claims']) ? (change['claims'] as readonly Json[]) : []) {
      const claim = isRecord(made) ? made['claim'] : undefined;
      if (isRecord(claim)) claims.set(String(claim['id']), claim);
    }
  }
  return { article, claims };
}

function claimProblems(shown: Json | undefined, claims: ReadonlyMap<string, JsonRecord>): Check[] {
  if (!Array.isArray(shown)) return [];
  const listed = new Map(
    (shown as readonly Json[]).filter(isRecord).map((claim) => [String(claim['id']), claim]),
  );
  return [
    ...[...claims].flatMap(([id, claim]) => {
      const own = listed.get(id);
      if (own === undefined) return [failed('claim', `claim ${id} is left out`, 'claims')];
      return differing(own, { ...claim, claim: `claim:${id}` }, true).map((name) =>
        failed('claim', `${name} of claim ${id} is shown otherwise than the provenance has it`, 'claims'),
      );
    }),
    ...[...listed.keys()]
      .filter((id) => !claims.has(id))
      .map((id) => failed('claim', `no provenance has claim ${id}`, 'claims')),
    ...(listed.size === shown.length
      ? []
      : [failed('claim', 'a claim is listed twice, or is none', 'claims')]),
  ];
}

/** Members that are shown otherwise; with `all`, those too that are not shown. */
function differing(shown: JsonRecord, said: JsonRecord, all = false): string[] {
  return Object.entries(said).flatMap(([name, value]) => {
    const own = shown[name];
    if ((value as Json | undefined) === undefined) return [];
    return own === undefined ? (all ? [name] : []) : canonical(own) === canonical(value) ? [] : [name];
  });
}
