/** What every refusal must look like, whatever was refused (contract §2, RFC 9457). */
import { expect } from 'vitest';
import { faultCodes, gateNames } from '../../src/kernel/fault.ts';

export interface Refused {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Statuses by code, as the table of contract §2 has them. */
const statuses: Readonly<Record<string, number>> = {
  invalid_json: 400,
  invalid_request: 400,
  credential_required: 401,
  token_malformed: 401,
  token_corrupted: 401,
  token_expired: 401,
  token_revoked: 401,
  ancestor_revoked: 401,
  ancestor_expired: 401,
  signature_required: 401,
  signature_invalid: 401,
  scope_denied: 403,
  risk_ceiling: 403,
  owner_gate_required: 403,
  fixed_body_only: 403,
  token_exhausted: 403,
  voxel_scope_required: 403,
  owner_only: 403,
  row_disabled: 403,
  not_found: 404,
  unknown_key: 404,
  method_not_allowed: 405,
  payload_ceiling: 413,
  unsupported_media_type: 415,
  hash_stale: 409,
  order_stale: 409,
  thread_moved: 409,
  near_duplicate: 409,
  duplicate_claim: 409,
  duplicate_source: 409,
  conflict: 409,
  idempotency_conflict: 409,
  already_decided: 409,
  body_mismatch: 422,
  content_rule: 422,
  boundary_moved: 422,
  invalid_decision: 422,
  batch_limit: 422,
  keys_not_public: 422,
  rate_limited: 429,
  runner_failed: 502,
  runner_timeout: 504,
  overloaded: 503,
  shutting_down: 503,
  not_implemented: 501,
  internal: 500,
};

const required = [
  'type',
  'title',
  'status',
  'detail',
  'instance',
  'ok',
  'error',
  'gate',
  'retryable',
  'charged',
  'invocation',
  'fix',
  'next',
  '_self',
];

export interface Problem extends Record<string, unknown> {
  readonly error: string;
  readonly detail: string;
  readonly fix: string;
  readonly gate: string | null;
  readonly invocation: { readonly id: string } | null;
}

/** Checks the envelope and answers with the problem; `soft` says that it came as a 200. */
export function expectProblem(refused: Refused, code: string, soft = false): Problem {
  const problem = JSON.parse(refused.body) as Problem;
  expect([refused.body.slice(0, 400), problem.error]).toEqual([refused.body.slice(0, 400), code]);
  expect(refused.status).toBe(soft ? 200 : statuses[code]);
  expect(String(refused.headers['content-type'])).toMatch(/^application\/problem\+json/);
  expect(String(refused.headers['cache-control'])).toBe('private, no-store');
  for (const member of required) expect(problem, `${member} is missing`).toHaveProperty([member]);
  expect(problem['status']).toBe(statuses[code]);
  expect(problem['ok']).toBe(false);
  expect(faultCodes).toContain(code);
  expect(String(problem['type'])).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/docs\/errors#/);
  expect(String(problem['instance'])).toMatch(/^\//);
  if (problem.gate !== null) expect(gateNames).toContain(problem.gate);
  expect(typeof problem['retryable']).toBe('boolean');
  expect(problem['charged']).toBe(false);
  if (problem.invocation !== null) expect(problem.invocation.id).toMatch(/^inv_[a-z2-7]{16}$/);
  expect(problem.detail.trim()).not.toBe('');
  expect(problem.fix).toMatch(/^[A-Z].*\.$/s);
  expect(Array.isArray(problem['next'])).toBe(true);
  for (const url of problem['next'] as string[]) expect(URL.parse(url)?.protocol).toMatch(/^https?:$/);
  expect(Buffer.byteLength(JSON.stringify(problem['_self']))).toBeLessThanOrEqual(1024);
  expect(problem['_self']).toMatchObject({ protocol: 'OIP', version: '1.2.0', kind: 'error', name: code });
  if (statuses[code] === 401 && !soft) expect(String(refused.headers['www-authenticate'])).toMatch(/Bearer/);
  return problem;
}
