import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fillBody, fillUrl, templateProblem } from '../../../src/domain/directory/url-template.ts';
import { isFault } from '../../../src/kernel/fault.ts';

const template = 'https://api.example.org/v1/$1/items?q=$2&sort=asc';

describe('the template of an http row', () => {
  it.each([
    ['http://$1.example.org/', 'the host of url holds a placeholder, a user name or a blank'],
    ['https://example.org:$1/', 'the host of url holds a placeholder, a user name or a blank'],
    ['https://user@example.org/', 'the host of url holds a placeholder, a user name or a blank'],
    ['$1://example.org/', 'url is no absolute http or https URL with a host, or it has a fragment'],
    ['https://example.org?q=$1', 'url is no absolute http or https URL with a host, or it has a fragment'],
    ['https://example.org/#$1', 'url is no absolute http or https URL with a host, or it has a fragment'],
    ['ftp://example.org/$1', 'url is no absolute http or https URL with a host, or it has a fragment'],
    ['https://exa mple.org/', 'the host of url holds a placeholder, a user name or a blank'],
    ['https://example.org/a\\b', 'url holds a blank or a backslash'],
    ['https://example.org/$3', 'url names $3, and the row has 2 arguments'],
  ])('is refused as %s', (url, problem) => {
    expect(templateProblem(url, 2)).toBe(problem);
  });

  it('fills path and query with encoded arguments; a missing one is empty', () => {
    expect(templateProblem(template, 2)).toBeUndefined();
    expect(fillUrl(template, ['a b/c', 'x&y=1#z'])).toBe(
      'https://api.example.org/v1/a%20b%2Fc/items?q=x%26y%3D1%23z&sort=asc',
    );
    expect(fillUrl(template, ['a', undefined])).toBe('https://api.example.org/v1/a/items?q=&sort=asc');
  });

  it.each(['..', '.'])('does not leave its path with %s', (value) => {
    const filled = fillUrl(template, [value, '']);
    expect(isFault(filled) && filled.fault).toBe('body_mismatch');
  });

  it('never leaves its host, its path or its query, whatever the arguments are', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (a, b) => {
        const filled = fillUrl(template, [a.toWellFormed(), b.toWellFormed()]);
        if (isFault(filled)) return ['.', '..'].includes(a);
        const url = new URL(filled);
        return (
          url.origin === 'https://api.example.org' &&
          url.pathname.split('/').length === 4 &&
          url.searchParams.get('q') === b &&
          url.searchParams.get('sort') === 'asc' &&
          [...url.searchParams].length === 2
        );
      }),
    );
  });

  it('fills strings of a JSON body and never changes its shape', () => {
    const filled = fillBody({ text: 'say $1', more: ['$2', 3, { deep: '$1$1' }] }, ['"},{"x":1', 'b']);
    expect(filled).toEqual({ text: 'say "},{"x":1', more: ['b', 3, { deep: '"},{"x":1"},{"x":1' }] });
  });
});
