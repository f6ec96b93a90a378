/** What the routes of imports and images declare alike: pages and forms of the desk, and uploads of a session. */
import { stringParam } from '../../../http/parameters.ts';
import type { RouteServer } from '../../../http/route-declaration.ts';
import { uploadBytesMax } from '../../../http/uploads.ts';
import type { Site } from '../../site.ts';
import { deskDeclarations, formToken } from '../desk.ts';
import type { Caller } from './desk-target.ts';

export function intakeDeclarations({ requestLimits }: RouteServer, site: Site) {
  const { page, form } = deskDeclarations(site);
  const upload = { ...form, bodyLimit: uploadBytesMax, config: { isUpload: true } } as const;
  const hidden = { form_token: formToken, workspace: stringParam('the workspace that is meant') };
  const callerOf = (request: Parameters<typeof requestLimits.address>[0]): Caller => ({
    client: requestLimits.address(request),
    meter: requestLimits.meter(request),
  });
  return { page, form, upload, hidden, callerOf } as const;
}
