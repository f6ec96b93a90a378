/**
 * The plan `import-bundle`: imports an article from a bundle. Without a slug it keeps its own, prefixed for the
 * workspace.
 */
import { checkSlug, slugIn } from '../../domain/articles/slugs.ts';
import { slugPath, slugTable } from '../../domain/articles/tables.ts';
import { importBundle, type ImportChoices } from '../../domain/bundles/import-bundle.ts';
import type { Bundle } from '../../domain/bundles/bundle.ts';
import { fault } from '../../kernel/fault.ts';
import { applyOutcome } from './on-article.ts';
import { definePlan } from './plan.ts';

declare module '../../domain/capabilities/plan.ts' {
  interface Plans {
    'import-bundle': {
      readonly bundle: Bundle;
      readonly slug: string | undefined;
      readonly choices: ImportChoices;
    };
  }
}

export const importBundlePlan = definePlan({
  kind: 'import-bundle',
  run({ tx, call, plan, context }) {
    const slug = plan.slug ?? slugIn(call.workspace, plan.bundle.slug);
    const bad = checkSlug(slug, call.workspace);
    if (bad !== undefined) return bad;
    if (tx.row(slugTable, slugPath(call.tenant, slug)) !== undefined)
      return fault('conflict', `There is an article ${slug} already.`, 'Import it under another slug.', {
        slug,
      });
    const aid = context.id('art_');
    return applyOutcome(tx, importBundle(plan.bundle, slug, aid, plan.choices, context), aid);
  },
});
