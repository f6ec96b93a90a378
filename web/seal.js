/** Shows what a verification in this browser found; shared by the pages that verify. */

/** Where the site's root is, as seen from this module's own address. */
export const root = new URL('../../../', import.meta.url);

/** @typedef {{ id: string, ok: boolean, detail: string, at?: string }} Check */

/** @param {string} name */
function part(name) {
  const found = document.getElementById(name);
  if (found === null) throw new Error(`the page has no #${name}`);
  return found;
}

/** What each state is called, in bold. */
const verdicts = {
  open: 'Not verified in this browser.',
  working: 'Verifying in this browser …',
  sound: 'Verified in this browser.',
  broken: 'Does not verify.',
};

/**
 * @param {keyof typeof verdicts} state
 * @param {string} text what was found, in one sentence
 * @param {readonly Check[]} [checks] listed below it, at once where something is broken
 */
export function show(state, text, checks = []) {
  const seal = part('seal');
  seal.hidden = false;
  seal.dataset['state'] = state;
  const verdict = document.createElement('strong');
  verdict.textContent = verdicts[state];
  part('seal-text').replaceChildren(verdict, ` ${text}`);
  const list = part('seal-checks');
  list.replaceChildren();
  for (const { ok, detail, at } of checks) {
    const item = document.createElement('li');
    item.textContent = `${ok ? '' : 'Broken: '}${detail}${at === undefined || at === '' ? '' : ` (at ${at})`}`;
    list.append(item);
  }
  const more = part('seal-more');
  more.hidden = checks.length === 0;
  if (more instanceof HTMLDetailsElement) more.open = state === 'broken';
}

/**
 * Runs a verification and shows what comes of it, a failure to run it included.
 * @param {() => Promise<void>} work
 */
export async function verifying(work) {
  show('working', '');
  try {
    await work();
  } catch (error) {
    show('open', `It could not be done: ${error instanceof Error ? error.message : String(error)}.`);
  }
}

/**
 * @param {string | URL} url
 * @returns {Promise<string>}
 */
export async function textAt(url) {
  const response = await fetch(url, { cache: 'no-cache' });
  if (!response.ok)
    throw new Error(`${new URL(url, root).pathname} was answered with status ${response.status}`);
  return response.text();
}

/** The log's verifier key as this site publishes it. */
export async function siteKey() {
  return (await textAt(new URL('.well-known/colophon-key', root))).trim();
}

/**
 * What no entry commits to, in one phrase; nothing where everything is.
 * @param {readonly string[]} [uncovered]
 */
export function notCommitted(uncovered = []) {
  return uncovered.length === 0 ? [] : [`no entry commits to ${uncovered.join(', ')}`];
}

/** @param {readonly Check[]} checks */
export function broken(checks) {
  return checks.filter((check) => !check.ok);
}

/** @param {number} n @param {string} one @param {string} [many] */
export function counted(n, one, many = `${one}s`) {
  return `${n} ${n === 1 ? one : many}`;
}

/** @param {readonly Check[]} checks @param {string} id */
export function countOf(checks, id) {
  return checks.filter((check) => check.ok && check.id === id).length;
}

/**
 * Verifies now where the page is small enough and the reader need not count bytes, and again when the button is
 * pressed.
 * @param {() => Promise<void>} work
 * @param {boolean} atOnce
 */
export function onDemand(work, atOnce) {
  const button = part('seal-button');
  const run = () => {
    button.textContent = 'Verify again';
    void verifying(work);
  };
  button.hidden = false;
  button.addEventListener('click', run);
  if (atOnce && !matchMedia('(prefers-reduced-data: reduce)').matches) run();
}
