import { macsEqual } from '../../vault/integrity/integrity.ts';
import { DeliveryError } from '../delivery/delivery-error.ts';
import { addressIn, type DeliveryServices, type Receiver } from './deliver-window.ts';
import type { NumberedEvent } from './numbered-events.ts';
import type { ReceiverNotes } from './receiver-notes.ts';
import { signBatch } from './sign-batch.ts';

/** Limits of one request. An event has at most 64 KiB, so a batch is never larger than both together. */
const BATCH_EVENTS = 100;
const BATCH_BYTES = 1_048_576;
/** Batches in flight to an endpoint that orders them by number. */
const IN_FLIGHT = 4;

/** How many events are numbered and read at a time. */
export const WINDOW_EVENTS = BATCH_EVENTS * IN_FLIGHT;

/** The part of a stream to deliver. */
export interface StreamPart {
  readonly streamId: string;
  readonly events: readonly NumberedEvent[];
  /** Whether the next batch may be sent before the response to the one before it. */
  readonly isPipelined: boolean;
}

/** Delivers windows of numbered events, in batches. */
export class BatchDelivery {
  readonly #services: DeliveryServices;
  readonly #notes: ReceiverNotes;

  constructor(services: DeliveryServices, notes: ReceiverNotes) {
    this.#services = services;
    this.#notes = notes;
  }

  /**
   * Delivers one window. Returns the earliest time for a retry if the receiver did not accept a batch: later events wait for it.
   * INVARIANT: unless pipelined, a batch is sent after the ones before it were accepted.
   */
  async deliver(receiver: Receiver, { streamId, events, isPipelined }: StreamPart): Promise<number | undefined> {
    const { clock, events: store } = this.#services;
    const { endpoint, health } = receiver;
    const batches = toBatches(await this.#withoutForged(receiver, events));
    const [state] = await store.states(endpoint.listenerId, [endpoint.endpointId], 1);
    const queue = [...batches];
    let hasFailed = false;
    const send = async () => {
      for (let next = queue.shift(); next !== undefined && !hasFailed; next = queue.shift()) {
        if (!(await this.#mayContinue(receiver))) return;
        const batch = { endpoint, streamId, droppedEvents: state?.dropped ?? 0, events: next };
        if (await this.#post(receiver, batch)) health.delivered(endpoint.listenerId, clock.nowMs());
        else hasFailed = true;
      }
    };
    const ends = await Promise.allSettled(Array.from({ length: isPipelined ? IN_FLIGHT : 1 }, send));
    const broken = ends.find((end) => end.status === 'rejected');
    if (broken !== undefined) throw broken.reason;
    return hasFailed ? health.down(clock.nowMs()) : undefined;
  }

  /** If the endpoint was changed or removed in this process since, nothing more is sent to its old address. */
  async #mayContinue({ endpoint, health, mayContinue }: Receiver): Promise<boolean> {
    return mayContinue() && addressIn(await this.#services.snapshots.get(endpoint.listenerId), endpoint) === health.url;
  }

  /** Removes events that this installation did not write. Their numbers stay unused. */
  async #withoutForged({ endpoint }: Receiver, events: readonly NumberedEvent[]): Promise<readonly NumberedEvent[]> {
    const { vault, alarm, onEvent, events: store } = this.#services;
    const forged = events.filter((event) => !macsEqual(vault.integrity.event(event), event.mac));
    if (forged.length === 0) return events;
    for (const { organizationId, id } of forged)
      alarm(organizationId, `the event ${id} was changed or inserted outside the service, and was not sent`);
    onEvent('dropped', forged.length);
    await store.remove(
      endpoint,
      forged.map(({ seq }) => seq),
    );
    return events.filter((event) => !forged.includes(event));
  }

  /** Returns false if the batch has to be sent again. One status stands for all of its events, so none makes it permanent. */
  async #post({ endpoint, health }: Receiver, batch: Parameters<typeof signBatch>[1]): Promise<boolean> {
    const { vault, poster, clock, log, onEvent, events: store } = this.#services;
    const count = batch.events.length;
    try {
      const { headers, body } = await signBatch(vault.service, batch, clock.nowMs());
      await poster.post(new URL(health.url), headers, body);
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error;
      onEvent('retried', count);
      this.#notes.failed(endpoint, error);
      log.warn({ ...endpoint, count, fault: error.message }, 'a batch of events was not delivered');
      return false;
    }
    await store.remove(
      endpoint,
      batch.events.map(({ seq }) => seq),
    );
    onEvent('delivered', count);
    this.#notes.delivered(endpoint);
    return true;
  }
}

/** Splits events into batches with consecutive numbers. */
export function toBatches(events: readonly NumberedEvent[]): readonly (readonly NumberedEvent[])[] {
  const batches: NumberedEvent[][] = [];
  let bytes = 0;
  for (const event of events) {
    const last = batches.at(-1);
    const size = Buffer.byteLength(event.body);
    const fits =
      last !== undefined &&
      last.length < BATCH_EVENTS &&
      bytes + size <= BATCH_BYTES &&
      last.at(-1)?.sequence === event.sequence - 1;
    if (fits) last.push(event);
    else batches.push([event]);
    bytes = fits ? bytes + size : size;
  }
  return batches;
}
