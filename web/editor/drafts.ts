/**
 * Drafts of the editor, kept in this browser only: one for each page and version that it was made from. A draft goes
 * when the page that follows a save is shown.
 */

export interface Draft {
  /** Of the form, by their names. */
  readonly fields: Readonly<Record<string, string>>;
  /** Milliseconds since 1970. */
  readonly at: number;
}

const prefix = 'colophon draft ';
const submitted = 'colophon submitted';
const keptMs = 30 * 86_400_000;

/** Of one tab: two tabs with the same text keep their drafts apart. */
export function draftName(form: HTMLFormElement, tab: string): string {
  return `${pageName(form)}${form.dataset['base'] ?? ''} ${tab}`;
}

function pageName(form: HTMLFormElement): string {
  const block = form.querySelector<HTMLInputElement>('input[name="block"]')?.value ?? '';
  return `${prefix}${new URL(form.action).pathname} ${block} `;
}

const tabName = 'colophon tab';
const openTab = (tab: string): string => `colophon editing ${tab}`;

/** The name of this tab, which it keeps when it is loaded again; a tab that was made as a copy gets a name of its own. */
export async function nameOfTab(): Promise<string> {
  const fresh = crypto.getRandomValues(new Uint32Array(2)).join('-');
  try {
    const known = sessionStorage.getItem(tabName);
    const tab = known !== null && (await hold(known)) ? known : fresh;
    sessionStorage.setItem(tabName, tab);
    if (tab === fresh) await hold(fresh);
    return tab;
  } catch {
    return fresh;
  }
}

/** The page that is loaded again lets its name go soon; a copied tab does not. */
const releaseMs = 500;

/** Held until the tab is closed or left; false where another tab has it. Known only on secure pages. */
function hold(tab: string): Promise<boolean> {
  if (!('locks' in navigator)) return Promise.resolve(true);
  return new Promise((resolve) => {
    const held = (): Promise<never> => {
      resolve(true);
      return new Promise(() => undefined);
    };
    navigator.locks
      .request(openTab(tab), { signal: AbortSignal.timeout(releaseMs) }, held)
      .catch(() => resolve(false));
  });
}

async function isTaken(tab: string): Promise<boolean> {
  if (!('locks' in navigator)) return false;
  const { held = [] } = await navigator.locks.query();
  return held.some(({ name }) => name === openTab(tab));
}

export interface FoundDraft {
  readonly name: string;
  readonly draft: Draft;
  /** Another tab is writing it now. */
  readonly isOpen: boolean;
}

/** Drafts of the form's page, whatever version and tab they were made in, newest first. */
export async function findDrafts(form: HTMLFormElement, tab: string): Promise<readonly FoundDraft[]> {
  const own = draftName(form, tab);
  const found = names()
    .filter((name) => name.startsWith(pageName(form)))
    .flatMap((name) => {
      const draft = read(name);
      return draft === undefined ? [] : [{ name, draft }];
    })
    .sort((a, b) => b.draft.at - a.draft.at);
  return Promise.all(
    found.map(async (each) => ({
      ...each,
      isOpen: each.name !== own && (await isTaken(each.name.split(' ').at(-1) ?? '')),
    })),
  );
}

/** False where the browser keeps nothing, or no more. */
export function keepDraft(name: string, draft: Draft): boolean {
  try {
    localStorage.setItem(name, JSON.stringify(draft));
    return true;
  } catch {
    return false;
  }
}

export function dropDraft(name: string): void {
  try {
    localStorage.removeItem(name);
  } catch {
    // A browser that keeps nothing has nothing to drop.
  }
}

/** The form is sent: the draft goes once the answer says that it is saved. */
export function markSubmitted(name: string): void {
  try {
    sessionStorage.setItem(submitted, name);
  } catch {
    // The draft stays, and is offered again.
  }
}

export function forgetSubmitted(): void {
  try {
    const name = sessionStorage.getItem(submitted);
    if (name !== null) dropDraft(name);
    sessionStorage.removeItem(submitted);
  } catch {
    // Nothing is kept.
  }
}

/** Removes abandoned drafts. */
export function dropOldDrafts(): void {
  for (const name of names()) {
    const draft = read(name);
    if (draft === undefined || Date.now() - draft.at > keptMs) dropDraft(name);
  }
}

function names(): readonly string[] {
  try {
    return Object.keys(localStorage).filter((name) => name.startsWith(prefix));
  } catch {
    return [];
  }
}

function read(name: string): Draft | undefined {
  try {
    const draft = JSON.parse(localStorage.getItem(name) ?? '') as Partial<Draft>;
    return typeof draft.at === 'number' && typeof draft.fields === 'object' ? (draft as Draft) : undefined;
  } catch {
    return undefined;
  }
}
