/** What is wrong with transparency logs (contract §6), one line each, for `/log` and the desk. */
import type { LogAlarm } from '../../app/log-alarms.ts';
import type { Site } from './site.ts';

/** Lines that are listed; `/witness/evidence` has all. */
const linesMax = 20;

export function LogAlarmList({
  site,
  alarms,
}: {
  readonly site: Site;
  readonly alarms: readonly LogAlarm[];
}) {
  const list = `${site.root}/witness/evidence`;
  return (
    <>
      <ul>
        {alarms.slice(0, linesMax).map(({ text, evidenceId }) => (
          <li key={text}>
            {text}
            {evidenceId === undefined ? null : (
              <>
                {' '}
                Evidence: <a href={`${list}/${evidenceId}`}>/witness/evidence/{evidenceId}</a>
              </>
            )}
          </li>
        ))}
      </ul>
      {alarms.length > linesMax ? (
        <p>
          And <a href={list}>{alarms.length - linesMax} more</a>.
        </p>
      ) : null}
    </>
  );
}
