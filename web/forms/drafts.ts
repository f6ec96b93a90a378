/** Storage of this browser, where it lets a page keep something. */
export function mayStore(kind: 'localStorage' | 'sessionStorage'): Storage | undefined {
  try {
    return window[kind];
  } catch {
    return undefined;
  }
}
