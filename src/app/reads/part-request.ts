/** What a part of an article is read from: whose eyes, which article, and what was asked. */
import type { Seen } from '../seen.ts';
import type { Service } from '../service.ts';

export interface PartRequest {
  readonly service: Service;
  readonly seen: Seen;
  readonly query: Readonly<Record<string, string | undefined>>;
}
