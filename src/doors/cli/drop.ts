/** `colophon drop`: renders the drop of a share, or checks one against the rules (spec §1, contract §0). */
import { readFileSync } from 'node:fs';
import type { Described } from '../../domain/drops/render.ts';
import { links } from '../../domain/links.ts';
import { OperatorError } from '../../engine/store.ts';
import type { JsonObject } from '../../kernel/json.ts';
import { type Command, type CommandContext, readOptions, UsageError } from './command.ts';
import { remoteClient, withOwner } from './owner-socket.ts';

export const dropCommand: Command = {
  name: 'drop',
  what: 'Render or check a token drop.',
  usage: 'colophon drop render SHARE [--url BASE] | drop check FILE',
  options: [
    ['--url BASE', 'The service that is asked about the share; this deployment when left out.'],
    ['--json', 'Print the answer as JSON.'],
    ['', 'check: exit status 1 where a rule is broken; each finding with its line and rule.'],
  ],
  async run(argv, context) {
    const { values, positionals } = readOptions(argv, { url: { type: 'string' }, json: { type: 'boolean' } });
    const [action, what] = positionals;
    if (action === 'check' && what !== undefined) return check(what, values.json === true);
    if (action === 'render' && what !== undefined)
      return render(context, what, values.url, values.json === true);
    throw new UsageError('it takes render SHARE or check FILE.');
  },
};

/** Loaded on demand, because every command imports this file. */
const judging = () => import('../../domain/drops/check.ts');
const rendering = () => import('../../domain/drops/render.ts');

async function check(file: string, json: boolean): Promise<number> {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`${file} cannot be read: ${(error as Error).message}.`);
  }
  const { checkDrop } = await judging();
  const verdict = checkDrop(text, process.env['COLOPHON_OWNER_NAME']);
  if (json) console.log(JSON.stringify({ file, ...verdict }, null, 2));
  else {
    for (const { line, rule, message, excerpt } of verdict.findings)
      console.log(`${file}:${line}: rule ${rule}: ${message}${excerpt === '' ? '' : ` "${excerpt}"`}`);
    console.log(`${file}: score ${verdict.score} of 100, ${verdict.ok ? 'passed' : 'failed'}.`);
  }
  return verdict.ok ? 0 : 1;
}

async function render(
  context: CommandContext,
  share: string,
  url: string | undefined,
  json: boolean,
): Promise<number> {
  const given = url?.replace(/\/+$/, '');
  const answer = given === undefined ? await explainHere(context, share) : await explainAt(given, share);
  if (answer['ok'] !== true) {
    console.error(`${String(answer['error'])}: ${String(answer['detail'])} ${String(answer['fix'])}`);
    return 1;
  }
  const record = (answer['result'] ?? answer) as unknown as Described & {
    readonly page: string;
    readonly state: string;
  };
  // A model that is handed it could do nothing with it.
  if (record.state !== 'valid') {
    console.error(
      `${record.fingerprint} is ${record.state.replace('_', ' ')}: mint another share with colophon cap mint.`,
    );
    return 1;
  }
  // A running server may have another base URL than this environment.
  const base = given ?? record.page.slice(0, -links.capability('', record.fingerprint).length);
  const { renderDrop } = await rendering();
  const { builtInRows } = await import('../../rows/index.ts');
  const drop = renderDrop(base, share, record, {
    ownerName: process.env['COLOPHON_OWNER_NAME'],
    rows: new Map(builtInRows.map((row) => [row.key, row])),
  });
  process.stdout.write(
    json ? `${JSON.stringify({ fingerprint: record.fingerprint, drop }, null, 2)}\n` : drop,
  );
  return 0;
}

function explainHere(context: CommandContext, share: string): Promise<JsonObject> {
  return withOwner(
    context,
    async (owner) => (await owner.post('/api/dispatch', { key: 'CAP_EXPLAIN', body: { token: share } })).body,
  );
}

async function explainAt(base: string, share: string): Promise<JsonObject> {
  const { client, Refusal } = await remoteClient(base, { credential: share });
  try {
    return await client.get('/api/dispatch', { query: { explain: '1' } });
  } catch (error) {
    if (error instanceof Refusal) return error.problem;
    throw new OperatorError(`${base} did not explain the share: ${(error as Error).message}`);
  }
}
