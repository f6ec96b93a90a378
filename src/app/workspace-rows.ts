/**
 * The directory of a workspace: built-in rows overlaid with the owner's rows. Compiled once per state of the
 * directory; every call checks the stamp, so changes by other nodes count at once.
 */
import { compileRow } from '../domain/directory/compile-row.ts';
import { directoryTable, rowPath, rowVersionTable } from '../domain/directory/tables.ts';
import type { Row } from '../domain/capabilities/row.ts';
import type { Service } from './service.ts';

interface Compiled {
  readonly stamp: number;
  readonly service: Service;
}

const compiled = new WeakMap<Service, Map<string, Compiled>>();
/** The original service of one with workspace rows; nested calls start from it. */
const deployedOf = new WeakMap<Service, Service>();

/** The service with the rows of `tenant`; the same object if the owner changed nothing. */
export async function withWorkspaceRows(given: Service, tenant: string): Promise<Service> {
  const service = deployedOf.get(given) ?? given;
  const stamp = await service.store.read.stamp('directory', tenant);
  const known = compiled.get(service) ?? new Map<string, Compiled>();
  compiled.set(service, known);
  const last = known.get(tenant);
  if (last?.stamp === stamp) return last.service;
  const stored = await service.store.read.rows(directoryTable, tenant);
  const own = [...stored.values()].flatMap(({ key, state }) => {
    const row = compileRow(tenant, state, service.rows.get(key));
    return row === undefined ? [] : [[key, row] as const];
  });
  const rows = new Map([...service.rows, ...own].sort(([a], [b]) => (a < b ? -1 : 1)));
  const current = own.length === 0 ? service : { ...service, rows };
  if (current !== service) deployedOf.set(current, service);
  known.set(tenant, { stamp, service: current });
  return current;
}

/** A version of a row, compiled. */
export async function rowAtVersion(
  current: Service,
  tenant: string,
  row: Row,
  version: number,
): Promise<Row | undefined> {
  const currentVersion = row.rowOverride?.version ?? 1;
  if (version === currentVersion) return row;
  const builtIn = row.origin ?? (row.rowOverride === undefined ? row : undefined);
  const [stored] = await current.store.read.list(rowVersionTable, rowPath(tenant, row.key), {
    after: version - 1,
    limit: 1,
  });
  if (stored?.version === version) return compileRow(tenant, stored.state, builtIn);
  // The built-in row, with the hash that receipts of that time name.
  return version === 1 ? builtIn : undefined;
}
