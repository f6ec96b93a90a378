/** Lists that HTTP and MCP answer alike (contract §7, §8): their parameters, and what they answer. */
import type { Service } from '../../app/service.ts';
import type { Credential } from '../../domain/capabilities/credential.ts';
import type { Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';
import type { Query } from './requests.ts';
import type { QueryDeclaration } from './validate-query.ts';

export interface ListRead extends QueryDeclaration {
  /** `query` is valid by the declaration. */
  readonly answer: (service: Service, viewer: Credential, query: Query) => Promise<JsonObject | Fault>;
}
