/** The owner decides what the mirror holds (spec §2.10, contract §5): the row's own act, under the contribution's URL. */
import type { FastifyInstance } from 'fastify';
import type { Service } from '../../app/service.ts';
import { writeAtAddress } from './address-write.ts';
import { declare, declared } from './declare.ts';
import type { Intake } from './intake.ts';
import { contradicted } from './open-intake.ts';
import { shared } from './parameters.ts';

const resolution = declare({
  id: 'resolveContribution',
  summary: 'The owner decides about a contribution.',
  tag: 'protocol',
  row: 'MIRROR_RESOLVE',
  fixed: ['slug', 'contribution_id'],
  query: shared,
});

interface Params {
  readonly slug: string;
  readonly id: string;
}

export function mirrorRoutes(app: FastifyInstance, service: Service, intake: Intake): void {
  app.post('/api/articles/:slug/mirror/:id/resolve', declared(resolution), (request, reply) => {
    const { slug, id } = request.params as Params;
    const fixed = { slug, contribution_id: id };
    return writeAtAddress(service, intake, request, reply, {
      taking: resolution,
      row: 'MIRROR_RESOLVE',
      fixed,
      contradicted: (object) => contradicted(object, fixed),
    });
  });
}
