import { MAX_COUNTED_EVENTS, queries } from '@countersign/contract';
import { toTimestamp } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { pageOf } from '../page.ts';

export const getWebhookDeliveries = resolve(queries.getWebhookDeliveries, async (context, { paginationOptions = {} }) => {
  const { store, organization, nowMs } = context;
  const { id: organizationId, records } = organization;
  const endpointIds = await pageOf(context, records.webhookEndpoint, paginationOptions, (id) => id);
  const states = await store.events.states(organizationId, endpointIds, MAX_COUNTED_EVENTS);
  return {
    deliveries: states.map(
      ({ endpointId, waiting, oldestAtMs, takenAtMs, failedAtMs, fault, retryAtMs, dropped, droppedAtMs }) => ({
        endpointId,
        waitingEvents: String(waiting),
        ...(waiting > 0 && { oldestWaitingAt: toTimestamp(oldestAtMs) }),
        ...(takenAtMs > 0 && { lastSuccessAt: toTimestamp(takenAtMs) }),
        ...(failedAtMs > 0 && { lastFailure: { at: toTimestamp(failedAtMs), reason: fault } }),
        ...(dropped > 0 && { dropped: { events: String(dropped), lastAt: toTimestamp(droppedAtMs) } }),
        ...disabledAt(records.webhookEndpoint.get(endpointId)?.disabledAtMs),
        // An attempt that is due or in flight has no scheduled time.
        ...(waiting > 0 && retryAtMs > nowMs && { nextTryAt: toTimestamp(retryAtMs) }),
      }),
    ),
  };
});

function disabledAt(ms: number | undefined) {
  return ms === undefined ? {} : { disabledAt: toTimestamp(ms) };
}
