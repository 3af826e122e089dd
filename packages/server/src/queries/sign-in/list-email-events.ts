import { queries } from '@countersign/contract';
import type { FoundMailEvent } from '../../notify/mail/mail-events.ts';
import { resolve } from '../../pipeline/query.ts';
import { toPage } from '../page.ts';

export const listEmailEvents = resolve(queries.listEmailEvents, async ({ organization, mailEvents }, input) => {
  const { email, eventType, paginationOptions } = input;
  const found = await mailEvents({ email, eventType, page: toPage(paginationOptions) });
  return {
    emailEvents: found.map((event) => ({
      id: event.id,
      organizationId: organization.id,
      messageId: event.messageId,
      eventType: event.eventType,
      fromAddress: event.from,
      // SECURITY: D1005: never an address from the database. The caller knows this one.
      toAddress: email,
      timestamp: String(event.createdAtMs),
      createdAt: String(event.createdAtMs),
      details: detailsOf(event),
    })),
  };
});

function detailsOf({ eventType, diagnostic }: FoundMailEvent) {
  return {
    ...(eventType === 'Bounce' && { bounceType: 'Permanent', bounceSubType: 'General' }),
    ...(diagnostic !== undefined && { diagnosticCode: diagnostic }),
    ...(eventType === 'DeliveryDelay' && { deliveryDelayType: 'General' }),
  };
}
