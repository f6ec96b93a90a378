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

export function draftName(form: HTMLFormElement): string {
  const block = form.querySelector<HTMLInputElement>('input[name="block"]')?.value ?? '';
  return `${prefix}${new URL(form.action).pathname} ${block} ${form.dataset['base'] ?? ''}`;
}

/** The newest draft of the form's page, whatever version it was made from. */
export function findDraft(
  form: HTMLFormElement,
): { readonly name: string; readonly draft: Draft } | undefined {
  const [, path] = draftName(form)
    .slice(prefix.length - 1)
    .split(' ');
  const block = form.querySelector<HTMLInputElement>('input[name="block"]')?.value ?? '';
  const found = names()
    .filter((name) => name.startsWith(`${prefix}${path} ${block} `))
    .flatMap((name) => {
      const draft = read(name);
      return draft === undefined ? [] : [{ name, draft }];
    });
  return found.sort((a, b) => b.draft.at - a.draft.at)[0];
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
