/** Targets as they are queued (contract §7): what a caller names, the id that each gets, and the article that its work goes to. */
import { sha256Hex } from '../../kernel/hash.ts';
import { slugFrom, slugIn } from '../articles/slugs.ts';

export const nameShape = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

export const idCharsMax = 38;

export interface TargetInput {
  readonly id?: string | undefined;
  readonly name: string;
  readonly repository?: string | undefined;
  readonly url?: string | undefined;
  readonly rank?: number | undefined;
  readonly axis?: string | undefined;
  readonly slot?: string | undefined;
}

export interface QueueInput {
  readonly cohort: string;
  readonly query: string;
  readonly sort?: string | undefined;
  readonly captured_at: string;
  readonly source_url?: string | undefined;
  readonly targets: readonly TargetInput[];
  /** Whether contributors may lease from the cohort; the owner's to say. */
  readonly open?: boolean | undefined;
}

/** Slug of the article that holds what is found about a target. */
export function targetArticle(workspace: string, cohort: string, id: string): string {
  return slugIn(workspace, `${cohort}-${id}`);
}

export function targetId({ id, name }: TargetInput): string {
  return (
    id ??
    slugFrom(name, `target-${sha256Hex(name.trim()).slice(0, 8)}`)
      .slice(0, idCharsMax)
      .replace(/-+$/, '')
  );
}
