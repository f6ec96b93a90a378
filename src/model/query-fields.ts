/** What each kind of graph object can be asked for (contract §7): names, and how their values compare. */
/** `text` can be searched by `~`; a `word` is compared as a whole. */
export type FieldType = 'text' | 'word' | 'number' | 'time';
export type Fields = Readonly<Record<string, FieldType>>;

export const queryFields = {
  article: {
    id: 'text',
    slug: 'text',
    title: 'text',
    status: 'text',
    category: 'text',
    version: 'number',
    updated_at: 'time',
  },
  claim: {
    id: 'word',
    text: 'text',
    tier: 'word',
    weight: 'number',
    status: 'word',
    source_status: 'word',
    sources: 'number',
    slot: 'word',
    section: 'word',
    who_claims: 'word',
    evidence_basis: 'word',
    version: 'number',
    posted_at: 'time',
    actor: 'word',
  },
  source: {
    id: 'text',
    type: 'text',
    url: 'text',
    title: 'text',
    quote: 'text',
    summary: 'text',
    platform: 'text',
    software_class: 'text',
    found_by: 'text',
    accessed_at: 'time',
    claims: 'number',
    hash: 'text',
  },
  div: {
    id: 'text',
    kind: 'text',
    order: 'number',
    text: 'text',
    title: 'text',
    status: 'text',
    hash: 'text',
  },
  question: {
    id: 'text',
    question: 'text',
    status: 'text',
    confidence: 'number',
    asked: 'number',
    claim_id: 'text',
    updated_at: 'time',
  },
  contribution: {
    id: 'text',
    kind: 'text',
    claim_id: 'text',
    status: 'text',
    actor: 'text',
    body: 'text',
    ts: 'time',
  },
  discourse: {
    id: 'text',
    stance: 'text',
    target: 'text',
    status: 'text',
    actor: 'text',
    body: 'text',
    surface: 'text',
    outcome: 'text',
    verdict: 'text',
    ts: 'time',
  },
  vote: {
    id: 'text',
    proposal: 'text',
    target: 'text',
    status: 'text',
    decision: 'text',
    actor: 'text',
    rationale: 'text',
    ts: 'time',
  },
  invocation: {
    id: 'word',
    key: 'word',
    status: 'word',
    actor: 'word',
    ts: 'time',
  },
} as const satisfies Readonly<Record<string, Fields>>;

export type QueryKind = keyof typeof queryFields;

export function isQueryKind(kind: string): kind is QueryKind {
  return Object.hasOwn(queryFields, kind);
}
