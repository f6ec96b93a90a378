/** Errors as pages (contract §2, §8): the status of the API's answer, in words, and where to go on. */
import type { Fault } from '../../kernel/fault.ts';
import { statusOf } from '../http/statuses.ts';
import { renderPage } from './shell.tsx';
import type { Site } from './site.ts';

const titles: Readonly<Record<number, string>> = {
  400: 'This address cannot be read',
  404: 'Not found',
  429: 'Too many requests',
  500: 'Something went wrong here',
  501: 'Not built yet',
  503: 'Too busy just now',
};

export function errorPage(site: Site, fault: Fault): string {
  const status = statusOf[fault.fault];
  const title = titles[status] ?? 'This did not work';
  return renderPage(
    site,
    { title, unlisted: true },
    <div class="record error">
      <h1>{title}</h1>
      <p class="lead">{fault.message}</p>
      <p>{fault.fix}</p>
      <p class="section-note">
        Status {status}, <code>{fault.fault}</code>. The <a href={site.to.home}>list of articles</a>,{' '}
        <a href={site.to.search}>the search</a>, the <a href={site.to.directory}>directory of rows</a> and the{' '}
        <a href={site.to.log}>log</a> are good places to go on from.
      </p>
    </div>,
  );
}
