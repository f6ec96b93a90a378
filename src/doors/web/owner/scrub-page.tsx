/** `/owner/scrub`: finds and removes a secret. */
import type { JsonValue } from '../../../kernel/json.ts';
import { CallForm, type ConsoleContext, consolePage, Field } from './console-page.tsx';

/** `found` is the result of a dry run. */
export function scrubPage(context: ConsoleContext, found?: JsonValue): string {
  return consolePage(
    context,
    'scrub',
    <>
      <p class="section-note">
        A secret is replaced by <code>[redacted:secret]</code> in articles with all their revisions, in
        discourse, receipts and large results. Chains still verify; what held it is shown as scrubbed. The
        secret itself is recorded nowhere.
      </p>
      {found === undefined ? null : (
        <section class="console-notice" aria-labelledby="found">
          <h2 id="found">Where it stands</h2>
          <pre class="queue-text">{JSON.stringify(found, null, 2)}</pre>
          <p>Nothing was changed. To take it out, enter it again and choose Scrub.</p>
        </section>
      )}
      <CallForm context={context} row="SECRET_SCRUB" section="scrub" name="Scrub">
        <Field
          name="secret"
          label="The secret"
          type="password"
          hint="as it was written, or the word auto for everything that the rules know"
          required
        />
        <Field name="slug" label="Only in the article" hint="a slug; everywhere when empty" />
        <button type="submit" name="shape" value="1">
          Look only
        </button>{' '}
        <button type="submit" name="shape" value="0">
          Scrub
        </button>
      </CallForm>
    </>,
  );
}
