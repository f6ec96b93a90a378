/** Opens every page of the lists on one seeded server: in a browser, signed in by role, or as markup over HTTP. */
import type { Browser, Page } from 'playwright-core';
import { visit } from '../support/browser.ts';
import { formType } from '../support/desk.ts';
import { seedDesk } from './desk-seed.ts';
import { deskList, type DeskPage } from './page-list.ts';
import { startSeededServer, type SeededServer } from './seeded-server.ts';

export interface JudgedPages {
  readonly seeded: SeededServer;
  markup(name: string): Promise<string>;
  /** Loads the page in the one tab that all pages of its role share. */
  open(browser: Browser, name: string): Promise<Page>;
}

export async function startJudgedPages(): Promise<JudgedPages> {
  const seeded = await startSeededServer();
  const { server } = seeded;
  const desk = { ...seeded, ...(await seedDesk(server, seeded.slug)) };
  const pageOf = (name: string): DeskPage => deskList[name]?.(desk) ?? { path: seeded.pages[name] as string };
  const fieldsOf = ({ as, sends }: DeskPage): [string, string][] => [
    ...(as === undefined ? [] : [['form_token', desk.sessions[as].formToken] as [string, string]]),
    ...Object.entries(sends ?? {}),
  ];
  const tabs = new Map<string, Promise<Page>>();
  const tabOf = async (browser: Browser, as: DeskPage['as']): Promise<Page> => {
    const [name = '', value = ''] = as === undefined ? [] : desk.sessions[as].cookie.split('=', 2);
    const cookie = { name, value, domain: '127.0.0.1', path: '/owner', expires: -1, httpOnly: true };
    const cookies = as === undefined ? [] : [{ ...cookie, secure: false, sameSite: 'Strict' as const }];
    return (await visit(browser, server.base, '/owner', { storageState: { cookies, origins: [] } })).page;
  };

  return {
    seeded,
    async markup(name) {
      const page = pageOf(name);
      const headers: Record<string, string> =
        page.as === undefined ? {} : { cookie: desk.sessions[page.as].cookie };
      if (page.sends === undefined) return (await server.fetch(page.path, { headers })).text();
      const body = new URLSearchParams(fieldsOf(page)).toString();
      const sent = { method: 'POST', redirect: 'manual', body } as const;
      const reply = await server.fetch(page.path, {
        ...sent,
        headers: { ...formType, origin: server.base, ...headers },
      });
      const location = reply.headers.get('location');
      return (location === null ? reply : await server.fetch(location, { headers })).text();
    },
    async open(browser, name) {
      const wanted = pageOf(name);
      const { as, path, sends } = wanted;
      let tab = tabs.get(as ?? '');
      if (tab === undefined) tabs.set(as ?? '', (tab = tabOf(browser, as)));
      const page = await tab;
      await page.emulateMedia({ colorScheme: 'light', media: 'screen', reducedMotion: 'reduce' });
      await page.setViewportSize({ width: 1440, height: 1000 });
      await page.goto(`${server.base}${sends === undefined ? path : '/owner'}`, { waitUntil: 'load' });
      if (sends !== undefined) {
        const answered = page.waitForEvent('load');
        await page.evaluate(submit, { path, fields: fieldsOf(wanted) });
        await answered;
      }
      return page;
    },
  };
}

/** Sends a form of the page's own host, as a person would who has filled it in. */
function submit({
  path,
  fields,
}: Readonly<{ path: string; fields: readonly (readonly [string, string])[] }>): void {
  const form = document.createElement('form');
  form.method = 'post';
  form.action = path;
  for (const [name, value] of fields) {
    const input = document.createElement('input');
    [input.type, input.name, input.value] = ['hidden', name, value];
    form.append(input);
  }
  document.body.append(form);
  form.submit();
}
