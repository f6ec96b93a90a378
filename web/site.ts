/** What every page has from a script: times as people say them, ids copied by a click, dialogs in older browsers. */
import './site/copying.ts';
import './site/dialogs.ts';
import './site/time.ts';
