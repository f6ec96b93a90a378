/**
 * `colophon export`: writes articles as bundles that verify on their own and can be imported elsewhere, or all published
 * articles as a static site.
 */
import { writeFileSync } from 'node:fs';
import { type Command, readOptions, UsageError } from './command.ts';
import { urlOption, withOwner } from './owner-socket.ts';

export const exportCommand: Command = {
  name: 'export',
  what: 'Write articles as bundles, or the published ones as a static site.',
  usage: 'colophon export SLUG [SLUG ...] [--out FILE] | colophon export --site FOLDER [--address URL]',
  options: [
    ['--out FILE', 'Where to write; SLUG.bundle.json when left out, - for standard output. For one article.'],
    [
      '--site FOLDER',
      'Write the published articles as a static site that is read and verified offline. The folder must be new, empty, or an earlier export, which is replaced when the new one is complete.',
    ],
    ['--address URL', 'Where the site will be published; adds a feed and a site map to it.'],
    urlOption,
    ['--json', 'Print one JSON object an article.'],
  ],
  async run(argv, context) {
    const { values, positionals: slugs } = readOptions(argv, {
      out: { type: 'string' },
      site: { type: 'string' },
      address: { type: 'string' },
      url: { type: 'string' },
      json: { type: 'boolean' },
    });
    const { site: folder, address } = values;
    if (folder === undefined && address !== undefined) throw new UsageError('--address goes with --site.');
    if (folder !== undefined) {
      if (slugs.length > 0 || values.out !== undefined)
        throw new UsageError('--site writes all published articles, without slugs and --out.');
      const { exportSite } = await import('./export-site.ts');
      return withOwner(
        context,
        (owner) => exportSite(owner, { folder, address, isJson: values.json === true }),
        values.url,
      );
    }
    if (slugs.length === 0) throw new UsageError('it takes at least one slug.');
    if (values.out !== undefined && slugs.length > 1) throw new UsageError('--out goes with one article.');
    return withOwner(
      context,
      async (owner) => {
        let failed = 0;
        for (const slug of slugs) {
          const { status, body } = await owner.get(`/api/articles/${encodeURIComponent(slug)}/bundle`);
          if (status !== 200) {
            failed++;
            console.error(`${slug}: ${String(body['detail'])} ${String(body['fix'])}`);
            continue;
          }
          const { ok: _ok, _self, ...bundle } = body;
          const text = `${JSON.stringify(bundle)}\n`;
          const out = values.out ?? `${slug}.bundle.json`;
          if (out === '-') process.stdout.write(text);
          else writeFileSync(out, text);
          if (values.json === true)
            console.log(JSON.stringify({ ok: true, slug, file: out, bytes: Buffer.byteLength(text) }));
          else if (out !== '-') console.log(`${slug} -> ${out}`);
        }
        return failed === 0 ? 0 : 1;
      },
      values.url,
    );
  },
};
