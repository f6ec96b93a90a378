/** The answer to a gated call (contract §3): the exact payload, and how the owner decides on it. */
import type { JsonValue } from '../../kernel/json.ts';
import type { Result } from '../context.ts';
import { links } from '../links.ts';

export function proposalResult(base: string, inv: string, key: string, body: JsonValue): Result {
  return {
    result: {
      proposal: { key, body },
      decide: {
        key: 'OIP_APPROVE',
        bodies: [`${inv}|approved|`, `${inv}|declined|`],
        url: links.contract(base, 'OIP_APPROVE'),
      },
    },
    text: `${key} waits for the owner as ${inv}; nothing has happened yet.`,
    material: [],
  };
}
