/** Worker thread: searches values for secrets (`secret-scan.ts`). */
import { parentPort } from 'node:worker_threads';
import type { JsonValue } from '../../kernel/json.ts';
import { scanNow } from './secret-scan.ts';

parentPort?.on('message', (value: JsonValue) => parentPort?.postMessage(scanNow(value)));
