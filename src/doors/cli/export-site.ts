/** `colophon export --site`: writes the published articles as a static site (contract §0). */
import { OperatorError } from '../../engine/store.ts';
import { progressLine } from './backup.ts';
import type { Owner } from './owner-socket.ts';
import { SiteFolder } from './site-folder.ts';

interface SiteLine {
  readonly file?: string;
  readonly text?: string;
  readonly base64?: string;
  readonly done?: number;
  readonly of?: number;
  readonly failed?: string;
  readonly summary?: {
    readonly articles: number;
    readonly tags: number;
    readonly series: number;
    readonly images: number;
    readonly size: number;
  };
}

interface SiteOptions {
  readonly folder: string;
  readonly address: string | undefined;
  readonly isJson: boolean;
}

export async function exportSite(owner: Owner, { folder, address, isJson }: SiteOptions): Promise<number> {
  const site = new SiteFolder(folder);
  const progress = progressLine();
  try {
    const query = address === undefined ? '' : `?address=${encodeURIComponent(address)}`;
    const summary = await receive(owner, `/api/static-site${query}`, site, progress.show);
    progress.end();
    const left = site.complete();
    if (isJson)
      console.log(
        JSON.stringify({ ok: true, folder: site.folder, files: site.files, bytes: site.bytes, ...summary }),
      );
    else {
      const { articles, tags, series, images, size } = summary;
      console.log(
        `Wrote ${counted(articles, 'article')}, ${counted(tags, 'tag')}, ${counted(series, 'series', 'series')} and ${counted(images, 'image')} to ${site.folder}: ${counted(site.files, 'file')}, ${(site.bytes / 1_000_000).toFixed(1)} MB, as of entry ${size} of the log.`,
      );
      console.log(`Open ${site.folder}/index.html, or publish the folder on any static host.`);
    }
    if (left !== undefined)
      console.error(`Files of the earlier folder that the new one has too were kept in ${left}.`);
    return 0;
  } catch (error) {
    progress.end();
    site.abandon();
    const { code, syscall, message } = error as NodeJS.ErrnoException;
    if (syscall === undefined) throw error;
    throw new OperatorError(
      `${code === 'ENOSPC' ? 'the disk is full' : message}. The site was not written; an earlier export in ${site.folder} is as it was.`,
    );
  }
}

async function receive(
  owner: Owner,
  path: string,
  site: SiteFolder,
  show: (what: string, done: number, of: number) => void,
): Promise<NonNullable<SiteLine['summary']>> {
  let summary: SiteLine['summary'];
  for await (const text of owner.lines(path)) {
    const line = JSON.parse(text) as SiteLine;
    if (line.failed !== undefined) throw new OperatorError(line.failed);
    if (line.file !== undefined) site.write(line.file, line.text ?? Buffer.from(line.base64 ?? '', 'base64'));
    if (line.done !== undefined) show('Articles', line.done, line.of ?? line.done);
    summary = line.summary ?? summary;
  }
  if (summary === undefined)
    throw new OperatorError(
      'The connection ended before the site was complete; nothing was replaced. Export again.',
    );
  return summary;
}

function counted(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`;
}
