/**
 * The log page follows the log (contract §7): when an entry lands, the page asks for itself again and puts in what is
 * new. It pauses while the page is hidden. Without a script the page shows the log at load time.
 */

const root = new URL('../../', import.meta.url);
/** Many entries land at once; the page is asked for at most this often. */
const restMs = 2000;

const shown = document.getElementById('live-log');
const status = document.getElementById('live-status');

let source: EventSource | undefined;
let due = false;

function follow() {
  if (shown === null || source !== undefined || document.hidden) return;
  const size = Number(shown.dataset['size'] ?? '0');
  source = new EventSource(new URL(`api/events?named=0&after=${size - 1}`, root));
  source.addEventListener('message', refreshSoon);
  source.addEventListener('open', () => tell('This page follows the log: new entries appear by themselves.'));
  source.addEventListener('error', () =>
    tell(
      source?.readyState === EventSource.CLOSED
        ? 'This page no longer follows the log; reload it for new entries.'
        : 'The connection is lost; this page tries to follow the log again.',
    ),
  );
}

function rest() {
  source?.close();
  source = undefined;
}

function tell(text: string) {
  if (status === null || status.textContent === text) return;
  status.hidden = false;
  status.textContent = text;
}

function refreshSoon() {
  if (due) return;
  due = true;
  setTimeout(() => {
    due = false;
    void refresh();
  }, restMs);
}

async function refresh() {
  if (shown === null) return;
  const response = await fetch(location.href).catch(() => undefined);
  if (response?.ok !== true) return;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  const fresh = page.getElementById('live-log');
  // Where a reader has the focus or a selection in it, it is not taken away from under them.
  if (fresh === null || shown.contains(document.activeElement) || isSelecting()) return;
  const before = Number(shown.dataset['size'] ?? '0');
  shown.replaceChildren(...fresh.childNodes);
  shown.dataset['size'] = fresh.dataset['size'];
  for (const row of shown.querySelectorAll('tr[id]'))
    if (Number(row.id.slice('entry-'.length)) >= before) row.classList.add('new');
}

function isSelecting() {
  const selection = document.getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(shown as Node, true);
}

document.addEventListener('visibilitychange', () => (document.hidden ? rest() : follow()));
addEventListener('pagehide', rest);
addEventListener('pageshow', follow);
follow();
