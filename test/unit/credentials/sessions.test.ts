import { describe, expect, it } from 'vitest';
import { deriveSecrets, hashTerminalKey } from '../../../src/app/credentials/secrets.ts';
import {
  closeSession,
  openSession,
  sessionOf,
  sessionSeconds,
  wasIssued,
} from '../../../src/app/credentials/sessions.ts';
import type { Session } from '../../../src/app/credentials/sessions.ts';
import type { Service } from '../../../src/app/service.ts';
import { isFault } from '../../../src/kernel/fault.ts';

const stored = new Map<string, { readonly value: string; readonly until: number }>();
let now = 0;

/** The same deployment under the owner key that it was started with. */
function startedWith(key: string): Service {
  const ephemeral = {
    put: async (name: string, value: string, until: number) => void stored.set(name, { value, until }),
    get: async (name: string, at: number) => {
      const found = stored.get(name);
      return found === undefined || found.until <= at ? undefined : found.value;
    },
    remove: async (name: string) => void stored.delete(name),
  };
  const secrets = deriveSecrets('a secret of the tests', 'log.test', hashTerminalKey(key));
  return { secrets, store: { ephemeral }, now: () => now } as unknown as Service;
}

async function opened(service: Service, key: string): Promise<Session> {
  const session = await openSession(service, key);
  if (isFault(session)) throw new Error(session.message);
  return session;
}

describe('a session of the console', () => {
  it('is opened by the owner key alone, and found by its token', async () => {
    const service = startedWith('tk_first');
    expect(await openSession(service, 'tk_other')).toMatchObject({ fault: 'credential_required' });
    const session = await opened(service, 'tk_first');
    expect(session.credential).toEqual({ kind: 'owner' });
    expect(session.token).toMatch(/^[\w-]{43}\.[\w-]{22}$/);
    expect(await sessionOf(service, session.token)).toEqual(session);
    for (const forged of ['', 'x'.repeat(43), `${'x'.repeat(43)}.${'x'.repeat(22)}`, `${session.token}x`])
      expect(await sessionOf(service, forged)).toBeUndefined();
  });

  it('ends when the owner key is replaced', async () => {
    const session = await opened(startedWith('tk_first'), 'tk_first');
    expect(await sessionOf(startedWith('tk_second'), session.token)).toBeUndefined();
    expect(await sessionOf(startedWith('tk_first'), session.token)).toEqual(session);
  });

  it('shows once it has ended that its token was issued here', async () => {
    const service = startedWith('tk_first');
    const session = await opened(service, 'tk_first');
    await closeSession(service, session);
    expect(wasIssued(service, session.token)).toBe(true);
    const { secrets } = service;
    const elsewhere = {
      ...service,
      secrets: { ...secrets, sessionMac: deriveSecrets('b', 'log.test', '00').sessionMac },
    };
    expect(wasIssued(elsewhere, session.token)).toBe(false);
    // A token and the MAC of another.
    expect(wasIssued(service, `${session.token.startsWith('x') ? 'y' : 'x'}${session.token.slice(1)}`)).toBe(
      false,
    );
  });

  it('ends when it is closed, and after its time', async () => {
    const service = startedWith('tk_first');
    const [closed, late] = [await opened(service, 'tk_first'), await opened(service, 'tk_first')];
    await closeSession(service, closed);
    expect(await sessionOf(service, closed.token)).toBeUndefined();
    now += sessionSeconds * 1000;
    expect(await sessionOf(service, late.token)).toBeUndefined();
  });
});
