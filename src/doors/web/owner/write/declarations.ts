/** What the declarations of the pages that write articles share (contract §8): fields, limits, and the renderer of previews. */
import type { FastifyRequest } from 'fastify';
import { stringParam } from '../../../http/parameters.ts';
import { seeOther } from '../../../http/replies.ts';
import type { RouteServer } from '../../../http/route-declaration.ts';
import { RenderPool } from '../../render-pool.ts';
import type { Site } from '../../site.ts';
import { deskDeclarations, formToken } from '../desk.ts';
import { signInFor } from '../kept-form.tsx';
import { writePaths } from './desk.ts';

export const version = stringParam('the version that the form was made from');
export const onceField = stringParam('as the page has it');

export type WriteDeclarations = ReturnType<typeof writeDeclarations>;

export function writeDeclarations(server: RouteServer, site: Site, batchBytesMax: number) {
  const { page: deskPage, form } = deskDeclarations(site);
  const page = {
    ...deskPage,
    noSession: (request: FastifyRequest) => seeOther(signInFor(site, request)),
  } as const;
  // A text of 2 MB takes up to three times as much in a form.
  const textForm = { ...form, bodyLimit: batchBytesMax } as const;
  const textBody = {
    form_token: formToken,
    once: onceField,
    workspace: stringParam('the workspace that is meant'),
    title: stringParam('the title'),
    text: stringParam('the text, in Markdown'),
    act: stringParam('save, publish or preview'),
  };
  const previewBody = {
    ...textBody,
    version,
    blocks: stringParam('ids and hashes'),
    block: stringParam('one id'),
  };
  return {
    server,
    site,
    pool: new RenderPool(),
    paths: writePaths(site.root),
    page,
    form,
    textForm,
    textBody,
    previewBody,
  } as const;
}
