import { expect, test } from 'vitest';
import { disableEndpoint } from '../../../src/notify/webhooks/dead-endpoint.ts';
import { organizationWith } from './organization.ts';

test('D538: an endpoint that was changed or paused since it began to fail is not disabled', () => {
  const endpoints = { failing: {}, changed: { updatedAtMs: 5_000 }, paused: { isActive: false } };
  const organization = organizationWith({ endpoints });
  const disabled = (id: string) => disableEndpoint(organization, id, 5_000, 9_000);
  const [record] = [organization.records.webhookEndpoint.get('failing')];
  const body = { ...record, isActive: false, disabledAtMs: 9_000, updatedAtMs: 9_000 };
  expect(disabled('failing')).toEqual([{ op: 'putRecord', kind: 'webhookEndpoint', id: 'failing', body }]);
  for (const id of ['changed', 'paused', 'deleted']) expect(disabled(id)).toEqual([]);
});
