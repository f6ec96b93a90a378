/** The pages of claims and sources: rules are told while one types. */
import { checkWhileTyping } from './editor/evidence.ts';

for (const form of document.querySelectorAll<HTMLFormElement>('form[data-check]')) checkWhileTyping(form);
