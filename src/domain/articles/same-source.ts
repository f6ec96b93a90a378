/** When two sources are one (contract §5): the same canonical URL and the same normalised quote. */

/** What makes two sources the same: canonical URL and normalised quote (contract §5). */
export function sameSource(url: string, quote: string): string {
  return `${canonicalUrl(url)}\n${quote.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim()}`;
}

const trackers = /^(utm_\w+|fbclid|gclid|mc_cid|mc_eid|ref_src)$/i;

/** Scheme and host in lower case, no fragment, no tracking parameters, sorted query, no final slash. */
export function canonicalUrl(url: string): string {
  const parsed = URL.parse(url);
  if (parsed === null) return url.trim();
  parsed.hash = '';
  for (const name of Array.from(parsed.searchParams.keys()))
    if (trackers.test(name)) parsed.searchParams.delete(name);
  parsed.searchParams.sort();
  if (parsed.protocol === 'http:') parsed.protocol = 'https:';
  return parsed.href.replace(/\/$/, '').replace(/\/\?/, '?');
}
