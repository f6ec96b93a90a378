/**
 * Verification in this browser (contract §8), one module for the pages that verify: an article, a receipt, and
 * evidence that is pasted or opened. The verifier itself is `verify/`, the same code as `colophon verify`.
 */
import { verifyArticlePage } from './verifying/article.ts';
import { verifyEvidencePage } from './verifying/evidence.ts';
import { verifyLiveClaim } from './verifying/live-claim.ts';
import { verifyReceiptPage } from './verifying/receipt.ts';

const article = document.getElementById('article');
const receipt = document.getElementById('receipt');
const form = document.getElementById('verify-form');

const liveClaim = document.querySelector<HTMLElement>('.live-claim[data-inv]');
if (article !== null) verifyArticlePage(article);
if (receipt !== null) verifyReceiptPage(receipt);
if (form !== null) verifyEvidencePage(form);
if (liveClaim !== null) verifyLiveClaim(liveClaim);
