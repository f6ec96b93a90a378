import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));
const cruiser = join(root, 'node_modules/dependency-cruiser/bin/dependency-cruiser.mjs');
const config = join(root, '.dependency-cruiser.mjs');

interface Cruise {
  readonly summary: {
    readonly totalCruised: number;
    readonly violations: readonly {
      readonly rule: { name: string };
      readonly from: string;
      readonly to: string;
    }[];
  };
}

/** What dependency-cruiser finds wrong in `src`, `verify` and `web` of a folder, one line each: `rule: from -> to`. */
function cruise(folder: string): { modules: number; wrong: string[] } {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [cruiser, '--config', config, '--output-type', 'json', 'src', 'verify', 'web'],
    { cwd: folder, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 },
  );
  if (!stdout.startsWith('{')) throw new Error(`dependency-cruiser gave no answer: ${stderr}${stdout}`);
  const { summary } = JSON.parse(stdout) as Cruise;
  const wrong = summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`);
  return { modules: summary.totalCruised, wrong: wrong.toSorted() };
}

/** A small example tree: each file exports its name, and imports what is listed. */
const validTree: Readonly<Record<string, readonly string[]>> = {
  'src/kernel/json.ts': ['node:buffer', './fault.ts'],
  'src/kernel/fault.ts': [],
  'src/ledger/entry.ts': ['node:crypto', '../kernel/json.ts'],
  'src/engine/store.ts': ['../kernel/json.ts', '../ledger/entry.ts'],
  'src/store/sqlite/kind.ts': ['./store.ts', '../../engine/store.ts'],
  'src/store/sqlite/store.ts': ['node:sqlite', 'node:fs', '../../engine/store.ts', '../../ledger/entry.ts'],
  'src/store/postgres/store.ts': ['pg', '../../engine/store.ts'],
  'src/model/claim.ts': ['../kernel/json.ts'],
  'src/domain/articles/divide.ts': ['../../kernel/json.ts', '../../model/claim.ts', '../../engine/store.ts'],
  'src/rows/mirror.ts': ['../domain/articles/divide.ts', '../model/claim.ts', '../kernel/json.ts'],
  'src/represent/page.tsx': ['../domain/articles/divide.ts', '../model/claim.ts'],
  'src/guard/egress.ts': ['node:net', '../kernel/json.ts'],
  'src/app/pipeline/dispatch.ts': [
    '../../rows/mirror.ts',
    '../../represent/page.tsx',
    '../../guard/egress.ts',
    '../../engine/store.ts',
  ],
  'src/doors/server.ts': ['fastify', 'node:http', '../app/pipeline/dispatch.ts', '../represent/page.tsx'],
  'src/config.ts': ['node:path', './guard/egress.ts'],
  'src/deployment/start.ts': ['node:fs', '../config.ts', '../engine/store.ts', '../doors/server.ts'],
  'src/compose.ts': ['./config.ts', './store/sqlite/kind.ts', './deployment/start.ts'],
  'verify/chain.ts': [],
  'verify/cli.ts': ['node:fs', './chain.ts'],
  'verify/index.ts': ['./chain.ts'],
  'web/site/toast.ts': [],
  'web/editor/code.ts': ['editor-kit'],
  'web/editor.ts': ['./editor/code.ts', './site/toast.ts'],
  'web/verify.ts': ['../verify/index.ts'],
};

const packageJson = {
  name: 'example-tree',
  type: 'module',
  dependencies: { fastify: '1.0.0', pg: '1.0.0' },
  devDependencies: { vitest: '1.0.0', 'editor-kit': '1.0.0' },
};

const folders: string[] = [];

function build(extra: Readonly<Record<string, readonly string[]>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'rooms-'));
  folders.push(folder);
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  };
  write('package.json', JSON.stringify(packageJson));
  for (const name of ['fastify', 'pg', 'vitest', 'editor-kit', 'stray']) {
    write(`node_modules/${name}/package.json`, JSON.stringify({ name, version: '1.0.0', main: 'index.js' }));
    write(`node_modules/${name}/index.js`, 'module.exports = {};');
  }
  const files = { ...validTree };
  for (const [path, imports] of Object.entries(extra)) files[path] = [...(files[path] ?? []), ...imports];
  for (const [path, imports] of Object.entries(files)) {
    const lines = imports.map((name, i) => {
      return name.startsWith('type ')
        ? `import type * as T${i} from '${name.slice(5)}';`
        : `import * as v${i} from '${name}';`;
    });
    const uses = imports.flatMap((name, i) => (name.startsWith('type ') ? [] : [`v${i}`]));
    const markup = path.endsWith('.tsx')
      ? 'export const view = <p class="import">import me from "nowhere"</p>;'
      : '';
    write(
      path,
      [...lines, `export const used: readonly unknown[] = [${uses.join(', ')}];`, markup, ''].join('\n'),
    );
  }
  return folder;
}

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

describe('the architecture rules', () => {
  it('find no violation in this repository', () => {
    const { modules, wrong } = cruise(root);
    const sources = ['src', 'verify', 'web']
      .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }))
      .filter((name) => /\.tsx?$/.test(name));
    expect(wrong).toEqual([]);
    // A cruise that understands no TypeScript would find nothing wrong either.
    expect(modules).toBeGreaterThanOrEqual(sources.length);
  });

  it('accept a small tree that follows them', () => {
    const { modules, wrong } = cruise(build());
    expect(wrong).toEqual([]);
    expect(modules).toBeGreaterThanOrEqual(24);
  });
});

describe('a forbidden import', () => {
  const wrongImports: Readonly<Record<string, readonly string[]>> = {
    'src/kernel/hash.ts': ['../ledger/entry.ts'],
    'src/ledger/log.ts': ['type ../domain/articles/divide.ts', 'node:http'],
    'src/model/source.ts': ['type ../domain/articles/divide.ts', 'node:fs'],
    'src/engine/queue.ts': ['../store/sqlite/store.ts'],
    'src/store/sqlite/tables.ts': ['../../domain/articles/divide.ts'],
    'src/domain/articles/clock.ts': ['fastify', 'node:fs', '../../rows/mirror.ts'],
    'src/domain/articles/one.ts': ['./two.ts'],
    'src/domain/articles/two.ts': ['./one.ts'],
    'src/domain/mirror/one.ts': ['./two.ts'],
    'src/domain/mirror/two.ts': ['type ./one.ts'],
    'src/rows/effect.ts': ['../ledger/entry.ts', '../engine/store.ts'],
    'src/represent/syndication.ts': ['type ../app/pipeline/dispatch.ts', 'pg'],
    'src/guard/limits.ts': ['../domain/articles/divide.ts'],
    'src/app/reads/syndication.ts': ['type ../pipeline/dispatch.ts'],
    'src/app/plans/say.ts': ['type ../pipeline/dispatch.ts'],
    'src/app/save.ts': ['../store/sqlite/store.ts', 'node:sqlite', '../doors/server.ts'],
    'src/doors/http/test-helper.ts': ['vitest', 'stray', './gone.ts'],
    'src/deployment/audit.ts': ['../store/sqlite/kind.ts', '../compose.ts', 'fastify'],
    'src/compose.ts': ['./store/postgres/store.ts'],
    'src/attic/old.ts': [],
    'src/main.ts': ['./store/sqlite/store.ts', './attic/old.ts'],
    'web/waiting.ts': ['./editor.ts', '../verify/chain.ts', '../src/kernel/json.ts', 'node:fs', 'editor-kit'],
    'verify/proof.ts': ['../src/kernel/json.ts', 'pg', 'node:crypto'],
  };
  let wrong: readonly string[];

  beforeAll(() => {
    // Imports that point upwards also close cycles of folders; those have a test of their own.
    ({ wrong } = cruise(build(wrongImports)));
    wrong = wrong.filter((line) => !line.startsWith('no-folder-cycle:'));
  });

  it.each([
    ['upwards out of the kernel', 'room-kernel: src/kernel/hash.ts -> src/ledger/entry.ts'],
    ['of a type alone, upwards', 'room-ledger: src/ledger/log.ts -> src/domain/articles/divide.ts'],
    ['of HTTP into a pure room', 'pure-rooms: src/ledger/log.ts -> http'],
    ['of the domain into the model', 'room-model: src/model/source.ts -> src/domain/articles/divide.ts'],
    ['of the file system into the model', 'pure-rooms: src/model/source.ts -> fs'],
    ['of an adapter into the engine', 'room-engine: src/engine/queue.ts -> src/store/sqlite/store.ts'],
    [
      'of the domain into an adapter',
      'room-store: src/store/sqlite/tables.ts -> src/domain/articles/divide.ts',
    ],
    ['of the file system into the domain', 'pure-rooms: src/domain/articles/clock.ts -> fs'],
    [
      'of the web framework into the domain',
      'http-in-doors: src/domain/articles/clock.ts -> node_modules/fastify/index.js',
    ],
    ['of a row into the domain', 'room-domain: src/domain/articles/clock.ts -> src/rows/mirror.ts'],
    ['in a cycle', 'no-circular: src/domain/articles/one.ts -> src/domain/articles/two.ts'],
    ['in a cycle of types', 'no-circular: src/domain/mirror/one.ts -> src/domain/mirror/two.ts'],
    ['of the ledger into a row', 'room-rows: src/rows/effect.ts -> src/ledger/entry.ts'],
    ['of the engine into a row', 'room-rows: src/rows/effect.ts -> src/engine/store.ts'],
    [
      'of an act into a representation',
      'room-represent: src/represent/syndication.ts -> src/app/pipeline/dispatch.ts',
    ],
    [
      'of the database driver outside the store',
      'database-in-store: src/represent/syndication.ts -> node_modules/pg/index.js',
    ],
    ['of the domain into a guard', 'room-guard: src/guard/limits.ts -> src/domain/articles/divide.ts'],
    [
      'of an act into a read',
      'reads-do-not-act: src/app/reads/syndication.ts -> src/app/pipeline/dispatch.ts',
    ],
    ['of a step into a plan', 'plans-below-pipeline: src/app/plans/say.ts -> src/app/pipeline/dispatch.ts'],
    ['of a store past compose.ts', 'store-behind-compose: src/app/save.ts -> src/store/sqlite/store.ts'],
    ['of SQLite outside the store', 'database-in-store: src/app/save.ts -> node:sqlite'],
    ['of a door into app', 'room-app: src/app/save.ts -> src/doors/server.ts'],
    [
      'of a development dependency',
      'no-dev-dependency: src/doors/http/test-helper.ts -> node_modules/vitest/index.js',
    ],
    [
      'of a package that is not listed',
      'no-unlisted-package: src/doors/http/test-helper.ts -> node_modules/stray/index.js',
    ],
    ['of a file that is not there', 'no-unresolvable: src/doors/http/test-helper.ts -> ./gone.ts'],
    ['of a folder that is not a known room', 'known-rooms: src/main.ts -> src/attic/old.ts'],
    [
      'of a store into a deployment',
      'store-behind-compose: src/deployment/audit.ts -> src/store/sqlite/kind.ts',
    ],
    ['of compose.ts into a deployment', 'room-deployment: src/deployment/audit.ts -> src/compose.ts'],
    [
      'of the web framework into a deployment',
      'http-in-doors: src/deployment/audit.ts -> node_modules/fastify/index.js',
    ],
    [
      'of a part of a store into compose.ts',
      'store-by-its-kind: src/compose.ts -> src/store/postgres/store.ts',
    ],
    [
      'of a store into a file beside compose.ts',
      'store-behind-compose: src/main.ts -> src/store/sqlite/store.ts',
    ],
    ['of the service into the verifier', 'verify-stands-alone: verify/proof.ts -> src/kernel/json.ts'],
    ['of a package into the verifier', 'verify-stands-alone: verify/proof.ts -> node_modules/pg/index.js'],
    ['of the service into a page', 'web-runs-in-a-browser: web/waiting.ts -> src/kernel/json.ts'],
    ['of Node.js into a page', 'web-runs-in-a-browser: web/waiting.ts -> fs'],
    ['of a part of the verifier into a page', 'web-verifies-by-its-index: web/waiting.ts -> verify/chain.ts'],
    [
      'of a package into a page without an editor',
      'web-packages-in-editor: web/waiting.ts -> node_modules/editor-kit/index.js',
    ],
    ['of the module of one page into another', 'web-parts-in-folders: web/waiting.ts -> web/editor.ts'],
    ['of Node.js into code that a browser runs', 'verify-runs-in-a-browser: verify/proof.ts -> crypto'],
  ])('%s is reported', (_what, line) => {
    expect(wrong).toContain(line);
  });

  it('is the only violation that is reported', () => {
    const files = new Set(wrong.map((line) => line.replace(/^.*?: (\S+) -> .*$/, '$1')));
    expect([...files].filter((file) => !Object.hasOwn(wrongImports, file))).toEqual([]);
    expect(wrong).toHaveLength(43);
  });
});

describe('folders that import each other', () => {
  it('are reported even where no files form a cycle, also for type imports', () => {
    const { wrong } = cruise(
      build({
        'src/app/reads/events.ts': ['type ../credentials/key.ts'],
        'src/app/reads/page.ts': [],
        'src/app/credentials/key.ts': [],
        'src/app/credentials/enter.ts': ['../reads/page.ts'],
      }),
    );
    expect(wrong).toEqual([
      'no-folder-cycle: src/app/credentials -> src/app/reads',
      'no-folder-cycle: src/app/reads -> src/app/credentials',
    ]);
  });
});
