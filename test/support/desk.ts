/** Signs in to the desk over HTTP, as a browser does: the cookie and the form token of the session. */
import { expect } from 'vitest';

export interface SignedIn {
  readonly cookie: string;
  readonly formToken: string;
}

export const formType = { 'content-type': 'application/x-www-form-urlencoded' } as const;

export async function signIn(base: string, key: string): Promise<SignedIn> {
  const reply = await fetch(`${base}/owner/login`, {
    method: 'POST',
    redirect: 'manual',
    headers: { ...formType, origin: base },
    body: new URLSearchParams({ key }).toString(),
  });
  expect([reply.status, reply.headers.get('location')]).toEqual([303, '/owner']);
  const [cookie = ''] = (reply.headers.get('set-cookie') ?? '').split(';');
  const page = await (await fetch(`${base}/owner`, { headers: { cookie } })).text();
  const formToken = /name="form_token" value="([0-9a-f]{32})"/.exec(page)?.[1] ?? '';
  expect(formToken).toHaveLength(32);
  return { cookie, formToken };
}
