/**
 * What leads on from a refusal by the object that it is about (contract §2): the names near the one that was given, and
 * the list that the object would be in. One entry for each kind of object; the compiler finds a missing one.
 */
import { addressOfCohort, nameOfCohort } from '../../domain/landscape/queue.ts';
import { cohortIndexTable, heldTable } from '../../domain/landscape/tables.ts';
import { isOpen, postTable, voteTable } from '../../domain/discourse/thread.ts';
import { contributionTable } from '../../domain/mirror/tables.ts';
import { questionTable } from '../../domain/questions/state.ts';
import { links } from '../../domain/links.ts';
import type { Subject } from '../../kernel/fault.ts';
import { partReaders } from '../reads/article-parts.ts';
import { isConfirmedTo } from '../reads/receipts.ts';
import { nearestKeys } from '../reads/unknown-row.ts';
import { isOpenTo, workspacesOf } from '../reads/workspaces.ts';
import { nearestNames, nearMax, nearNumbers, nearSlugs } from './near-names.ts';
import type { Refused } from './refused-request.ts';

/** A name that was probably meant, and where it is read. */
export interface Near {
  readonly id: string;
  readonly url: string;
}

export interface Leads {
  readonly near: readonly Near[];
  /** Addresses in the order of their use; the door shows the first five of all. */
  readonly next: readonly string[];
}

type FindLeads = (refused: Refused, subject: Subject) => Promise<Leads>;

const none: Leads = { near: [], next: [] };
/** Listed objects that are compared with a name. */
const listedMax = 200;

export const leadsBySubject: Readonly<Record<Subject['kind'], FindLeads>> = {
  article: async (refused, { id }) => {
    const { to } = refused;
    const slugs = await nearSlugs(refused, id);
    const part = partOfAddress(refused, id);
    const near = slugs.map((slug) => ({ id: slug, url: to.read(`/api/articles/${slug}`) }));
    return {
      near,
      next: [
        ...slugs.map((slug) => to.read(`/api/articles/${slug}${part}`)),
        ...(/[\p{L}\p{N}]/u.test(id)
          ? [to.read(`/api/search?q=${encodeURIComponent(id)}`, 'workspace')]
          : []),
        to.read('/api/articles', 'workspace'),
      ],
    };
  },
  part: (refused, { id, slug }) =>
    inArticle(refused, slug, async (read) => {
      const near = nearestNames(id, Object.keys(partReaders));
      return {
        near: near.map((part) => ({ id: part, url: read(part) })),
        next: [...near.map(read), read(), read('masthead')],
      };
    }),
  claim: numberedIn('claim', 'claims', links.claim),
  div: numberedIn('div', 'voxels', links.div),
  source: numberedIn('source', 'sources'),
  // An entry's id is random: where none is near, the newest open ones may be meant.
  entry: listedIn('discourse', openEntries),
  contribution: listedIn('mirror', async ({ service }, aid) => {
    const newest = await service.read.list(contributionTable, aid, { limit: listedMax, reverse: true });
    return newest.map(({ id }) => id);
  }),
  vote: listedIn('votes', async ({ service }, aid) => {
    const listed = await service.read.list(voteTable, aid, { limit: listedMax });
    return listed.map(({ id }) => id);
  }),
  question: listedIn('question-graph', async ({ service }, aid) => {
    const listed = await service.read.list(questionTable, aid, { limit: listedMax });
    return listed.map(({ id }) => id);
  }),
  revision: listedIn('revisions'),
  assignment: async ({ service, record, to }, { id }) => {
    const held =
      record === undefined
        ? []
        : await service.read.list(heldTable, record.fingerprint, { limit: listedMax });
    const own = held.map((each) => each.id);
    const near = nearestNames(id, own);
    return {
      near: near.map((each) => ({ id: each, url: to.read(`/api/normandy?assignment=${each}`) })),
      next: [
        ...(near.length > 0 ? near : own.slice(0, 2)).map((each) =>
          to.read(`/api/normandy?assignment=${each}`),
        ),
        to.read('/api/build-landscape', 'workspace'),
      ],
    };
  },
  cohort: async ({ service, tenant, workspace, to }, { id }) => {
    if (tenant === undefined) return none;
    const cohorts = await service.read.list(cohortIndexTable, tenant, { limit: listedMax });
    const near = nearestNames(
      nameOfCohort(workspace, id),
      cohorts.map(({ name }) => name),
    ).map((name) => addressOfCohort(workspace, name));
    return {
      near: near.map((cohort) => ({ id: cohort, url: to.read(`/api/build-landscape?cohort=${cohort}`) })),
      next: [
        ...near.map((cohort) => to.read(`/api/build-landscape?cohort=${cohort}`)),
        to.read('/api/build-landscape', 'workspace'),
      ],
    };
  },
  receipt: async ({ service, base, viewer, row, to }, { id }) => {
    const isThere = /^inv_[a-z2-7]{16}$/.test(id) && (await isConfirmedTo(service, viewer, id));
    return {
      near: [],
      next: [
        ...(isThere ? [links.confirm(base, id)] : []),
        ...(row === undefined ? [] : [to.read(`/api/invocations?object_id=${row.key}`, 'workspace')]),
        to.read('/api/proven-work', 'workspace'),
        ...to.explain(),
      ],
    };
  },
  capability: ({ to }) => Promise.resolve({ near: [], next: [...to.explain(), to.workspace()] }),
  workspace: async (refused, { id }) => {
    const names: string[] = [];
    for (const { tenant, state } of (await workspacesOf(refused.service)).values())
      if (await isOpenTo(refused.service, refused.viewer, tenant)) names.push(state.name);
    const near = nearestNames(id, names);
    const { to } = refused;
    return {
      near: near.map((name) => ({ id: name, url: to.read(`/api/workspace/${name}`) })),
      next: [...near.map((name) => to.read(`/api/workspace/${name}`)), to.read('/api/workspace')],
    };
  },
  row: ({ service, to }, { id }) => {
    const near = service.rows.has(id) ? [id] : nearestKeys(id, [...service.rows.keys()]);
    return Promise.resolve({
      near: near.map((key) => ({ id: key, url: to.contract(key) })),
      next: [
        ...near.map((key) => to.contract(key)),
        to.read(`/api/dispatch?ask=${encodeURIComponent(id)}`, 'workspace'),
        to.read('/api/dispatch?map=1', 'workspace'),
      ],
    });
  },
  schema: ({ service, base, to }, { id }) => {
    const near = nearestKeys(id, [...service.rows.keys()]);
    return Promise.resolve({
      near: near.map((key) => ({ id: key, url: `${links.dispatch(base)}?schema=${key}` })),
      next: [
        ...near.map((key) => to.read(`/api/dispatch?schema=${key}`, 'workspace')),
        `${base}/api/schemas`,
        `${base}/api/dispatch?schema=invocation`,
      ],
    });
  },
  system: ({ service, base, to }, { id }) => {
    const near = nearestNames(
      id,
      [...service.rows.values()].map(({ category }) => category),
    );
    return Promise.resolve({
      near: near.map((name) => ({ id: name, url: `${links.dispatch(base)}?map=${name}` })),
      next: [
        ...near.map((name) => to.read(`/api/dispatch?map=${name}`, 'workspace')),
        to.read('/api/dispatch?map=1', 'workspace'),
      ],
    });
  },
};

