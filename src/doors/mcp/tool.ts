/** A tool as the protocol lists it. */
import type { JsonObject } from '../../kernel/json.ts';

export interface Tool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: JsonObject & { readonly type: 'object' };
  readonly outputSchema?: JsonObject & { readonly type: 'object' };
  readonly annotations: {
    readonly readOnlyHint: boolean;
    readonly destructiveHint: boolean;
    readonly idempotentHint: boolean;
    readonly openWorldHint: boolean;
  };
}
