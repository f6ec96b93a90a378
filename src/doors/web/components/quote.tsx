/** The exact words of a source, with where they are from, their hash and id. */
import type { ComponentChildren } from 'preact';

type Props = Readonly<{
  text: string;
  source?: ComponentChildren;
  /** The address that the words were taken from, for the markup. */
  cite?: string | undefined;
  id?: string;
  hash?: string;
  lang?: string | undefined;
}>;

export function Quote({ text, source, cite, id, hash, lang }: Props) {
  return (
    <figure class="quote">
      <blockquote cite={cite} dir="auto" lang={lang}>
        <p>{text}</p>
      </blockquote>
      {source === undefined && id === undefined && hash === undefined ? null : (
        <figcaption>
          {source}
          {id === undefined ? null : <code data-copy>{id}</code>}
          {hash === undefined ? null : <code data-copy={hash}>{hash.slice(0, 12)}…</code>}
        </figcaption>
      )}
    </figure>
  );
}
