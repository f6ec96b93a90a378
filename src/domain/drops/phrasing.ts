/**
 * How a line of a drop speaks (spec §1, rules 2 and 6): whether it addresses somebody, commands, scripts
 * behaviour or protests its innocence. Each rule judges by grammar and word classes in a file of its own. In doubt a line
 * is refused: a drop can always be worded as a description.
 */
import { addressed } from './addressing.ts';
import { commanding } from './commands.ts';
import { defensive } from './denials.ts';
import { undisguised } from './disguises.ts';
import { feeling } from './feelings.ts';
import { withoutTitles } from './names.ts';
import { otherLanguage } from './other-languages.ts';
import { inviting } from './permissions.ts';
import { scripted } from './scripts.ts';

export type PhrasingRule = '2' | '6b' | '6c' | '6d';

export interface Phrasing {
  readonly rule: PhrasingRule;
  readonly message: string;
  /** The words that gave it away. */
  readonly excerpt: string;
}

/** A record has no longer lines; one that could hide a script behind its length is not read at all. */
const lineCharsMax = 2000;

export function phrasingOf(line: string): Phrasing[] {
  if (line.length > lineCharsMax)
    return [
      {
        rule: '6b',
        message: `The line has more than ${lineCharsMax} characters.`,
        excerpt: line.slice(0, 80),
      },
    ];
  const text = withoutTitles(undisguised(line));
  if (text === '') return [];
  const found: Phrasing[] = [];
  const say = (rule: PhrasingRule, message: string, excerpt: string | undefined): void => {
    if (excerpt !== undefined) found.push({ rule, message, excerpt: excerpt.trim().slice(0, 80) });
  };
  say(
    '2',
    'The line is not in English, and no plain description in a language that is judged.',
    otherLanguage(text),
  );
  say('2', 'The line addresses somebody or speaks as somebody.', addressed(text) ?? feeling(text));
  say('6b', 'The line scripts behaviour: a condition, then what follows.', scripted(text));
  say('6c', 'The line defends itself against a suspicion.', defensive(text));
  const command = commanding(text);
  say('6d', 'The line commands.', command);
  if (command === undefined) say('6d', 'The line invites to a deed.', inviting(text));
  return found;
}
