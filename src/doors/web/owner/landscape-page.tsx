/** `/owner/landscape`: the progress of each cohort by lane. */
import { addressOfCohort } from '../../../domain/landscape/queue.ts';
import { links } from '../../../domain/links.ts';
import { type ConsoleContext, consolePage, PublicLink } from './console-page.tsx';
import type { CohortSummary } from '../../../model/landscape.ts';
import { lanes } from '../../../model/vocabulary.ts';

export function ownerLandscapePage(context: ConsoleContext, cohorts: readonly CohortSummary[]): string {
  return consolePage(
    context,
    'landscape',
    <>
      {cohorts.length === 0 ? (
        <p>
          No targets are queued. A landscape compares many things, such as the logs of one query, on the same
          axes: each cell of its table is a claim with a source, which people and models fill one assignment
          at a time. Queue the first targets by the row{' '}
          <a href={context.site.to.row('LANDSCAPE_QUEUE')}>LANDSCAPE_QUEUE</a>.
        </p>
      ) : (
        <>
          <div class="wide">
            <table>
              <thead>
                <tr>
                  <th scope="col">Cohort</th>
                  <th scope="col">Items</th>
                  {lanes.map((lane) => (
                    <th key={lane} scope="col">
                      {lane}
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {cohorts.map(({ cohort, query, items, lanes: progress }) => (
                  <tr key={cohort}>
                    <th scope="row">
                      <PublicLink
                        context={context}
                        href={links.landscape(context.site.root, addressOfCohort(context.workspace, cohort))}
                      >
                        {cohort}
                      </PublicLink>
                      <br />
                      <span class="hint" dir="auto">
                        {query}
                      </span>
                    </th>
                    <td>{items}</td>
                    {lanes.map((lane) => (
                      <td key={lane}>
                        {progress[lane].complete} of {items}
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        </>
      )}
      <p class="section-note">
        Targets are queued by <a href={context.site.to.row('LANDSCAPE_QUEUE')}>LANDSCAPE_QUEUE</a>, up to 500
        a call, and leased by <a href={context.site.to.row('LANDSCAPE_NEXT')}>LANDSCAPE_NEXT</a>.
      </p>
    </>,
  );
}
