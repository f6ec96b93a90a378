/**
 * One declaration of each route: its handler reads by it and `/api/openapi.json` is written from it, so that neither
 * says what the other does not (contract §7). Nothing is checked at a request that was not checked before.
 */
import type { Operation, Taken } from '../../represent/openapi/operation.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    readonly operations?: readonly Operation[];
  }
}

export type Declared<Q extends Taken> = Operation & {
  readonly query: Q;
  /** The names that the query may have, for `readQuery`. */
  readonly parameters: readonly string[];
};

export function declare<Q extends Taken>(
  operation: Omit<Operation, 'query'> & { readonly query: Q },
): Declared<Q> {
  return { ...operation, parameters: Object.keys(operation.query) };
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
