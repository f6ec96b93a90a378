/**
 * What leads on from a refusal by its code (contract §2), beside its object: one entry for each code of the closed
 * union; the compiler finds a missing one. None of the addresses does what was refused, or anything that writes; only
 * a missing or dead credential leads to the address that hands out one, and only if that one covers the row.
 */
import { slugOf } from '../credentials/authority.ts';
import { invocableKeys } from '../credentials/explain.ts';
import { grantsOf } from '../../domain/capabilities/grants.ts';
import { links } from '../../domain/links.ts';
import { publicKeys } from '../../domain/workspaces/roles.ts';
import { type Fault, type FaultCode, type Subject, subjectOf } from '../../kernel/fault.ts';
import type { Refused } from './refused-request.ts';

type FindNext = (refused: Refused, refusal: Fault) => readonly string[] | Promise<readonly string[]>;

/** The credential that the caller lacks: where one is had, what the old one was, and who grants more. */
const credential: FindNext = ({ to, row }, { fault }) => [
  ...to.explain(),
  ...to.start(),
  ...(row === undefined ? [] : [to.contract(row.key)]),
  to.workspace(),
  to.errors(fault),
];

/** Rows named to a credential that does not cover another. */
const coveredMax = 2;

/** A credential that is in force and does not reach: what it is, what it covers, who grants more, and what was refused. */
const authority: FindNext = async (refused) => {
  const { to, row } = refused;
  return [
    ...to.explain(),
    ...(await coveredBy(refused)),
    to.workspace(),
    ...(row === undefined ? [] : [to.contract(row.key)]),
  ];
};

/** The article that the credential is bound to, and rows that it covers, those of the refused row's system first. */
async function coveredBy(refused: Refused): Promise<readonly string[]> {
  const { service, record, row, to } = refused;
  const own = record?.chain[0]?.record;
  if (record === undefined || own === undefined) return [];
  const bound = grantsOf(own).find(({ article }) => article !== null)?.article ?? undefined;
  const article = await refused.article(bound);
  const keys = invocableKeys(service, record);
  const isAkin = (key: string): number =>
    Number(service.rows.get(key)?.category === row?.category) + Number(publicKeys.includes(key));
  return [
    ...(article === undefined ? [] : [to.read(`/api/articles/${article.slug}`)]),
    ...keys
      .filter((key) => key !== row?.key)
      .sort((a, b) => isAkin(b) - isAkin(a))
      .slice(0, article === undefined ? coveredMax : 1)
      .map((key) => to.contract(key)),
  ];
}

/** The row's contract, which has an example; its arguments' schema; and what the arguments name in the article. */
const argumentsOf: FindNext = async (refused) => {
  const { to, row } = refused;
  if (row === undefined) return [to.read('/api/dispatch')];
  const access = await refused.article(slugIn(refused));
  const parts = Object.keys(partsOfArguments).filter((name) => row.argNames.includes(name));
  const reads = new Set(parts.map((name) => partsOfArguments[name] as string));
  return [
    to.contract(row.key),
    ...(access === undefined ? [] : [...reads].map((part) => to.read(`/api/articles/${access.slug}${part}`))),
    to.read(`/api/dispatch?schema=${row.key}`, 'workspace'),
    to.read(`/api/directory/${row.key}`, 'workspace'),
  ];
};

/** Where the values of arguments are read. */
const partsOfArguments: Readonly<Record<string, string>> = {
  claim_id: '/claims',
  source_ids: '/sources',
  div_id: '/voxels',
  div_ids: '/voxels',
  target_div: '/voxels',
  ids: '/voxels',
  contribution_id: '/mirror',
  vote_id: '/votes',
  expected_thread_head: '/discourse',
  expected_version: '',
};

