/** What every page has from a script: times as people say them, ids copied by a click, keys, dialogs in older browsers. */
import './site/copying.ts';
import './site/dialogs.ts';
import './site/shortcuts.ts';
import './site/time.ts';
