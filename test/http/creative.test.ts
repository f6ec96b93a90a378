import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inflateSync } from 'node:zlib';
import { readInvocation } from '../../src/app/reads/invocation.ts';
import { invocationTable } from '../../src/domain/capabilities/tables.ts';
import { isFault } from '../../src/kernel/fault.ts';
import { drawPrompt, pngOf } from '../../src/represent/drawing.ts';
import { hasPostgres, sharedPostgres, type TestDatabases } from '../support/postgres.ts';
import { openDeployment } from '../support/deployment.ts';
import { startPeer, type Peer } from '../support/peer.ts';
import { startServer, terminalKey, type Answer, type TestServer } from '../support/server.ts';

const openaiKey = 'key-of-openai-for-tests';
const googleKey = 'key-of-google-for-tests';
const picture = pngOf(drawPrompt('from a provider', 64, 64), 'test');
/** More than is parsed: a picture with much behind its end. */
const large = Buffer.concat([picture, Buffer.alloc(20 * 1024 * 1024, 'a"\\')]);
const film = Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from('ftypmp42'), Buffer.alloc(64, 7)]);

const pause = (): Promise<void> => new Promise((done) => setTimeout(done, 10));

interface Google {
  ready: boolean;
  started: number;
}

/** Speaks what OpenAI's image endpoints and Google's image and video endpoints speak. */
async function startProviders(google: Google): Promise<Peer> {
  const peer: Peer = await startPeer((request, reply) => {
    const send = (status: number, value: object): void => {
      reply.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    };
    const path = (request.url ?? '').split('?')[0];
    if (path === '/openai/images/generations') {
      const said = JSON.parse(peer.bodies.at(-1) ?? '{}') as Answer;
      if (said['prompt'] === 'refused')
        return send(400, {
          error: { message: `no ${openaiKey}`, type: 'invalid_request_error', code: null },
        });
      if (said['prompt'] === 'too often') {
        reply.setHeader('retry-after', '30');
        return send(429, { error: { message: 'slow down', type: 'rate_limit', code: null } });
      }
      if (said['prompt'] === 'no picture')
        return send(200, { created: 1, data: [{ b64_json: Buffer.from('<svg/>').toString('base64') }] });
      if (said['prompt'] === 'half') {
        reply.writeHead(200, { 'content-type': 'application/json', 'content-length': '5000' });
        reply.write('{"created":1', () => reply.destroy());
        return undefined;
      }
      if (said['prompt'] === 'without end') {
        const blanks = Buffer.alloc(1024 * 1024, ' ');
        const more = (): void => {
          while (!reply.destroyed && reply.write(blanks));
          if (!reply.destroyed) reply.once('drain', more);
        };
        reply.writeHead(200, { 'content-type': 'application/json' });
        return more();
      }
      if (said['prompt'] === 'announced too large') {
        reply.writeHead(200, { 'content-type': 'application/json', 'content-length': '33554433' });
        reply.write('{');
        return undefined;
      }
      if (said['prompt'] === 'many words')
        return send(200, { data: Array.from({ length: 500_000 }, () => ({ b64_json: 'a' })) });
      if (said['prompt'] === 'large') return send(200, { data: [{ b64_json: large.toString('base64') }] });
      if (said['prompt'] === 'busy')
        return send(500, { error: { message: 'busy', type: 'server_error', code: null } });
      return send(200, {
        created: 1,
        data: [{ b64_json: picture.toString('base64') }],
        usage: { input_tokens: 12, output_tokens: 1056, total_tokens: 1068 },
      });
    }
    if (path === '/openai/images/edits')
      return send(200, { created: 1, data: [{ b64_json: picture.toString('base64') }] });
    if (path === '/google/models/gemini-2.5-flash-image:generateContent')
      return send(200, {
        candidates: [
          {
            content: {
              role: 'model',
              parts: [{ inlineData: { mimeType: 'image/png', data: picture.toString('base64') } }],
            },
            finishReason: 'STOP',
          },
        ],
        usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 1290, totalTokenCount: 1299 },
      });
    if (path === '/google/models/veo-3.1-generate-preview:predictLongRunning') {
      google.started++;
      return send(200, { name: 'operations/film-1' });
    }
    if (path === '/google/operations/film-1') {
      const uri = `${peer.base}/google/files/film.mp4`;
      return send(
        200,
        google.ready
          ? {
              name: 'operations/film-1',
              done: true,
              response: { generateVideoResponse: { generatedSamples: [{ video: { uri } }] } },
            }
          : { name: 'operations/film-1' },
      );
    }
    if (path === '/google/files/film.mp4') {
      reply.writeHead(200, { 'content-type': 'video/mp4' }).end(film);
      return undefined;
    }
    return send(404, {});
  });
  return peer;
}

