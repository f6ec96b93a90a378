/** A whole deployment inside the test's process, on a data folder of its own. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compose, type StartOptions, type Deployment } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import { dispatch } from '../../src/app/pipeline/dispatch.ts';
import type { Answer } from '../../src/app/plans/call.ts';
import type { Call } from '../../src/app/plans/call.ts';
import { isFault, type Fault } from '../../src/kernel/fault.ts';

export interface TestDeployment extends Deployment {
  readonly folder: string;
  /** Dispatches as the owner unless the call presents something else. */
  call(key: string, body: string | object, more?: Partial<Call>): Promise<Answer | Fault>;
  /** The same, for a call that must succeed: its recorded result and what was shown once. */
  did(key: string, body: string | object, more?: Partial<Call>): Promise<Record<string, unknown>>;
  /** Closes and removes everything. */
  end(): Promise<void>;
}

export async function openDeployment(
  options: StartOptions & {
    readonly folder?: string;
    readonly databaseUrl?: string;
    readonly env?: Readonly<Record<string, string>>;
  } = {},
): Promise<TestDeployment> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'colophon-test-'));
  const config = readConfig({
    COLOPHON_DATA: folder,
    DATABASE_URL: options.databaseUrl,
    COLOPHON_RATE_LIMIT: 'off',
    COLOPHON_TERMINAL_KEY: 'tk_only-for-tests-0123456789',
    ...((options.databaseUrl ?? options.env?.['DATABASE_URL']) === undefined
      ? {}
      : { COLOPHON_SECRET_KEY: 'secret-key-of-the-tests-0123456789abcdef' }),
    ...options.env,
  });
  const deployment = await compose(config, options);
  const call = (key: string, body: string | object, more: Partial<Call> = {}): Promise<Answer | Fault> =>
    dispatch(deployment.service, {
      key,
      body: typeof body === 'string' ? body : JSON.stringify(body),
      presented: { local: true },
      tenant: 'main',
      method: 'POST',
      channel: 'test',
      client: '127.0.0.1',
      meter: undefined,
      ...more,
    });
  return {
    ...deployment,
    folder,
    call,
    async did(key, body, more) {
      const answer = await call(key, body, more);
      if (isFault(answer)) throw new Error(`${key} was refused: ${answer.fault} ${answer.message}`);
      if (answer.kind !== 'called' || answer.result === undefined)
        throw new Error(`${key} did not run: ${JSON.stringify(answer)}`);
      return { ...answer.result.result, ...answer.result.reveal, inv: answer.inv };
    },
    async end() {
      await deployment.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
