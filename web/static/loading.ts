/**
 * What the scripts of a static site hand each other. Pages that were opened as files may load scripts, and neither modules
 * nor data, so that bundles and the search index are scripts that call a function with their data.
 */

declare global {
  // Global functions are declared as variables, which is what makes them members of `globalThis`.
  var colophonBundle: ((text: string) => void) | undefined;
  var colophonVerify: ((article: HTMLElement, bundle: string) => Promise<void>) | undefined;
  var colophonSearch: ((name: string, data: never) => void) | undefined;
}

/** Loads a script once; rejects where the file is missing. */
export function loadScript(address: URL | string): Promise<void> {
  const { href } = new URL(address, document.baseURI);
  const known = loading.get(href);
  if (known !== undefined) return known;
  const loaded = new Promise<void>((done, failed) => {
    const script = document.createElement('script');
    script.src = href;
    script.addEventListener('load', () => done());
    script.addEventListener('error', () => {
      loading.delete(href);
      failed(new Error(`the file ${decodeURIComponent(href.slice(href.lastIndexOf('/') + 1))} is missing`));
    });
    document.head.append(script);
  });
  loading.set(href, loaded);
  return loaded;
}

const loading = new Map<string, Promise<void>>();
