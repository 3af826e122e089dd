import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Poster } from '../notify/webhooks/post-event.ts';
import { EdgePipe, type PipeServices } from './edge-pipe.ts';
import { Posts } from './posts.ts';

/** How much longer than its requests in flight an edge may take to end. */
const END_MARGIN_MS = 1_000;

/** The core's side of its edge process. There is one edge at a time; another one follows if it ends. */
export class EdgeLink {
  readonly #posts = new Posts();
  #pipe: EdgePipe | undefined;
  #services: Omit<PipeServices, 'posted'> | undefined;

  /** Sets what answers requests. No pipe may be attached before. */
  serve(services: Omit<PipeServices, 'posted'>): void {
    this.#services = services;
  }

  /** Serves the edge at the other end of a pipe. */
  attach(socket: Socket): void {
    if (this.#services === undefined) {
      socket.destroy();
      return;
    }
    this.#pipe?.destroy();
    const pipe = new EdgePipe(socket, { ...this.#services, posted: (id, text) => this.#posts.ended(id, text) });
    this.#pipe = pipe;
    void pipe.ended.then(() => {
      if (this.#pipe !== pipe) return;
      this.#pipe = undefined;
      this.#posts.allFailed();
    });
  }

  /** Posts through the edge. What it says about a delivery is believed: it can only lose what it was given. */
  poster(egress: 'webhooks' | 'push'): Poster {
    return {
      post: (url, headers, body) =>
        this.#posts.begin((id) => {
          if (this.#pipe?.isOpen !== true) return false;
          this.#pipe.post(id, JSON.stringify({ egress, url: url.href, headers }), body);
          return true;
        }),
      close() {},
    };
  }

  /** Connections go to the edge. */
  readonly take = (socket: Socket): void => void socket.destroy();

  /** The parent tells the edge about changed settings. */
  reload(): void {}

  /** Ends the edge after its requests in flight. */
  async close(graceMs: number): Promise<void> {
    const pipe = this.#pipe;
    if (pipe === undefined) return;
    pipe.stop(graceMs);
    const timer = new AbortController();
    const late = sleep(graceMs + END_MARGIN_MS, undefined, { signal: timer.signal }).catch(() => undefined);
    await Promise.race([pipe.ended, late]);
    timer.abort();
    pipe.destroy();
  }
}
