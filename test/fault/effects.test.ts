import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { startPeer, type Peer } from '../support/peer.ts';
import { removeFolders, startServer, type RunningServer } from '../support/process-server.ts';

const film = Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from('ftypmp42'), Buffer.alloc(64, 7)]);

/** A provider that leaves unanswered what it is told to. */
async function startProvider(holds: { submit: boolean; film: boolean; words: boolean }): Promise<Peer> {
  const peer: Peer = await startPeer((request, reply) => {
    const send = (value: object): void => {
      reply.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    };
    const path = (request.url ?? '').split('?')[0] ?? '';
    if (path.endsWith(':predictLongRunning'))
      return holds.submit ? undefined : send({ name: 'operations/f1' });
    if (path === '/google/operations/f1') {
      const uri = `${peer.base}/google/files/f.mp4`;
      const response = { generateVideoResponse: { generatedSamples: [{ video: { uri } }] } };
      return send(holds.film ? { name: 'operations/f1' } : { name: 'operations/f1', done: true, response });
    }
    if (path === '/google/files/f.mp4') return void reply.writeHead(200).end(film);
    if (path.endsWith(':generateContent') && holds.words) return undefined;
    return send({});
  });
  return peer;
}

afterAll(() => removeFolders());

describe('a server that is killed while it waits for a provider', () => {
  const holds = { submit: false, film: false, words: false };
  let peer: Peer;
  let env: Record<string, string>;

  beforeEach(async () => {
    Object.assign(holds, { submit: false, film: false, words: false });
    peer = await startProvider(holds);
    env = {
      COLOPHON_EGRESS_ALLOW: '127.0.0.1',
      GOOGLE_GENERATIVE_AI_API_KEY: 'key-of-google-for-tests',
      GOOGLE_GENERATIVE_AI_BASE_URL: `${peer.base}/google`,
      COLOPHON_MODEL: 'google:gemini-test',
    };
    return () => peer.stop();
  });

  const call = (server: RunningServer, body: object): Promise<Response> =>
    fetch(`${server.base}/api/dispatch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-terminal-key': server.terminalKey },
      body: JSON.stringify(body),
    });
  /** Makes the call, and kills the server as soon as the provider was asked under `path`. */
  const killAt = async (path: string, body: object, before?: (server: RunningServer) => Promise<void>) => {
    const first = await startServer({ env });
    await before?.(first);
    const answer = call(first, body).then(
      () => 'answered',
      () => 'cut off',
    );
    while (!peer.asked.some((line) => line.includes(path))) await new Promise((wait) => setTimeout(wait, 10));
    await first.kill();
    expect(await answer).toBe('cut off');
    return first;
  };
  /** Starts again on the same folder and waits until the call's invocation is at its end. */
  const again = async (first: RunningServer, key: string) => {
    const server = await startServer({ env, folder: first.folder, terminalKey: first.terminalKey });
    const read = async (path: string): Promise<Record<string, unknown>> =>
      (await (
        await fetch(server.base + path, { headers: { 'x-terminal-key': first.terminalKey } })
      ).json()) as Record<string, unknown>;
    const list = await read(`/api/invocations?object_id=${key}`);
    const { id } = (list['invocations'] as { id: string }[])[0] as { id: string };
    let receipt = await read(`/api/dispatch?receipt=${id}`);
    while (receipt['status'] === 'running') {
      await new Promise((wait) => setTimeout(wait, 50));
      receipt = await read(`/api/dispatch?receipt=${id}`);
    }
    await server.stop();
    const actions = (receipt['entries'] as { action: string }[]).map(({ action }) => action);
    return { receipt, actions };
  };
  const asked = (path: string): number => peer.asked.filter((line) => line.includes(path)).length;
  const order = { key: 'CREATIVE_GENERATE', body: { engine: 'google-video', prompt: 'waves' } };

  it('resumes a submitted film after the restart and orders no other', async () => {
    holds.film = true;
    const first = await killAt('/operations/f1', order);
    holds.film = false;
    const { receipt, actions } = await again(first, 'CREATIVE_GENERATE');
    expect(actions).toEqual(['running', 'submitted', 'resumed', 'success']);
    expect(receipt['response']).toMatchObject({ result: { media_type: 'video/mp4' } });
    expect(asked(':predictLongRunning')).toBe(1);
  });

  it('reports an unconfirmed order as interrupted and never sends it again', async () => {
    holds.submit = true;
    const first = await killAt(':predictLongRunning', order);
    holds.submit = false;
    const { receipt, actions } = await again(first, 'CREATIVE_GENERATE');
    expect([actions, receipt['error']]).toEqual([['running', 'failed'], 'interrupted']);
    expect(asked(':predictLongRunning')).toBe(1);
  });

  it('does not repeat the request to a model, and stores no unanswered question', async () => {
    holds.words = true;
    const first = await killAt(
      ':generateContent',
      { key: 'ARTICLE_ASK', body: { slug: 'logs', question: 'What is a checkpoint?' } },
      async (server) => {
        const document = {
          slug: 'logs',
          title: 'Logs',
          markdown: '# Logs\n\nA checkpoint is a signature.\n',
        };
        expect((await call(server, { key: 'VOXEL_BATCH', body: { document } })).status).toBe(200);
      },
    );
    holds.words = false;
    const { receipt, actions } = await again(first, 'ARTICLE_ASK');
    expect([actions, receipt['error']]).toEqual([['running', 'failed'], 'interrupted']);
    expect(asked(':generateContent')).toBe(1);
  });
});
