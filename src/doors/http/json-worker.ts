/** Parses large JSON bodies one after another off the main thread, for `JsonPool`. */
import { parentPort } from 'node:worker_threads';
import { isFault } from '../../kernel/fault.ts';
import { parseJson } from '../../kernel/json.ts';
import { tokenIn, type ParseJob, type ParseVerdict } from './json-pool.ts';

parentPort?.on('message', ({ bytes, valuesMax }: ParseJob) => {
  const parsed = parseJson(bytes, valuesMax);
  if (isFault(parsed)) {
    parentPort?.postMessage({
      refusal: { code: parsed.fault, message: parsed.message, fix: parsed.fix },
    } satisfies ParseVerdict);
    return;
  }
  const verdict: ParseVerdict = { bytes, token: tokenIn(parsed.value) };
  parentPort?.postMessage(verdict, [bytes.buffer as ArrayBuffer]);
});
