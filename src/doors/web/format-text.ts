/** Formats times, numbers and actors as text; acts are in `plain-words.ts`. */

const date = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', dateStyle: 'long' });
const clock = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', timeStyle: 'medium' });

/** `21 November 2026, 00:22:40 UTC`, or the date alone if there is no time; invalid times are returned unchanged. */
export function timeText(iso: string): string {
  const ms = Date.parse(iso);
  if (/^\d{4}-\d\d-\d\d$/.test(iso)) return dateText(iso);
  return Number.isNaN(ms) ? iso : `${date.format(ms)}, ${clock.format(ms)} UTC`;
}

const briefDate = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', dateStyle: 'medium' });

/** `21 Nov 2026, 00:22:40`, without the time zone. */
export function briefTimeText(iso: string): string {
  const ms = Date.parse(iso);
  return `${briefDate.format(ms)}, ${clock.format(ms)}`;
}

/** `21 November 2026`. */
export function dateText(iso: string): string {
  const ms = Date.parse(iso);
  return Number.isNaN(ms) ? iso : date.format(ms);
}

/** `1 entry`, `1,204 entries`. */
export function countText(n: number, one: string, many = `${one}s`): string {
  return `${n.toLocaleString('en-GB')} ${n === 1 ? one : many}`;
}

const actors: Readonly<Record<string, string>> = {
  owner: 'the owner',
  anonymous: 'an anonymous caller',
  system: 'the system',
};

export function actorText(actor: string): string {
  return actors[actor] ?? actor;
}

const chinese = /\p{Script=Han}/gu;
const kana = /[\p{Script=Hiragana}\p{Script=Katakana}]/gu;
const hangul = /\p{Script=Hangul}/gu;
/** Frequent characters that only one of the two ways of writing Chinese has. */
const traditional = /[這個們來國說時會對學為發經點關過還進開無與後實當問長]/gu;
const simplified = /[这个们来国说时会对学为发经点关过还进开无与后实当问长]/gu;

/**
 * The language of a text: what its front matter names (`lang: ja`), or a guess from its script, by which browsers
 * select Han glyphs. Examines the first 4,000 characters; undefined for other scripts.
 */
export function languageOf(text: string): string | undefined {
  const sample = text.slice(0, 4000);
  const named =
    /^\uFEFF?---\r?\n(?:(?!---\r?\n)[^\n]*\n)*?lang(?:uage)?: *["']?([A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,3})["']? *\r?\n/.exec(
      sample,
    )?.[1];
  if (named !== undefined) return named;
  const count = (script: RegExp): number => sample.match(script)?.length ?? 0;
  const share = (script: RegExp): number => count(script) / Math.max(1, sample.length);
  if (share(hangul) > 0.1) return 'ko';
  if (share(kana) > 0.05) return 'ja';
  if (share(chinese) <= 0.1) return undefined;
  return count(traditional) > count(simplified) ? 'zh-Hant' : 'zh';
}

/** The notice after a write whose text contained secrets. */
export function scrubbedText(scrubbed: readonly { readonly kind: string; readonly count: number }[]): string {
  const count = scrubbed.reduce((sum, each) => sum + each.count, 0);
  const kinds = [...new Set(scrubbed.map(({ kind }) => kind))].join(', ');
  return `${count === 1 ? 'One secret was' : `${count} secrets were`} taken out of what you sent before it was stored (${kinds}); a marker stands in ${count === 1 ? 'its' : 'their'} place.`;
}
