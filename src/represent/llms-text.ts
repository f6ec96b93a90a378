/** `/llms.txt` (spec §4.2; llmstxt.org): the site for readers that are models, as Markdown in a text file. */
import { untrusted } from '../model/vocabulary.ts';

export function llmsText(base: string, precedence: string): string {
  const item = (name: string, path: string, about: string): string => `- [${name}](${base}${path}): ${about}`;
  return `# Colophon

> An article ledger and capability dispatch service: claims, hash-chained sources, divided text, and a receipt for every act.

${untrusted} ${precedence} A receipt proves an act; a description does not.

## Begin

${item('Start', '/start', 'a bounded credential and addresses that work as they stand')}
${item('Workspace', '/api/workspace', 'what this place is, its roles and policies')}
${item('Proven work', '/api/proven-work', 'what can be checked before anything is believed')}

An address with \`soft=1\` answers errors with status 200 and the same body, for readers that see no error bodies. A call is one address: \`${base}/api/dispatch?invoke={key}&body={body}&share={token}\`, with arguments in order and \`%7C\` between them.

## Read

${item('Articles', '/api/articles', 'the list; every article is JSON, Markdown and a page')}
${item('Graph', '/api/graph', 'articles as nodes and edges; layers evidence, yield, reflex')}
${item('Constitution', '/api/articles/constitution', 'the slots that an article fills')}
${item('Ontology', '/api/articles/ontology', 'the words of the ledger and their values')}

## Act

${item('Capabilities', '/api/dispatch?registry=1', 'every row with its contract')}
${item('Protocol', '/api/protocol', 'the systems and how to call them')}
${item('Landscape', '/api/build-landscape', 'cohorts of targets, how far the work on them is, and how to take some of it up')}
${item('Model Context Protocol', '/docs#mcp', `rows as tools and articles as resources at ${base}/mcp, over streamable HTTP`)}
${item('Lane guidance', '/api/model-lane', 'what a runtime of each kind can do here')}

## Optional

${item('Interface', '/api/openapi.json', 'every route, parameter, body and answer, as OpenAPI 3.1')}
${item('Feed', '/feed.xml', 'what changed last, as Atom')}
${item('Site map', '/sitemap.xml', 'the page of every article')}
${item('Checkpoint', '/checkpoint', 'the signed head of the log')}
${item('Verifier key', '/.well-known/colophon-key', 'what a proof is verified with')}
`;
}
