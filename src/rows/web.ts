/** Rows that read the web on behalf of their caller (spec §2.6.1, contract §3). */
import Type from 'typebox';
import { defineRow, type Row } from '../domain/capabilities/row.ts';
import { effect } from '../domain/outside/effect.ts';
import { fetchPage, refusalHere, urlRules } from '../domain/outside/fetch-page.ts';
import { PageFetched } from '../model/outside.ts';

const nothing = (what: string) =>
  Type.Optional(Type.String({ maxLength: 0, description: `${what}; left empty, a read sends none` }));

const webFetch = defineRow({
  key: 'WEB_FETCH',
  category: 'web',
  target: 'page',
  contract: {
    what: 'Reads one public web page and records its text, marked as untrusted. Private and special addresses are not connected to; secrets are taken out; tags inside the text never run.',
    when: 'When a source has to be read before it is cited, or checked after.',
    example: 'GET|https://example.org/||',
  },
  input: Type.Object(
    {
      method: Type.String({ pattern: '^(?:GET|HEAD)$', description: 'GET or HEAD' }),
      url: Type.String({ minLength: 1, maxLength: 4096, description: 'an absolute http or https URL' }),
      headers: nothing('headers'),
      body: nothing('a body'),
    },
    { additionalProperties: false },
  ),
  output: PageFetched,
  auth: 'share',
  risk: 'low',
  safe: false,
  inAct: true,
  rulesHere: ({ url }, { judgeUrl }) => urlRules(url, judgeUrl),
  plan: (input) => ({
    ...effect(['readPage'], 30_000, (_signal, { readPage }) => fetchPage(input, readPage)),
    check: ({ judgeUrl }) => refusalHere(urlRules(input.url, judgeUrl)),
  }),
});

export const webRows: readonly Row[] = [webFetch];
