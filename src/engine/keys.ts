/** Keys by name: each named once, for writing if any call writes it, and in the one order in which locks are taken. */
import { chainAggregate, chainsAggregate, type Key } from './act.ts';
import { stateName } from './state.ts';

export function addKeys(keys: Map<string, Key>, more: Iterable<Key>): void {
  for (const key of more) {
    const name = stateName(key.aggregate, key.id);
    const known = keys.get(name);
    if (known === undefined || (known.mode === 'read' && key.mode === 'write')) keys.set(name, key);
  }
}

export function byName([left]: readonly [string, Key], [right]: readonly [string, Key]): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

/** A chain is read from the store's entries, and no state of it is kept. */
export function isChain({ aggregate }: Pick<Key, 'aggregate'>): boolean {
  return aggregate === chainAggregate || aggregate === chainsAggregate;
}

/** The first name behind all that begin with `prefix`, which ends in an ASCII character: names that begin alike are one range. */
export function prefixEnd(prefix: string): string {
  return prefix.slice(0, -1) + String.fromCharCode(prefix.charCodeAt(prefix.length - 1) + 1);
}
