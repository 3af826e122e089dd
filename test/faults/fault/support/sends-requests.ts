import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Caller } from '../../../support/caller.ts';
import { errorOf } from '../../../support/world.ts';
import type { Serving } from './serving.ts';
import { oneOf } from './workload.ts';

/** Requests of clients to servers that are killed and started again. */
export class Requests {
  readonly #running: readonly (Serving | undefined)[];
  readonly #root: Caller;
  unanswered = 0;

  constructor(running: readonly (Serving | undefined)[], root: Caller) {
    this.#running = running;
    this.#root = root;
  }

  /** Sends a request to one of the servers. Undefined if it was killed: what it did is not known. */
  async try<T = Answer>(request: (caller: Caller) => Promise<T>): Promise<T | undefined> {
    const node = oneOf(this.#running);
    if (node === undefined) return undefined;
    try {
      return await request(this.#root.with({ url: node.url }));
    } catch {
      this.unanswered += 1;
      return undefined;
    }
  }

  /**
   * The activity that made a named payment: of this request, or of one whose answer was lost. Undefined if `mayGiveUp` and it was rejected
   * for another reason.
   */
  async untilAcknowledged(
    operation: 'ethSendTransaction' | 'bitcoinSendTransaction',
    params: object,
    mayGiveUp: (code: string) => boolean = () => false,
  ): Promise<string | undefined> {
    for (;;) {
      const answer = await this.try((caller) => caller.submit(operation, params as never));
      if (answer?.status === 200 && answer.body.activity.status === 'ACTIVITY_STATUS_COMPLETED') return answer.body.activity.id;
      const { code } = answer === undefined ? { code: 'NO_ANSWER' } : errorOf(answer);
      if (code === 'IDEMPOTENCY_KEY_USED') return answer?.body.activityId ?? answer?.body.message.match(/Activity (\S+)/)[1];
      if (mayGiveUp(code)) return undefined;
      // A full account, or a node of the chain that is slow.
      await sleep(100);
    }
  }
}
