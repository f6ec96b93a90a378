/**
 * One declaration of each route: its handler reads by it and `/api/openapi.json` is written from it, so that neither
 * says what the other does not (contract §7): `readQuery` refuses what the declaration does not take.
 */
import type { Operation, Taken } from '../../represent/openapi/operation.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly operations?: readonly Operation[];
  }
}

export type Declared<Q extends Taken> = Operation & {
  readonly query: Q;
};

export function declare<Q extends Taken>(
  operation: Omit<Operation, 'query'> & { readonly query: Q },
): Declared<Q> {
  return operation;
}

/** An operationId out of what a route is called by: `read-thread-state` is `readThreadState`, VOXEL_EDIT `voxelEdit`. */
export function operationId(name: string): string {
  return name.toLowerCase().replaceAll(/[-_](\w)/g, (_, letter: string) => letter.toUpperCase());
}

/** Options of a route that only reads: HEAD is answered as GET is, without the body (RFC 9110 §9.1). */
export function readable(...operations: readonly Operation[]) {
  return { exposeHeadRoute: true, config: { operations } } as const;
}

/** Options of any other route. */
export function declared(...operations: readonly Operation[]) {
  return { config: { operations } } as const;
}