describe.each(hasPostgres ? ['sqlite', 'postgres'] : ['sqlite'])('CREATIVE_GENERATE on %s', (store) => {
  const google: Google = { ready: true, started: 0 };
  let peer: Peer;
  let env: Record<string, string>;
  let server: TestServer;
  let postgres: TestDatabases | undefined;

  beforeAll(async () => {
    peer = await startProviders(google);
    postgres = store === 'postgres' ? await sharedPostgres() : undefined;
    env = {
      COLOPHON_EGRESS_ALLOW: '127.0.0.1',
      OPENAI_API_KEY: openaiKey,
      OPENAI_BASE_URL: `${peer.base}/openai`,
      GOOGLE_GENERATIVE_AI_API_KEY: googleKey,
      GOOGLE_GENERATIVE_AI_BASE_URL: `${peer.base}/google`,
      COLOPHON_MODEL_PRICES: 'gpt-image-1=15/40',
      ...(postgres === undefined ? {} : { DATABASE_URL: await postgres.database() }),
    };
    server = await startServer(env);
  });

  afterAll(async () => {
    expect(server.errors).toEqual([]);
    await server.stop();
    await peer.stop();
    await postgres?.stop();
  });

  const generate = async (body: object, headers: Record<string, string> = {}, more = {}): Promise<Answer> => {
    const response = await server.fetch('/api/dispatch', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ key: 'CREATIVE_GENERATE', body: JSON.stringify(body), ...more }),
    });
    return { ...((await response.json()) as Answer), http: response.status };
  };
  const owner = { 'x-terminal-key': terminalKey };
  const receiptOf = async (id: string): Promise<Answer> =>
    (await (await server.fetch(`/api/dispatch?receipt=${id}`, { headers: owner })).json()) as Answer;

  it('draws a local picture without an API key, stores it by hash and states that no model made it', async () => {
    const prompt = 'pipes | survive | here';
    const answer = await generate({ engine: 'local', prompt, size: '320x200', product_id: 'p-1' }, owner);
    expect(answer['http']).toBe(200);
    const { url, sha256, media_type: type, creative_run: run } = answer['result'];
    expect(run).toMatchObject({
      id: expect.stringMatching(/^run_[a-z2-7]{16}$/),
      engine: 'local',
      model: 'rules-1',
      prompt,
      product_id: 'p-1',
      channel: 'http',
      payload: { form: 'image', prompt, width: 320, height: 200 },
      stored: { sha256, media_type: 'image/png', url },
      lineage: { invocation: answer['invocation'].id, reference_url: null, parent: null },
      honoured: ['size', 'product_id'],
      note: 'Drawn by rule from the words of the prompt; no model made it.',
    });
    const response = await fetch(url);
    const bytes = Buffer.from(await response.arrayBuffer());
    expect([response.status, type, createHash('sha256').update(bytes).digest('hex')]).toEqual([
      200,
      'image/png',
      sha256,
    ]);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-security-policy': "default-src 'none'; sandbox",
      'x-content-type-options': 'nosniff',
      'cache-control': 'public, max-age=31536000, immutable',
    });
    const data = bytes.subarray(bytes.indexOf('IDAT') + 4);
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20), inflateSync(data).length]).toEqual([
      320,
      200,
      200 * (1 + 320 * 3),
    ]);
    const receipt = await receiptOf(answer['invocation'].id);
    expect(receipt['response'].result.sha256).toBe(sha256);
    expect(receipt['entries'].map((entry: Answer) => entry['action'])).toEqual(['running', 'success']);
  });

  it('makes an MP4 video if a duration is given', async () => {
    const answer = await generate({ engine: 'local', prompt: 'moving', duration: 2, size: '96x64' }, owner);
    expect(answer['result'].media_type).toBe('video/mp4');
    const bytes = Buffer.from(await (await fetch(answer['result'].url)).arrayBuffer());
    expect([bytes.toString('latin1', 4, 8), bytes.includes('avc1'), bytes.includes('moov')]).toEqual([
      'ftyp',
      true,
      true,
    ]);
  });

  it('is refused to anonymous callers, and runs for a share only within its scope and risk ceiling', async () => {
    const body = { engine: 'local', prompt: 'x' };
    const nobody = await generate(body);
    expect([nobody['http'], nobody['error'], nobody['proposal']]).toEqual([
      403,
      'owner_gate_required',
      { key: 'CREATIVE_GENERATE', body: JSON.stringify(body) },
    ]);
    const mint = async (how: string): Promise<string> =>
      String((await server.owner('/api/dispatch', { key: 'CAP_MINT', body: how }))['share']);
    const low = await generate(body, {}, { share: await mint('row|CREATIVE_GENERATE|600|1|x|low|0') });
    expect([low['http'], low['error']]).toEqual([403, 'risk_ceiling']);
    const act = await generate(body, {}, { share: await mint('act||600|1|x|high|0') });
    expect([act['http'], act['error']]).toEqual([403, 'scope_denied']);
    const high = await generate(body, {}, { share: await mint('row|CREATIVE_GENERATE|600|1|x|high|0') });
    expect([high['http'], high['ran']]).toEqual([200, true]);
  });

  it('awaits approval under a gated share, and runs as the same invocation once approved', async () => {
    const minted = await server.owner('/api/dispatch', {
      key: 'CAP_MINT',
      body: 'row|CREATIVE_GENERATE|600|2|x|high|1',
    });
    const body = { engine: 'local', prompt: 'approved' };
    const proposed = await generate(body, {}, { share: minted['share'] });
    expect([proposed['http'], proposed['invocation'].status, proposed['ran']]).toEqual([
      202,
      'proposed',
      false,
    ]);
    expect(proposed['result'].proposal).toEqual({ key: 'CREATIVE_GENERATE', body: JSON.stringify(body) });
    const { id } = proposed['invocation'];
    await server.owner('/api/dispatch', { key: 'OIP_APPROVE', body: `${id}|approved|` });
    const receipt = await receiptOf(id);
    expect(receipt['entries'].map((entry: Answer) => entry['action'])).toEqual([
      'proposed',
      'running',
      'success',
    ]);
    expect((await fetch(receipt['response'].result.url)).status).toBe(200);
  });

  it('calls an image provider once, and records request and response without key and image data', async () => {
    const asked = peer.asked.length;
    const answer = await generate({ engine: 'openai', prompt: 'a | b', size: '1024x1024' }, owner);
    expect(peer.asked.slice(asked)).toEqual(['POST /openai/images/generations']);
    expect(JSON.parse(peer.bodies.at(-1) ?? '')).toMatchObject({
      model: 'gpt-image-1',
      prompt: 'a | b',
      size: '1024x1024',
      n: 1,
    });
    const sha256 = createHash('sha256').update(picture).digest('hex');
    expect(answer['result']).toMatchObject({ sha256, media_type: 'image/png' });
    const { creative_run: run } = answer['result'];
    expect(run.payload.body.prompt).toBe('a | b');
    expect(run.raw_response.status).toBe(200);
    expect(run.raw_response.body.data[0].b64_json).toContain(`sha256 ${sha256}`);
    expect(run.honoured).toEqual(['size']);
    expect(answer['yield']).toMatchObject({
      tokens: { in: 12, out: 1056, total: 1068 },
      cost: { usd: 0.04242 },
      waste: 0,
    });
    expect((await receiptOf(answer['invocation'].id))['yield']).toEqual(answer['yield']);
    expect(JSON.stringify(answer)).not.toContain(openaiKey);
  });

  it('stores a large picture byte for byte, and records it by its hash', async () => {
    const answer = await generate({ engine: 'openai', prompt: 'large' }, owner);
    const sha256 = createHash('sha256').update(large).digest('hex');
    expect([answer['http'], answer['result'].sha256]).toEqual([200, sha256]);
    expect(answer['result'].creative_run.raw_response.body).toEqual({
      data: [{ b64_json: `[base64, ${large.length} bytes, sha256 ${sha256}]` }],
    });
    const kept = Buffer.from(await (await fetch(answer['result'].url)).arrayBuffer());
    expect(kept.equals(large)).toBe(true);
  });

  it('does not retry a provider that refuses or fails, and returns its response', async () => {
    for (const [prompt, status] of [
      ['refused', 400],
      ['busy', 500],
    ] as const) {
      const asked = peer.asked.length;
      const answer = await generate({ engine: 'openai', prompt }, owner);
      expect([answer['http'], answer['error'], peer.asked.length - asked]).toEqual([502, 'runner_failed', 1]);
      expect(answer['raw_response'].status).toBe(status);
      expect(JSON.stringify(answer)).not.toContain(openaiKey);
    }
  });

  it.each([
    ['too often', /Retry-After: 30/, { status: 429, retry_after: '30' }],
    ['half', /terminated/, { status: 200, body: '{"created":1', broken_off_after: 12 }],
    ['no picture', /no image or video/, { status: 200, body: { data: [{ b64_json: 'PHN2Zy8+' }] } }],
    [
      'without end',
      /more than 33554432 bytes.*provider_bytes in COLOPHON_LIMITS/,
      { status: 200, body: expect.stringMatching(/^ {20000}$/) },
    ],
    ['many words', /more than 4194304 bytes beside pictures/, { status: 200, body: null }],
    ['announced too large', /more than 33554432 bytes/, { status: 200, body: '', broken_off_after: 0 }],
  ])('reports and records a response that is no usable picture: %s', async (prompt, said, raw) => {
    const asked = peer.asked.length;
    const answer = await generate({ engine: 'openai', prompt }, owner);
    expect([answer['http'], answer['error'], peer.asked.length - asked]).toEqual([502, 'runner_failed', 1]);
    expect(`${answer['detail']} ${answer['fix']}`).toMatch(said);
    expect(answer['raw_response']).toMatchObject(raw);
    expect((await receiptOf(answer['invocation'].id))['response'].result.raw_response).toMatchObject(raw);
  });

  it.each([
    'nonsense',
    'file:///etc/passwd',
    'http://169.254.169.254/a.png',
    'http://[::ffff:10.0.0.1]/a.png',
  ])('consumes no use of a share for an invalid or forbidden reference_url: %s', async (reference_url) => {
    const { share } = await server.owner('/api/dispatch', {
      key: 'CAP_MINT',
      body: 'row|CREATIVE_GENERATE|600|1|x|high|0',
    });
    const asked = peer.asked.length;
    const answer = await generate({ engine: 'openai', prompt: 'x', reference_url }, {}, { share });
    expect([answer['http'], answer['parameter'], answer['charged']]).toEqual([422, 'reference_url', false]);
    expect([
      peer.asked.length,
      (await server.read(`/api/dispatch?explain=1&share=${String(share)}`))['uses'],
    ]).toEqual([asked, 0]);
  });

  it('accepts an earlier result as reference, and records it as the parent', async () => {
    const first = await generate({ engine: 'local', prompt: 'first' }, owner);
    const second = await generate(
      { engine: 'openai', prompt: 'second', reference_url: first['result'].url },
      owner,
    );
    expect(peer.asked.at(-1)).toBe('POST /openai/images/edits');
    expect(second['result'].creative_run.lineage.parent).toBe(first['result'].sha256);
    expect(JSON.stringify(second['result'].creative_run.payload)).toContain(first['result'].sha256);
    const inside = await generate(
      { engine: 'openai', prompt: 'x', reference_url: 'http://169.254.169.254/x.png' },
      owner,
    );
    expect([inside['http'], inside['reason']]).toEqual([422, 'egress_refused']);
  });

  it('records the original run as the parent of a replay or repair', async () => {
    const first = await generate({ engine: 'local', prompt: 'first' }, owner);
    const replayed = await server.owner('/api/dispatch', { key: 'OIP_REPLAY', body: first['invocation'].id });
    expect(replayed['result'].result.creative_run.lineage.parent).toBe(first['invocation'].id);
    const failed = await generate({ engine: 'local', prompt: ' \n ' }, owner);
    expect([failed['http'], failed['error'], failed['violations'][0].at]).toEqual([
      422,
      'body_mismatch',
      '/prompt',
    ]);
    const repaired = await server.owner('/api/dispatch', {
      key: 'CREATIVE_GENERATE',
      body: '{"engine":"local","prompt":"mended"}',
      repairs: failed['invocation'].id,
    });
    const { creative_run: run } = repaired['result'].result ?? repaired['result'];
    expect(run.lineage.parent).toBe(failed['invocation'].id);
  });

  it('makes a picture through Google from a reference picture, and records the usage', async () => {
    const first = await generate({ engine: 'local', prompt: 'first' }, owner);
    const answer = await generate(
      {
        engine: 'google-image',
        prompt: 'hills | sea',
        aspect_ratio: '16:9',
        reference_url: first['result'].url,
        model: 'gemini-2.5-flash-image',
      },
      owner,
    );
    expect(peer.asked.at(-1)).toBe('POST /google/models/gemini-2.5-flash-image:generateContent');
    const sent = JSON.parse(peer.bodies.at(-1) ?? '{}') as Answer;
    expect(sent['generationConfig']).toMatchObject({
      responseModalities: ['IMAGE'],
      imageConfig: { aspectRatio: '16:9' },
    });
    const parts = sent['contents'][0].parts as Answer[];
    expect(parts.find((part) => 'text' in part)?.['text']).toBe('hills | sea');
    const started = Buffer.from(parts.find((part) => 'inlineData' in part)?.['inlineData'].data, 'base64');
    expect(createHash('sha256').update(started).digest('hex')).toBe(first['result'].sha256);
    expect(answer['result']).toMatchObject({
      media_type: 'image/png',
      sha256: createHash('sha256').update(picture).digest('hex'),
      creative_run: {
        provider: 'google',
        honoured: ['model', 'aspect_ratio', 'reference_url'],
        lineage: { parent: first['result'].sha256 },
      },
    });
    // No price is set for that model.
    expect(answer['yield']).toMatchObject({ tokens: { in: 9, out: 1290 }, cost: { usd: null } });
    expect(JSON.stringify(answer)).not.toContain(googleKey);
  });

  it('passes every video argument to the provider', async () => {
    google.ready = true;
    const first = await generate({ engine: 'local', prompt: 'first' }, owner);
    const answer = await generate(
      {
        engine: 'google-video',
        prompt: 'waves',
        aspect_ratio: '9:16',
        resolution: '1080p',
        duration: 4,
        enhance: false,
        reference_url: first['result'].url,
        product_id: 'p-2',
      },
      owner,
    );
    const sent = JSON.parse(
      peer.bodies[peer.asked.findLastIndex((line) => line.includes('predict'))] ?? '',
    ) as Answer;
    expect(sent['parameters']).toEqual({
      sampleCount: 1,
      aspectRatio: '9:16',
      resolution: '1080p',
      durationSeconds: 4,
      enhancePrompt: false,
    });
    const image = Buffer.from(sent['instances'][0].image.bytesBase64Encoded, 'base64');
    expect(createHash('sha256').update(image).digest('hex')).toBe(first['result'].sha256);
    expect(answer['result'].creative_run.product_id).toBe('p-2');
  });

  it('makes a video through a provider, and records its operation on the ledger before waiting for it', async () => {
    google.ready = true;
    const answer = await generate(
      { engine: 'google-video', prompt: 'waves', aspect_ratio: '16:9', resolution: '720p', duration: 8 },
      owner,
    );
    const sent = JSON.parse(
      peer.bodies[peer.asked.findLastIndex((line) => line.includes('predict'))] ?? '',
    ) as Answer;
    expect([sent['instances'][0].prompt, sent['parameters']]).toEqual([
      'waves',
      { sampleCount: 1, aspectRatio: '16:9', resolution: '720p', durationSeconds: 8 },
    ]);
    expect(answer['result']).toMatchObject({
      media_type: 'video/mp4',
      sha256: createHash('sha256').update(film).digest('hex'),
    });
    const receipt = await receiptOf(answer['invocation'].id);
    expect(receipt['entries'].map((entry: Answer) => entry['action'])).toEqual([
      'running',
      'submitted',
      'success',
    ]);
    expect(answer['yield']).toMatchObject({ tokens: { total: 0 }, cost: { usd: null } });
    expect(receipt['yield']).toEqual(answer['yield']);
    expect(JSON.stringify([answer, receipt])).not.toContain(googleKey);
  });

  it.each([
    [{ engine: 'nobody', prompt: 'x' }, 422, 'body_mismatch'],
    [{ engine: 'local' }, 422, 'body_mismatch'],
    [{ engine: 'local', prompt: '' }, 422, 'body_mismatch'],
    [{ engine: 'local', prompt: 'x', size: '1x1' }, 422, 'body_mismatch'],
    [{ engine: 'local', prompt: 'x', size: 5 }, 422, 'body_mismatch'],
    [{ engine: 'local', prompt: 'x', duration: 61 }, 422, 'body_mismatch'],
    [{ engine: 'local', prompt: 'x', resolution: '8k' }, 422, 'body_mismatch'],
    [{ engine: 'local', prompt: 'x', extra: 1 }, 422, 'body_mismatch'],
    [{ engine: 'local', prompt: 'x', enhance: 'yes' }, 422, 'body_mismatch'],
  ])('rejects %j', async (body, status, error) => {
    const answer = await generate(body, owner);
    expect([answer['http'], answer['error']]).toEqual([status, error]);
  });

  it.each([
    [{ engine: 'openai', aspect_ratio: '1:1' }, ['aspect_ratio is nothing that it follows']],
    [{ engine: 'openai', resolution: '720p' }, ['resolution is nothing that it follows']],
    [
      { engine: 'openai', duration: 3, enhance: true },
      ['duration is nothing that it follows', 'enhance is nothing that it follows'],
    ],
    [{ engine: 'google-image', size: '640x640' }, ['size is nothing that it follows']],
    [{ engine: 'google-image', model: 'imagen-4' }, ['its models begin with gemini-']],
    [
      { engine: 'google-image', aspect_ratio: '7:5' },
      ['aspect_ratio is one of 1:1, 1:4, 1:8, 2:3, 3:2, 3:4, 4:1, 4:3, 4:5, 5:4, 8:1, 9:16, 16:9, 21:9'],
    ],
    [
      { engine: 'google-video', size: '640x640', aspect_ratio: '1:1', resolution: '480p', duration: 30 },
      [
        'size is nothing that it follows',
        'aspect_ratio is one of 16:9, 9:16',
        'resolution is one of 720p, 1080p, 1280x720, 1920x1080',
        'duration is 4 to 8 whole seconds',
      ],
    ],
    [{ engine: 'local', model: 'x' }, ['model is nothing that it follows']],
    [
      { engine: 'local', reference_url: 'https://example.org/a.png' },
      ['reference_url is nothing that it follows'],
    ],
    [{ engine: 'local', size: '2000x50' }, ['its sides are 64 to 1920 pixels and not 2000x50']],
    [{ engine: 'local', duration: 9 }, ['duration is at most 6 seconds']],
    [{ engine: 'local', duration: 1, size: '101x64' }, ['the sides of a film are even']],
    [
      { engine: 'local', size: '640x360', resolution: '480p' },
      ['size and resolution say the same thing twice'],
    ],
  ])(
    'reports every argument that the engine does not support, uncharged and before any provider call: %j',
    async (more, problems) => {
      const minted = await server.owner('/api/dispatch', {
        key: 'CAP_MINT',
        body: 'row|CREATIVE_GENERATE|600|1|x|high|0',
      });
      const asked = peer.asked.length;
      const answer = await generate({ prompt: 'x', ...more }, {}, { share: minted['share'] });
      expect([answer['http'], answer['error'], answer['charged']]).toEqual([422, 'body_mismatch', false]);
      expect(answer['problems']).toEqual(problems);
      expect(peer.asked.length).toBe(asked);
      const receipt = await receiptOf(answer['invocation'].id);
      expect(receipt['entries'].map((entry: Answer) => entry['action'])).toEqual(['failed']);
    },
  );
});

