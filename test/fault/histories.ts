/**
 * Clients that edit and read the DIVs of one article and use shares with budgets, spread over the nodes of a
 * deployment, and the history of what each operation was answered and when. A request that is repeated under its
 * idempotency key, one after the other or at once on two nodes, is one operation from the first call to the last answer.
 */
import { sha256Hex } from '../../src/kernel/hash.ts';
import type { Operation } from '../support/linearizability.ts';
import type {
  BudgetInput,
  BudgetLink,
  BudgetOutput,
  DivInput,
  DivOutput,
} from '../support/linearizable-models.ts';
import { Client, type Answer } from './writers.ts';

/** A node as clients see it; a dead one refuses connections. */
export interface Node {
  client: Client;
}

/** The budgets of a share and its cuts, spent one family after the other. */
export interface Family {
  readonly links: readonly BudgetLink[];
  /** By the fingerprints that name the links. */
  readonly tokens: ReadonlyMap<string, string>;
}

export interface Recorded<Input, Output> extends Operation<Input, Output> {
  /** In the text or the contribution that the operation writes. */
  readonly id: string;
  /** The invocation that the answer names. */
  readonly invocation: string | undefined;
}

export interface World {
  readonly nodes: readonly Node[];
  readonly terminalKey: string;
  readonly random: () => number;
  /** The texts at the beginning, by DIV. */
  readonly divs: ReadonlyMap<string, string>;
  readonly families: readonly Family[];
  readonly history: History;
  stopped: boolean;
  /** The family that is used at the moment. */
  family: number;
}

export class History {
  readonly divs = new Map<string, Recorded<DivInput, DivOutput>[]>();
  readonly budgets = new Map<Family, Recorded<BudgetInput, BudgetOutput>[]>();
  /** Operations whose answers all say that nothing was written. */
  readonly unwritten: string[] = [];
  /** Requests under one idempotency key that were done twice, and answers that no operation may get. */
  readonly contradictions: string[] = [];
  readonly count = {
    answered: 0,
    /** Writes without an answer that says whether they were done. */
    unknown: 0,
    /** Writes that were not done, as the answers say, or because no node could be reached. */
    unwritten: 0,
    /** Attempts answered with 503, as not done. */
    declined: 0,
    /** Attempts answered with another failure of the server, or with 503 as of unknown outcome. */
    failed: 0,
    repeated: 0,
    replayed: 0,
  };
  next = 1;
}

export const textsSlug = 'histories';
export const usesSlug = 'histories-uses';
const divCount = 3;

/** Makes the articles, and families of shares. Their budgets are small, so that each is soon spent. */
export async function prepareWorld(
  nodes: readonly Node[],
  terminalKey: string,
  random: () => number,
  familyCount: number,
): Promise<World> {
  const first = (nodes[0] as Node).client;
  const owner = { 'x-terminal-key': terminalKey };
  const made = async (slug: string, texts: readonly string[]): Promise<Answer> =>
    first.send('POST', '/api/protocol/voxel-batch', owner, {
      document: { slug, title: slug, markdown: `${texts.join('\n\n')}\n` },
    });
  const { body } = await made(
    textsSlug,
    Array.from({ length: divCount }, (_, i) => `The text ${i}.`),
  );
  await made(usesSlug, ['A text to contribute to.']);
  const divs = (body['divs'] as { div_id: string; vx_hash: string }[]).map(
    ({ div_id: div, vx_hash: hash }) => [div, hash] as const,
  );
  const families = await Promise.all(
    Array.from({ length: familyCount }, () => mintFamily(first, terminalKey)),
  );
  const history = new History();
  return { nodes, terminalKey, random, divs: new Map(divs), families, history, stopped: false, family: 0 };
}

/** A share, two cuts that together ask for more than it has, and a cut of the first. */
async function mintFamily(client: Client, terminalKey: string): Promise<Family> {
  const links: BudgetLink[] = [];
  const tokens = new Map<string, string>();
  const mint = async (max: number, parent?: string): Promise<string> => {
    const share = parent === undefined ? undefined : tokens.get(parent);
    const { status, body } = await client.send(
      'POST',
      '/api/dispatch',
      share === undefined ? { 'x-terminal-key': terminalKey } : {},
      {
        key: 'CAP_MINT',
        body: {
          max_uses: max,
          ...(share === undefined ? { scope: 'row', key: 'MIRROR_APPEND', ttl: 80_000 } : {}),
        },
        ...(share === undefined ? {} : { share }),
      },
    );
    if (status !== 200) throw new Error(`a mint was answered with ${JSON.stringify(body)}`);
    const name = (body['result'] as { fingerprint: string }).fingerprint;
    tokens.set(name, body['share'] as string);
    links.push({ name, max, ...(parent === undefined ? {} : { parent }) });
    return name;
  };
  const whole = await mint(16);
  const cut = await mint(9, whole);
  await mint(4, cut);
  await mint(9, whole);
  return { links, tokens };
}

