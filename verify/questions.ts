/** The questions of a bundle beside their chain: each as the newest of its entries has it, and the edges between them. */
import type { Coverage } from './coverage.ts';
import { recordsIn } from './history.ts';
import { canonical, isRecord, type Json, type JsonRecord } from './json.ts';
import { failed, type Check } from './report.ts';
import { currentValue } from './scrubs.ts';

/** Nothing is asked of a chain whose contents the reader may not see. */
export function checkQuestions(graph: Json | undefined, chains: JsonRecord, coverage: Coverage): Check[] {
  if (!isRecord(graph)) return [];
  const own = recordsIn(Object.entries(chains).find(([name]) => name.endsWith('.questions'))?.[1]);
  const nodes = new Map<string, JsonRecord>();
  for (const { entry, contents } of own) {
    if (!isRecord(entry) || typeof entry['content_sha'] !== 'string') continue;
    const node = isRecord(contents) ? currentValue(contents['content_sha']) : undefined;
    // What was asked before publication is not shown to everybody, and nor is what became of it.
    if (!isRecord(node)) return [];
    const { plain: _plain, ...shown } = node;
    nodes.set(String(node['id']), shown);
  }
  const questions = [...nodes.values()];
  const checks = Object.entries({ questions, edges: questions.flatMap(edgesOf) }).flatMap(
    ([name, expected]) => {
      const shown = graph[name];
      // No entry proves which question is the newest.
      if (Array.isArray(shown)) for (const item of shown as readonly Json[]) coverage.whole(item);
      return sorted(shown) === sorted(expected)
        ? []
        : [
            failed(
              'questions',
              `the ${name} are not what the chain of questions gives`,
              `question_graph.${name}`,
            ),
          ];
    },
  );
  return checks;
}

function sorted(list: Json | undefined): string | undefined {
  return list === undefined ? undefined : canonical(list);
}

function edgesOf(node: JsonRecord): JsonRecord[] {
  const { id = null, parent = null, claim_id = null, contribution = null } = node;
  const ids = (name: string): readonly Json[] =>
    Array.isArray(node[name]) ? (node[name] as readonly Json[]) : [];
  const to = (rel: string, value: Json): JsonRecord[] =>
    value === null ? [] : [{ from: id, rel, to: value }];
  return [
    ...to('follows', parent),
    ...to('asks_about', claim_id),
    ...to('accepted_from', contribution),
    ...[...ids('cited_claim_ids'), ...ids('cited_div_ids')].flatMap((each) => to('cites', each)),
    ...ids('cited_source_ids').flatMap((each) => to('rests_on', each)),
    ...ids('evidence_ids').map((from) => ({ from, rel: 'enriches', to: id })),
  ];
}
