/**
 * Verifies an article of a static site in the reader's browser, without a network: its bundle by `verify/`, the same code
 * as `colophon verify`, and the words on the page against what the bundle's entries commit to.
 */
import { parseDocument, verifyBundle } from '../../verify/index.ts';
import { broken, countOf, counted, notCommitted, show } from '../verifying/seal.ts';
import { notProven } from '../verifying/shown.ts';
import { compareShown, type ShownBundle } from './rendered.ts';

globalThis.colophonVerify = async (article, text) => {
  const { dataset } = article;
  const { checks, uncovered } = await verifyBundle(text, dataset['key']);
  const bundle = parseDocument(text) as object as ShownBundle;
  const shown = await compareShown(article, bundle);
  const failures = broken([...checks, ...shown]);
  if (failures.length > 0)
    return show('broken', `${failures.length} of ${checks.length + shown.length} checks failed:`, failures);
  const open = notProven(uncovered ?? [], bundle);
  const signature = checks.find(({ id }) => id === 'signature')?.detail;
  const found = [
    `${counted(countOf(checks, 'chain'), 'chain')} of entries from genesis, without a break`,
    `${counted(shown.length, 'part')} of this page (title, blocks, thesis, claims, sources, contributions, discussion): the words that the bundle has`,
    'not compared: states and times beside those words, the contents, tags, series, how to cite, the colophon, and the bytes of images',
    signature === undefined
      ? 'the log had not yet taken in the newest entry'
      : `in the signed log: ${signature}`,
    `the key is the one that came with these files: ${dataset['key'] ?? ''}`,
    ...notCommitted(uncovered),
  ];
  show(
    'sound',
    open.length === 0
      ? 'The words on this page are those that the signed entries commit to, as of this copy.'
      : `The words of each block are those that the signed entries commit to, as of this copy. Only the publisher vouches for ${open.join(', ')}: the article began as a draft, and entries from before publication are not opened.`,
    found.map((detail) => ({ id: 'found', ok: true, detail })),
  );
};
