/** REPO_TAIL (spec §2.6.1): repository metadata, root listing and the three latest commits. */
import type { Fault } from '../../kernel/fault.ts';

/** Types and not interfaces, so that they count as JSON. */
export type RepositoryEntry = {
  readonly name: string;
  readonly type: 'blob' | 'tree' | 'commit';
  readonly sha: string;
  /** Bytes of a file; null for a folder. */
  readonly size: number | null;
};

export type RepositoryCommit = {
  readonly sha: string;
  readonly parents: readonly string[];
  readonly author: string;
  readonly ts: string;
  readonly subject: string;
};

export type RepositoryTail = {
  readonly name: string;
  /** Null where no branch is checked out. */
  readonly branch: string | null;
  readonly head: string;
  readonly object_format: string;
  readonly root: readonly RepositoryEntry[];
  /** Whether the root has more entries than are listed. */
  readonly root_truncated: boolean;
  /** Newest first. */
  readonly commits: readonly RepositoryCommit[];
};

/** What is missing for it to be read, where that is known at once. */
export type RepositoryLacks = () => Fault | undefined;
export type ReadRepository = (signal: AbortSignal) => Promise<RepositoryTail | Fault>;
