/** The pages of claims and sources: shows violated rules while the user types. */
import { checkWhileTyping } from './editor/evidence.ts';

for (const form of document.querySelectorAll<HTMLFormElement>('form[data-check]')) checkWhileTyping(form);