describe('CREATIVE_GENERATE', () => {
  it('resumes a video operation after a restart without ordering another video', async () => {
    const google: Google = { ready: false, started: 0 };
    const peer = await startProviders(google);
    const env = {
      COLOPHON_EGRESS_ALLOW: '127.0.0.1',
      GOOGLE_GENERATIVE_AI_API_KEY: googleKey,
      GOOGLE_GENERATIVE_AI_BASE_URL: `${peer.base}/google`,
    };
    const first = await openDeployment({ env });
    const answer = first.call('CREATIVE_GENERATE', { engine: 'google-video', prompt: 'waves' });
    while (!peer.asked.some((line) => line.includes('/operations/'))) await pause();
    await first.close();
    const cut = await answer;
    expect(isFault(cut) && cut.fault).toBe('shutting_down');
    google.ready = true;
    const second = await openDeployment({ env, folder: first.folder });
    let [list] = await second.service.store.read.list(invocationTable, 'main/CREATIVE_GENERATE', {
      limit: 1,
    });
    while (list?.status === 'running') {
      await pause();
      [list] = await second.service.store.read.list(invocationTable, 'main/CREATIVE_GENERATE', { limit: 1 });
    }
    const invocation = await readInvocation(second.service, String(list?.inv));
    expect(invocation?.events.map(({ entry }) => entry['action'])).toEqual([
      'running',
      'submitted',
      'resumed',
      'success',
    ]);
    expect(invocation?.response.value).toMatchObject({
      sha256: createHash('sha256').update(film).digest('hex'),
    });
    expect(invocation?.yielded.usage.usdMicros).toBeNull();
    expect(google.started).toBe(1);
    await second.end();
    await peer.stop();
  });

  it('rejects a blank prompt and a prompt with invisible characters', async () => {
    const server = await startServer();
    for (const [prompt, code] of [
      [' \u2028\t', 'blank'],
      ['\u200B\u3164', 'blank'],
      ['A cat\u202E on a mat', 'unseen_character'],
    ])
      await expect(
        server.owner('/api/dispatch', { key: 'CREATIVE_GENERATE', body: { engine: 'local', prompt } }),
      ).rejects.toThrow(`"code":"${String(code)}"`);
    await server.stop();
  });

  it('names the missing setting of an engine without a key', async () => {
    const server = await startServer();
    const response = await server.fetch('/api/dispatch', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-terminal-key': terminalKey },
      body: JSON.stringify({ key: 'CREATIVE_GENERATE', body: '{"engine":"openai","prompt":"x"}' }),
    });
    const answer = (await response.json()) as Answer;
    expect([response.status, answer['error'], answer['missing']]).toEqual([
      502,
      'runner_failed',
      ['OPENAI_API_KEY'],
    ]);
    const row = await server.read('/api/directory/CREATIVE_GENERATE');
    expect([row['auth'], row['risk'], row['requires_approval'], row['status'], row['category']]).toEqual([
      'none',
      'high',
      true,
      'active',
      'creative',
    ]);
    await server.stop();
  });

  it('reads more engines from the environment, and prevents the start if they are invalid', async () => {
    const server = await startServer({
      COLOPHON_CREATIVE_ENGINES: 'sketch=local:image, veo=google:video:veo-2',
    });
    const answer = await server.owner('/api/dispatch', {
      key: 'CREATIVE_GENERATE',
      body: '{"engine":"sketch","prompt":"x"}',
    });
    expect(answer['result'].creative_run.engine).toBe('sketch');
    await server.stop();
    await expect(startServer({ COLOPHON_CREATIVE_ENGINES: 'x=openai:video' })).rejects.toThrow(
      'COLOPHON_CREATIVE_ENGINES cannot be read at "x=openai:video"',
    );
  });
});