/** The read that has the present value, by the object of the refusal. */
const presentValue: FindNext = async (refused, refusal) => {
  const subject = subjectOf(refusal) ?? subjectOfArguments(refused);
  const { to, row, base } = refused;
  const contract = row === undefined ? [] : [to.contract(row.key)];
  const access = await refused.article(subject?.slug ?? slugIn(refused));
  const own = subject === undefined ? [] : readOfSubject(refused, subject);
  if (own.length > 0 || access === undefined) return [...own, ...contract];
  const read = (part: string): string => to.read(`/api/articles/${access.slug}${part}`);
  const part = subject === undefined ? undefined : partsOfSubjects[subject.kind];
  const page =
    refused.isOpen &&
    access.status !== 'draft' &&
    (subject?.kind === 'div' || subject?.kind === 'claim') &&
    isPart(subject.id)
      ? [links.div(base, access.slug, subject.id)]
      : [];
  return [...(part === undefined ? [] : [read(part)]), ...page, read(''), read('/revisions'), ...contract];
};

const partsOfSubjects: Readonly<Partial<Record<Subject['kind'], string>>> = {
  claim: '/claims',
  div: '/voxels',
  source: '/sources',
  entry: '/discourse',
  contribution: '/mirror',
  vote: '/votes',
  question: '/question-graph',
};

function isPart(id: string): boolean {
  return /^[cd]\d{1,7}$/.test(id);
}

/** The read of an object that belongs to no article. */
function readOfSubject({ base, to }: Refused, { kind, id }: Subject): readonly string[] {
  switch (kind) {
    case 'receipt':
      return idPatterns.receipt.test(id) ? [links.confirm(base, id)] : [];
    case 'assignment':
      return idPatterns.assignment.test(id) ? [to.read(`/api/normandy?assignment=${id}`)] : [];
    case 'row':
      return [to.contract(id)];
    case 'workspace':
      return [to.workspace()];
    case 'capability':
      return to.explain();
    default:
      return [];
  }
}

/** The object that the arguments name. */
function subjectOfArguments(refused: Refused): Subject | undefined {
  const { args } = refused;
  const slug = slugIn(refused);
  const named = [
    ['claim_id', 'claim'],
    ['div_id', 'div'],
    ['target_div', 'div'],
    ['contribution_id', 'contribution'],
    ['vote_id', 'vote'],
    ['assignment', 'assignment'],
  ] as const;
  for (const [name, kind] of named) {
    const id = args[name];
    if (typeof id === 'string' && id !== '') return { kind, id, ...(slug === undefined ? {} : { slug }) };
  }
  const ids = Object.values(args).filter((value) => typeof value === 'string');
  for (const [kind, pattern] of Object.entries(idPatterns)) {
    const id = ids.find((value) => pattern.test(value));
    if (id !== undefined) return { kind: kind as keyof typeof idPatterns, id };
  }
  return undefined;
}

/** Ids that name their kind. */
const idPatterns = {
  receipt: /^inv_[a-z2-7]{16}$/,
  assignment: /^norm_[a-z2-7]{16}$/,
  capability: /^cap_[0-9a-f]{16}$/,
} as const;

/** The slug that the arguments name; `slug/c2` is a part of the article. */
function slugIn({ args }: Refused): string | undefined {
  return slugOf(args)?.split('/', 1)[0];
}

/** Reads of the thread, which have its present head. */
const thread: FindNext = async (refused) => {
  const access = await refused.article(slugIn(refused));
  const { to, row } = refused;
  return [
    ...(access === undefined
      ? []
      : [
          to.read(`/api/protocol/thread-state?target=${access.slug}`),
          to.read(`/api/articles/${access.slug}/discourse`),
        ]),
    ...(row === undefined ? [] : [to.contract(row.key)]),
  ];
};

/** What stands already, and the list that it is in. */
function canonicalIn(part: string): FindNext {
  return async (refused, { details }) => {
    const canonical = details?.['canonical'] as { readonly permalink?: string } | undefined;
    const access = await refused.article(slugIn(refused));
    const { to, row } = refused;
    return [
      ...(canonical?.permalink === undefined || access?.status === 'draft' || !refused.isOpen
        ? []
        : [canonical.permalink]),
      ...(access === undefined ? [] : [to.read(`/api/articles/${access.slug}/${part}`)]),
      ...(row === undefined ? [] : [to.contract(row.key)]),
    ];
  };
}

