/** Faults as pages of the same status (contract §2, §8): what happened, how to fix it, and where to go on. */
import type { FastifyRequest } from 'fastify';
import type { Fault } from '../../kernel/fault.ts';
import { truncatedShare, withoutSecrets } from '../http/envelope.ts';
import { sendFaultPage } from '../http/replies.ts';
import type { Face } from '../http/route.ts';
import { statusOf } from '../http/statuses.ts';
import { renderPage } from './shell.tsx';
import type { Site } from './site.ts';

/** Sends refusals as pages. */
export function pageFace(site: Site): Face {
  return {
    send: (reply, _request, refusal) => sendFaultPage(reply, refusal, errorPage(site, refusal)),
  };
}

/** Whether a request is for a page. The API, the files of the log and what programs look for have their own formats. */
export function isPage(request: FastifyRequest): boolean {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  return !/^\/(?:api|tile|mcp|start|\.well-known|checkpoint|assets|metrics|healthz|readyz|robots\.txt|llms\.txt|sitemap\.xml|feed\.xml)(?:[/?]|$)/.test(
    request.url,
  );
}

const titles: Readonly<Record<number, string>> = {
  400: 'This address cannot be read',
  404: 'Not found',
  429: 'Too many requests',
  500: 'Something went wrong here',
  501: 'Not built yet',
  503: 'Too busy just now',
};

function errorPage(site: Site, refusal: Fault): string {
  const { fault, message, fix } = withoutSecrets(refusal);
  // A quoted URL may be truncated within a token.
  const hideBrokenShares = (text: string): string => text.replace(truncatedShare, '[credential]');
  const status = statusOf[fault];
  const title = titles[status] ?? 'The request failed';
  return renderPage(
    site,
    { title, unlisted: true },
    <div class="record error">
      <h1>{title}</h1>
      <p class="lead">{hideBrokenShares(message)}</p>
      <p>{hideBrokenShares(fix)}</p>
      <p class="section-note">
        Status {status}, <code>{fault}</code>. The <a href={site.to.home}>list of articles</a>,{' '}
        <a href={site.to.search}>the search</a>, the <a href={site.to.directory}>directory of rows</a> and the{' '}
        <a href={site.to.log}>log</a> are places to go on from.
      </p>
    </div>,
  );
}
