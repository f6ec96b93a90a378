/**
 * Answers are typed by their schemas: `npm run types` refuses a member that is renamed, missing or too many. Each line
 * behind `@ts-expect-error` must not compile; where one does, the compiler reports the comment as unused.
 */
import { expect, it } from 'vitest';
import { defineRead } from '../../src/app/reads/define-read.ts';
import type { ClaimView as View } from '../../src/model/claim.ts';
import { ClaimView } from '../../src/model/claim.ts';
import { ClaimList } from '../../src/model/standing-claims.ts';
import { exactly, type Answer } from '../../src/model/exact.ts';

declare const view: View;
declare const list: Answer<typeof ClaimList>;
const never = (): boolean => false;

it('refuses to compile a claim with a renamed, missing or further member', () => {
  expect(ClaimView.required).toContain('permalink');
  if (never()) {
    const { permalink, ...missing } = view;
    exactly(ClaimView, view);
    exactly(ClaimView, { ...missing, permalink });
    // @ts-expect-error a renamed member
    exactly(ClaimView, { ...missing, link: permalink });
    // @ts-expect-error a missing member
    exactly(ClaimView, missing);
    // @ts-expect-error a further member
    exactly(ClaimView, { ...view, note: '' });
    // @ts-expect-error a further member of an object in it
    exactly(ClaimView, { ...view, posted_by: { ...view.posted_by, name: '' } });
    // @ts-expect-error a further member of an object whose members are all optional
    exactly(ClaimView, { ...view, extra: { ...view.extra, note: '' } });
    // @ts-expect-error a value that is none of those the schema names
    exactly(ClaimView, { ...view, status: 'gone' });
  }
});

it('refuses to compile a read whose answer has a renamed, missing or further member', () => {
  expect(ClaimList.required).toContain('thread_head');
  if (never()) {
    const { thread_head: head, ...missing } = list;
    defineRead(ClaimList, async () => list);
    defineRead(ClaimList, async () => ({ ...missing, thread_head: head }));
    // @ts-expect-error a renamed member
    defineRead(ClaimList, async () => ({ ...missing, head }));
    // @ts-expect-error a missing member
    defineRead(ClaimList, async () => missing);
    // @ts-expect-error a further member
    defineRead(ClaimList, async () => ({ ...list, note: '' }));
    // @ts-expect-error a further member in a list
    defineRead(ClaimList, async () => ({
      ...list,
      claims: list.claims.map((claim) => ({ ...claim, n: 1 })),
    }));
  }
});
