/**
 * What every page has from a script: times as people say them, ids copied by a click, keys, dialogs in older browsers;
 * and the comforts of reading: the present place in the contents, previews of what links name, copied permalinks and
 * citations, a menu beside selected words, boxes that scroll under the keyboard, and when an article is verified.
 * Without it a page has all of its text. Reading is in here because a second module would cost each page a request.
 */
import './site/copying.ts';
import './site/dialogs.ts';
import './site/shortcuts.ts';
import './site/time.ts';
import './reading/blocks.ts';
import './reading/contents.ts';
import './reading/previews.ts';
import './reading/scrollers.ts';
import './reading/selection.ts';
import './reading/verification.ts';
