/** `colophon import`: Markdown files become articles, divided byte for byte. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { isUtf8 } from 'node:buffer';
import type { JsonObject } from '../../kernel/json.ts';
import { readOptions, UsageError } from './options.ts';
import type { Verb } from './verb.ts';
import { withOwner } from './with-owner.ts';

export const importVerb: Verb = {
  name: 'import',
  what: 'Import Markdown files, or bundles of another deployment, as articles.',
  usage: 'colophon import FILE [FILE ...]',
  options: [
    ['--slug NAME', 'Name a bundle anew; for one file.'],
    ['--draft', 'Import as drafts instead of publishing.'],
    ['--category NAME', 'Give every article this category.'],
    ['--json', 'Print one JSON object a file.'],
  ],
  async run(argv, house) {
    const { values, positionals: files } = readOptions(argv, {
      draft: { type: 'boolean' },
      slug: { type: 'string' },
      category: { type: 'string' },
      json: { type: 'boolean' },
    });
    if (files.length === 0) throw new UsageError('it takes at least one file.');
    return withOwner(house, async (owner) => {
      let failed = 0;
      for (const [i, file] of files.entries()) {
        const outcome = await importOne(file, async (document) => {
          if ('bundle' in document) {
            const slug = values.slug === undefined ? {} : { slug: values.slug };
            return (await owner.post('/api/protocol/import', { ...document, ...slug })).body;
          }
          const { body } = await owner.post('/api/protocol/voxel-batch', {
            document: {
              ...document,
              ...(values.draft === true ? { status: 'draft' } : {}),
              ...(values.category === undefined ? {} : { category: values.category }),
            },
          });
          return body;
        });
        if (outcome['ok'] !== true) failed++;
        if (values.json === true) console.log(JSON.stringify({ file, ...outcome }));
        else if (outcome['ok'] === true)
          console.log(
            `${i + 1}/${files.length} ${file} -> ${String(outcome['permalink'])} (${String(outcome['divs'])} DIVs)`,
          );
        else
          console.error(
            `${i + 1}/${files.length} ${file}: ${String(outcome['detail'])} ${String(outcome['fix'] ?? '')}`,
          );
      }
      if (values.json !== true) console.log(`Imported ${files.length - failed} of ${files.length} files.`);
      return failed === 0 ? 0 : 1;
    });
  },
};

type Post = (
  document: { readonly markdown: string; readonly title?: string } | { readonly bundle: JsonObject },
) => Promise<Readonly<Record<string, unknown>>>;

async function importOne(file: string, post: Post): Promise<Record<string, unknown>> {
  let bytes: Buffer;
  try {
    bytes = readFileSync(file);
  } catch (error) {
    return { ok: false, detail: `cannot be read: ${(error as Error).message}.` };
  }
  if (!isUtf8(bytes))
    return { ok: false, detail: 'is not valid UTF-8.', fix: 'Convert it and import it again.' };
  const markdown = bytes.toString('utf8');
  const bundle = bundleIn(markdown);
  if (bundle !== undefined) {
    const imported = await post({ bundle });
    return imported['ok'] === true
      ? summary(imported)
      : {
          ok: false,
          error: imported['error'],
          detail: imported['detail'],
          fix: imported['fix'],
          violations: imported['violations'],
        };
  }
  // A text without a title of its own is named by its file.
  const { titleIn } = await import('../../domain/articles/write-document.ts');
  const title = titleIn(markdown) !== '' ? {} : { title: basename(file).replace(/\.md$/i, '') };
  const body = await post({ markdown, ...title });
  return body['ok'] === true
    ? summary(body)
    : { ok: false, error: body['error'], detail: body['detail'], fix: body['fix'] };
}

/** The bundle that a text holds, without what only its transport added. */
function bundleIn(text: string): JsonObject | undefined {
  if (!text.trimStart().startsWith('{')) return undefined;
  try {
    const { ok: _ok, _self, ...bundle } = JSON.parse(text) as JsonObject;
    return bundle['bundle_version'] === undefined ? undefined : bundle;
  } catch {
    return undefined;
  }
}

function summary(body: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { slug, title, permalink, divs, receipt } = body as {
    slug: string;
    title: string;
    permalink: string;
    divs: readonly unknown[];
    receipt: { id: string };
  };
  return { ok: true, slug, title, permalink, divs: divs.length, receipt: receipt.id };
}
