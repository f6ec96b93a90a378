/** A client of Server-Sent Events as the standard has them (WHATWG HTML §9.2), which counts what it was sent. */

export interface Received {
  readonly id: string;
  readonly name: string;
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: Record<string, any>;
}

export class EventClient {
  readonly response: Response;
  readonly events: Received[] = [];
  /** What a client that comes back says in `Last-Event-ID`. */
  lastEventId = '';
  comments = 0;
  ended = false;
  readonly #stop: AbortController;
  readonly #read: Promise<void>;
  readonly #waiting = new Set<() => void>();

  static async open(
    base: string,
    path: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<EventClient> {
    const stop = new AbortController();
    return new EventClient(await fetch(base + path, { headers, signal: stop.signal }), stop);
  }

  private constructor(response: Response, stop: AbortController) {
    this.response = response;
    this.#stop = stop;
    this.#read = this.#follow();
  }

  /** Resolves with the events once there are so many. */
  async until(count: number): Promise<readonly Received[]> {
    await this.#when(() => this.events.length >= count, `${count} events`);
    return this.events;
  }

  async untilId(id: number): Promise<readonly Received[]> {
    await this.#when(() => this.lastEventId !== '' && Number(this.lastEventId) >= id, `id ${id}`);
    return this.events;
  }

  async untilEnd(): Promise<readonly Received[]> {
    await this.#when(() => this.ended, 'the end');
    return this.events;
  }

  async close(): Promise<void> {
    this.#stop.abort();
    await this.#read;
  }

  async #when(holds: () => boolean, what: string): Promise<void> {
    const late = AbortSignal.timeout(10_000);
    while (!holds()) {
      if (late.aborted || (this.ended && what !== 'the end'))
        throw new Error(`the stream never came to ${what}: ${JSON.stringify(this.events.slice(-3))}`);
      await new Promise<void>((resolve) => {
        this.#waiting.add(resolve);
        setTimeout(resolve, 50);
      });
    }
  }

  async #follow(): Promise<void> {
    let text = '';
    try {
      for await (const part of this.response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += part;
        const blocks = text.split('\n\n');
        text = blocks.pop() as string;
        for (const block of blocks) this.#take(block);
        this.#wake();
      }
    } catch {
      // Closed by this side.
    }
    this.ended = true;
    this.#wake();
  }

  #take(block: string): void {
    let name = 'message';
    const data: string[] = [];
    for (const line of block.split('\n')) {
      const [field = '', ...rest] = line.split(': ');
      const value = rest.join(': ');
      if (line.startsWith(':')) this.comments++;
      else if (field === 'id') this.lastEventId = value;
      else if (field === 'event') name = value;
      else if (field === 'data') data.push(value);
    }
    if (data.length > 0)
      this.events.push({
        id: this.lastEventId,
        name,
        data: JSON.parse(data.join('\n')) as Received['data'],
      });
  }

  #wake(): void {
    for (const wake of this.#waiting) wake();
    this.#waiting.clear();
  }
}
