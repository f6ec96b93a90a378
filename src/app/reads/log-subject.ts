/** Subjects of log entries (contract §6): kind, workspace, article or invocation. Callers decide who may see them. */
import { parseArticleChain, type ArticleChain } from '../../domain/articles/chains.ts';
import { mainTenant } from '../../domain/articles/slugs.ts';
import { articleTable } from '../../domain/articles/tables.ts';
import { capabilityTable } from '../../domain/capabilities/tables.ts';
import { assignmentTable } from '../../domain/landscape/tables.ts';
import { everyWorkspace, workspaceTable } from '../../domain/workspaces/write-workspace.ts';
import type { Entry } from '../../ledger/entry.ts';
import type { ReadContext } from '../read-context.ts';

const ofArticles: Readonly<Record<ArticleChain | 'div', EntryKind>> = {
  provenance: 'article',
  div: 'div',
  sources: 'source',
  thread: 'discourse',
  votes: 'vote',
  mirror: 'contribution',
  questions: 'question',
};

const ofPrefixes = {
  inv: 'invocation',
  cap: 'capability',
  paper: 'paper',
  row: 'row',
  coh: 'cohort',
  norm: 'assignment',
  proofs: 'certificate',
  ws: 'workspace',
  scrub: 'scrub',
  job: 'system',
  hook: 'system',
  rollback: 'system',
} as const;

export const entryKinds = [
  'article',
  'div',
  'source',
  'discourse',
  'vote',
  'contribution',
  'question',
  'invocation',
  'capability',
  'paper',
  'row',
  'cohort',
  'assignment',
  'certificate',
  'workspace',
  'scrub',
  'system',
] as const;
export type EntryKind = (typeof entryKinds)[number];

export function kindOf(chain: string): EntryKind | undefined {
  const article = parseArticleChain(chain);
  if (article !== undefined) return ofArticles[article.of];
  const prefix = chain.slice(0, Math.max(0, chain.indexOf('_')));
  return Object.hasOwn(ofPrefixes, prefix) ? ofPrefixes[prefix as keyof typeof ofPrefixes] : undefined;
}

export function verbOf(entry: Entry): string {
  return String(entry['op'] ?? entry['action']);
}

export interface ArticleOfEntry {
  readonly aid: string;
  readonly slug: string;
  readonly title: string;
  /** The DIV of the chain; '' for other chains. */
  readonly div: string;
  readonly isDraft: boolean;
}

export interface Subject {
  readonly tenant: string;
  readonly article?: ArticleOfEntry;
}

/** Invocations never change their workspace, so it is cached. */
const cachedMax = 2000;

export class SubjectResolver {
  readonly #context: ReadContext;
  readonly #tenants = new Map<string, string>();

  constructor(context: ReadContext) {
    this.#context = context;
  }

  /** Undefined if the workspace is unknown: visible to the owner only. */
  async of(entry: Entry): Promise<Subject | undefined> {
    const { read } = this.#context;
    const { chain } = entry;
    const article = parseArticleChain(chain);
    if (article !== undefined) return this.#article(article.aid, article.div);
    switch (kindOf(chain)) {
      case 'invocation':
        return this.#invocation(chain, entry);
      case 'capability':
        return inTenant((await read.row(capabilityTable, chain))?.record.tenant);
      case 'assignment':
        return inTenant((await read.row(assignmentTable, chain))?.record.tenant);
      case 'workspace':
        return inTenant(await this.#workspace(chain));
      case 'scrub':
        return typeof entry['of'] === 'string'
          ? this.of({ ...entry, chain: entry['of'], of: null })
          : undefined;
      case 'system':
        return { tenant: mainTenant };
      default:
        return typeof entry['inv'] === 'string' ? this.#invocation(entry['inv']) : undefined;
    }
  }

  async #article(aid: string, div: string): Promise<Subject | undefined> {
    const row = await this.#context.read.row(articleTable, aid);
    if (row === undefined) return undefined;
    const { tenant, slug, title, status } = row;
    return { tenant, article: { aid, slug, title, div, isDraft: status === 'draft' } };
  }

  /** The first entry of an invocation has its workspace. */
  async #invocation(inv: string, entry?: Entry): Promise<Subject | undefined> {
    let tenant = entry?.n === 0 ? entry['tenant'] : this.#tenants.get(inv);
    if (tenant === undefined) {
      const [first] = await this.#context.read.chain(inv);
      tenant = first === undefined ? undefined : (JSON.parse(first.text) as Entry)['tenant'];
    }
    if (typeof tenant !== 'string') return undefined;
    this.#tenants.delete(inv);
    this.#tenants.set(inv, tenant);
    for (const oldest of this.#tenants.keys()) {
      if (this.#tenants.size <= cachedMax) break;
      this.#tenants.delete(oldest);
    }
    return { tenant };
  }

  async #workspace(chain: string): Promise<string | undefined> {
    const rows = await this.#context.read.rows(workspaceTable, everyWorkspace);
    for (const row of rows.values()) if (row.chain === chain) return row.tenant;
    return undefined;
  }
}

function inTenant(tenant: string | undefined): Subject | undefined {
  return tenant === undefined ? undefined : { tenant };
}
