import { queries } from '@countersign/contract';
import { showEndpoint } from '../../notify/webhooks/endpoint.ts';
import { resolve } from '../../pipeline/query.ts';
import { listRecords } from '../page.ts';

export const listWebhookEndpoints = resolve(
  queries.listWebhookEndpoints,
  async ({ organization, endSlice }, { paginationOptions }) => ({
    webhookEndpoints: await listRecords(endSlice, organization.records.webhookEndpoint, paginationOptions, (id, record) =>
      showEndpoint(organization.id, id, record),
    ),
  }),
);
