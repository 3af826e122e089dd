import type { Service } from '../open-service.ts';
import { advanceTopUp, type TopUpRequests } from '../sending/advance-top-up.ts';
import { type Sender, startSender } from '../sending/sender.ts';

/** Starts sending and following the transactions of an open installation. Undefined if no chain is configured: nothing can be sent then. */
export function serviceSender({ services, backgroundClock, log }: Service, requests: TopUpRequests): Sender | undefined {
  const { chainNodes, followShares: shares, sending, store, vault, statistics, notify, organizations } = services;
  if (chainNodes.chains.length === 0) return undefined;
  return startSender({
    store,
    sending,
    chains: chainNodes.chains,
    shares,
    integrity: vault.integrity,
    log,
    nowMs: backgroundClock.nowMs,
    advanceTopUp: (send) =>
      advanceTopUp(
        {
          sending,
          requests,
          activity: organizations.activities.byFingerprint,
          nowMs: backgroundClock.nowMs,
          onRefused: ({ id, chain, account, topUp }, error) =>
            log.warn(
              { id, chain, account, sponsor: topUp.organizationId, code: error.code, reason: error.message },
              'a top-up was refused',
            ),
        },
        send,
      ),
    eventsFor: notify.webhooks.sendEventsFor,
    onState({ chain, state }) {
      statistics.metrics.sent(chain, state);
      notify.webhooks.signal.notify();
    },
  });
}
