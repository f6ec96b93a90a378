/** A proposed source, as a quote with its link instead of JSON (contract §5). */
import { Quote } from './components/quote.tsx';
import { ContributedLink } from './parts.tsx';
import type { ShownSource } from './said-words.ts';

export function SourceQuote({ source: { url, quote, title } }: { readonly source: ShownSource }) {
  return (
    <Quote
      text={quote}
      cite={url}
      source={
        <>
          <cite>{title ?? url}</cite> <ContributedLink href={url}>{url}</ContributedLink>
        </>
      }
    />
  );
}
