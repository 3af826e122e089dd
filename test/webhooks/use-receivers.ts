import { afterEach } from 'vitest';
import type { RawDatabase } from '../support/raw-database.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { nothingWaits } from './support.ts';

/** Starts receivers inside tests. After each test, what waits must have been delivered before they are closed. */
export function useReceivers(raw: () => RawDatabase): () => Promise<Receiver> {
  const receivers: Receiver[] = [];
  afterEach(async () => {
    try {
      await nothingWaits(raw());
    } finally {
      await Promise.all(receivers.splice(0).map((receiver) => receiver.close()));
    }
  });
  return async () => {
    const started = await startReceiver();
    receivers.push(started);
    return started;
  };
}
