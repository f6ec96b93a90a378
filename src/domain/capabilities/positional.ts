/**
 * Positional bodies (contract §3): arguments in the order of the row with `|` between them. Before the rest argument
 * `\|` is a pipe and `\\` a backslash; the rest argument is verbatim. An invocation records the rule that its body was
 * written under, and its replay parses the body by the same rule.
 */

/** 1: split at every pipe, no escapes, placeholders pass as text. 2: with escapes, placeholders refused. */
export type BodyRule = 1 | 2;
export const currentBodyRule: BodyRule = 2;

/** The rule of a recorded call; entries from before rule 2 do not name theirs. */
export function bodyRuleIn(recorded: unknown): BodyRule {
  return recorded === 2 ? 2 : 1;
}

/** The parts of a body. `restAt`: the place of the argument that takes the rest, or infinity. */
export function splitBody(body: string, restAt: number, rule: BodyRule): readonly string[] {
  if (rule === 1) {
    const parts = body.split('|');
    if (parts.length <= restAt + 1) return parts;
    return [...parts.slice(0, restAt), parts.slice(restAt).join('|')];
  }
  if (restAt === 0) return [body];
  const parts: string[] = [];
  let part = '';
  let from = 0;
  for (const { 0: found, index } of body.matchAll(/\\[\\|]|\|/g)) {
    part += body.slice(from, index);
    from = index + found.length;
    if (found !== '|') {
      part += found.charAt(1);
      continue;
    }
    parts.push(part);
    part = '';
    if (parts.length === restAt) return [...parts, body.slice(from)];
  }
  return [...parts, part + body.slice(from)];
}

/** A text as a part of a positional body before the rest argument. */
export function escapePart(text: string): string {
  return text.replaceAll(/[\\|]/g, String.raw`\$&`);
}
