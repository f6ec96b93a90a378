/**
 * Comforts of reading that need a script: the present place in the contents, previews of what links name, copied
 * permalinks and citations, a menu beside selected words, and boxes that scroll under the keyboard. Without it the
 * page has all of its text.
 */
import './reading/blocks.ts';
import './reading/contents.ts';
import './reading/previews.ts';
import './reading/scrollers.ts';
import './reading/selection.ts';
