/**
 * Uploaded or read files as a plan (contract §8, importing): archives are unpacked and HTML becomes Markdown before the
 * plan is made. The browser and the command line share it.
 */
import { setImmediate } from 'node:timers/promises';
import { isFault, type Fault } from '../../kernel/fault.ts';
import { decodeHtml, htmlToMarkdown, isHtmlPath } from '../../represent/intake/html-to-markdown.ts';
import { planNotes, type ImportPlan, type PlanOptions } from '../../represent/intake/plan-notes.ts';
import {
  isZip,
  readZip,
  type ImportFile,
  type ImportFiles,
  type Skipped,
} from '../../represent/intake/read-zip.ts';

/** A single archive is read as a vault; `slugOf` is then the name of the file. */
export async function planUpload(
  files: readonly ImportFile[],
  options: Omit<PlanOptions, 'slugOf'>,
): Promise<ImportPlan | Fault> {
  const [only] = files;
  const archive =
    files.length === 1 && only !== undefined && isZip(only.bytes) ? readZip(only.bytes) : undefined;
  if (archive !== undefined && isFault(archive)) return archive;
  return planFiles(archive ?? { files, skipped: [] }, {
    ...options,
    slugOf: archive === undefined ? 'title' : 'file',
  });
}

export async function planFiles(files: ImportFiles, options: PlanOptions): Promise<ImportPlan> {
  return planNotes(await withMarkdown(files), options);
}

/** Of all HTML in one import. */
const htmlBytesMax = 32 * 1024 * 1024;

async function withMarkdown({ files, skipped }: ImportFiles): Promise<ImportFiles> {
  if (!files.some(({ path }) => isHtmlPath(path))) return { files, skipped };
  const left: Skipped[] = [...skipped];
  const read: ImportFile[] = [];
  let bytes = 0;
  for (const file of files) {
    if (!isHtmlPath(file.path)) {
      read.push(file);
      continue;
    }
    bytes += file.bytes.length;
    const html = bytes > htmlBytesMax ? undefined : decodeHtml(file.bytes);
    const converted = html === undefined ? undefined : await htmlToMarkdown(file.path, html);
    if (converted === undefined)
      left.push({
        path: file.path,
        why:
          bytes > htmlBytesMax
            ? `HTML of more than ${htmlBytesMax} bytes is not read at once; import it in parts.`
            : 'It is not valid UTF-8 and names no other character set. Convert it and import it again.',
      });
    else if (typeof converted === 'string') left.push({ path: file.path, why: converted });
    else read.push({ ...file, converted }, ...converted.images);
    // Other requests are answered between two documents.
    await setImmediate();
  }
  return { files: read, skipped: left };
}
