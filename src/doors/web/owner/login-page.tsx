/** `/owner` without a session. */
import { keepsCookie } from '../../http/browser-forms.ts';
import { renderPage } from '../shell.tsx';
import type { Site } from '../site.ts';

export function loginPage(site: Site, problem?: string): string {
  return renderPage(
    site,
    { title: 'Owner', unlisted: true, styles: ['apparatus', 'lists', 'owner'] },
    <div class="console">
      <h1>Owner’s console</h1>
      <p class="lead">
        What waits for a decision, shares and keys, the landscape, calls and costs, and scrubbing. It opens
        with the owner key that the first start printed, or that <code>COLOPHON_TERMINAL_KEY</code> sets.
      </p>
      {problem === undefined ? null : (
        <p class="console-notice failed" role="alert">
          {problem}
        </p>
      )}
      {keepsCookie(site.service.base) ? (
        <form method="post" action={`${site.root}/owner/login`} class="call-form">
          <p class="field">
            <label for="key">Owner key</label>
            <input id="key" name="key" type="password" required autocomplete="current-password" />
          </p>
          <button type="submit">Log in</button>
        </form>
      ) : (
        <p class="console-notice failed">
          This deployment’s address begins with <code>http:</code> and is not on this machine, where a login
          could be read on the way. Set <code>COLOPHON_BASE_URL</code> to its <code>https:</code> address.
        </p>
      )}
      <p class="section-note">
        The console does nothing that a call could not: every button is a dispatched row with a receipt, and
        the same rows answer to the key in the <code>x-terminal-key</code> header.
      </p>
    </div>,
  );
}
