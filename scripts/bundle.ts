/**
 * Bundles what browsers load into `dist/web/`: each module `web/<name>.ts` that a page names, the one stylesheet
 * `web/site.css`, and the icon. Each module is one file, so that a page asks for no more than it names; parts that
 * several modules import stand in folders below `web/` and are small. The server reads
 * the bundles with `src/doors/web/assets.ts`; source maps are not made, so none can be served.
 */
import { copyFileSync, globSync, mkdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('../', import.meta.url));
const out = `${root}dist/web`;

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });

const shared = { absWorkingDir: root, outdir: out, bundle: true, minify: true, logLevel: 'warning' } as const;

await Promise.all([
  build({
    ...shared,
    entryPoints: globSync('web/*.ts', { cwd: root }).sort(),
    format: 'esm',
    target: 'es2022',
    legalComments: 'none',
  }),
  build({ ...shared, entryPoints: ['web/site.css'] }),
]);
copyFileSync(`${root}web/mark.svg`, `${out}/mark.svg`);
