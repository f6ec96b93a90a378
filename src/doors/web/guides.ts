/** The guides in `docs/` that are pages below `/docs/guides/` (contract §8): names, files, and their Markdown as HTML. */
import { readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { anchorPrefix, articleHtml } from '../../represent/article-html.ts';
import { projectFile } from '../project-root.ts';

export interface Guide {
  /** Last part of its address. */
  readonly name: string;
  readonly file: string;
  readonly title: string;
  readonly what: string;
}

export const guides: readonly Guide[] = [
  {
    name: 'contributor',
    file: 'docs/guides/contributor.md',
    title: 'Reading and contributing',
    what: 'How to verify what you read, and how to object or propose without an account.',
  },
  {
    name: 'owner',
    file: 'docs/guides/owner.md',
    title: 'Running a site as its owner',
    what: 'Writing, deciding on contributions, and giving others limited access.',
  },
  {
    name: 'operator',
    file: 'docs/guides/operator.md',
    title: 'Operating a deployment',
    what: 'Backups, health, upgrades, several nodes.',
  },
  {
    name: 'runbook',
    file: 'docs/runbook.md',
    title: 'Runbook',
    what: 'What to do at each alert, and what each line of doctor means.',
  },
  {
    name: 'sizing',
    file: 'docs/sizing.md',
    title: 'Sizing',
    what: 'Memory, disk, throughput and the time of each command, by store and cores.',
  },
  {
    name: 'scaling',
    file: 'docs/scaling.md',
    title: 'Beyond one database',
    what: 'What to do when one deployment is not enough, with numbers and a simulation.',
  },
  {
    name: 'auditor',
    file: 'docs/guides/auditor.md',
    title: 'Auditing',
    what: 'Checking receipts, articles and the whole log with one key and no trust in the server.',
  },
  {
    name: 'static-site',
    file: 'docs/guides/static-site.md',
    title: 'The static site',
    what: 'Writing the published articles as files that are read and verified offline.',
  },
  {
    name: 'models',
    file: 'docs/guides/models.md',
    title: 'Language models',
    what: 'How a model reads and acts by web addresses, MCP or OpenAI Actions.',
  },
  {
    name: 'developer',
    file: 'docs/guides/developer.md',
    title: 'Developing Colophon',
    what: 'Tests, checks and where things are.',
  },
  {
    name: 'configuration',
    file: 'docs/configuration.md',
    title: 'Configuration',
    what: 'Every setting and its default.',
  },
  {
    name: 'client',
    file: 'docs/client.md',
    title: 'The typed client',
    what: 'Calling the interface from TypeScript.',
  },
  {
    name: 'landscape',
    file: 'docs/landscape.md',
    title: 'Distributing work',
    what: 'Queueing targets, and how contributors and models take one on.',
  },
  {
    name: 'linked-data',
    file: 'docs/linked-data.md',
    title: 'Linked data',
    what: 'Citations, annotations, RO-Crates and nanopublications.',
  },
  {
    name: 'upgrading',
    file: 'docs/upgrading.md',
    title: 'Upgrading',
    what: 'What each version changes for operators.',
  },
  {
    name: 'recovery',
    file: 'docs/recovery.md',
    title: 'Recovery of PostgreSQL',
    what: 'Going back to a moment, and what nodes say then.',
  },
  {
    name: 'architecture',
    file: 'docs/ARCHITECTURE.md',
    title: 'Architecture',
    what: 'How a write travels, what is stored where, what the public log reveals.',
  },
  {
    name: 'threats',
    file: 'docs/THREATS.md',
    title: 'Threats',
    what: 'What an attacker may try, what stops it, and which test shows it.',
  },
  {
    name: 'performance',
    file: 'docs/performance.md',
    title: 'Performance',
    what: 'Measured figures, and how to measure them again.',
  },
];

/** The guide as HTML; `address` gives the page of another guide. */
export function guideHtml({ file }: Guide, address: (name: string) => string): string {
  const text = readFileSync(projectFile(file), 'utf8').replaceAll(
    /!?\[([^\]]*)\]\(([^)\s]+)\)/g,
    (whole, label: string, target: string) => {
      if (/^(?:[a-z]+:|#)/.test(target)) return whole;
      const [path = '', fragment] = target.split('#');
      const named = posix.join(posix.dirname(file), path);
      const guide = guides.find((each) => each.file === named);
      // Files that have no page here, such as the records of decisions.
      if (guide === undefined) return label;
      return `[${label}](${address(guide.name)}${fragment === undefined ? '' : `#${anchorPrefix}${fragment}`})`;
    },
  );
  return articleHtml({ lead: '', pieces: [{ div_id: 'guide', text, sep: '' }] })
    .divs.map(({ html }) => html)
    .join('');
}
