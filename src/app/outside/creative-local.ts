/**
 * The local engine without a key: draws a PNG or a short H.264 film by rule from the words of the prompt, in a worker
 * thread. Picture, file and record say that no model made it.
 */
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { formOf, localBounds, pixelsOf, type CreativeInput } from '../../domain/creative/engines.ts';
import type { EngineOutput } from '../../domain/creative/run.ts';
import { fault, type Fault } from '../../kernel/fault.ts';
import type { JsonObject } from '../../kernel/json.ts';

export type Drawing = {
  readonly form: 'image' | 'video';
  readonly prompt: string;
  readonly width: number;
  readonly height: number;
  readonly seconds: number;
  readonly framesPerSecond: number;
};

const localEngine = { id: 'local', provider: 'local', form: 'either', model: 'rules-1' } as const;
const imageDefault: readonly [number, number] = [640, 360];
const videoDefault: readonly [number, number] = [320, 180];
const framesPerSecond = 10;
const note = 'Drawn by rule from the words of the prompt; no model made it.';

export async function drawLocally(input: CreativeInput, signal: AbortSignal): Promise<EngineOutput | Fault> {
  const drawing = planDrawing(input);
  const bytes = await inThread(drawing, signal);
  if (bytes === undefined)
    return fault('runner_failed', 'The drawing came to no end.', 'Ask for a smaller or shorter one.');
  const payload: JsonObject = { ...drawing };
  return {
    bytes,
    payload,
    rawResponse: { bytes: bytes.length },
    model: localEngine.model,
    warnings: [],
    note,
  };
}

/** The arguments are within the bounds of the engine; a ratio gives way where its longer side would leave them. */
export function planDrawing(input: CreativeInput): Drawing {
  const form = formOf(localEngine, input);
  const sideMax = form === 'image' ? localBounds.imageSideMax : localBounds.videoSideMax;
  const [defaultWidth, defaultHeight] = form === 'image' ? imageDefault : videoDefault;
  const wanted = input.size ?? (input.resolution === undefined ? undefined : pixelsOf(input.resolution));
  let [width, height] = (wanted?.split('x').map(Number) ?? [defaultWidth, defaultHeight]) as [number, number];
  if (wanted === undefined && input.aspect_ratio !== undefined) {
    const [across, down] = input.aspect_ratio.split(':').map(Number) as [number, number];
    height = Math.round((width * down) / across);
  }
  const shrink = Math.min(1, sideMax / width, sideMax / height);
  // Films are made of blocks: their sides are even.
  const step = form === 'image' ? 1 : 2;
  const fitted = (length: number): number =>
    Math.max(localBounds.sideMin, Math.floor((length * shrink) / step) * step);
  const seconds = form === 'image' ? 0 : (input.duration ?? 1);
  return {
    form,
    prompt: input.prompt,
    width: fitted(width),
    height: fitted(height),
    seconds,
    framesPerSecond,
  };
}

function inThread(drawing: Drawing, signal: AbortSignal): Promise<Uint8Array | undefined> {
  return new Promise((resolve) => {
    const worker = new Worker(new URL(`./drawing-worker${extname(import.meta.url)}`, import.meta.url), {
      workerData: drawing,
      env: {},
      execArgv: [],
      stdout: true,
      stderr: true,
    });
    const settle = (bytes: Uint8Array | undefined): void => {
      signal.removeEventListener('abort', stop);
      void worker.terminate();
      resolve(bytes);
    };
    const stop = (): void => settle(undefined);
    signal.addEventListener('abort', stop, { once: true });
    worker.once('message', (bytes: Uint8Array) => settle(bytes));
    worker.once('error', stop);
    worker.once('exit', stop);
  });
}
