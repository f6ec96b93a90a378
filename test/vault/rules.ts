/**
 * What an Obsidian vault must keep to, written down from the documentation of the formats and apart from the code
 * that makes one: front matter, wikilinks, block ids, JSON Canvas 1.0, checksums. Answers with what is wrong.
 */
import { createHash } from 'node:crypto';

export type Files = ReadonlyMap<string, string>;

export function findings(files: Files): string[] {
  const found: string[] = [];
  for (const [path, content] of files) {
    // Characters that Obsidian or a file system refuses in names.
    if (/[\\:*?"<>|#^[\]]|\.\.|^\/|\/\//.test(path)) found.push(`${path}: a name that cannot be linked`);
    if (path.endsWith('.md')) found.push(...noteFindings(path, content, files));
    else if (path.endsWith('.canvas')) found.push(...canvasFindings(path, content, files));
  }
  return [...found, ...sumFindings(files)];
}

function noteFindings(path: string, content: string, files: Files): string[] {
  const found: string[] = [];
  const front = /^---\n((?:.*\n)*?)---\n/.exec(content);
  if (front === null) return [`${path}: no front matter`];
  const properties = new Map<string, unknown>();
  for (const line of (front[1] ?? '').trimEnd().split('\n')) {
    const [, name, value] = /^([a-z_]+): (.+)$/.exec(line) ?? [];
    if (name === undefined || value === undefined || properties.has(name)) {
      found.push(`${path}: front matter line "${line}"`);
      continue;
    }
    try {
      properties.set(name, JSON.parse(value));
    } catch {
      found.push(`${path}: ${name} is no value`);
    }
  }
  const tags = properties.get('tags');
  for (const tag of Array.isArray(tags) ? (tags as string[]) : [])
    if (!/^[\p{L}\p{N}_/-]*[\p{L}_/-][\p{L}\p{N}_/-]*$/u.test(tag)) found.push(`${path}: tag ${tag}`);
  const text = withoutCode(content);
  for (const [, target = ''] of text.matchAll(/\[\[([^\]|#]+)[^\]]*\]\]/g))
    if (!files.has(`${target}.md`)) found.push(`${path}: a link to ${target}`);
  const ids = [...text.matchAll(/(?:^| )\^(\S+)$/gm)].map(([, id]) => id as string);
  for (const id of ids) if (!/^[A-Za-z0-9-]+$/.test(id)) found.push(`${path}: block id ${id}`);
  if (new Set(ids).size !== ids.length) found.push(`${path}: a block id twice`);
  for (const [line] of text.matchAll(/^\^\S+$/gm))
    if (!text.includes(`\n\n${line}\n`)) found.push(`${path}: ${line} stands in no line of its own`);
  return found;
}

function withoutCode(content: string): string {
  return content.replace(/^(`{3,})[^\n]*\n[\s\S]*?^\1$/gm, '').replace(/`[^`\n]*`/g, '');
}

function canvasFindings(path: string, content: string, files: Files): string[] {
  const found: string[] = [];
  const { nodes, edges, ...rest } = JSON.parse(content) as {
    nodes: Record<string, unknown>[];
    edges: Record<string, unknown>[];
  };
  if (Object.keys(rest).length > 0) found.push(`${path}: unknown members`);
  const ids = new Set(nodes.map((node) => node['id']));
  if (ids.size !== nodes.length) found.push(`${path}: a node id twice`);
  for (const node of nodes) {
    if (node['type'] !== 'file' || !files.has(String(node['file'])))
      found.push(`${path}: node ${String(node['id'])}`);
    for (const name of ['x', 'y', 'width', 'height'])
      if (!Number.isInteger(node[name])) found.push(`${path}: ${name} of ${String(node['id'])}`);
    if (!/^[1-6]$|^#[0-9a-f]{6}$/.test(String(node['color'] ?? '1'))) found.push(`${path}: colour`);
  }
  const sides = new Set(['top', 'right', 'bottom', 'left']);
  if (new Set(edges.map((edge) => edge['id'])).size !== edges.length) found.push(`${path}: an edge id twice`);
  for (const edge of edges) {
    if (!ids.has(edge['fromNode']) || !ids.has(edge['toNode'])) found.push(`${path}: an edge into nothing`);
    if (!sides.has(String(edge['fromSide'])) || !sides.has(String(edge['toSide'])))
      found.push(`${path}: an edge on no side`);
  }
  return found;
}

function sumFindings(files: Files): string[] {
  const sums = new Map(
    (files.get('checksums.sha256') ?? '')
      .trimEnd()
      .split('\n')
      .map((line): [string, string] => [line.slice(66), line.slice(0, 64)]),
  );
  return [...files].flatMap(([path, content]) => {
    if (path === 'checksums.sha256') return [];
    const sum = createHash('sha256').update(content, 'utf8').digest('hex');
    return sums.get(path) === sum ? [] : [`${path}: its checksum`];
  });
}
