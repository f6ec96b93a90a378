/**
 * The prefilter of secret scrubbing: which families of secrets a text could hold at all. It looks only for the few
 * characters that nearly every secret format spells out (`ghp_`, `xoxb-`, `://user:`), so that clean text costs a
 * microsecond or two instead of a full rule set. It may name a family that is not there; it must never miss one
 * (contract §5 "Secrets").
 */
import { family, marks } from './secret-families.ts';

/** The shortest secret any rule knows is a Slack token of eight characters. */
const shortestSecret = 8;

/** What no other pattern covers. */
const words: readonly (readonly [word: string, family: number])[] = [
  ['dapi', family.databricks],
  ['Bearer', family.authorization],
  ['bearer', family.authorization],
  ['BEARER', family.authorization],
];

/** Found by their last characters, which prose holds few of: each mark, and what stands before a `:` or `=`. */
const found = new RegExp(
  [
    `[_.-](?<=(?:${Object.keys(marks)
      .map((mark) => RegExp.escape(mark))
      .join('|')}))`,
    '_(?<auth>authToken)',
    'I(?:(?<=A[KS]I)(?<id>A)|(?<=PRI)(?<key>VATE KEY)|(?<=AI)(?<google>za))',
    // A quotation mark may stand between, in a JSON text behind escapes.
    String.raw`[:=](?:(?<=(?<aws>[eE][yY])(?:\\*["'\x60])?\s*[:=])|(?<=(?<header>[zZ][^]{4}[nN])(?:\\*["'\x60])?\s*[:=]))`,
  ].join('|'),
  'g',
);
/** After `scheme://`: a password before an `@`. */
const password = /:\/\/[^/ \t-\r:]{0,600}:[^/ \t-\r]{0,600}@/;
const slackHook = /:\/\/hooks\.slack\.com/i;
const named: Readonly<Record<string, number>> = {
  auth: family.npm,
  id: family.awsId,
  key: family.privateKey,
  google: family.google,
  aws: family.aws,
  header: family.authorization,
};

/** The families that `text` could hold a secret of, as `family` bits; 0 says that it holds none. */
export function suspectedFamilies(text: string): number {
  if (text.length < shortestSecret) return 0;
  let bits = 0;
  for (const [word, bit] of words) if (text.includes(word)) bits |= bit;
  found.lastIndex = 0;
  for (let hit = found.exec(text); hit !== null; hit = found.exec(text)) {
    // One mark may end another: `vck_` and `ck_`.
    for (const mark in marks) if (text.endsWith(mark, hit.index + 1)) bits |= marks[mark] as number;
    for (const name in named) if (hit.groups?.[name] !== undefined) bits |= named[name] as number;
  }
  if (text.includes('://')) {
    if (password.test(text)) bits |= family.url;
    if (slackHook.test(text)) bits |= family.slack;
  }
  return bits;
}