async function openEntries({ service }: Refused, aid: string): Promise<readonly string[]> {
  const newest = await service.read.list(postTable, aid, { limit: listedMax, reverse: true });
  return newest.filter((row) => isOpen(row)).map(({ id }) => id);
}

/** What follows the slug in the address of a refused read: another article has the same part. */
function partOfAddress({ request }: Refused, slug: string): string {
  const path = request.path ?? '';
  const part = path.startsWith(`/api/articles/${slug}/`) ? path.slice(`/api/articles/${slug}/`.length) : '';
  return Object.hasOwn(partReaders, part) ? `/${part}` : '';
}

/** Leads within an article; nothing about one that this caller may not read. */
async function inArticle(
  refused: Refused,
  slug: string | undefined,
  find: (read: (part?: string) => string, aid: string) => Promise<Leads>,
): Promise<Leads> {
  const access = await refused.article(slug);
  if (access === undefined) return none;
  const read = (part?: string): string =>
    refused.to.read(`/api/articles/${access.slug}${part === undefined ? '' : `/${part}`}`);
  return find(read, access.aid);
}

/** Claims, DIVs and sources are counted, so that the nearest are looked up by number. */
function numberedIn(
  kind: 'claim' | 'div' | 'source',
  part: string,
  permalink?: (base: string, slug: string, id: string) => string,
): FindLeads {
  return async (refused, { id, slug }) => {
    const access = await refused.article(slug);
    if (access === undefined) return none;
    const ids = await nearNumbers(refused, access, kind, id);
    const { base, to } = refused;
    const list = to.read(`/api/articles/${access.slug}/${part}`);
    // Pages show what anybody may read.
    const isPage = permalink !== undefined && refused.isOpen && access.status !== 'draft';
    const near = ids.map((each) => ({ id: each, url: isPage ? permalink(base, access.slug, each) : list }));
    return { near, next: [list, ...near.map(({ url }) => url), to.read(`/api/articles/${access.slug}`)] };
  };
}

/** Parts with ids of their own, compared with the newest of their list. */
function listedIn(
  part: string,
  ids: (refused: Refused, aid: string) => Promise<readonly string[]> = () => Promise.resolve([]),
): FindLeads {
  return (refused, { id, slug }) =>
    inArticle(refused, slug, async (read, aid) => {
      const listed = await ids(refused, aid);
      const nearest = nearestNames(id, listed);
      const near = nearest.length > 0 || part !== 'discourse' ? nearest : listed.slice(0, nearMax);
      return { near: near.map((each) => ({ id: each, url: read(part) })), next: [read(part), read()] };
    });
}
