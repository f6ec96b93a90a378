/**
 * Refuses a call of an unknown key (spec §7); keys are never guessed. If the key resembles a row's and the caller is
 * known, the call is recorded as failed, so that a repair can name the intended row.
 */
import { actorOf } from '../../domain/capabilities/credential.ts';
import { currentBodyRule } from '../../domain/capabilities/positional.ts';
import { invocationEvent, refusalBody } from '../../domain/capabilities/invocation.ts';
import { redactionMarker } from '../../guard/secrets.ts';
import { type Fault, isFault } from '../../kernel/fault.ts';
import { canonicalJson, type JsonObject } from '../../kernel/json.ts';
import { authenticateReader } from '../credentials/authenticate.ts';
import { scanSecrets } from '../outside/secret-scan.ts';
import { type Answer, invocationId, type PlacedCall } from '../plans/call.ts';
import { editDistance, unknownRow } from '../reads/unknown-row.ts';
import type { Service } from '../service.ts';
import { answerRecorded } from './answer.ts';

/** A key within this distance of a row's is a misspelling, not a secret. */
const keyDistanceMax = 2;

export async function unknownKey(service: Service, call: PlacedCall): Promise<Answer | Fault> {
  const { key } = call;
  const refusal = unknownRow(service, key);
  const isNear = [...service.rows.keys()].some(
    (each) => editDistance(key, each, keyDistanceMax) <= keyDistanceMax,
  );
  if (!isNear || call.shape === true || !/^[A-Z0-9_]+$/.test(key)) return refusal;
  const credential = await authenticateReader(service, call.presented);
  if (isFault(credential)) return credential;
  return credential.kind === 'anonymous' ? refusal : record(service, call, actorOf(credential), refusal);
}

async function record(
  service: Service,
  call: PlacedCall,
  actor: string,
  refusal: Fault,
): Promise<Answer | Fault> {
  const nowMs = service.now();
  const inv = invocationId(nowMs);
  // The intended row may take confidential arguments.
  const mayBeConfidential = [...service.rows.values()].some(
    (row) =>
      row.confidential !== undefined && editDistance(call.key, row.key, keyDistanceMax) <= keyDistanceMax,
  );
  const request = mayBeConfidential
    ? redactionMarker
    : ((await scanSecrets(call.body)).scrubbed.value as string);
  const response = JSON.parse(canonicalJson(refusalBody(refusal))) as JsonObject;
  const committed = await service.store.run({
    name: 'unknown key',
    keys: [],
    decide: (tx) =>
      tx.append(
        invocationEvent({
          inv,
          key: call.key,
          tenant: call.tenant,
          actor,
          ts: new Date(nowMs).toISOString(),
          status: 'failed',
          contractHash: '',
          request,
          bodyRule: currentBodyRule,
          response,
          error: 'unknown_key',
          root: call.root,
          durationMs: 0,
        }),
      ),
  });
  if (isFault(committed)) return committed;
  return answerRecorded(
    service,
    { inv, key: call.key, status: 'failed', refusal },
    committed,
    committed.answer,
  );
}
