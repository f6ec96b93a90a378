/** The thread that draws one picture or film; the encoder and its memory go with it. */
import { parentPort, workerData } from 'node:worker_threads';
import { drawPrompt, pngOf } from '../../represent/drawing.ts';
import type { Drawing } from './creative-local.ts';

const drawing = workerData as Drawing;
const comment = 'Drawn by rule from the words of a prompt; no model made it.';

parentPort?.postMessage(drawing.form === 'image' ? picture(drawing) : await film(drawing));

function picture({ prompt, width, height }: Drawing): Uint8Array {
  return pngOf(drawPrompt(prompt, width, height), comment);
}

async function film({ prompt, width, height, seconds, framesPerSecond }: Drawing): Promise<Uint8Array> {
  const { createH264MP4Encoder } = (await import('h264-mp4-encoder')).default;
  const encoder = await createH264MP4Encoder();
  try {
    encoder.width = width;
    encoder.height = height;
    encoder.frameRate = framesPerSecond;
    encoder.quantizationParameter = 30;
    encoder.initialize();
    const frames = Math.max(1, Math.round(seconds * framesPerSecond));
    for (let frame = 1; frame <= frames; frame++)
      encoder.addFrameRgba(drawPrompt(prompt, width, height, Math.min(1, (1.3 * frame) / frames)).rgba);
    encoder.finalize();
    return encoder.FS.readFile(encoder.outputFilename);
  } finally {
    encoder.delete();
  }
}
