import { afterEach } from 'vitest';
import type { RawDatabase } from '../../support/raw-database.ts';
import { type Receiver, startReceiver } from './receiver.ts';
import { nothingWaits } from './support.ts';

/** Starts receivers inside tests. After each test, waiting events must be delivered before the receivers close. */
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
