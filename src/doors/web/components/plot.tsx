/**
 * A plot: its title and legend, the picture in two widths, and the same values as a table for everybody who does not see
 * it. `Plotter` draws the pictures; without them the table stands open.
 */
import { type Drawn, namesOf, type PlotData, valueText } from '../plots/plot-data.ts';

type Props = Readonly<{
  plot: PlotData;
  drawn: Drawn | undefined;
  /** Where the items of bars link to, by item. */
  links?: ReadonlyMap<string, string>;
}>;

export function Plot({ plot, drawn, links }: Props) {
  const { title, note, series } = plot;
  return (
    <figure class="plot">
      <figcaption>
        <strong>{title}</strong>
        <span class="plot-note">{note}</span>
        {!needsLegend(plot) ? null : (
          <ul class="plot-legend">
            {series.map(({ name, tone }) => (
              <li key={name} class={`plot-${tone}`}>
                {name}
              </li>
            ))}
          </ul>
        )}
      </figcaption>
      {drawn === undefined ? null : (
        <>
          <div class="plot-wide" dangerouslySetInnerHTML={{ __html: drawn.wide }} />
          <div class="plot-narrow" dangerouslySetInnerHTML={{ __html: drawn.narrow }} />
        </>
      )}
      <details class="disclosure" open={drawn === undefined}>
        <summary>{title} in figures</summary>
        <Figures plot={plot} links={links} />
      </details>
    </figure>
  );
}

/** A single series of a total, or of bars in the first colour, is what the title says. */
function needsLegend({ shape, series }: PlotData): boolean {
  return shape !== 'area' && (series.length > 1 || shape === 'columns' || series[0]?.tone !== 'one');
}

/** Newest step first; steps in which nothing happened are left out. */
function Figures({ plot, links }: Readonly<{ plot: PlotData; links: Props['links'] }>) {
  const { series, unit, shape } = plot;
  const rows = namesOf(plot).map((name, at) => ({
    name,
    values: series.map(({ values }) => values[at] ?? 0),
    href: shape === 'bars' ? links?.get(plot.items[at] ?? '') : undefined,
  }));
  const shown = rows.filter(({ values }) => values.some((value) => value > 0));
  return (
    <div class="scroll">
      <table>
        <thead>
          <tr>
            <th scope="col">{shape === 'bars' ? plot.item : 'Time (UTC)'}</th>
            {series.map(({ name }) => (
              <th key={name} scope="col" class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {(shape === 'bars' ? shown : shown.toReversed()).map(({ name, values, href }) => (
            <tr key={name}>
              <th scope="row">{href === undefined ? name : <a href={href}>{name}</a>}</th>
              {values.map((value, i) => (
                <td key={series[i]?.name} class="number">
                  {valueText(value, unit)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
