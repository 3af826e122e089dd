import { queries } from '@countersign/contract';
import { showEndpoint } from '../../notify/webhooks/endpoint.ts';
import { resolve } from '../../pipeline/query.ts';
import { listRecords } from '../page.ts';

export const listWebhookEndpoints = resolve(queries.listWebhookEndpoints, async (context, { paginationOptions }) => ({
  webhookEndpoints: await listRecords(context, context.organization.records.webhookEndpoint, paginationOptions, (id, record) =>
    showEndpoint(context.organization.id, id, record),
  ),
}));
