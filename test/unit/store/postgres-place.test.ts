/** What messages call a database (contract §0): no user, no password, no parameters. */
import { expect, test } from 'vitest';
import { placeOf } from '../../../src/store/postgres/hosts.ts';

test.each([
  ['postgres://ada:secret@db:5432/colophon?sslmode=require', 'postgres://db:5432/colophon'],
  ['postgresql://db/colophon', 'postgres://db/colophon'],
  ['postgres://ada:sec@ret@db/colophon', 'postgres://db/colophon'],
  ['postgres://ada:sec/ret@db/colophon', 'postgres://db/colophon'],
  ['postgres://ada:secret@one:5432,two:5433/colophon', 'postgres://one:5432,two:5433/colophon'],
])('%s is called %s', (url, place) => {
  expect(placeOf(url)).toBe(place);
});
