/**
 * What was said where an imported article came from (contract §5 via spec §4.3): the thread and the contributions
 * of its origin, as the chains in the evidence of the import have them. They are the origin's words under its
 * hashes; nothing here counts, answers or decides upon them, so they stand apart from what was said in this ledger.
 */
import { articleChain, parseArticleChain } from '../../domain/articles/chains.ts';
import type { StoredEvent } from '../../engine/act.ts';
import type { JsonObject, JsonValue } from '../../kernel/json.ts';
import type { Entry } from '../../ledger/entry.ts';
import type { Seen } from '../seen.ts';
import type { Service } from '../service.ts';
import { loadArticle } from './articles.ts';
import { veilOf } from './veil.ts';

interface OpenEntry {
  readonly entry: JsonObject;
  readonly hash: string;
  readonly contents?: Readonly<Record<string, OpenContent>>;
}

interface OpenContent {
  readonly salt: string | null;
  readonly value: JsonValue;
  readonly replacement?: JsonValue;
}

/** As a member of the answer; none where the article was made here or nothing of the kind was said there. */
export async function readImported(
  service: Service,
  seen: Seen,
  of: 'thread' | 'mirror',
): Promise<{ readonly imported?: JsonObject }> {
  const { row } = await loadArticle(service, seen.aid);
  const provenance = await service.store.read.chain(articleChain(seen.aid, 'provenance'));
  if (provenance[0] === undefined || actionOf(provenance[0]) !== 'import') return {};
  const [made] = (await veilOf(service, seen, row)).over(provenance);
  const content = contentOf(made, 'content_sha') as
    { readonly change?: { readonly imported?: JsonObject } } | undefined;
  const from = content?.change?.imported;
  const chains = contentOf(made, 'evidence_sha') as
    Readonly<Record<string, readonly OpenEntry[]>> | undefined;
  const found = Object.entries(chains ?? {}).find(([name]) => parseArticleChain(name)?.of === of);
  if (from === undefined || found === undefined) return {};
  const [chain, entries] = found;
  const { base = null, log = null, slug = null } = from;
  return {
    imported: {
      from: { base, log, slug },
      chain,
      count: entries.length,
      entries: entries.map(({ entry, hash, contents }) => {
        const said = contents?.['content_sha'];
        return {
          said: said?.value ?? said?.replacement ?? null,
          salt: said?.salt ?? null,
          entry,
          hash,
        };
      }),
    },
  };
}

function actionOf(event: StoredEvent): unknown {
  return (JSON.parse(event.text) as Entry)['action'];
}

function contentOf(event: StoredEvent | undefined, field: string): JsonValue | undefined {
  const content = event?.contents.find((each) => each.field === field);
  const text = content?.body ?? content?.replacement ?? null;
  return text === null ? undefined : (JSON.parse(text) as JsonValue);
}
