/** `/owner/a/<slug>`: after a form, what was saved needs no draft any more. */
import './reading/scrollers.ts';
import { forgetSubmitted } from './editor/drafts.ts';
import { suggestTags } from './editor/tags.ts';

if (document.querySelector('[data-saved]') !== null) forgetSubmitted();
suggestTags();
