/**
 * Every argument of every row, by what it can name: something of a workspace, for which the second tenant is tried, or
 * nothing beyond its own article. `tenants.test.ts` fails for an argument that is in neither list.
 */
import type { Row } from '../../src/domain/capabilities/row.ts';
import type { JsonObject, JsonValue } from '../../src/kernel/json.ts';
import type { HttpRequest } from './client.ts';
import type { Names } from './tenants-world.ts';
import { argsOf } from './tenants-walk.ts';

/** By path, or by row and path where the name means something else there. */
const ids: Readonly<Record<string, (names: Names) => JsonValue>> = {
  slug: ({ slug }) => slug,
  'document.slug': ({ slug }) => slug,
  article: ({ slug }) => slug,
  into: ({ slug }) => slug,
  target: ({ slug }) => slug,
  'PROOF_CERTIFY target': ({ inv }) => inv,
  'traversal.prev': ({ slug }) => slug,
  'traversal.next': ({ slug }) => slug,
  'traversal.hub.slug': ({ slug }) => slug,
  workspace: ({ workspace }) => workspace,
  'WORKSPACE_SET name': ({ workspace }) => workspace,
  scopes: ({ slug }) => `read@${slug}`,
  key: ({ row }) => row,
  keys: ({ row }) => [row],
  id: ({ inv }) => inv,
  'NOTIFY_REMOVE id': ({ hook }) => hook,
  'NOTIFY_TEST id': ({ hook }) => hook,
  token: ({ fingerprint }) => fingerprint,
  fingerprint: ({ fingerprint }) => fingerprint,
  vote_id: ({ vote }) => vote,
  contribution_id: ({ contribution }) => contribution,
  question_node_id: ({ question }) => question,
  parent: ({ question }) => question,
  duplicate_of: ({ post }) => post,
  entry: ({ post }) => post,
  cohort: ({ cohort }) => cohort,
  assignment: ({ assignment }) => assignment,
  assignment_id: ({ assignment }) => assignment,
  operations: ({ slug }) => [
    { op: 'vote', slug, target: 'c1', proposal: 'should_burn', rationale: 'x', actor: 'x' },
    { op: 'claim', slug, text: 'Jet sinks.', tier: 'system', who_claims: 'x', why_material: 'x' },
  ],
  raw_text: ({ slug, inv }) => `[MIRROR_FEED]${slug}|5[/MIRROR_FEED] [OIP_RECEIPT]${inv}[/OIP_RECEIPT]`,
};

/** A call that succeeds whatever its tags come to, and leaves a post that later answers show: dry alone. */
const writes = new Set(['raw_text']);

/** Words, texts, numbers, hashes, and parts of the article that is named beside them. */
const others = new Set(
  `question actor bundle bundle.bundle_version status category accept_violations evidence part expected_version title
  hero images style embeds widgets tags home register traversal traversal.hub traversal.series traversal.position
  traversal.of extra model scope ttl max_uses purpose risk_ceiling owner_gate body_fixed max_body_bytes role text tier
  who_claims source_ids rationale why_material falsifier materiality evidence_basis evidence_class slot section
  source_role distinct comparison comparison.population comparison.axis comparison.captured_at comparison.selection
  claim_id expected_hash reason engine prompt size aspect_ratio reference_url duration resolution product_id enhance
  content enabled ledger_enabled authority_required output_schema type what when example method url headers body module
  module_sha256 args args[].name args[].description args[].type args[].required args[].rest auth risk requires_approval
  timeout_ms lane query sort captured_at source_url targets targets[].id targets[].name targets[].repository
  targets[].url targets[].rank targets[].axis targets[].slot open kind claim_hash limit decision note objection surface
  minimum_patch verdict outcome head name action secret sources sources[].type sources[].url sources[].title
  sources[].quote sources[].summary sources[].platform sources[].software_class sources[].source_role
  sources[].quality_score sources[].accessed_at content_hash document document.title document.markdown document.status
  document.tags document.category document.model document.extra document.expected_version operations[].op atomic ids older_than_days expected_hashes
  expected_thread_head alt data mail feed events blocks blocks[].div_id blocks[].expected_hash blocks[].text rev target_div stance div_ids div_id expected_order direction to at proposal`.split(
    /\s+/,
  ),
);

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** Every argument that a row takes, members of objects and of lists included: `document.slug`, `sources[].url`. */
export function argumentPaths(schema: Schema, above = ''): string[] {
  const members = Object.entries(schema.properties ?? {}).flatMap(([name, inner]) => {
    const path = above === '' ? name : `${above}.${name}`;
    return [path, ...argumentPaths(inner, path)];
  });
  const items = schema.items === undefined ? [] : argumentPaths(schema.items, `${above}[]`);
  const forms = (schema.anyOf ?? []).flatMap((form) => argumentPaths(form, above));
  return [...new Set([...members, ...items, ...forms])];
}

const nameOf = ({ key }: Row, path: string): string | undefined =>
  [`${key} ${path}`, path].find((name) => ids[name] !== undefined);

/** Arguments that nobody has said anything about, and entries of the lists above that no row has. */
export function unlisted(rows: Iterable<Row>): string[] {
  const all = [...rows].flatMap((row) =>
    argumentPaths(row.input as Schema).map((path) => ({ row, path, id: nameOf(row, path) })),
  );
  const named = new Set(all.flatMap(({ id, path }) => [id, path]));
  return [
    ...all.flatMap(({ row, path, id }) =>
      id === undefined && !others.has(path) ? [`${row.key} ${path}`] : [],
    ),
    ...[...Object.keys(ids), ...others].filter((name) => !named.has(name)),
  ];
}

/** Calls of every row with arguments that the caller may use, but for one that names something else: told or dry. */
export function requestsById(rows: Iterable<Row>, own: Names, names: Names): HttpRequest[] {
  return [...rows].flatMap((row) =>
    argumentPaths(row.input as Schema).flatMap((path) => {
      const id = nameOf(row, path);
      if (id === undefined) return [];
      const value = (ids[id] as (of: Names) => JsonValue)(names);
      const call = { key: row.key, body: withMember(argsOf(row, own) as JsonObject, path.split('.'), value) };
      const calls = [{ body: { ...call, shape: true } }, ...(writes.has(id) ? [] : [{ body: call }])];
      return calls.map((each) => ({
        path: '/api/dispatch',
        ...each,
      }));
    }),
  );
}

function withMember(args: JsonObject, [name = '', ...rest]: readonly string[], value: JsonValue): JsonObject {
  if (rest.length === 0) return { ...args, [name]: value };
  return { ...args, [name]: withMember((args[name] ?? {}) as JsonObject, rest, value) };
}