/** A request that cannot be read: what the endpoint takes. */
const request: FindNext = async (refused, refusal) => {
  const { to, row, base } = refused;
  const { address } = refused.request;
  return [
    ...(address === undefined ? [] : [to.read(address)]),
    ...(row === undefined ? [] : await argumentsOf(refused, refusal)),
    `${base}/api/dispatch`,
    to.errors(refusal.fault),
  ];
};

/** What runs outside failed: the state of this service, and the row. */
const outside: FindNext = ({ to, row }, { fault }) => [
  ...(row === undefined
    ? []
    : [to.contract(row.key), to.read(`/api/invocations?object_id=${row.key}`, 'workspace')]),
  to.errors(fault),
];

/** For refusals of the service itself; reads nothing. */
export const withoutReading = (base: string, fault: FaultCode): string[] => [
  `${base}/healthz`,
  `${base}/docs/errors#${fault}`,
];
const service: FindNext = ({ base }, { fault }) => withoutReading(base, fault);

const size: FindNext = async (refused, refusal) => [
  ...(refused.row === undefined ? [] : [refused.to.contract(refused.row.key)]),
  refused.to.workspace(),
  refused.to.errors(refusal.fault),
];

const signature: FindNext = ({ base, to }, { fault }) => [
  links.rowPage(base, 'WEBHOOK_SECRET'),
  to.errors(fault),
];

export const nextByCode: Readonly<Record<FaultCode, FindNext>> = {
  invalid_json: request,
  invalid_request: request,
  credential_required: credential,
  token_malformed: credential,
  token_corrupted: credential,
  token_expired: credential,
  token_revoked: credential,
  ancestor_revoked: credential,
  ancestor_expired: credential,
  signature_required: signature,
  signature_invalid: signature,
  scope_denied: authority,
  risk_ceiling: authority,
  owner_gate_required: authority,
  fixed_body_only: authority,
  token_exhausted: authority,
  voxel_scope_required: authority,
  owner_only: async (refused, refusal) => [
    ...(await authority(refused, refusal)),
    refused.to.contract('MIRROR_APPEND'),
  ],
  row_disabled: ({ to, row }) =>
    row === undefined
      ? []
      : [
          to.read(`/api/dispatch?map=${encodeURIComponent(row.category)}`, 'workspace'),
          to.contract(row.key),
          to.workspace(),
        ],
  not_found: ({ base, to, row }) => [
    ...(row?.category === 'landscape' ? [to.read('/api/build-landscape', 'workspace')] : []),
    ...(row === undefined ? [] : [to.contract(row.key)]),
    to.read('/api/articles', 'workspace'),
    `${base}/llms.txt`,
  ],
  unknown_key: ({ request: { key = '' }, to }) => [
    ...(key.trim() === ''
      ? []
      : [to.read(`/api/dispatch?ask=${encodeURIComponent(key.slice(0, 80).toWellFormed())}`, 'workspace')]),
    to.read('/api/dispatch?map=1', 'workspace'),
  ],
  method_not_allowed: request,
  payload_ceiling: size,
  unsupported_media_type: request,
  hash_stale: presentValue,
  order_stale: presentValue,
  thread_moved: thread,
  near_duplicate: canonicalIn('discourse'),
  duplicate_claim: canonicalIn('claims'),
  duplicate_source: canonicalIn('sources'),
  conflict: presentValue,
  idempotency_conflict: presentValue,
  already_decided: presentValue,
  body_mismatch: argumentsOf,
  content_rule: argumentsOf,
  boundary_moved: presentValue,
  invalid_decision: argumentsOf,
  batch_limit: argumentsOf,
  keys_not_public: ({ to }) => [...publicKeys.map((key) => to.contract(key)), to.workspace()],
  rate_limited: size,
  runner_failed: outside,
  runner_timeout: outside,
  overloaded: service,
  shutting_down: service,
  not_implemented: request,
  internal: service,
};
