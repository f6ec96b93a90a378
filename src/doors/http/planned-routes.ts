/** Addresses that the interface names (contract §7) and that are not built yet: they say so, and do nothing. */
import type { FastifyInstance } from 'fastify';
import type { Service } from '../../app/service.ts';
import { fault } from '../../kernel/fault.ts';
import { sendProblem } from './envelope.ts';
import { readable } from './declare.ts';

const planned: readonly (readonly [path: string, instead: string])[] = [
  ['/api/events', 'Read new entries under /tile/entries; /checkpoint tells how many there are.'],
];

export function plannedRoutes(app: FastifyInstance, { base }: Service): void {
  for (const [path, instead] of planned) {
    const refusal = fault('not_implemented', `${path} is part of the interface and not built yet.`, instead);
    const absent = {
      id: `get${path.replace(/\W+/g, ' ').replace(/ (\w)/g, (_, letter: string) => letter.toUpperCase())}`,
      summary: 'Part of the interface and not built yet.',
      tag: 'discovery',
      caller: 'nobody',
      query: undefined,
      unbuilt: true,
    } as const;
    app.get(path, readable(absent), async (request, reply) => sendProblem(reply, request, base, refusal));
  }
}
