/**
 * Bundles what browsers load into `dist/web/`: each module `web/<name>.ts` that a page names, the one stylesheet
 * `web/site.css`, and the icon. Each module is one file, so that a page asks for no more than it names; parts that
 * several modules import stand in folders below `web/` and are small. The server reads
 * the bundles with `src/doors/web/assets.ts`; source maps are not made, so none can be served.
 *
 * `dist/web/static/` has what pages of a static site load, which are opened as files: classic scripts in place of modules,
 * among them the renderer of articles, which verification compares the words on the page with.
 */
import { copyFileSync, globSync, mkdirSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build, type Plugin } from 'esbuild';
import { highlightedLanguages } from '../src/represent/article-html-code.ts';

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

/** Modules of Node that the renderer names, as far as it uses them in a browser. */
const nodeModules: Readonly<Record<string, string>> = {
  'node:buffer': 'export const isUtf8 = undefined;',
  'node:timers/promises': 'export const setImmediate = () => new Promise((done) => setTimeout(done));',
  'node:module': requiring([
    'temml',
    'highlight.js/lib/common',
    ...highlightedLanguages.map((name) => `highlight.js/lib/languages/${name}`),
  ]),
};

/** `createRequire` over packages that are bundled. */
function requiring(names: readonly string[]): string {
  return [
    ...names.map((name, i) => `import m${i} from '${name}';`),
    `const modules = { ${names.map((name, i) => `'${name}': m${i}`).join(', ')} };`,
    'export const createRequire = () => (name) => modules[name];',
  ].join('\n');
}

const forBrowsers: Plugin = {
  name: 'node-modules-for-browsers',
  setup(building) {
    building.onResolve({ filter: /^node:/ }, ({ path }) => ({ path, namespace: 'node' }));
    building.onLoad({ filter: /.*/, namespace: 'node' }, ({ path }) => {
      const contents = nodeModules[path];
      return contents === undefined
        ? { errors: [{ text: `${path} has no counterpart in browsers` }] }
        : { contents, resolveDir: root };
    });
  },
};

await build({
  ...shared,
  outdir: `${out}/static`,
  entryPoints: ['web/static/reading.ts', 'web/static/verify.ts'],
  format: 'iife',
  platform: 'browser',
  target: 'es2022',
  legalComments: 'none',
  plugins: [forBrowsers],
  // Modules know their address, scripts only while they are loaded.
  define: { 'import.meta.url': 'colophonScript' },
  banner: { js: 'var colophonScript = document.currentScript.src;' },
});
for (const file of ['site.css', 'mark.svg']) copyFileSync(`${out}/${file}`, `${out}/static/${file}`);
