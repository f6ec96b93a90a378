/** Edits of real claims whose outcome is known: what leaves a claim as it is, and what makes its opposite. */

/** Case, punctuation and spacing. */
export const trivialEdits: Readonly<Record<string, (text: string) => string>> = {
  'upper case': (text) => text.toUpperCase(),
  'lower case': (text) => text.toLowerCase(),
  'no full stop': (text) => text.replace(/\.$/, ''),
  'no commas': (text) => text.replace(/,(?!\d)/g, ''),
  'no brackets': (text) => text.replace(/[()]/g, ''),
  'spaces for hyphens': (text) => text.replace(/(?<=[A-Za-z])-(?=[A-Za-z])/g, ' '),
  'wide spacing': (text) => `  ${text.replaceAll(' ', '   ')}\n`,
  'line breaks': (text) => text.replace(/ (?=\w+ \w+$)/, '\n'),
  'curly marks': (text) => `“${text.replaceAll("'", '’')}”`,
};

const verbs: readonly (readonly [string, string, string])[] = [
  ['increases', 'increase', 'decreases'],
  ['decreases', 'decrease', 'increases'],
  ['reduces', 'reduce', 'increases'],
  ['inhibits', 'inhibit', 'promotes'],
  ['promotes', 'promote', 'inhibits'],
  ['causes', 'cause', 'prevents'],
  ['prevents', 'prevent', 'causes'],
  ['induces', 'induce', 'suppresses'],
  ['improves', 'improve', 'worsens'],
  ['enhances', 'enhance', 'impairs'],
  ['activates', 'activate', 'suppresses'],
  ['suppresses', 'suppress', 'activates'],
];

/** The claim's opposites, as far as a simple rule finds some. */
export function oppositesOf(claim: string): string[] {
  const made: string[] = [];
  const add = (text: string): void => {
    if (text !== claim) made.push(text);
  };
  add(claim.replace(/\b(is|are|was|were|can|does|do|has|will|may)\b(?! not)/, '$1 not'));
  for (const [verb, base, opposite] of verbs) {
    if (!new RegExp(`\\b${verb}\\b`).test(claim)) continue;
    add(claim.replace(verb, `does not ${base}`));
    add(claim.replace(verb, opposite));
    add(claim.replace(verb, `is ${base.replace(/e$/, '')}ed by`));
    const [subject, object] = claim.replace(/\.$/, '').split(` ${verb} `);
    if (subject !== undefined && object !== undefined) add(`${object} ${verb} ${subject}.`);
  }
  add(claim.replace(/\bwith\b/, 'without'));
  add(claim.replace(/\bmore\b/, 'less'));
  add(claim.replace(/\bhigher\b/i, 'lower'));
  add(claim.replace(/\bafter\b/i, 'before'));
  add(claim.replace(/\ball\b/i, 'some'));
  add(claim.replace(/(?<![\w.,-])(\d+)(?![\w-])/, (number) => String(Number(number) + 1)));
  add(
    claim.replace(/^(.+) than (.+?)\.?$/, (_, first: string, second: string) => `${second} than ${first}.`),
  );
  return made;
}
