/** A proposed source, as a quote with its link instead of JSON (contract §5). */
import { Quote } from './components/quote.tsx';
import { ContributedLink } from './parts.tsx';

interface ShownSource {
  readonly url: string;
  readonly quote: string;
  readonly title?: string;
  readonly summary?: string;
}

/** A source that was proposed as JSON; undefined for one in words. */
export function sourceIn(body: string): ShownSource | undefined {
  if (!body.trimStart().startsWith('{')) return undefined;
  try {
    const given = JSON.parse(body) as Readonly<Record<string, unknown>>;
    const { url, quote, title, summary } = given;
    if (typeof url !== 'string' || typeof quote !== 'string') return undefined;
    return {
      url,
      quote,
      ...(typeof title === 'string' ? { title } : {}),
      ...(typeof summary === 'string' ? { summary } : {}),
    };
  } catch {
    return undefined;
  }
}

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
