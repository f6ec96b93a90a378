/** Says how long ago the times of a page were; the exact time stays on hover and in print. */

const words = new Intl.RelativeTimeFormat('en-GB', { numeric: 'auto' });
const steps: readonly (readonly [Intl.RelativeTimeFormatUnit, number])[] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];
const refreshMs = 60_000;

/** `3 minutes ago`; what is less than a minute away is now. */
export function agoText(then: number, now: number): string {
  const seconds = (then - now) / 1000;
  for (const [unit, length] of steps)
    if (Math.abs(seconds) >= length) return words.format(Math.trunc(seconds / length), unit);
  return 'just now';
}

function say(): void {
  const now = Date.now();
  for (const time of document.querySelectorAll<HTMLTimeElement>('time[data-ago]')) {
    const then = Date.parse(time.dateTime);
    if (Number.isNaN(then)) continue;
    let said = time.querySelector('.screen-only');
    if (said === null) {
      const exact = document.createElement('span');
      exact.className = 'print-only';
      exact.textContent = time.textContent;
      said = document.createElement('span');
      said.className = 'screen-only';
      time.replaceChildren(said, exact);
    }
    const text = agoText(then, now);
    if (said.textContent !== text) said.textContent = text;
  }
}

say();
setInterval(() => {
  if (!document.hidden) say();
}, refreshMs);
// Pages that load parts of themselves again: the log, suggestions, queues.
new MutationObserver(say).observe(document.body, { childList: true, subtree: true });
