/**
 * `/a/<slug>/graph` (contract §8): the claims of an article and the sources that they cite, as a picture and as
 * text.
 */
import type { Graph } from '../../domain/graph/graph.ts';
import type { GraphNode } from '../../model/graph.ts';
import { links } from '../../domain/links.ts';
import { pictureOf, pictureShape, type Box, type Picture } from '../../represent/graph-picture.ts';
import { renderPage } from './shell.tsx';
import type { Site } from './site.ts';
import { countText } from './format-text.ts';

export interface GraphView {
  readonly slug: string;
  readonly title: string;
  readonly graph: Graph;
}

export function graphPage(site: Site, { slug, title, graph }: GraphView): string {
  const picture = pictureOf(graph);
  const claims = graph.nodes.filter((node) => node.kind === 'claim');
  const sources = graph.nodes.filter((node) => node.kind === 'source');
  const page = {
    title: `Graph of ${title}`,
    canonical: `${links.article(site.service.base, slug)}/graph`,
  };
  return renderPage(
    site,
    page,
    <article class="record graph-page">
      <h1>
        Graph of{' '}
        <cite dir="auto">
          <a href={site.to.article(slug)}>{title}</a>
        </cite>
      </h1>
      <p>
        {countText(claims.length, 'claim')} and {countText(sources.length, 'source')}; a line leads from a
        claim to each source that it cites. The same as <a href={site.to.graphJson(slug)}>JSON</a>, and what
        was objected and proposed as <a href={`${site.to.graphJson(slug)}&layer=reflex`}>another layer</a>.
      </p>
      {picture.boxes.length === 0 ? (
        <p>The article has neither claims nor sources.</p>
      ) : (
        <GraphPicture picture={picture} />
      )}
      {picture.left === 0 ? null : (
        <p class="section-note">
          The picture leaves out {countText(picture.left, 'object')}; the list below has all.
        </p>
      )}
      <GraphAsText site={site} slug={slug} graph={graph} claims={claims} sources={sources} />
    </article>,
  );
}

function GraphPicture({ picture }: { readonly picture: Picture }) {
  const { width, height, boxes, lines } = picture;
  return (
    <section class="picture" aria-label="Picture of the graph" tabIndex={0}>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label="Claims on the left, the sources that they cite on the right; the list below says the same."
      >
        {lines.map(({ from, to, path }) => (
          <path key={`${from} ${to}`} class="cites" d={path} />
        ))}
        {boxes.map((box) => (
          <PictureBox key={box.id} box={box} />
        ))}
      </svg>
    </section>
  );
}

function PictureBox({ box }: { readonly box: Box }) {
  const { head, lineHeight, pad } = pictureShape;
  return (
    <g class={`box ${box.kind}${box.quiet ? ' retracted' : ''}`}>
      <rect x={box.x} y={box.y} width={box.width} height={box.height} rx="3" />
      <text class="box-head" x={box.x + pad} y={box.y + head - 4}>
        {box.name}{' '}
        <tspan class="box-note">
          {box.note}
          {box.quiet ? ', retracted' : ''}
        </tspan>
      </text>
      {box.lines.map((line, i) => (
        <text key={line + String(i)} x={box.x + pad} y={box.y + head + (i + 1) * lineHeight - 4}>
          {line}
        </text>
      ))}
    </g>
  );
}

interface GraphTextProps {
  readonly site: Site;
  readonly slug: string;
  readonly graph: Graph;
  readonly claims: readonly GraphNode[];
  readonly sources: readonly GraphNode[];
}

function GraphAsText({ site, slug, graph, claims, sources }: GraphTextProps) {
  const cited = graph.edges.filter((edge) => edge.rel === 'cites');
  const nameOf = (id: string): string => id.slice(id.lastIndexOf('/') + 1);
  return (
    <>
      <h2 id="claims">Claims</h2>
      <ul class="graph-list">
        {claims.map((node) => {
          const to = cited.filter((edge) => edge.from === node.id).map((edge) => nameOf(edge.to));
          return (
            <li key={node.id}>
              <a href={site.to.claim(slug, nameOf(node.id))}>{nameOf(node.id)}</a>{' '}
              <span dir="auto">{node.label}</span>{' '}
              <span class="graph-note">
                {String(node['tier'])}, weight {String(node['weight'])}
                {node['status'] === 'retracted' ? ', retracted' : ''};{' '}
                {to.length === 0 ? 'cites no source' : `cites ${to.join(', ')}`}.
              </span>
            </li>
          );
        })}
      </ul>
      <h2 id="sources">Sources</h2>
      <ul class="graph-list">
        {sources.map((node) => {
          const from = cited.filter((edge) => edge.to === node.id).map((edge) => nameOf(edge.from));
          return (
            <li key={node.id}>
              <a href={site.to.source(slug, nameOf(node.id))}>{nameOf(node.id)}</a>{' '}
              <span dir="auto">{node.label}</span>{' '}
              <span class="graph-note">
                {String(node['type'])};{' '}
                {from.length === 0 ? 'cited by no claim' : `cited by ${from.join(', ')}`}.
              </span>
            </li>
          );
        })}
      </ul>
    </>
  );
}
