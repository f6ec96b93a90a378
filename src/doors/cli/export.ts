/** `colophon export`: writes an article as a bundle that verifies on its own and can be imported elsewhere. */
import { writeFileSync } from 'node:fs';
import { type Command, readOptions, UsageError } from './command.ts';
import { urlOption, withOwner } from './owner-socket.ts';

export const exportCommand: Command = {
  name: 'export',
  what: 'Write articles as bundles.',
  usage: 'colophon export SLUG [SLUG ...] [--out FILE]',
  options: [
    ['--out FILE', 'Where to write; SLUG.bundle.json when left out, - for standard output. For one article.'],
    urlOption,
    ['--json', 'Print one JSON object an article.'],
  ],
  async run(argv, context) {
    const { values, positionals: slugs } = readOptions(argv, {
      out: { type: 'string' },
      url: { type: 'string' },
      json: { type: 'boolean' },
    });
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
