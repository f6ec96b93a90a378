/**
 * Verification in this browser (contract §8), one module for the pages that show a ledger's own: an article, a receipt,
 * and the claim of the home page. The verifier itself is `verify/`, the same code as `colophon verify`. `/verify`, which
 * takes any evidence, has `web/verify-evidence.ts`.
 */
import { verifyArticlePage } from './verifying/article.ts';
import { verifyLiveClaim } from './verifying/live-claim.ts';
import { verifyReceiptPage } from './verifying/receipt.ts';

const article = document.getElementById('article');
const receipt = document.getElementById('receipt');
const liveClaim = document.querySelector<HTMLElement>('.live-claim[data-inv]');

if (article !== null) verifyArticlePage(article);
if (receipt !== null) verifyReceiptPage(receipt);
if (liveClaim !== null) verifyLiveClaim(liveClaim);
