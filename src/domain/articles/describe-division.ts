/** Dividing an article that is divided already, as every article here is: nothing changes, and no revision is made. */
import type { Context, Outcome } from '../context.ts';
import { links } from '../links.ts';
import { activeDivs, type ArticleState } from './state.ts';
import { exactly } from '../../model/exact.ts';
import { Divided } from '../../model/div.ts';

export function describeDivision(article: ArticleState, context: Context): Outcome<ArticleState> {
  const { slug, version } = article.row;
  const divs = activeDivs(article);
  const permalink = links.article(context.base, slug);
  return {
    events: [],
    conclude: () => ({
      result: exactly(Divided, {
        slug,
        unchanged: true,
        revision: version,
        permalink,
        body_regenerated: false,
        divs: divs.map((div, i) => ({
          div_id: div.div_id,
          order: i + 1,
          kind: div.kind,
          vx_hash: div.vx_hash,
          permalink: links.div(context.base, slug, div.div_id),
        })),
      }),
      text: `${slug} is divided into ${divs.length} DIVs already; nothing was written.`,
      material: [],
    }),
  };
}
