/** Shows what a verification in this browser found; shared by the pages that verify. */

import type { Check } from '../../verify/index.ts';

/** Where the site's root is, as seen from this module's own address. */
export const root = new URL('../../', import.meta.url);

export type { Check };

function part(name: string): HTMLElement {
  const found = document.getElementById(name);
  if (found === null) throw new Error(`the page has no #${name}`);
  return found;
}

/** What each state is called, in bold. */
const verdicts = {
  open: 'Not verified in this browser.',
  working: 'Verifying in this browser …',
  sound: 'Verified in this browser.',
  awaiting: 'Verified, awaiting witnesses.',
  unchecked: 'Verified, except for witnesses.',
  broken: 'Does not verify.',
  forked: 'This key signed two histories.',
  unreadable: 'Cannot be read as evidence.',
};

export type Verdict = keyof typeof verdicts;

/** Shows what was found in one sentence, and the checks below it: at once where one failed. */
export function show(state: Verdict, text: string, checks: readonly Check[] = []): void {
  const seal = part('seal');
  seal.hidden = false;
  seal.dataset['state'] = state;
  const verdict = document.createElement('strong');
  verdict.textContent = verdicts[state];
  const note = document.getElementById('seal-note');
  if (note === null) part('seal-text').replaceChildren(verdict, ` ${text}`);
  else {
    // Brief: the sentence stands with the checks.
    part('seal-text').replaceChildren(verdict);
    if (text !== '') note.textContent = text;
  }
  const list = part('seal-checks');
  list.replaceChildren();
  for (const { ok, detail, at } of checks) {
    const item = document.createElement('li');
    item.textContent = `${ok ? '' : 'Broken: '}${detail}${at === undefined || at === '' ? '' : ` (at ${at})`}`;
    list.append(item);
  }
  const more = part('seal-more');
  more.hidden = note === null && checks.length === 0;
  // What the reader opened to ask for it stays open.
  if (more instanceof HTMLDetailsElement) more.open = state === 'broken' || (more.open && note !== null);
}

/** Runs a verification and shows what comes of it, a failure to run it included. */
export async function verifying(work: () => Promise<void>): Promise<void> {
  show('working', '');
  try {
    await work();
  } catch (error) {
    show('open', `It could not be done: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

export async function textAt(url: string | URL): Promise<string> {
  const response = await fetch(url, { cache: 'no-cache' });
  if (!response.ok)
    throw new Error(`${new URL(url, root).pathname} was answered with status ${response.status}`);
  return response.text();
}

/** The log's verifier key as this site publishes it. */
export async function siteKey(): Promise<string> {
  return (await textAt(new URL('.well-known/colophon-key', root))).trim();
}

/** What this site says should be trusted: its key, and the policy that names its witnesses, where it has one. */
export interface SiteTrust {
  readonly verifierKey: string;
  readonly policy?: string;
}

export async function siteTrust(): Promise<SiteTrust> {
  const hasPolicy = part('seal').dataset['policy'] !== undefined;
  const [verifierKey, policy] = await Promise.all([
    siteKey(),
    hasPolicy ? textAt(new URL('.well-known/colophon-policy', root)) : undefined,
  ]);
  return policy === undefined ? { verifierKey } : { verifierKey, policy };
}

/** Whose word the trust rests on. */
export function whoseTrust({ policy }: SiteTrust): string {
  return policy === undefined
    ? 'the key that this site publishes'
    : 'the key and the policy that this site publishes';
}

/** Members that no entry commits to, in one phrase; nothing where everything is committed to. */
export function notCommitted(uncovered: readonly string[] = []): string[] {
  return uncovered.length === 0
    ? []
    : [`the server’s own word, on no ledger and not checked: ${uncovered.join(', ')}`];
}

export function broken(checks: readonly Check[]): Check[] {
  return checks.filter((check) => !check.ok);
}

export function counted(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}

export function countOf(checks: readonly Check[], id: string): number {
  return checks.filter((check) => check.ok && check.id === id).length;
}

/**
 * Verifies now where the page is small enough and the reader need not count bytes, and again when the button is
 * pressed.
 */
export function onDemand(work: () => Promise<void>, atOnce: boolean): void {
  const button = part('seal-button');
  const run = () => {
    button.textContent = 'Verify again';
    void verifying(work);
  };
  button.hidden = false;
  button.addEventListener('click', run);
  if (atOnce && !matchMedia('(prefers-reduced-data: reduce)').matches) run();
}
