/**
 * A form whose session had ended (contract §8): what was typed goes through the sign-in page and comes back after it, so
 * that nothing is lost, with or without JavaScript. Nothing is sent again before the person says so.
 */
import type { FastifyRequest } from 'fastify';
import type { Session } from '../../../app/credentials/sessions.ts';
import { isFault } from '../../../kernel/fault.ts';
import { parseJson } from '../../../kernel/json.ts';
import { ownFormOf, type Form } from '../../http/browser-forms.ts';
import { Button } from '../components/button.tsx';
import { renderPage } from '../shell.tsx';
import type { Site } from '../site.ts';

export interface KeptForm {
  /** Where it was sent to, below `/owner/`. */
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
}

const pathShape = /^\/owner\/[a-z0-9/-]{1,200}(?:\?[a-z]{1,20}=[\w-]{1,40})?$/;

/** The sign-in page, which leads to the page that was asked for. */
export function signInFor({ root }: Site, { url }: FastifyRequest): string {
  const path = url.startsWith(root) ? url.slice(root.length) : '';
  return `${root}/owner${pathShape.test(path) ? `?next=${encodeURIComponent(path)}` : ''}`;
}

/** The page that a sign-in leads to: a form without fields. */
export function nextPage({ query }: FastifyRequest): KeptForm | undefined {
  const { next } = query as { readonly next?: unknown };
  return typeof next === 'string' && pathShape.test(next) ? { path: next, fields: {} } : undefined;
}

/** The form of a request without a session; only a page of this host can have sent it. */
export function keptForm({ root, service }: Site, request: FastifyRequest): KeptForm | undefined {
  const form = ownFormOf(request, service.base);
  const [address = ''] = request.url.split('?', 1);
  const path = address.startsWith(root) ? address.slice(root.length) : '';
  if (form === undefined || !pathShape.test(path)) return undefined;
  const { form_token: _ended, ...fields } = Object.fromEntries(form);
  return { path, fields };
}

/** The form that the sign-in page carried. */
export function carriedForm(form: Form): KeptForm | undefined {
  const path = form.get('kept_path') ?? '';
  const parsed = parseJson(form.get('kept_fields') ?? 'null');
  if (isFault(parsed) || !pathShape.test(path)) return undefined;
  const { value } = parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  const fields = Object.entries(value).flatMap(([name, text]) =>
    typeof text === 'string' ? [[name, text] as const] : [],
  );
  return { path, fields: Object.fromEntries(fields) };
}

export function KeptFields({ kept }: { readonly kept: KeptForm | undefined }) {
  if (kept === undefined) return null;
  return (
    <>
      <input type="hidden" name="kept_path" value={kept.path} />
      <input type="hidden" name="kept_fields" value={JSON.stringify(kept.fields)} />
    </>
  );
}

/** The page after a new sign-in. A text goes back to its editor; another form is sent again. */
export function resumePage(site: Site, session: Session, { path, fields }: KeptForm): string {
  const isText = fields['text'] !== undefined && /\/(?:new|edit)$/.test(path);
  const { act: _act, ...others } = fields;
  return renderPage(
    site,
    { title: 'Signed in again', unlisted: true, register: 'working' },
    <div class="console">
      <h1>Signed in again</h1>
      <p class="lead">
        What you typed was kept. {isText ? 'Nothing was saved yet.' : 'Nothing was written yet.'}
      </p>
      <form method="post" action={`${site.root}${path}`}>
        <input type="hidden" name="form_token" value={session.formToken} />
        {Object.entries(isText ? { ...others, act: 'preview' } : fields).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <p class="buttons">
          <Button kind="primary">{isText ? 'Back to the text' : 'Send it again'}</Button>
          <a href={`${site.root}/owner`}>Leave it</a>
        </p>
      </form>
    </div>,
  );
}
