import { setTimeout as sleep } from 'node:timers/promises';
import type { Caller } from '../../support/caller.ts';
import { type Receiver, startReceiver } from '../../webhooks/receiver.ts';
import { createEndpoint, nothingWaits } from '../../webhooks/support.ts';
import { type History, label } from './history.ts';
import type { Place } from './serving.ts';

/** By then every process knows of a parent's new endpoint. */
const KNOWN_MS = 2_100;

/** A receiver of webhooks that must be told of whatever was acknowledged. */
export class Told {
  /** What the server needs to reach it. */
  readonly flags = ['--webhook-networks', '127.0.0.1/32'];
  readonly #receiver: Receiver;

  private constructor(receiver: Receiver) {
    this.#receiver = receiver;
  }

  static async start(): Promise<Told> {
    return new Told(await startReceiver());
  }

  /** Has it told of the organization of `root` and all below. */
  async listen(root: Caller): Promise<void> {
    await createEndpoint(root, this.#receiver.url);
    await sleep(KNOWN_MS);
  }

  /** R8: every activity that was acknowledged has been told, in the state it was last known in. Waits for what is under way. */
  async check({ attempts, violations }: History, place: Place): Promise<void> {
    await nothingWaits(await place.raw());
    const told = new Set(this.#receiver.deliveries.map(({ activity }) => `${activity.id} ${activity.status}`));
    for (const attempt of attempts) {
      const { outcome, activityId, status } = attempt;
      if ((outcome === 'ok' || outcome === 'denied') && attempt.about === undefined && !told.has(`${activityId} ${status}`))
        violations.lostAcks.push(`${label(attempt)} was ${status}, and no receiver was told`);
    }
  }

  close(): Promise<void> {
    return this.#receiver.close();
  }
}
