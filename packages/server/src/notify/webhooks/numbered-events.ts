import { randomUUID } from 'node:crypto';
import type { StoredEvent } from '../../store/rows.ts';
import type { EndpointKey, Store } from '../../store/store.ts';

/** An event with its number in the stream of its endpoint. */
export interface NumberedEvent extends StoredEvent {
  readonly sequence: number;
}

/** The next events of a stream. */
export interface NumberedWindow {
  readonly streamId: string;
  readonly events: readonly NumberedEvent[];
}

type WindowStore = Pick<Store['events'], 'window' | 'replaceWindow' | 'some' | 'oldest'>;

/**
 * The events that an endpoint receives next, at most `limit`, with their numbers. Empty if none are queued.
 * INVARIANT: numbers are stored before they are returned, and a window is replaced only when none of its events is queued. So a number
 * stands for the same event after a crash, and in another process. Call it only while holding the endpoint; if another process replaced
 * the window nevertheless, the result is empty.
 */
export async function nextNumbered(events: WindowStore, endpoint: EndpointKey, limit: number): Promise<NumberedWindow> {
  const stored = await events.window(endpoint);
  if (stored !== undefined) {
    const { streamId, firstSequence, seqs } = stored;
    const numberOf = new Map(seqs.map((seq, at) => [seq, firstSequence + at]));
    const open = (await events.some(endpoint, seqs))
      .map((event): NumberedEvent => ({ ...event, sequence: numberOf.get(event.seq) as number }))
      .sort((a, b) => a.sequence - b.sequence);
    if (open.length > 0) return { streamId, events: open.slice(0, limit) };
  }
  const streamId = stored?.streamId ?? randomUUID();
  const firstSequence = stored === undefined ? 1 : stored.firstSequence + stored.seqs.length;
  const fresh = await events.oldest(endpoint, limit);
  if (fresh.length === 0) return { streamId, events: [] };
  const seqs = fresh.map(({ seq }) => seq);
  const isStored = await events.replaceWindow(endpoint, { streamId, firstSequence, seqs }, stored?.firstSequence);
  return { streamId, events: isStored ? fresh.map((event, at) => ({ ...event, sequence: firstSequence + at })) : [] };
}
