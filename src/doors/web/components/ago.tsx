/**
 * A moment as people say it: the page carries the exact time, and `web/time.ts` says how long ago that is. The exact
 * time stays on hover and in print.
 */
import { briefTimeText, timeText } from '../format-text.ts';

export function Ago({ iso }: { readonly iso: string }) {
  if (Number.isNaN(Date.parse(iso))) return <span>{iso}</span>;
  return (
    <time dateTime={iso} data-ago title={timeText(iso)}>
      {briefTimeText(iso)}
    </time>
  );
}
