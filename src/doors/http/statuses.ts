/** The one table that turns a Fault's code into an HTTP status (contract §2), and whether trying again can help. */
import type { FaultCode } from '../../kernel/fault.ts';

export const statusOf: Readonly<Record<FaultCode, number>> = {
  invalid_json: 400, invalid_request: 400,
  credential_required: 401, token_malformed: 401, token_corrupted: 401, token_expired: 401, token_revoked: 401,
  ancestor_revoked: 401, ancestor_expired: 401, signature_required: 401, signature_invalid: 401,
  scope_denied: 403, risk_ceiling: 403, owner_gate_required: 403, fixed_body_only: 403, token_exhausted: 403,
  voxel_scope_required: 403, owner_only: 403, row_disabled: 403,
  not_found: 404, unknown_key: 404, method_not_allowed: 405, payload_ceiling: 413, unsupported_media_type: 415,
  hash_stale: 409, order_stale: 409, thread_moved: 409, near_duplicate: 409, duplicate_claim: 409, duplicate_source: 409,
  conflict: 409, idempotency_conflict: 409, already_decided: 409,
  body_mismatch: 422, content_rule: 422, boundary_moved: 422, invalid_decision: 422, batch_limit: 422, keys_not_public: 422,
  rate_limited: 429, runner_failed: 502, runner_timeout: 504,
  overloaded: 503, shutting_down: 503, not_implemented: 501, internal: 500,
};

/** The same request, sent again later, may succeed. */
export const retryable: ReadonlySet<FaultCode> = new Set<FaultCode>(['rate_limited', 'overloaded', 'shutting_down', 'runner_timeout', 'thread_moved']);
