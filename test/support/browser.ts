/**
 * A real browser for tests: the Chromium that `CHROMIUM` names, or the system's. Its build without windows is preferred,
 * because it renders the same in less time. Suites that need one skip where there is none, and say so.
 */
import { existsSync } from 'node:fs';
import { chromium, type Browser, type BrowserContextOptions, type Page } from 'playwright-core';

const places = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

const named = process.env['CHROMIUM'];
/** The browser's executable, or nothing. */
export const chromiumPath: string | undefined = named ?? places.find((path) => existsSync(path));

/** Part of a suite's title where it is skipped. */
export const needsChromium =
  chromiumPath === undefined ? ' (skipped: no Chromium was found; name one in CHROMIUM)' : '';

export function launchBrowser(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error('no Chromium was found');
  return chromium.launch({
    executablePath: chromiumPath,
    args: [
      '--no-sandbox',
      '--headless',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

export interface Visit {
  readonly page: Page;
  /** What the console complained of, uncaught errors and blocked content included. */
  readonly complaints: readonly string[];
  /** Requests to anywhere but the server under test: refused, and noted with what they were for, as `image https://…`. */
  readonly strays: readonly string[];
  close(): Promise<void>;
}

/** Opens a page in a context of its own that reaches `base` and nothing else. */
export async function visit(
  browser: Browser,
  base: string,
  path: string,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 1000 },
    reducedMotion: 'reduce',
    ...options,
  });
  const page = await context.newPage();
  const complaints: string[] = [];
  const strays: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(`uncaught: ${error.message}`));
  page.on('dialog', (dialog) => {
    // The editor asks before unsaved words are left; they are kept as a draft.
    if (dialog.type() === 'beforeunload') return void dialog.accept();
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  await context.route(
    (url) => !url.href.startsWith(`${base}/`),
    (route) => {
      strays.push(`${route.request().resourceType()} ${route.request().url()}`);
      return route.abort();
    },
  );
  await page.goto(base + path, { waitUntil: 'load' });
  return { page, complaints, strays, close: () => context.close() };
}
