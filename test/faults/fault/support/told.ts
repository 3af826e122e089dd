import { setTimeout as sleep } from 'node:timers/promises';
import { type Receiver, startReceiver } from '../../../features/webhooks/receiver.ts';
import { createEndpoint, nothingWaits } from '../../../features/webhooks/support.ts';
import type { Caller } from '../../../support/caller.ts';
import { type History, label } from './history.ts';
import type { Place } from './serving.ts';

/** After this time every process knows a parent's new endpoint. */
const KNOWN_MS = 2_100;

/** A webhook receiver that must get everything that was acknowledged. */
export class Told {
  /** The settings that let the server reach it. */
  readonly flags = ['--webhook-networks', '127.0.0.1/32'];
  readonly #receiver: Receiver;

  private constructor(receiver: Receiver) {
    this.#receiver = receiver;
  }

  static async start(): Promise<Told> {
    return new Told(await startReceiver());
  }

  /** Subscribes it to `root`'s organization and all sub-organizations. */
  async listen(root: Caller): Promise<void> {
    await createEndpoint(root, this.#receiver.url);
    await sleep(KNOWN_MS);
  }

  /** R8: every acknowledged activity was delivered in its last known state. Waits for deliveries in flight. */
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
