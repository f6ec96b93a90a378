/** The folder of this package, from sources and from compiled files. */
import { existsSync } from 'node:fs';

export function projectFile(path: string): URL {
  let at = new URL('./', import.meta.url);
  while (!existsSync(new URL('package.json', at))) {
    const up = new URL('../', at);
    if (up.href === at.href) throw new Error('the package folder was not found');
    at = up;
  }
  return new URL(path, at);
}
