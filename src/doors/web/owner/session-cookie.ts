/** The console's cookie (contract §4): for `/owner` alone, out of reach of scripts and of other sites. */
import { isLoopback } from '../../../guard/client-address.ts';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sessionSeconds } from '../../../app/credentials/sessions.ts';
import type { Site } from '../site.ts';

const name = 'colophon_owner';

export function cookieOf(request: FastifyRequest): string | undefined {
  for (const pair of request.headers.cookie?.split(';') ?? []) {
    const [key = '', value = ''] = pair.trim().split('=', 2);
    if (key === name) return value;
  }
  return undefined;
}

export function setCookie(reply: FastifyReply, site: Site, token: string): void {
  void reply.header('set-cookie', `${name}=${token}; Max-Age=${sessionSeconds}; ${attributes(site)}`);
}

export function clearCookie(reply: FastifyReply, site: Site): void {
  void reply.header('set-cookie', `${name}=; Max-Age=0; ${attributes(site)}`);
}

/** Whether a browser would send the cookie back at all: over plain http it is kept on this machine only. */
export function keepsCookie({ service }: Site): boolean {
  return isSecure(service.base) || isLoopback(new URL(service.base).hostname);
}

function attributes(site: Site): string {
  const secure =
    isLoopback(new URL(site.service.base).hostname) && !isSecure(site.service.base) ? '' : '; Secure';
  return `Path=${site.root}/owner; HttpOnly; SameSite=Strict${secure}`;
}

function isSecure(base: string): boolean {
  return base.startsWith('https:');
}
