/** A decision is one of a few words, with a code of its own where it is none of them (contract §2). */
import { violation, type Violation } from './violations.ts';

export function decisionRules(
  decisions: readonly string[],
  decision: string | null | undefined,
): Violation[] {
  if (typeof decision !== 'string' || decisions.includes(decision)) return [];
  return [
    violation(
      'invalid_decision',
      '/decision',
      `"${decision.slice(0, 40)}" is no decision.`,
      `Use one of ${decisions.join(', ')}.`,
    ),
  ];
}
