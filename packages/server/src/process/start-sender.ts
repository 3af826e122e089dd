import type { Service } from '../open-service.ts';
import { type Sender, startSender } from '../sending/sender.ts';

/** Starts sending and following the transactions of an open installation. Undefined if no chain is configured: nothing can be sent then. */
export function serviceSender({ services, backgroundClock, log }: Service): Sender | undefined {
  const { chainNodes, followShares: shares, sending, store, vault, statistics, notify } = services;
  if (chainNodes.chains.length === 0) return undefined;
  return startSender({
    store,
    sending,
    chains: chainNodes.chains,
    shares,
    integrity: vault.integrity,
    log,
    nowMs: backgroundClock.nowMs,
    eventsFor: notify.webhooks.sendEventsFor,
    onState({ chain, state }) {
      statistics.metrics.sent(chain, state);
      notify.webhooks.signal.notify();
    },
  });
}
