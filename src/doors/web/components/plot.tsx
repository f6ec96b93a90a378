/** A plot with its title, what its axis counts, and the figures beneath for readers who do not see it. */
import type { ComponentChildren } from 'preact';

type Props = Readonly<{
  title: string;
  /** What the axis counts and how the marks are told apart. */
  note?: ComponentChildren;
  /** An svg element of this site's making, hidden from screen readers; each mark has a `title`. */
  children: ComponentChildren;
  columns: readonly string[];
  /** The first cell of a row names it. */
  rows: readonly (readonly ComponentChildren[])[];
}>;

export function Plot({ title, note, children, columns, rows }: Props) {
  return (
    <figure class="plot">
      <figcaption>
        <strong>{title}</strong>
        {note === undefined ? null : <span class="plot-note">{note}</span>}
      </figcaption>
      {children}
      <details class="disclosure">
        <summary>{title} in figures</summary>
        <div class="scroll">
          <table>
            <thead>
              <tr>
                {columns.map((name) => (
                  <th key={name} scope="col">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {rows.map(([first, ...rest], i) => (
                <tr key={i}>
                  <th scope="row">{first}</th>
                  {rest.map((value, column) => (
                    <td key={columns[column + 1]} class="number">
                      {value}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </figure>
  );
}
