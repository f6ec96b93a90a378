/**
 * The request behind a refusal, and the addresses that can lead on from it (contract §2). Every address is one that
 * its caller can open: what a credential alone shows is named by its fingerprint, for which the door puts the share of
 * the request's own address; a credential that is over opens pages and its own explanation only.
 */
import { argumentsOf, type ValidationFault } from '../../domain/capabilities/arguments.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import { checkExpiry } from '../../domain/capabilities/gates.ts';
import type { Row } from '../../domain/capabilities/row.ts';
import { mainTenant } from '../../domain/articles/slugs.ts';
import { links } from '../../domain/links.ts';
import { startKeys, roles } from '../../domain/workspaces/roles.ts';
import { isFault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { authenticate, type Presented } from '../credentials/authenticate.ts';
import { findArticle, type ArticleAccess } from '../reads/article-access.ts';
import { isOpenTo, nameOfTenant, tenantOf } from '../reads/workspaces.ts';
import type { Service } from '../service.ts';
import { withWorkspaceRows } from '../workspace-rows.ts';

/** A refused request, as far as a door can read it. */
export interface RefusedRequest {
  readonly presented: Presented;
  readonly workspace?: string | undefined;
  /** The key of the row that was called. */
  readonly key?: string | undefined;
  /** The body of the call, where its arguments were not parsed yet. */
  readonly body?: string | undefined;
  /** Arguments of the call, or names in the path: what they name is looked up for this caller only. */
  readonly args?: JsonObject | undefined;
  /** The path of a refused read. */
  readonly path?: string | undefined;
  /** Path and query of the same read without what was refused and without its credential, if that is a valid read. */
  readonly address?: string | undefined;
}

const anonymous: Credential = { kind: 'anonymous' };

/** The credential of a refused request: a forged one sees nothing, and one that is over is known by name. */
interface Known {
  readonly viewer: Credential;
  readonly fingerprint: string | undefined;
  /** Reads of the API refuse the request's credential. */
  readonly isOver: boolean;
  /** The credential as its record has it, whatever its state. */
  readonly record: Extract<Credential, { kind: 'share' }> | undefined;
}

async function knownBy(service: Service, presented: Presented): Promise<Known> {
  const found = await authenticate(service, presented);
  if (isFault(found)) return { viewer: anonymous, fingerprint: undefined, isOver: true, record: undefined };
  if (found.kind !== 'share')
    return { viewer: found, fingerprint: undefined, isOver: false, record: undefined };
  const isOver = checkExpiry(found, new Date(service.now()).toISOString()) !== undefined;
  const { fingerprint } = found;
  return { viewer: isOver ? anonymous : found, fingerprint, isOver, record: found };
}

/** What the addresses of one refusal are made of. */
export interface Refused {
  readonly service: Service;
  readonly base: string;
  readonly request: RefusedRequest;
  /** As far as they fit the row. */
  readonly args: JsonObject;
  readonly viewer: Credential;
  readonly record: Known['record'];
  readonly row: Row | undefined;
  /** The workspace of the request, if the caller may see it. */
  readonly tenant: string | undefined;
  readonly workspace: string;
  /** Anybody may enter the workspace. */
  readonly isOpen: boolean;
  /** The article, if this caller may read it. */
  article(slug: string | undefined): Promise<ArticleAccess | undefined>;
  readonly to: Addresses;
}

interface Addresses {
  /** A read below the base: with the workspace, or with the share in its own address, if it is not seen without. */
  read(path: string, place?: 'workspace'): string;
  contract(key: string): string;
  workspace(): string;
  /** The credential's own explanation; nothing for callers without one. */
  explain(): readonly string[];
  /** Where a credential is had without a key, if it covers the row. */
  start(): readonly string[];
  errors(code: string): string;
}

export async function readRefused(deployed: Service, request: RefusedRequest): Promise<Refused> {
  const { base } = deployed;
  const { viewer, fingerprint, isOver, record } = await knownBy(deployed, request.presented);
  const args = argumentsIn(deployed.rows.get(request.key ?? ''), request);
  const { slug } = args;
  const addressed = { workspace: request.workspace, slug: typeof slug === 'string' ? slug : undefined };
  const tenant =
    (await tenantOf(deployed, viewer, addressed)) ??
    (viewer.kind === 'share' ? undefined : await tenantOf(deployed, viewer, {}));
  const service = tenant === undefined ? deployed : await withWorkspaceRows(deployed, tenant);
  const workspace = tenant === undefined ? mainTenant : await nameOfTenant(deployed, tenant);
  const isOpen = tenant !== undefined && (await isOpenTo(deployed, anonymous, tenant));
  const row = request.key === undefined ? undefined : service.rows.get(request.key);
  const isInAddress = request.presented.inAddress === true;
  // Reads refuse a dead credential in a header; in the address it is left out.
  const opensPages = isOver && !isInAddress;
  const withShare = (url: string): string =>
    fingerprint === undefined || !isInAddress
      ? url
      : `${url}${url.includes('?') ? '&' : '?'}share=${fingerprint}`;
  const read = (path: string, place?: 'workspace'): string => {
    const named =
      place === undefined || workspace === mainTenant
        ? `${base}${path}`
        : `${base}${path}${path.includes('?') ? '&' : '?'}workspace=${workspace}`;
    return isOpen || isOver ? named : withShare(named);
  };
  const found = new Map<string, Promise<ArticleAccess | undefined>>();
  return {
    service,
    base,
    request,
    args,
    viewer,
    record,
    row,
    tenant,
    workspace,
    isOpen,
    article(wanted) {
      if (wanted === undefined) return Promise.resolve(undefined);
      const known =
        found.get(wanted) ??
        findArticle(service, wanted, viewer).then((access) => (isFault(access) ? undefined : access));
      found.set(wanted, known);
      return known;
    },
    to: {
      read,
      contract: (key) =>
        opensPages
          ? links.rowPage(base, key)
          : read(`/api/dispatch?key=${encodeURIComponent(key)}`, 'workspace'),
      workspace: () =>
        opensPages
          ? links.workspacePage(base, workspace)
          : read(`/api/workspace/${encodeURIComponent(workspace)}`),
      explain: () => (fingerprint === undefined ? [] : [links.explain(base, fingerprint)]),
      start: () => startOf(base, { workspace, isOpen: isOpen && !opensPages, key: request.key }),
      errors: (code) => `${base}/docs/errors#${code}`,
    },
  };
}

/** The arguments that fit, also of a body that does not as a whole. */
function argumentsIn(row: Row | undefined, { args, body }: RefusedRequest): JsonObject {
  if (args !== undefined) return args;
  if (row === undefined || body === undefined) return {};
  const read = argumentsOf(row, body);
  return isFault(read) ? ((read as Partial<ValidationFault>).fits ?? {}) : read;
}

/** `/start` reads no credential and is of main; a contributor enters any open workspace. */
function startOf(
  base: string,
  { workspace, isOpen, key }: { workspace: string; isOpen: boolean; key: string | undefined },
): readonly string[] {
  const contributor: readonly string[] = roles.contributor.keys;
  if (workspace === mainTenant && (key === undefined || startKeys.includes(key))) return [`${base}/start`];
  if (!isOpen || (key !== undefined && !contributor.includes(key))) return [];
  return [`${links.workspace(base, workspace)}/enter?role=contributor`];
}
