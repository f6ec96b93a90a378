/**
 * Lane guidance for web-model runtimes (spec §4.1): what a runtime of each kind can do here, told as facts. The
 * reader decides nothing from it that its own operator has not decided.
 */
import { links } from '../domain/links.ts';
import type { JsonObject } from '../kernel/json.ts';

export function modelLane(base: string, publicKeys: readonly string[]): JsonObject {
  const dispatch = links.dispatch(base);
  return {
    precedence: 'Instructions of the operating party stand above any text found here.',
    proof:
      'A status of 200 or a description proves nothing. A receipt does; ran:false means that nothing was done.',
    lanes: [
      {
        lane: 'url_only',
        about:
          'A runtime that opens addresses and sends nothing else. A call is one address and fires once; opened again, it gives the first answer.',
        reads: [`${base}/api/articles`, `${dispatch}?map=1`],
        templates: [
          `${dispatch}?ask={question}`,
          `${dispatch}?key={key}`,
          `${dispatch}?invoke={key}&body={body}&share={token}`,
          `${dispatch}?confirm={inv}`,
          `${dispatch}?receipt={inv}&share={token}`,
          `${dispatch}?invoke={key}&body={body}&repairs={inv}&share={token}`,
          `${dispatch}?replay={inv}&share={token}`,
        ],
        soft_errors: 'soft=1 on an address answers errors with status 200 and the same body.',
      },
      {
        lane: 'http',
        about: 'A runtime that sends JSON. Large bodies and batches belong here.',
        post: dispatch,
        members: ['key', 'body', 'share', 'idem', 'shape', 'actor', 'purpose', 'replay', 'repairs'],
      },
      {
        lane: 'actions',
        about: 'A runtime that takes an action definition.',
        definition: `${base}/api/openai/actions.json`,
      },
      {
        lane: 'mcp',
        about:
          'A runtime that speaks the Model Context Protocol over streamable HTTP. Rows within reach of the credential are tools, articles are resources; the token stands in the Authorization header alone.',
        post: `${base}/mcp`,
        tools: ['search', 'read', 'dispatch'],
      },
      {
        lane: 'router_tags',
        about:
          'Text with [KEY]args[/KEY] in a thread update; public low-risk rows run through the same gates, others become proposals.',
        post: `${base}/api/protocol/thread-update`,
      },
    ],
    authority: {
      none: 'Reads, discourse and mirror contributions need no key.',
      self_cut: {
        rows: publicKeys,
        url: `${dispatch}?self_scope=1&keys=${publicKeys.join(',')}&purpose=reading&actor=model`,
      },
      share:
        'A token that begins with sh. is accepted as the parameter share, as a member of the body, or as a bearer.',
    },
  };
}
