/**
 * The pages on which articles are written (contract §8, the workbench): `/owner/articles`, `/owner/new` and below
 * `/owner/a/<slug>`. Each form dispatches a row under the credential of the session; previews and checks write nothing.
 */
import type { RouteServer } from '../../../http/route-declaration.ts';
import type { Site } from '../../site.ts';
import { writeDeclarations } from './declarations.ts';
import { articleRoutes } from './article-routes.ts';
import { newRoutes } from './new-routes.ts';
import { editRoutes } from './edit-routes.ts';
import { evidenceRoutes } from './evidence-routes.ts';

export function writeRoutes(
  server: RouteServer,
  site: Site,
  { batchBytesMax }: { readonly batchBytesMax: number },
): void {
  const write = writeDeclarations(server, site, batchBytesMax);
  server.app.addHook('onClose', () => write.pool.close());
  articleRoutes(write);
  newRoutes(write);
  editRoutes(write);
  evidenceRoutes(write);
}
