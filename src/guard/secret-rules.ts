/**
 * The rules that decide what is a secret, and where it lies: the recommended preset of secretlint, called
 * directly and synchronously, and our own (`own-rules.ts`) for what it leaves out. The text is written by
 * strangers: its `secretlint-disable` comments count for nothing, and what would make the preset's regular
 * expressions backtrack for seconds is taken out first (contract §5 "Secrets").
 */
import { rules as presetRules } from '@secretlint/secretlint-rule-preset-recommend';
import { findByOwnRules } from './own-rules.ts';
import { family, markPattern } from './secret-families.ts';
import { add, redactionMarker, tokenAsUser, type Span } from './secret-span.ts';

interface Report {
  readonly message: string;
  readonly range: readonly [number, number];
}

interface PresetRule {
  readonly meta: { readonly id: string };
  create(
    context: {
      createTranslator(): (id: string, properties: Readonly<Record<string, string>>) => string;
      report(report: Report): void;
    },
    options: object,
  ): { file(source: { readonly content: string; readonly filePath: undefined; readonly ext: '' }): unknown };
}

interface LoadedRule {
  readonly bit: number;
  readonly kind: string;
  scan(text: string): void;
}

/**
 * The marks of each rule of the preset; `undefined` leaves the rule out. `gcp` judges whole files by their
 * extension, and the key inside such a file is found as a private key; `filter-comments` lets a text switch
 * the other rules off.
 */
const presetFamilies: Readonly<Record<string, number | undefined>> = {
  '1password': family.onePassword,
  anthropic: family.anthropic,
  aws: family.aws,
  basicauth: family.url,
  cloudflare: family.cloudflare,
  'database-connection-string': family.url,
  databricks: family.databricks,
  docker: family.docker,
  figma: family.figma,
  'filter-comments': undefined,
  gcp: undefined,
  github: family.github,
  gitlab: family.gitlab,
  grafana: family.grafana,
  groq: family.groq,
  'hashicorp-vault': family.vault,
  huggingface: family.huggingface,
  linear: family.linear,
  notion: family.notion,
  npm: family.npm,
  openai: family.openai,
  privatekey: family.privateKey,
  sendgrid: family.sendgrid,
  shopify: family.shopify,
  slack: family.slack,
  stripe: family.stripe,
  tailscale: family.tailscale,
  vercel: family.vercel,
};

/** What the rule that runs just now has reported: scanning is synchronous, so one list serves all rules. */
let reported: Report[] = [];

const loadedRules = (presetRules as readonly PresetRule[]).flatMap(load);

function load(rule: PresetRule): LoadedRule[] {
  const kind = rule.meta.id.replace('@secretlint/secretlint-rule-', '');
  if (!Object.hasOwn(presetFamilies, kind)) throw new Error(`the secretlint rule ${kind} has no marks`);
  const bit = presetFamilies[kind];
  if (bit === undefined) return [];
  // The matched secret is the only member of the message's properties that is not a label.
  const scanner = rule.create(
    {
      createTranslator:
        () =>
        (_id, { typeName: _label, ...properties }) =>
          Object.values(properties)[0] ?? '',
      report: (report) => reported.push(report),
    },
    {},
  );
  return [{ bit, kind, scan: (content) => void scanner.file({ content, filePath: undefined, ext: '' }) }];
}

/** The secrets in `text` of the families in `bits`, in no particular order; they may overlap. */
export function findSecrets(text: string, bits: number): Span[] {
  const spans: Span[] = [];
  const readable = withoutFloods(text, spans);
  scan(readable, bits, spans);
  // In a JSON text inside a string the line break before a token is `\n`, whose letter hides where it begins.
  const unescaped = readable.replaceAll(/\\[nrt]/g, '  ');
  if (unescaped !== readable) scan(unescaped, bits, spans);
  return spans.filter(({ start, end }) => text.slice(start, end) !== redactionMarker);
}

function scan(text: string, bits: number, spans: Span[]): void {
  for (const rule of loadedRules) {
    if ((rule.bit & bits) !== 0) preset(rule, text, spans);
  }
  findByOwnRules(text, bits, spans);
}

/**
 * A megabyte of `figd_figd_figd_…` costs the preset two seconds, since each of its patterns tries each mark
 * to the end of its longest token. No honest text has 64 marks in one run of token characters, at more than
 * one in 200 characters, so such a run goes as a whole. Gives the text with those runs blanked out.
 */
function withoutFloods(text: string, spans: Span[]): string {
  let readable = '';
  let at = 0;
  let past = 0;
  // A run that is long enough covers one of the places that lie so far apart; only there it is looked for.
  for (let probe = shortestFlood - 1; probe < text.length; probe = past + shortestFlood) {
    past = probe;
    if (!isTokenCharacter(text.charCodeAt(probe))) continue;
    let start = probe;
    while (start > at && isTokenCharacter(text.charCodeAt(start - 1))) start--;
    while (isTokenCharacter(text.charCodeAt(past))) past++;
    const length = past - start;
    if (length < shortestFlood) continue;
    const marks = text.slice(start, past).match(markPattern)?.length ?? 0;
    if (marks <= 64 || marks * 200 <= length) continue;
    add(spans, start, past, 'token-flood');
    readable += text.slice(at, start) + ' '.repeat(length);
    at = past;
  }
  return at === 0 ? text : readable + text.slice(at);
}

const shortestFlood = 65 * 'hf_'.length;

function isTokenCharacter(c: number): boolean {
  return (
    (c >= 0x61 && c <= 0x7a) ||
    (c >= 0x41 && c <= 0x5a) ||
    (c >= 0x2d && c <= 0x39) ||
    c === 0x5f ||
    c === 0x2b ||
    c === 0x3d
  );
}

/** Long texts are read through overlapping windows: one match over megabytes would exhaust the matcher's stack. */
const windowSize = 262_144;
const windowOverlap = 32_768;

function preset(rule: LoadedRule, text: string, spans: Span[]): void {
  for (let from = 0; from === 0 || from + windowOverlap < text.length; from += windowSize - windowOverlap) {
    reported = [];
    rule.scan(text.length <= windowSize ? text : text.slice(from, from + windowSize));
    for (const { message: secret, range } of reported) {
      // Several rules report the start of a longer match with the length of the secret inside it, so that
      // only the secret itself says where it lies.
      const start = text.indexOf(secret, from + range[0]);
      if (rule.bit === family.url) urlPassword(text, start, start + secret.length, rule.kind, spans);
      else add(spans, start, start + secret.length, rule.kind);
    }
  }
  reported = [];
}

/** Of a connection string only the password goes: the host is what the sentence is about. */
function urlPassword(text: string, start: number, end: number, kind: string, spans: Span[]): void {
  const from = text.indexOf('://', start) + 3;
  const slash = text.indexOf('/', from);
  const at = text.lastIndexOf('@', slash === -1 || slash > end ? end : slash);
  const colon = text.indexOf(':', from);
  if (text.slice(colon + 1, at) !== tokenAsUser) add(spans, colon + 1, at, kind);
}
