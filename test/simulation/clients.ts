/**
 * Clients of the cluster or of the embedded node. Each has one request at a time, sends it again under the same id until it
 * hears how it ended, and edits by the hash that it heard of last.
 */
import { budgetMax, noText, type Answer, type Request } from './acts.ts';
import type { Reply } from './cluster.ts';
import type { Network } from './network.ts';
import { newActor, type Actor, type Scheduler } from './scheduler.ts';

/** Where requests go. */
export interface Serving {
  readonly actor: Actor;
  readonly isUp: boolean;
  serve(request: Request, reply: (reply: Reply) => void): void;
}

export interface ClientOptions {
  readonly documents: readonly string[];
  readonly budgets: readonly string[];
  readonly notes: string;
  /** The longest pause between two requests. */
  readonly pauseMs: number;
}

/** How long an answer is waited for. */
const patienceMs = 6000;

export class Client {
  readonly #actor: Actor;
  readonly #scheduler: Scheduler;
  readonly #network: Network;
  readonly #nodes: readonly Serving[];
  readonly #options: ClientOptions;
  readonly #hashes = new Map<string, string>();
  #requests = 0;
  #isStopped = false;
  /** Requests whose end is not known. */
  isWaiting = false;

  constructor(
    name: string,
    scheduler: Scheduler,
    network: Network,
    nodes: readonly Serving[],
    options: ClientOptions,
  ) {
    this.#actor = newActor(name);
    this.#scheduler = scheduler;
    this.#network = network;
    this.#nodes = nodes;
    this.#options = options;
    scheduler.after(scheduler.between(0, options.pauseMs), this.#actor, 'begin', () => void this.#live());
  }

  /** Sends nothing new; what is under way is brought to its end. */
  stop(): void {
    this.#isStopped = true;
  }

  async #live(): Promise<void> {
    const scheduler = this.#scheduler;
    while (!this.#isStopped) {
      const request = this.#next();
      this.isWaiting = true;
      this.#heard(request, await this.#finish(request));
      this.isWaiting = false;
      await scheduler.sleep(scheduler.between(1, this.#options.pauseMs), this.#actor, 'pause');
    }
  }

  #next(): Request {
    const { documents, budgets, notes } = this.#options;
    const scheduler = this.#scheduler;
    const id = `${this.#actor.name}-${++this.#requests}`;
    if (scheduler.chance(0.3)) return { id, kind: 'spend', target: scheduler.pick(budgets) };
    if (scheduler.chance(0.3)) return { id, kind: 'note', target: notes };
    const target = scheduler.pick(documents);
    return { id, kind: 'edit', target, expected: this.#hashes.get(target) ?? noText, text: `Text of ${id}.` };
  }

  #heard(request: Request, answer: Answer | undefined): void {
    if (request.kind === 'edit' && answer !== undefined && answer.kind !== 'exhausted')
      this.#hashes.set(request.target, answer.hash);
  }

  /** Undefined where a note's end stays unknown. */
  async #finish(request: Request): Promise<Answer | undefined> {
    for (;;) {
      const reply = await this.#send(request);
      if (reply?.kind === 'answer') return reply.answer;
      if (request.kind === 'note') return undefined;
      await this.#scheduler.sleep(this.#scheduler.between(50, 800), this.#actor, 'try again');
    }
  }

  /** Undefined where no answer came in time. */
  #send(request: Request): Promise<Reply | undefined> {
    const scheduler = this.#scheduler;
    const up = this.#nodes.filter(({ isUp }) => isUp);
    const node = scheduler.pick(up.length > 0 ? up : this.#nodes);
    const { actor } = node;
    return new Promise((resolve) => {
      const timer = scheduler.after(patienceMs, this.#actor, 'no answer', () => resolve(undefined));
      const once = request.kind === 'note';
      this.#network.send(this.#actor, actor, once ? 'note' : 'request', `request ${request.id}`, () =>
        node.serve(request, (reply) =>
          this.#network.send(actor, this.#actor, 'answer', `reply ${request.id}`, () => {
            timer.cancel();
            resolve(reply);
          }),
        ),
      );
    });
  }
}

/** More budgets than a run uses up, and few enough documents that edits meet. */
export function targets(prefix: string): Omit<ClientOptions, 'pauseMs'> {
  const named = (kind: string, count: number): string[] =>
    Array.from({ length: count }, (_, i) => `${prefix}-${kind}-${i + 1}`);
  return {
    documents: named('document', 3),
    budgets: named('budget', Math.ceil(60 / budgetMax)),
    notes: `${prefix}-notes`,
  };
}
