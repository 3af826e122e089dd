import { queries } from '@countersign/contract';
import { resolve } from '../../pipeline/query.ts';
import { showEndpoint } from '../../webhooks/endpoint.ts';
import { listRecords } from '../page.ts';

export const listWebhookEndpoints = resolve(queries.listWebhookEndpoints, async ({ organization }, { paginationOptions }) => ({
  webhookEndpoints: await listRecords(organization.id, organization.records.webhookEndpoint, paginationOptions, (id, record) =>
    showEndpoint(organization.id, id, record),
  ),
}));
