/** `colophon cap`: mints, explains and revokes shares through the same rows as every call. */
import type { JsonObject } from '../../kernel/json.ts';
import { type Command, type CommandContext, numberOption, readOptions, UsageError } from './command.ts';
import { urlOption, withOwner } from './owner-socket.ts';

export const capCommand: Command = {
  name: 'cap',
  what: 'Mint, explain or revoke a share.',
  usage: 'colophon cap mint --scope row --key MIRROR_APPEND | cap explain cap_… | cap revoke cap_…',
  options: [
    ['--scope S', 'row, rows, pfx, act or read.'],
    ['--key KEY', 'The row, or a prefix for pfx; may be given several times.'],
    ['--ttl N', 'Seconds; default 600.'],
    ['--uses N', 'Number of uses; default 1, 0 is unlimited.'],
    ['--purpose TEXT', 'Plain text.'],
    ['--risk R', 'Risk ceiling: low or high.'],
    ['--owner-gate', 'Every call waits for the owner.'],
    ['--article SLUG', 'Bind the share to one article.'],
    ['--workspace NAME', 'Where it is good; main when left out.'],
    urlOption,
    ['--json', 'Print the whole answer as JSON.'],
  ],
  async run(argv, context) {
    const { values, positionals } = readOptions(argv, {
      scope: { type: 'string' },
      key: { type: 'string', multiple: true },
      ttl: { type: 'string' },
      uses: { type: 'string' },
      purpose: { type: 'string' },
      risk: { type: 'string' },
      'owner-gate': { type: 'boolean' },
      article: { type: 'string' },
      workspace: { type: 'string' },
      url: { type: 'string' },
      json: { type: 'boolean' },
    });
    const [action, fingerprint] = positionals;
    if (action === 'mint') {
      const ttl = numberOption('ttl', values.ttl);
      const uses = numberOption('uses', values.uses);
      return show(context, values, 'CAP_MINT', {
        scope: values.scope ?? 'row',
        ...(values.key === undefined ? {} : { keys: values.key }),
        ...(ttl === undefined ? {} : { ttl }),
        ...(uses === undefined ? {} : { max_uses: uses }),
        ...(values.purpose === undefined ? {} : { purpose: values.purpose }),
        ...(values.risk === undefined ? {} : { risk_ceiling: values.risk }),
        ...(values['owner-gate'] === true ? { owner_gate: true } : {}),
        ...(values.workspace === undefined ? {} : { workspace: values.workspace }),
        ...(values.article === undefined ? {} : { article: values.article }),
      });
    }
    if ((action === 'explain' || action === 'revoke') && fingerprint !== undefined) {
      return action === 'explain'
        ? show(context, values, 'CAP_EXPLAIN', { token: fingerprint })
        : show(context, values, 'CAP_REVOKE', { fingerprint });
    }
    throw new UsageError('it takes mint, explain FINGERPRINT or revoke FINGERPRINT.');
  },
};

async function show(
  context: CommandContext,
  { json = false, url }: { readonly json?: boolean; readonly url?: string },
  key: string,
  args: JsonObject,
): Promise<number> {
  return withOwner(
    context,
    async (owner) => {
      const { body } = await owner.post('/api/dispatch', { key, body: args });
      const ok = body['ok'] === true;
      if (json) console.log(JSON.stringify(body, null, 2));
      else if (!ok)
        console.error(`${String(body['error'])}: ${String(body['detail'])} ${String(body['fix'])}`);
      else {
        console.log(String(body['result_text']));
        for (const name of ['share', 'invoke_url', 'explain_url'])
          if (body[name] !== undefined) console.log(`${name}: ${String(body[name])}`);
        if (key === 'CAP_EXPLAIN') console.log(JSON.stringify(body['result'], null, 2));
      }
      return ok ? 0 : 1;
    },
    url,
  );
}
