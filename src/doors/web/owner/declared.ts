/** The console's routes (contract §8): its pages take a login, its forms what they have fields for. */
import type { Operation, Taken } from '../../../represent/openapi/operation.ts';
import { words } from '../../http/parameters.ts';

const common = { tag: 'pages', lenient: true, json: false, types: ['text/html'] } as const;
const console = (id: string, summary: string): Operation => ({
  ...common,
  id: `${id}Page`,
  summary,
  caller: 'console',
  query: {
    workspace: words('the workspace that is looked at; main without it'),
    done: words('the invocation that a form led to'),
  },
});
const form = (id: string, summary: string, caller: Operation['caller'], body: Taken, more = {}) => ({
  ...common,
  id,
  summary,
  caller,
  query: undefined,
  form: true as const,
  body,
  required: Object.keys(body),
  ...more,
});
const formToken = words('as the page has it');

export const consolePages = {
  waiting: { ...console('waiting', 'What waits for the owner; a login for anybody else.'), caller: 'nobody' },
  access: console('access', 'Shares and keys.'),
  capability: console('ownerCapability', 'What a share may do, in whatever workspace it is.'),
  landscape: console('ownerLandscape', 'Every cohort and how far it is.'),
  costs: console('costs', 'Calls and what they cost.'),
  scrub: console('scrub', 'Looking for a secret, and taking it out.'),
} as const satisfies Readonly<Record<string, Operation>>;

export const consoleForms = {
  login: form('login', 'Opens the console.', 'nobody', { key: words('the owner key') }),
  logout: form('logout', 'Ends the login.', 'console', { form_token: formToken }),
  call: form(
    'callByForm',
    'Calls one of the rows that the console has forms for.',
    'console',
    {
      form_token: formToken,
      row: words('the key of the row'),
      section: words('the page to come back to'),
      workspace: words('the workspace that is meant'),
    },
    { open: true },
  ),
} as const satisfies Readonly<Record<string, Operation>>;
