/** `colophon key`: mints, lists and revokes API keys through the same rows as every owner call. */
import type { JsonObject } from '../../kernel/json.ts';
import { type Command, numberOption, readOptions, UsageError } from './command.ts';
import { urlOption, withOwner } from './owner-socket.ts';

export const keyCommand: Command = {
  name: 'key',
  what: 'Mint, list or revoke API keys.',
  usage: 'colophon key mint --scope act --scope pfx:VOXEL_@slug | key list | key revoke cap_…',
  options: [
    [
      '--scope S',
      'read, act, rows:KEY,KEY or pfx:PREFIX_, with @slug for one article; may be given several times.',
    ],
    ['--purpose TEXT', 'Plain text.'],
    ['--ttl N', 'Seconds; default: no expiry.'],
    urlOption,
    ['--json', 'Print the whole answer as JSON.'],
  ],
  async run(argv, context) {
    const { values, positionals } = readOptions(argv, {
      scope: { type: 'string', multiple: true },
      purpose: { type: 'string' },
      ttl: { type: 'string' },
      url: { type: 'string' },
      json: { type: 'boolean' },
    });
    const [action, fingerprint] = positionals;
    const ttl = numberOption('ttl', values.ttl);
    if (action === 'mint' && values.scope !== undefined) {
      const args: JsonObject = {
        scopes: values.scope.join(' '),
        ...(values.purpose === undefined ? {} : { purpose: values.purpose }),
        ...(ttl === undefined ? {} : { ttl }),
      };
      return withOwner(
        context,
        async (owner) =>
          show(
            (await owner.post('/api/dispatch', { key: 'KEY_MINT', body: args })).body,
            values.json === true,
          ),
        values.url,
      );
    }
    if (action === 'revoke' && fingerprint !== undefined) {
      const call = { key: 'KEY_REVOKE', body: { fingerprint } };
      return withOwner(
        context,
        async (owner) => show((await owner.post('/api/dispatch', call)).body, values.json === true),
        values.url,
      );
    }
    if (action === 'list') {
      return withOwner(
        context,
        async (owner) => show((await owner.get('/api/keys')).body, values.json === true),
        values.url,
      );
    }
    throw new UsageError('it takes mint --scope S, list, or revoke FINGERPRINT.');
  },
};

function show(body: JsonObject, json: boolean): number {
  const ok = body['ok'] === true;
  if (json) console.log(JSON.stringify(body, null, 2));
  else if (!ok) console.error(`${String(body['error'])}: ${String(body['detail'])} ${String(body['fix'])}`);
  else if (Array.isArray(body['keys'])) {
    for (const key of body['keys'] as readonly JsonObject[]) {
      const scopes = (key['scopes'] as readonly string[]).join(' ');
      console.log(
        `${String(key['fingerprint'])}  ${String(key['state'])}  ${scopes}  ${String(key['purpose'])}`,
      );
    }
    console.log(body['count'] === 1 ? '1 key.' : `${String(body['count'])} keys.`);
  } else {
    console.log(String(body['result_text']));
    if (body['key'] !== undefined) console.log(`key (shown once): ${String(body['key'])}`);
  }
  return ok ? 0 : 1;
}
