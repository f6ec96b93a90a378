/** A language model as a decision may ask for one: a task in, a text and what it cost out. Nothing here connects. */
import type { Usage } from '../yield.ts';
import type { Fault } from '../../kernel/fault.ts';

export interface WritingTask {
  /** What the service wants; the only instruction that the model is given. */
  readonly system: string;
  /** The question and the passages, marked as data. */
  readonly prompt: string;
  readonly tokensOutMax: number;
}

/** What a model wrote, unchecked. */
export interface Writing {
  readonly text: string;
  readonly usage: Usage;
}

export interface Model {
  /** `provider:model`, as receipts name it. */
  readonly name: string;
  /** Sent once, never again by itself. */
  write(task: WritingTask, signal: AbortSignal): Promise<Writing | Fault>;
}
