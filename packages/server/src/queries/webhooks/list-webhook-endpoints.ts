import { queries } from '@countersign/contract';
import { resolve } from '../../pipeline/query.ts';
import { showEndpoint } from '../../webhooks/endpoint.ts';

export const listWebhookEndpoints = resolve(queries.listWebhookEndpoints, async ({ organization }) => ({
  webhookEndpoints: [...organization.records.webhookEndpoint].map(([id, record]) => showEndpoint(organization.id, id, record)),
}));
