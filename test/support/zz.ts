import { startPostgres } from './postgres.ts';
import { openPostgres } from '../../src/store/postgres/store.ts';
import { sign, logged } from './stores.ts';
import { act, append, committed, tallySchema } from '../contract/tally.ts';
import { writes } from '../../src/engine/act.ts';
const s = await startPostgres();
try {
const url = await s.database();
const store = await openPostgres({ url, schema: tallySchema, sign });
let t = performance.now(); const lap = (n: string) => { console.log(n, Math.round(performance.now() - t)); t = performance.now(); };
await committed(store, act([writes('tally','x')], (tx) => { const a = performance.now(); for (let i = 0; i < 4500; i++) append(tx, 'x', { value: i }); console.log('decide', performance.now()-a); }));
lap('run'); await logged(store, 4500); lap('logged');
await store.read.entries(0, 2000); lap('entries');
await store.read.entries(2000, 2000); lap('entries');
await store.read.entries(4000, 2000); lap('entries');
await store.close();
} finally { await s.stop(); }
process.exit();
