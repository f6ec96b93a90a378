/** What targets that are queued must keep (contract §7, spec §2.12): every breach at once, each with its place. */
import { captureTimeFix, isCaptureTime } from '../articles/claim-rules.ts';
import { checkSlug, slugFrom, slugIn } from '../articles/slugs.ts';
import { visibleTextRules } from '../text-rules.ts';
import { type PartialInput, type Violation, violation } from '../violations.ts';
import { isOneOf, slots } from '../../model/vocabulary.ts';
import { sha256Hex } from '../../kernel/hash.ts';

export const nameShape = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

export const idCharsMax = 38;

export interface TargetInput {
  readonly id?: string | undefined;
  readonly name: string;
  readonly repository?: string | undefined;
  readonly url?: string | undefined;
  readonly rank?: number | undefined;
  readonly axis?: string | undefined;
  readonly slot?: string | undefined;
}

export interface QueueInput {
  readonly cohort: string;
  readonly query: string;
  readonly sort?: string | undefined;
  readonly captured_at: string;
  readonly source_url?: string | undefined;
  readonly targets: readonly TargetInput[];
  /** Whether contributors may lease from the cohort; the owner's to say. */
  readonly open?: boolean | undefined;
}

/** Slug of the article that holds what is found about a target. */
export function targetArticle(workspace: string, cohort: string, id: string): string {
  return slugIn(workspace, `${cohort}-${id}`);
}

export function targetId({ id, name }: TargetInput): string {
  return (
    id ??
    slugFrom(name, `target-${sha256Hex(name.trim()).slice(0, 8)}`)
      .slice(0, idCharsMax)
      .replace(/-+$/, '')
  );
}

/** What the targets of one call break by themselves, whatever the cohort holds. */
export function queueRules(input: PartialInput<QueueInput>): Violation[] {
  const { cohort, targets } = input;
  return [
    ...lintSelection(input),
    ...(targets?.length === 0 && input.open === undefined
      ? [violation('missing', '/targets', 'No target is named.', 'Send at least one target, or open.')]
      : []),
    ...(targets ?? []).flatMap((target, i) =>
      target === null ? [] : lintTarget(target, `/targets/${i}`, cohort ?? '', ''),
    ),
  ];
}

export function lintSelection(input: PartialInput<QueueInput>): Violation[] {
  const found: Violation[] = [];
  const say = (code: string, at: string, message: string, fix: string): void =>
    void found.push(violation(code, at, message, fix));
  if (typeof input.cohort === 'string' && !nameShape.test(input.cohort))
    say('cohort', '/cohort', 'The cohort is no name of a-z, 0-9 and single hyphens.', 'Name it as a slug.');
  if (input.query?.trim() === '')
    say('query', '/query', 'Nothing says how the targets were found.', 'Say what was asked, and where.');
  if (typeof input.captured_at === 'string' && !isCaptureTime(input.captured_at))
    say('captured_at', '/captured_at', 'captured_at is no time.', captureTimeFix);
  if (typeof input.source_url === 'string' && !isWebAddress(input.source_url))
    say('source_url', '/source_url', 'source_url is no http(s) address.', 'Give the page that lists them.');
  return found;
}

export function lintTarget(
  given: PartialInput<TargetInput>,
  at: string,
  cohort: string,
  workspace: string,
): Violation[] {
  const found: Violation[] = [];
  const say = (code: string, member: string, message: string, fix: string): void =>
    void found.push(violation(code, `${at}/${member}`, message, fix));
  const { repository, url, id, name: called, slot } = given;
  const name = called?.trim();
  if (name === '' || /[\p{Cc}\u2028\u2029]/u.test(name ?? ''))
    say('name', 'name', 'The name is empty or has control characters.', 'Give the name in one line.');
  if (typeof id === 'string' && !nameShape.test(id))
    say('id', 'id', `"${id}" is no id of a-z, 0-9 and single hyphens.`, 'Use such an id, or leave it out.');
  else if (
    found.length === 0 &&
    nameShape.test(cohort) &&
    typeof called === 'string' &&
    id !== null &&
    checkSlug(targetArticle(workspace, cohort, targetId({ name: called, id })), workspace) !== undefined
  )
    say(
      'id',
      id === undefined ? 'name' : 'id',
      'Its article would have no valid slug.',
      'Send a shorter id.',
    );
  if (typeof repository === 'string' && !isRepository(repository))
    say(
      'repository',
      'repository',
      'It is neither an http(s) address nor owner/name.',
      'Give one of the two.',
    );
  if (typeof url === 'string' && !isWebAddress(url))
    say('url', 'url', 'It is no http(s) address.', 'Give the address of the target.');
  if (typeof slot === 'string' && !isOneOf(slots, slot))
    say('slot', 'slot', `"${slot}" is no constitution slot.`, `Use one of ${slots.join(', ')}.`);
  return [...found, ...visibleTextRules({ name: called, axis: given.axis }, at)];
}

function isWebAddress(text: string): boolean {
  const url = URL.parse(text.trim());
  return url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
}

function isRepository(text: string): boolean {
  return isWebAddress(text) || /^[\w.-]{1,100}\/[\w.-]{1,100}$/.test(text.trim());
}
