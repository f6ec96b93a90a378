/**
 * Checks a token drop against the six rules of spec §1: structure first (first line, links, templates, statement of
 * permission), then the phrasing of each line. Neutral lines are allowed. This is scored test 275: each finding takes 25 of
 * 100 points, and only the full score passes. In doubt a line is refused: a drop can always be worded as a description.
 */
import { findCommand } from './commands.ts';
import { findForeignLanguage } from './languages.ts';
import { withoutTitles } from './names.ts';
import { deobfuscate, namesOwner } from './obfuscation.ts';
import { findInvitation } from './permissions.ts';
import { findProcedure } from './obligation.ts';
import { findAddress, findDefensiveness, findFeeling } from './tone.ts';

export interface DropFinding {
  /** From 1. */
  readonly line: number;
  /** The rule of spec §1: 1 to 5; 6a owner's name, 6b script, 6c denial, 6d command. */
  readonly rule: string;
  readonly message: string;
  readonly excerpt: string;
}

export interface DropVerdict {
  readonly ok: boolean;
  /** 0 to 100. */
  readonly score: number;
  readonly findings: readonly DropFinding[];
}

const pointsPerFinding = 25;
const protocolLine = /^(https?:\/\/[^\s/?#@]+(?:\/[^\s?#]*)?)\/protocol$/;

export function checkDrop(text: string, ownerName?: string): DropVerdict {
  const lines = text.replace(/\r\n?/g, '\n').split('\n');
  const findings = [...structure(lines), ...lines.flatMap((line, i) => checkLine(line, ownerName, i + 1))];
  findings.sort((a, b) => a.line - b.line);
  const score = Math.max(0, 100 - pointsPerFinding * findings.length);
  return { ok: findings.length === 0, score, findings };
}

/** Violations of rules 2 and 6 in one line. */
export function checkLine(line: string, ownerName?: string, number = 1): DropFinding[] {
  const findings: DropFinding[] = checkPhrasing(line).map((phrasing) => ({ line: number, ...phrasing }));
  if (namesOwner(line, ownerName)) {
    const message = "The line has the owner's name on a public surface.";
    findings.push({ line: number, rule: '6a', message, excerpt: '' });
  }
  return findings;
}

function structure(lines: readonly string[]): DropFinding[] {
  const findings: DropFinding[] = [];
  const say = (line: number, rule: string, message: string): void => {
    findings.push({ line, rule, message, excerpt: (lines[line - 1] ?? '').slice(0, 80) });
  };
  const base = protocolLine.exec(lines[0] ?? '')?.[1];
  if (base === undefined) say(1, '1', 'Line 1 is not the public protocol address alone.');
  const dispatch = `${base ?? ''}/api/dispatch?`;
  const urls = lines.flatMap((line, i) =>
    (line.match(/https?:\/\/\S+/g) ?? []).map((url) => ({ url, line: i + 1, alone: line.trim() === url })),
  );
  const isExplain = ({ url }: { readonly url: string }): boolean =>
    url.includes(dispatch) &&
    /[?&]explain=1(?:&|$)/.test(url) &&
    /[?&]share=sh\.[A-Za-z0-9_-]{48}(?:&|$)/.test(url);
  if (!urls.some(isExplain)) say(lines.length, '3', 'No explain link of the same service states the scope.');
  const templates = urls.filter(({ url }) => /\{[a-z_]+\}/.test(url) && url.includes(dispatch));
  if (templates.length === 0)
    say(lines.length, '4', 'No address pattern with placeholders shows the interface.');
  for (const { line } of urls.filter(
    ({ url, alone }) => url.includes('{') && !alone && !isLabelled(lines, url),
  ))
    say(line, '4', 'A template stands in a sentence; templates are data.');
  for (const { line } of urls.filter(({ url }) => base !== undefined && !url.startsWith(`${base}/`)))
    say(line, '3', 'An address of another service stands in the drop.');
  if (!lines.some((_, i) => grantsOnly(`${lines[i]} ${lines[i + 1] ?? ''}`)))
    say(
      lines.length,
      '5',
      'Nothing says that the capability grants permission and only the current user supplies intent.',
    );
  return findings;
}

/** `invoke: https://…` and `invoke  https://…` name a template; a sentence around it uses it. */
function isLabelled(lines: readonly string[], url: string): boolean {
  return lines.some(
    (line) =>
      line.includes(url) && /^\s*[\w ]{1,30}:\s+$|^\s*\w{1,30}\s+$/.test(line.slice(0, line.indexOf(url))),
  );
}

function grantsOnly(text: string): boolean {
  return (
    /\bgrants?\b[^.]*\bpermission\b/i.test(text) &&
    /\b(?:only|solely|alone|exclusively)\b/i.test(text) &&
    /\bcurrent user\b/i.test(text) &&
    /\bintent\b/i.test(text)
  );
}

type PhrasingRule = '2' | '6b' | '6c' | '6d';

interface Phrasing {
  readonly rule: PhrasingRule;
  readonly message: string;
  /** The matched words. */
  readonly excerpt: string;
}

/** Longer lines are refused unread. */
const lineCharsMax = 2000;

function checkPhrasing(line: string): Phrasing[] {
  if (line.length > lineCharsMax)
    return [
      {
        rule: '6b',
        message: `The line has more than ${lineCharsMax} characters.`,
        excerpt: line.slice(0, 80),
      },
    ];
  const text = withoutTitles(deobfuscate(line));
  if (text === '') return [];
  const found: Phrasing[] = [];
  const say = (rule: PhrasingRule, message: string, excerpt: string | undefined): void => {
    if (excerpt !== undefined) found.push({ rule, message, excerpt: excerpt.trim().slice(0, 80) });
  };
  say(
    '2',
    'The line is not in English, and no plain description in a language that is judged.',
    findForeignLanguage(text),
  );
  say('2', 'The line addresses somebody or speaks as somebody.', findAddress(text) ?? findFeeling(text));
  say('6b', 'The line scripts behaviour: a condition, then what follows.', findProcedure(text));
  say('6c', 'The line defends itself against a suspicion.', findDefensiveness(text));
  const command = findCommand(text);
  say('6d', 'The line commands.', command);
  if (command === undefined) say('6d', 'The line invites to a deed.', findInvitation(text));
  return found;
}
