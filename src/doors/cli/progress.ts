/** One line on a terminal that tells how far long work has come; nothing where nobody looks. */
export function progressLine(): {
  readonly say: (what: string, done: number, of: number) => void;
  readonly end: () => void;
} {
  let width = 0;
  return {
    say(what, done, of) {
      if (!process.stderr.isTTY) return;
      const line = `${what}: ${of === 0 ? 100 : Math.min(100, Math.floor((100 * done) / of))} %`;
      process.stderr.write(`\r${line.padEnd(width)}`);
      width = line.length;
    },
    end() {
      if (process.stderr.isTTY && width > 0) process.stderr.write(`\r${' '.repeat(width)}\r`);
    },
  };
}
