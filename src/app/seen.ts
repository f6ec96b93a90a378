/** What every read of an article begins with: which one, and how much of it the caller may see. */
import type { ArticleStatus } from '../model/vocabulary.ts';

/** An article that the caller may see. */
export interface Seen {
  readonly aid: string;
  readonly tenant: string;
  readonly slug: string;
  readonly status: ArticleStatus;
  readonly version: number;
  /** The caller holds a key of the workspace and sees what was never published. */
  readonly seesDrafts: boolean;
}
