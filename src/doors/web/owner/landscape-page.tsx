/** `/owner/landscape`: how far each cohort is in its lanes. Queueing and leasing are calls; what they need is data. */
import { Fence, fenceName } from '../shell.tsx';
import { addressOfCohort } from '../../../domain/landscape/queue.ts';
import { links } from '../../../domain/links.ts';
import { consolePage, PublicLink, type Console } from './frame.tsx';
import { type Lane, lanes } from '../../../model/vocabulary.ts';

export interface OwnedCohort {
  readonly cohort: string;
  readonly query: string;
  readonly items: number;
  readonly lanes: Readonly<Record<Lane, { readonly left: number; readonly complete: number }>>;
}

export function ownerLandscapePage(at: Console, cohorts: readonly OwnedCohort[]): string {
  const fence = fenceName(at.session.formToken, ...cohorts.flatMap(({ cohort, query }) => [cohort, query]));
  return consolePage(
    at,
    'landscape',
    <>
      {cohorts.length === 0 ? (
        <p>No targets are queued.</p>
      ) : (
        <>
          <Fence name={fence} />
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
                        at={at}
                        href={links.landscape(at.site.root, addressOfCohort(at.workspace, cohort))}
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
          <Fence name={fence} end />
        </>
      )}
      <p class="section-note">
        Targets are queued by <a href={at.site.to.row('LANDSCAPE_QUEUE')}>LANDSCAPE_QUEUE</a>, up to 500 a
        call, and leased by <a href={at.site.to.row('LANDSCAPE_NEXT')}>LANDSCAPE_NEXT</a>.
      </p>
    </>,
  );
}
