/**
 * Work on a list with some items under way at once, told in the order of the list. Items that ask for a turn under
 * one name take it one after the other, in the order of the list.
 */
export interface Turns {
  /** Starts `work` when those before it under the same name have ended. */
  take<R>(name: string, work: () => Promise<R>): Promise<R>;
}

export async function* inOrder<T, R>(
  items: readonly T[],
  underWayMax: number,
  work: (item: T, turns: Turns) => Promise<R>,
): AsyncGenerator<R, void> {
  const last = new Map<string, Promise<unknown>>();
  const turns: Turns = {
    take(name, turn) {
      const taken = (last.get(name) ?? Promise.resolve()).then(turn);
      last.set(
        name,
        taken.catch(() => undefined),
      );
      return taken;
    },
  };
  const underWay: Promise<R>[] = [];
  for (const item of items) {
    const started = work(item, turns);
    // Whoever waits for an earlier one that fails never comes to this one.
    started.catch(() => undefined);
    underWay.push(started);
    if (underWay.length === underWayMax) yield await (underWay.shift() as Promise<R>);
  }
  yield* underWay;
}
