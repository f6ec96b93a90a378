/**
 * Uploads between their preview and their import (contract §8): nothing of them is on the ledger. Each is held for two
 * hours, for the session that sent it, among the records that all nodes share; afterwards its report is held.
 */
import type { Session } from '../../../../app/credentials/sessions.ts';
import type { Service } from '../../../../app/service.ts';
import { sha256Hex } from '../../../../kernel/hash.ts';
import { opaqueId } from '../../../../kernel/ids.ts';
import type { ImportReport } from '../../../intake/import-target.ts';
import type { ImportFile } from '../../../../represent/intake/read-zip.ts';

const heldMs = 2 * 3600 * 1000;

export interface HeldImport {
  readonly files: readonly ImportFile[];
  /** What the form said beside the files. */
  readonly fields: Readonly<Record<string, string>>;
  readonly report?: ImportReport | undefined;
}

export async function holdImport(service: Service, session: Session, held: HeldImport): Promise<string> {
  const id = opaqueId('imp_');
  await keepImport(service, session, id, held);
  return id;
}

export async function keepImport(
  service: Service,
  session: Session,
  id: string,
  { files, fields, report }: HeldImport,
): Promise<void> {
  const value = JSON.stringify({
    files: files.map(({ path, bytes, title }) => ({
      path,
      title,
      data: Buffer.from(bytes).toString('base64'),
    })),
    fields,
    report,
  });
  await service.store.ephemeral.put(nameOf(session, id), value, service.now() + heldMs);
}

export async function heldImport(
  service: Service,
  session: Session,
  id: string,
): Promise<HeldImport | undefined> {
  if (!/^imp_[a-z2-7]{16}$/.test(id)) return undefined;
  const value = await service.store.ephemeral.get(nameOf(session, id), service.now());
  if (value === undefined) return undefined;
  const { files, ...rest } = JSON.parse(value) as Omit<HeldImport, 'files'> & {
    readonly files: readonly { readonly path: string; readonly title?: string; readonly data: string }[];
  };
  return {
    ...rest,
    files: files.map(({ data, ...file }) => ({ ...file, bytes: Buffer.from(data, 'base64') })),
  };
}

/** The name holds a hash of the session's token: no other session finds the upload. */
function nameOf({ token }: Session, id: string): string {
  return `import/${sha256Hex(`import\n${token}`)}/${id}`;
}
