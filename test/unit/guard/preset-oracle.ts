/**
 * Secretlint's recommended preset asked on its own, rule by rule, without our prefilter, our windows or our
 * reading of its ranges: what it reports here must not survive scrubbing.
 */
import { rules } from '@secretlint/secretlint-rule-preset-recommend';

interface Rule {
  readonly meta: { readonly id: string };
  create(context: object, options: object): { file(source: object): unknown };
}

export interface Reported {
  readonly rule: string;
  readonly secret: string;
}

const notAsked = new Set(['filter-comments', 'gcp']);

export const presetRuleNames: readonly string[] = (rules as unknown as readonly Rule[]).map(shortName);

function shortName(rule: Rule): string {
  return rule.meta.id.replace('@secretlint/secretlint-rule-', '');
}

/** Every secret that the preset reports in `content`. */
export function reportedByPreset(content: string): Reported[] {
  const found: Reported[] = [];
  for (const rule of rules as unknown as readonly Rule[]) {
    const name = shortName(rule);
    if (notAsked.has(name)) continue;
    const context = {
      createTranslator: () => (_id: string, properties: Record<string, string>) => properties,
      report: ({ message }: { message: Record<string, string> }) => {
        const secret = Object.entries(message).find(([label]) => label !== 'typeName')?.[1];
        if (secret === undefined || secret === '') throw new Error(`${name} reports without its secret`);
        found.push({ rule: name, secret });
      },
    };
    rule.create(context, {}).file({ content, filePath: undefined, ext: '' });
  }
  return found;
}
