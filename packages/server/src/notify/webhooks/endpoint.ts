import {
  defaults,
  isMaskedUrl,
  maskUrl,
  ServiceError,
  type WebhookDeliveryMode,
  type WebhookEndpoint,
  type WebhookSubscription,
} from '@countersign/contract';
import type { EgressAllowlist } from '../../network/egress-allowlist.ts';
import type { WebhookEndpointRecord } from '../../organizations/records.ts';
import { invalidField } from '../../wire/refuse.ts';
import { readFilters } from './webhook-events.ts';

const SENDS = 'SEND_TRANSACTION_STATUS_UPDATES';

/** Normalizes an address. Rejects an invalid address without a DNS lookup. */
export function readWebhookUrl(egress: EgressAllowlist, text: string, field: string): string {
  if (!URL.canParse(text)) throw invalidField(field, 'must be an address such as https://hooks.example.com/activities');
  const url = new URL(text);
  if (isMaskedUrl(url.href))
    throw invalidField(
      field,
      'is the masked form of a URL, which responses show. Send the whole URL, or omit it to keep the stored one',
    );
  const problem = egress.problemOf(url);
  if (problem !== undefined) throw invalidField(field, problem);
  return url.href;
}

/** Rejects an address that webhooks cannot reach now. It queries DNS, so call it only for authorized activities. */
export async function requireAllowedAddress(egress: EgressAllowlist, url: string, field: string): Promise<void> {
  const problem = await egress.problemNow(new URL(url));
  if (problem !== undefined) throw invalidField(field, problem);
}

/** Normalizes subscriptions. Rejects events that this server does not offer, and invalid filters. */
export function readSubscriptions(subscriptions: readonly WebhookSubscription[] | undefined): readonly WebhookSubscription[] {
  if (subscriptions === undefined) return [defaults.webhookSubscription];
  return subscriptions.map(({ eventType, filtersJson, isActive = defaults.webhookSubscription.isActive }, index) => {
    const at = `subscriptions.${index}`;
    if (eventType !== 'ACTIVITY_UPDATES' && eventType !== SENDS) {
      throw new ServiceError(
        'NOT_OFFERED',
        `This server has no event ${eventType}: it watches no balances. It offers ACTIVITY_UPDATES and ${SENDS}.`,
        {
          violations: [{ field: `${at}.eventType`, description: 'This server does not offer it.' }],
        },
      );
    }
    if (filtersJson === undefined || filtersJson === '') return { eventType, isActive };
    if (eventType === SENDS) throw invalidField(`${at}.filtersJson`, `must be absent for ${SENDS}, which has no filters`);
    const read = readFilters(filtersJson);
    if ('problem' in read) throw invalidField(`${at}.filtersJson`, read.problem);
    return { eventType, filtersJson, isActive };
  });
}

/** The delivery mode as endpoints store it. */
export function storedMode(mode: WebhookDeliveryMode | undefined): Pick<WebhookEndpointRecord, 'deliveryMode'> {
  return mode === undefined || mode === defaults.webhookDeliveryMode ? {} : { deliveryMode: mode };
}

/** SECURITY: D332: the path and the query of a URL can contain a token, so they are write-only. */
export function showEndpoint(
  organizationId: string,
  endpointId: string,
  { url, name, isActive, subscriptions, deliveryMode }: WebhookEndpointRecord,
): WebhookEndpoint {
  const shown = { endpointId, organizationId, url: maskUrl(url), name, isActive, subscriptions: [...subscriptions] };
  return deliveryMode === undefined ? shown : { ...shown, deliveryMode };
}
