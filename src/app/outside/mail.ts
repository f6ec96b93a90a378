/** Mail by SMTP (contract §8), where the operator configured a server. Its address is the operator's own and not judged by the egress guard. */
import { createTransport } from 'nodemailer';
import type { SendMail } from '../../domain/outside/outside.ts';
import { fault, type Fault } from '../../kernel/fault.ts';

export interface MailConfig {
  /** `smtp://` or `smtps://`, with the credentials in it. */
  readonly url: string;
  readonly from: string;
}

const timeoutMs = 15_000;

export function noMail(): Fault {
  return fault(
    'runner_failed',
    'This deployment sends no mail.',
    'Set COLOPHON_SMTP_URL and COLOPHON_MAIL_FROM and start it again, or use a webhook or the feed.',
  );
}

export function mailerWith(config: MailConfig | undefined): SendMail {
  if (config === undefined) return async () => noMail();
  const transport = createTransport({
    url: config.url,
    requireTLS: needsTls(config.url),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    // The text has no attachments; nothing is read from files or other hosts.
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return async ({ to, subject, text, messageId }, signal) => {
    if (signal.aborted)
      return fault('runner_timeout', 'The process ends.', 'It is sent after the next start.');
    try {
      const sent = await transport.sendMail({ from: config.from, to, subject, text, messageId });
      return Number.parseInt(sent.response, 10) || 250;
    } catch (error) {
      const { responseCode, code } = error as { readonly responseCode?: number; readonly code?: string };
      return fault(
        'runner_failed',
        `The mail server did not take the message (${responseCode ?? code ?? 'no further reason'}).`,
        'It is tried again by itself.',
        { status: responseCode ?? 0 },
      );
    }
  };
}

/** Credentials leave this machine encrypted only: a server that offers no TLS, or whose offer was cut out, gets none. */
export function needsTls(url: string): boolean {
  const { protocol, username, hostname } = new URL(url);
  const isLocal = hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
  return protocol === 'smtp:' && username !== '' && !isLocal;
}
