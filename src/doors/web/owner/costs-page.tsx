/** `/owner/costs`: calls, tokens and costs by day and by row, from the newest entries of the log. */
import type { DaySpent, Spending } from '../../../app/reads/owner-console.ts';
import { countText, dateText } from '../format-text.ts';
import { type ConsoleContext, consolePage, RowLink } from './console-page.tsx';

export function costsPage(context: ConsoleContext, { days, rows, entries, older }: Spending): string {
  const tokens = days.some((day) => day.tokens > 0);
  return consolePage(
    context,
    'costs',
    <>
      <p class="section-note">
        Counted over {older ? 'the newest' : 'all'} {countText(entries, 'entry', 'entries')} of the log. Costs
        are the tokens that providers counted at their prices; calls without a known price count as zero.
      </p>
      {days.length === 0 ? (
        <p>Nothing was called yet.</p>
      ) : (
        <>
          <Plot
            title="Calls by day"
            days={days}
            bars={({ success, failure }) => [success, failure]}
            names={['success', 'failed or denied']}
          />
          {tokens ? (
            <Plot title="Tokens by day" days={days} bars={({ tokens: sum }) => [sum]} names={['tokens']} />
          ) : (
            <p>No tokens were used.</p>
          )}
          <h2>By row</h2>
          <div class="wide">
            <table>
              <thead>
                <tr>
                  <th scope="col">Row</th>
                  <th scope="col">Calls</th>
                  <th scope="col">Success</th>
                  <th scope="col">Tokens</th>
                  <th scope="col">Wasted</th>
                  <th scope="col">USD</th>
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => (
                  <tr key={row.key}>
                    <th scope="row">
                      <RowLink context={context} row={row.key} />
                    </th>
                    <td>{number(row.calls)}</td>
                    <td>{number(row.success)}</td>
                    <td>{number(row.tokens)}</td>
                    <td>{number(row.wasted)}</td>
                    <td>{money(row.usdMicros)}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
    </>,
  );
}

interface Plotted {
  readonly title: string;
  readonly days: readonly DaySpent[];
  readonly bars: (day: DaySpent) => readonly number[];
  /** What each of the bars counts. */
  readonly names: readonly string[];
}

const width = 600;
const height = 120;

/** Stacked bars, one per day. A table below has the same figures as text. */
function Plot({ title, days, bars, names }: Plotted) {
  const most = Math.max(1, ...days.map((day) => bars(day).reduce((sum, value) => sum + value, 0)));
  const step = Math.min(width / days.length, 60);
  return (
    <figure class="plot">
      <figcaption>
        {title}, at most {number(most)}:{' '}
        {names.map((name, i) => (
          <span key={name} class={`key-${i}`}>
            {name}{' '}
          </span>
        ))}
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true" preserveAspectRatio="none">
        <line x1="0" x2={width} y1={height - 0.5} y2={height - 0.5} class="axis" />
        {days.map((day, i) => {
          let top = height;
          return bars(day).map((value, kind) => {
            const tall = (value / most) * (height - 4);
            top -= tall;
            return value === 0 ? null : (
              <rect
                key={`${day.day}-${kind}`}
                x={(i * step + 1).toFixed(2)}
                y={top.toFixed(2)}
                width={Math.max(1, step - 2).toFixed(2)}
                height={tall.toFixed(2)}
                class={`bar-${kind}`}
              >
                <title>{`${dateText(day.day)}: ${number(value)} ${names[kind] ?? ''}`}</title>
              </rect>
            );
          });
        })}
      </svg>
      <p class="plot-ends">
        <span>{dateText(days[0]?.day ?? '')}</span>
        <span>{days.length > 1 ? dateText(days.at(-1)?.day ?? '') : ''}</span>
      </p>
      <Figures title={title} days={days} bars={bars} names={names} />
    </figure>
  );
}

/** Days without values are omitted from the table; the plot needs them for its scale. */
function Figures({ title, days, bars, names }: Plotted) {
  return (
    <details>
      <summary>{title} in figures</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">Day</th>
            {names.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {days
            .filter((day) => bars(day).some((value) => value > 0))
            .map((day) => (
              <tr key={day.day}>
                <th scope="row">
                  <time dateTime={day.day}>{dateText(day.day)}</time>
                </th>
                {bars(day).map((value, i) => (
                  <td key={names[i]}>{number(value)}</td>
                ))}
              </tr>
            ))}
        </tbody>
      </table>
    </details>
  );
}

function number(value: number): string {
  return value.toLocaleString('en-GB');
}

function money(usdMicros: number): string {
  return (usdMicros / 1_000_000).toFixed(usdMicros !== 0 && usdMicros < 10_000 ? 6 : 2);
}
