/**
 * The script of every page of a static site: times in words, the present place in the contents, previews of claims and
 * sources; it starts the verification of an article, and the search where a page has one. Without it a page has all of its
 * text.
 */
import '../reading/contents.ts';
import '../reading/previews.ts';
import '../reading/scrollers.ts';
import '../site/copying.ts';
import '../site/time.ts';
import { onDemand } from '../verifying/seal.ts';
import { loadScript } from './loading.ts';
import { searchHere } from './search.ts';

/** Larger articles are verified when the reader asks for it. */
const charactersMax = 300_000;
const divsMax = 400;

const ownAddress = import.meta.url;
const article = document.getElementById('article');
const search = document.getElementById('static-search');

if (article?.dataset['key'] !== undefined) {
  const length = document.getElementById('text')?.textContent?.length ?? 0;
  const isSmall = length <= charactersMax && document.querySelectorAll('.div').length <= divsMax;
  onDemand(() => verify(article), isSmall);
}
if (search !== null) searchHere(search);

let bundle: string | undefined;

async function verify(shown: HTMLElement): Promise<void> {
  if (!isSecureContext) throw new Error('browsers verify only what came over https or was opened as a file');
  globalThis.colophonBundle = (text) => {
    bundle = text;
  };
  const own = location.pathname.slice(location.pathname.lastIndexOf('/') + 1).replace(/\.html$/, '');
  await Promise.all([loadScript(`./${own}.bundle.js`), loadScript(new URL('verify.js', ownAddress))]);
  if (bundle === undefined || globalThis.colophonVerify === undefined)
    throw new Error('the bundle or the verifier beside this page is damaged');
  await globalThis.colophonVerify(shown, bundle);
}
