/** Says for a moment what has happened, to eye and screen reader. */

const shownMs = 3500;

let region: HTMLElement | undefined;
let hiding: ReturnType<typeof setTimeout> | undefined;

export function passingToast(text: string): void {
  if (region === undefined) {
    region = document.createElement('div');
    region.className = 'toast toast-passing';
    region.setAttribute('role', 'status');
    document.body.append(region);
  }
  region.hidden = false;
  region.textContent = text;
  clearTimeout(hiding);
  hiding = setTimeout(() => {
    if (region !== undefined) region.hidden = true;
  }, shownMs);
}
