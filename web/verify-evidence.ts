/** `/verify` (contract §8): evidence that is pasted, opened or dropped. A module of its own, so that articles need not load it. */
import { verifyEvidencePage } from './verifying/evidence.ts';

const form = document.getElementById('verify-form');
if (form !== null) verifyEvidencePage(form);