interface Request {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** What one attempt at an operation says about it. */
type Attempt = { readonly answer: Answer } | 'unknown' | 'unwritten';

async function attempt({ count: seen }: History, { client }: Node, request: Request): Promise<Attempt> {
  let answer: Answer;
  try {
    answer = await client.send(request.method, request.path, request.headers, request.body);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ECONNREFUSED' ? 'unwritten' : 'unknown';
  }
  if (answer.status < 500) return { answer };
  const isDeclined = answer.status === 503 && answer.body['outcome'] !== 'unknown';
  seen[isDeclined ? 'declined' : 'failed']++;
  return isDeclined ? 'unwritten' : 'unknown';
}

/** What became of an operation. `attempts` are under one idempotency key where there are several. */
interface Performed {
  readonly answers: readonly Answer[];
  readonly isUnknown: boolean;
  readonly called: number;
  readonly returned: number;
}

const attemptsMax = 5;
/** Of the writes: under an idempotency key, and sent twice at once under it. */
const idempotentShare = 0.4;
const doubledShare = 0.12;

async function perform(world: World, id: string, request: Request): Promise<Performed> {
  const { random, nodes, history } = world;
  const anyNode = (): Node => nodes[Math.floor(random() * nodes.length)] as Node;
  const lot = request.method === 'POST' ? random() : 1;
  const mostAttempts = lot < idempotentShare ? attemptsMax : 1;
  const keyed =
    lot < idempotentShare ? { ...request, headers: { ...request.headers, 'idempotency-key': id } } : request;
  const called = performance.now();
  const attempts: Attempt[] = [];
  if (lot < doubledShare)
    attempts.push(...(await Promise.all([0, 1].map(() => attempt(history, anyNode(), keyed)))));
  else attempts.push(await attempt(history, anyNode(), keyed));
  const answered = (): readonly Answer[] =>
    attempts.flatMap((each) => (typeof each === 'string' ? [] : [each.answer]));
  while (answered().length === 0 && attempts.length < mostAttempts) {
    await pause(20 + random() * 180);
    const isUnwritten = attempts.every((each) => each === 'unwritten');
    attempts.push(await attempt(history, anyNode(), keyed));
    if (isUnwritten && answered().some(isReplay))
      history.contradictions.push(`${id} was written, although each answer before said that it was not`);
  }
  if (attempts.length > 1) history.count.repeated++;
  const answers = answered();
  if (answers.some(isReplay)) history.count.replayed++;
  const isUnknown = answers.length === 0 && attempts.includes('unknown');
  if (answers.length > 0) history.count.answered++;
  else if (request.method === 'POST') history.count[isUnknown ? 'unknown' : 'unwritten']++;
  return { answers, isUnknown, called, returned: performance.now() };
}

function isReplay({ body }: Answer): boolean {
  return body['idempotent_replay'] === true;
}

/** Adds an operation to the history of its object. Answers with its output. */
function record<Input, Output>(
  history: History,
  operations: Recorded<Input, Output>[],
  id: string,
  input: Input,
  { answers, isUnknown, called, returned }: Performed,
  outputOf: (answer: Answer) => Output | undefined,
): Output | undefined {
  const [first, ...others] = answers;
  if (first === undefined) {
    if (isUnknown) operations.push({ id, input, output: undefined, invocation: undefined, called, returned });
    else history.unwritten.push(id);
    return undefined;
  }
  const output = outputOf(first);
  if (output === undefined) {
    history.contradictions.push(
      `${id} ${JSON.stringify(input)} was answered with ${first.status}: ${JSON.stringify(first.body).slice(0, 400)}`,
    );
    return undefined;
  }
  const invocation = invocationOf(first);
  // Each denial is judged and recorded anew.
  for (const other of others)
    if (other.status !== first.status || (first.status !== 403 && invocationOf(other) !== invocation))
      history.contradictions.push(
        `${id} was done twice under one idempotency key: ${first.status} ${invocation} and ${other.status} ${invocationOf(other)}`,
      );
  operations.push({ id, input, output, invocation, called, returned });
  return output;
}

function invocationOf({ body }: Answer): string | undefined {
  return (body['invocation'] as { id: string } | undefined)?.id;
}

const read: DivInput = { do: 'read' };

/** Reads all DIVs at once: one operation on each. Answers whether the read succeeded. */
export async function readDivs(world: World, known: Map<string, string>): Promise<boolean> {
  const { history } = world;
  const done = await perform(world, '', { method: 'GET', path: `/api/articles/${textsSlug}/voxels` });
  for (const answer of done.answers) {
    for (const { div_id: div, vx_hash: is } of answer.body['divs'] as { div_id: string; vx_hash: string }[]) {
      record(history, operationsOf(history.divs, div), '', read, done, () => ({ is }));
      known.set(div, is);
    }
  }
  return done.answers.length > 0;
}

async function edit(world: World, div: string, known: Map<string, string>): Promise<void> {
  const { history, terminalKey } = world;
  const id = `op-${history.next++}`;
  const expected = known.get(div) as string;
  const text = textOf(id);
  const done = await perform(world, id, {
    method: 'POST',
    path: '/api/protocol/voxel-edit',
    headers: { 'x-terminal-key': terminalKey },
    body: { slug: textsSlug, div_id: div, expected_hash: expected, text },
  });
  const input: DivInput = { do: 'edit', expected, text: sha256Hex(text) };
  const output = record(history, operationsOf(history.divs, div), id, input, done, editOutput);
  if (output === undefined) return;
  if ('edited' in output) known.set(div, input.text);
  else if ('stale' in output) known.set(div, output.stale);
}

/** The text that an edit writes. */
export function textOf(id: string): string {
  return `The text of ${id}.`;
}

function editOutput({ status, body }: Answer): DivOutput | undefined {
  if (status === 200) return { edited: true };
  return body['error'] === 'hash_stale' ? { stale: body['current_hash'] as string } : undefined;
}

/** Uses a share of the family in turn; when the whole family is spent, the next one is used. */
async function use(world: World): Promise<void> {
  const { history, random, families } = world;
  const family = families[world.family] as Family;
  const { name: share } = family.links[Math.floor(random() * family.links.length)] as BudgetLink;
  const id = `op-${history.next++}`;
  const done = await perform(world, id, {
    method: 'POST',
    path: '/api/dispatch',
    body: {
      key: 'MIRROR_APPEND',
      share: family.tokens.get(share),
      body: `${usesSlug}||question|client|Contribution ${id}.`,
    },
  });
  const operations = operationsOf(history.budgets, family);
  const output = record(history, operations, id, { do: 'use', share }, done, useOutput);
  const whole = family.links[0]?.name;
  const isSpent = output !== undefined && 'spent' in output && output.spent === whole;
  if (isSpent && random() < 0.5 && families[world.family] === family && world.family < families.length - 1)
    world.family++;
}

function useOutput({ status, body }: Answer): BudgetOutput | undefined {
  if (status === 200) return { used: true };
  const spent = /cap_[0-9a-f]{16}/.exec(String(body['detail']))?.[0];
  return body['error'] === 'token_exhausted' && spent !== undefined ? { spent } : undefined;
}

/** Reads how often a share was used. Answers whether the read succeeded. */
export async function count(world: World, family: Family, share: string): Promise<boolean> {
  const token = encodeURIComponent(family.tokens.get(share) as string);
  const done = await perform(world, '', { method: 'GET', path: `/api/dispatch?explain=1&share=${token}` });
  if (done.answers.length === 0) return false;
  const operations = operationsOf(world.history.budgets, family);
  record(world.history, operations, '', { do: 'count', share }, done, ({ body }) =>
    typeof body['uses'] === 'number' ? { uses: body['uses'] } : undefined,
  );
  return true;
}

function operationsOf<Key, Input, Output>(
  all: Map<Key, Recorded<Input, Output>[]>,
  key: Key,
): Recorded<Input, Output>[] {
  const known = all.get(key) ?? [];
  all.set(key, known);
  return known;
}

/** One client: one operation after the other, until the world is stopped. */
export async function runClient(world: World): Promise<void> {
  const { random, divs, families } = world;
  const known = new Map(divs);
  while (!world.stopped) {
    const lot = random();
    const div = [...divs.keys()][Math.floor(random() * divs.size)] as string;
    if (lot < 0.4) await edit(world, div, known);
    else if (lot < 0.6) await readDivs(world, known);
    else if (lot < 0.9) await use(world);
    else {
      const family = families[world.family] as Family;
      await count(
        world,
        family,
        (family.links[Math.floor(random() * family.links.length)] as BudgetLink).name,
      );
    }
    await pause(random() * 12);
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((done) => setTimeout(done, ms));
}
