import { statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { databaseName } from '../../src/store/sqlite/ddl.ts';
import { flip } from './damage.ts';
import { makeLedger, problemsOf, query, type MadeLedger } from './ledger.ts';
import { seededRandom } from './random.ts';

const seed = Number(process.env['COLOPHON_SEED'] ?? '20261121');
const flips = Number(process.env['COLOPHON_FLIPS'] ?? '80');

let ledger: MadeLedger;

beforeAll(async () => {
  ledger = await makeLedger();
});

afterAll(() => {
  ledger.end();
});

/** Every row of every table, as the database gives them. */
function dump(folder: string): string {
  const tables = (
    query(folder, "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name") as { name: string }[]
  ).map(({ name }) => name);
  return JSON.stringify(
    tables.map((name) => [name, query(folder, `SELECT * FROM "${name}"`)]),
    (_key, value: unknown) => (value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value),
  );
}

/** By entry, by table and row, by table and page, or by the one thing that there is only one of. */
const named =
  /^entry -?\d+: |^content row |^tile \d+\/\d+ |^keyring row |^projection \w+[,:] |[Pp]age \d+|table \w+|table or index \w+|index \w+|order for \w+|in (?:\w+)\.\w+|the checkpoint |the database file is damaged: (?:file is not a database|malformed database schema|no such)/;

describe('random bit flips in the database file', () => {
  it(
    'are detected, or change nothing that a stored value depends on',
    async () => {
      const random = seededRandom(seed);
      const sound = dump(ledger.folder);
      const path = join(ledger.copy(), databaseName);
      const folder = join(path, '..');
      const bytes = statSync(path).size;
      const tally = { found: 0, inFreeSpace: 0 };
      const missed: string[] = [];
      const unnamed: string[] = [];
      for (let i = 0; i < flips; i++) {
        const at = Math.floor(random() * bytes);
        const bit = 1 << Math.floor(random() * 8);
        const undo = flip(path, at, bit);
        const problems = await problemsOf(folder);
        if (problems.length > 0) {
          tally.found++;
          if (!problems.some((problem) => named.test(problem)))
            unnamed.push(`byte ${at}, bit ${bit}: ${problems.join('; ')}`);
        } else if (dump(folder) === sound) tally.inFreeSpace++;
        else missed.push(`byte ${at}, bit ${bit}`);
        undo();
      }
      console.log(
        `seed ${seed}: ${tally.found} of ${flips} flips found, ${tally.inFreeSpace} in space that holds no value`,
      );
      expect(missed).toEqual([]);
      expect(unnamed).toEqual([]);
      expect(tally.found).toBeGreaterThan(flips / 4);
      expect(await problemsOf(folder)).toEqual([]);
    },
    60_000 + flips * 600,
  );
});
