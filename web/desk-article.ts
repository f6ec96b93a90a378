/** `/owner/a/<slug>`: the menu of selected words; after a form, what was saved needs no draft any more. */
import './reading/selection.ts';
import { forgetSubmitted } from './editor/drafts.ts';
import { suggestTags } from './editor/tags.ts';

if (document.querySelector('[data-saved]') !== null) forgetSubmitted();
suggestTags();
