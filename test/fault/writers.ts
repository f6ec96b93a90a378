/**
 * Writers that load a server until it dies. Each sends one request after the other, every one with an
 * idempotency key of its own, and keeps what was acknowledged apart from what was still on its way.
 */
import { Agent, request as httpRequest } from 'node:http';
import { sha256Hex } from '../../src/kernel/hash.ts';

export type Kind = 'append' | 'append-shared' | 'edit' | 'claim' | 'document';

export interface Operation {
  readonly id: string;
  readonly kind: Kind;
  readonly path: string;
  readonly body: Record<string, unknown>;
  /** The DIV that an edit writes, and the hash its text will have. */
  readonly edits?: { readonly div: string; readonly hash: string };
}

export interface Acknowledged {
  readonly operation: Operation;
  readonly inv: string;
  readonly entryHash: string;
  readonly logIndex: number;
  readonly tlogProof: string;
}

export interface Answer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

/** One request on connections that die with the server. Rejects when the connection breaks. */
export class Client {
  readonly #base: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64 });

  constructor(base: string) {
    this.#base = base;
  }

  send(
    method: string,
    path: string,
    headers: Readonly<Record<string, string>> = {},
    body?: unknown,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const text = body === undefined ? undefined : JSON.stringify(body);
      const sent = httpRequest(
        this.#base + path,
        {
          method,
          agent: this.#agent,
          headers: {
            ...headers,
            ...(text === undefined
              ? {}
              : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) }),
          },
        },
        (response) => {
          let received = '';
          response.setEncoding('utf8').on('data', (part: string) => (received += part));
          response.on('error', reject);
          response.on('aborted', () => reject(new Error('the answer was cut off')));
          response.on('end', () => {
            const json = parsed(received);
            if (json === undefined) reject(new Error('the answer is no JSON'));
            else resolve({ status: response.statusCode ?? 0, body: json });
          });
        },
      );
      sent.on('error', reject);
      sent.end(text);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

export interface World {
  readonly terminalKey: string;
  /** Shares by which `append-shared` writes, at random. */
  readonly shares: readonly string[];
  readonly random: () => number;
  readonly acknowledged: Acknowledged[];
  /** Sent, and not answered before the server died. */
  readonly inFlight: Operation[];
  /** Refusals that a budget explains; anything else is thrown. */
  exhausted: number;
  /** What each writer's DIV hashes to as far as it was told. */
  readonly divs: Map<string, string>;
  next: number;
}

const slugs = ['kill-one', 'kill-two', 'kill-three'];

/** Makes the articles that the writers write to; `writers` DIVs of the first belong to one writer each. */
export async function prepare(client: Client, world: World, writers: number): Promise<void> {
  for (const slug of slugs) {
    const blocks = Array.from({ length: writers }, (_, i) => `Block ${i} of ${slug}.`);
    const { body } = await client.send(
      'POST',
      '/api/protocol/voxel-batch',
      { 'x-terminal-key': world.terminalKey },
      { document: { slug, title: slug, markdown: `${blocks.join('\n\n')}\n` } },
    );
    for (const { div_id: div, vx_hash: hash } of body['divs'] as { div_id: string; vx_hash: string }[])
      if (slug === slugs[0]) world.divs.set(div, hash);
  }
}

/** Writes until `stopped` or until the connection breaks. */
export async function write(
  client: Client,
  world: World,
  writer: number,
  stopped: () => boolean,
): Promise<void> {
  while (!stopped()) {
    const operation = nextOperation(world, writer);
    let answer: Answer;
    try {
      answer = await sendOperation(client, world, operation);
    } catch {
      world.inFlight.push(operation);
      return;
    }
    settle(world, operation, answer);
  }
}

export function sendOperation(
  client: Client,
  world: World,
  { kind, path, body, id }: Operation,
): Promise<Answer> {
  const owner: Record<string, string> =
    kind === 'append' || kind === 'append-shared' ? {} : { 'x-terminal-key': world.terminalKey };
  return client.send('POST', path, { ...owner, 'idempotency-key': id }, body);
}

/** Takes note of an answer. Throws at one that nothing explains. */
export function settle(world: World, operation: Operation, { status, body }: Answer): void {
  if (status === 403 && body['error'] === 'token_exhausted') {
    world.exhausted++;
    return;
  }
  if (status !== 200 || body['ok'] !== true)
    throw new Error(
      `${operation.kind} ${operation.id} was answered with ${status}: ${JSON.stringify(body).slice(0, 600)}`,
    );
  const proof = body['proof'] as { entry_hash: string; log_index: number; tlog_proof: string };
  const { id: inv } = body['receipt'] as { id: string };
  world.acknowledged.push({
    operation,
    inv,
    entryHash: proof.entry_hash,
    logIndex: proof.log_index,
    tlogProof: proof.tlog_proof,
  });
  if (operation.edits !== undefined) world.divs.set(operation.edits.div, operation.edits.hash);
}

function nextOperation(world: World, writer: number): Operation {
  const { random } = world;
  const id = `op-${world.next++}`;
  const slug = slugs[Math.floor(random() * slugs.length)] as string;
  const lot = random();
  if (lot < 0.35)
    return {
      id,
      kind: 'append',
      path: '/api/dispatch',
      body: {
        key: 'MIRROR_APPEND',
        body: `${slug}||question|writer|Contribution ${id} of writer ${writer}.`,
      },
    };
  if (lot < 0.6) {
    const share = world.shares[Math.floor(random() * world.shares.length)] as string;
    return {
      id,
      kind: 'append-shared',
      path: '/api/dispatch',
      body: {
        key: 'MIRROR_APPEND',
        share,
        body: `${slug}||audit|writer|Contribution ${id} of writer ${writer}.`,
      },
    };
  }
  if (lot < 0.8) {
    const div = `d${writer + 1}`;
    const text = `Block of writer ${writer}, written by ${id}.`;
    return {
      id,
      kind: 'edit',
      path: '/api/protocol/voxel-edit',
      body: { slug: slugs[0], div_id: div, expected_hash: world.divs.get(div), text },
      edits: { div, hash: sha256Hex(text) },
    };
  }
  if (lot < 0.93) {
    const text = `The writer ${words(id)} posts exactly one claim.`;
    return {
      id,
      kind: 'claim',
      path: '/api/protocol/claim',
      body: {
        slug: slugs[1],
        text,
        tier: 'system',
        who_claims: 'the writer',
        why_material: 'It is counted.',
        distinct: true,
        rationale: 'Every writer differs.',
      },
    };
  }
  return {
    id,
    kind: 'document',
    path: '/api/protocol/voxel-batch',
    body: { document: { title: `Document ${id}`, markdown: `# Document ${id}\n\nOne.\n\nTwo.\n` } },
  };
}

const syllables = ['ba', 'co', 'di', 'fu', 'ge', 'ha', 'ki', 'lo', 'mu', 'ne'];

/** A number as a word of its own: claims that differ by a digit alone may be called near each other. */
function words(id: string): string {
  return Array.from(id.slice(3), (digit) => syllables[Number(digit)]).join('');
}
