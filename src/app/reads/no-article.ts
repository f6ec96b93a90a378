/** What anyone is told of an article that is absent, a draft, or another workspace's: the same (contract §2). */
import { fault, type Fault } from '../../kernel/fault.ts';

export function noArticle(slug: string): Fault {
  return fault(
    'not_found',
    `There is no article ${slug.slice(0, 120)}.`,
    'List the articles under /api/articles.',
  );
}
