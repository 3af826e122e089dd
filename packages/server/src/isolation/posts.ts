import { z } from 'zod';
import { DeliveryError } from '../notify/delivery/delivery-error.ts';

/** Longer than an edge takes for any post. Then it counts as failed, and is sent again later. */
const POST_MS = 30_000;

/** What the edge does: the list of addresses that may be reached, the address and the headers. The body is sent separately. */
export const postText = z.object({
  egress: z.enum(['webhooks', 'push']),
  url: z.url(),
  headers: z.record(z.string(), z.string()),
});

const short = z.string().max(300);

/** How a post ended: nothing if the receiver accepted it. SECURITY: the texts are shown, so they are short. */
const postedText = z.object({
  failure: z
    .object({
      message: short,
      permanent: z.boolean(),
      reason: short,
      answer: z
        .object({ status: z.int().min(0).max(999), retryAfterMs: z.number().min(0).max(86_400_000).exactOptional() })
        .optional(),
    })
    .optional(),
});
export type Posted = z.output<typeof postedText>;

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: DeliveryError) => void;
  readonly timer: NodeJS.Timeout;
}

/** The posts that an edge is doing. */
export class Posts {
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;

  /** Begins a post with `send`, which returns false if there is no edge. Resolves or rejects like `Poster.post`. */
  begin(send: (id: number) => boolean): Promise<void> {
    this.#lastId = (this.#lastId + 1) % 2 ** 32;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#end(id)?.reject(failed('it took too long')), POST_MS).unref();
      this.#waiting.set(id, { resolve, reject, timer });
      if (!send(id)) this.#end(id)?.reject(failed('there is none at the moment'));
    });
  }

  /** The edge says how a post ended. */
  ended(id: number, text: string): void {
    const waiting = this.#end(id);
    if (waiting === undefined) return;
    const posted = postedText.safeParse(parse(text));
    const { failure } = posted.data ?? {};
    if (!posted.success) waiting.reject(failed('its answer cannot be read'));
    else if (failure === undefined) waiting.resolve();
    else waiting.reject(new DeliveryError(failure.message, failure.permanent, failure.reason, failure.answer));
  }

  allFailed(): void {
    for (const id of [...this.#waiting.keys()]) this.#end(id)?.reject(failed('it ended'));
  }

  #end(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    clearTimeout(waiting?.timer);
    return waiting;
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function failed(why: string): DeliveryError {
  return new DeliveryError(
    `the edge process did not deliver it: ${why}`,
    false,
    'the service could not send it and will try again',
  );
}
