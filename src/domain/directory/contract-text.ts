/** Reading a contract from its text (spec §2.6): WHAT, WHEN_TO_USE, ARGS and EX sections, each from its own line on. */
import { fault, type Fault } from '../../kernel/fault.ts';
import type { Contract } from '../capabilities/row.ts';

/** A colon after the word is as good as none. */
const section = /^(WHAT|WHEN_TO_USE|ARGS|EX)\b[ \t]*:?[ \t]?/;
const charsMax = 2000;

/**
 * The contract that `content` describes; sections left out stay as they are. ARGS is made from the row's schema: it
 * may stand there as it is, so that a text that was read can be sent back.
 */
export function parseContract(content: string, now: Contract, key: string, args: string): Contract | Fault {
  const found = new Map<string, string>();
  let name: string | undefined;
  for (const line of content.split('\n')) {
    const match = section.exec(line);
    if (match !== null) {
      name = match[1] as string;
      if (found.has(name)) return wrong(`${name} stands there twice`);
      found.set(name, line.slice(match[0].length));
    } else if (name !== undefined) found.set(name, `${found.get(name)}\n${line}`);
    else if (line.trim() !== '') return wrong('it does not begin with WHAT');
  }
  const text = (of: string): string | undefined => found.get(of)?.trim();
  if (text('ARGS') !== undefined && text('ARGS') !== args)
    return wrong('ARGS is made from the arguments and cannot be written; leave it as it is, or out');
  const contract: Contract = {
    what: text('WHAT') ?? now.what,
    when: text('WHEN_TO_USE') ?? now.when,
    example: untagged(text('EX'), key) ?? now.example,
  };
  for (const [of, value] of Object.entries<string>({ ...contract })) {
    if (of !== 'example' && value === '') return wrong(`${of} is empty`);
    if (value.length > charsMax) return wrong(`${of} has more than ${charsMax} characters`);
  }
  if (found.size === 0) return wrong('it has no section');
  return contract;
}

/** `[KEY]args[/KEY]` as the contract's text shows it, or the arguments alone. */
function untagged(example: string | undefined, key: string): string | undefined {
  if (example === undefined) return undefined;
  const [open, close] = [`[${key}]`, `[/${key}]`];
  return example.startsWith(open) && example.endsWith(close)
    ? example.slice(open.length, example.length - close.length)
    : example;
}

function wrong(why: string): Fault {
  return fault(
    'body_mismatch',
    `The contract cannot be read: ${why}.`,
    'Send content with lines that begin with WHAT, WHEN_TO_USE and EX.',
  );
}
