import { queries } from '@countersign/contract';
import { resolve } from '../../pipeline/query.ts';
import { notFound } from '../../wire/refuse.ts';

export const getAuthProxyConfig = resolve(queries.getAuthProxyConfig, async ({ organization }) => {
  const record = organization.records.authProxy.get(organization.id);
  if (record === undefined) throw notFound('auth proxy configuration', 'organizationId');
  const { createdAtMs: _, updatedAtMs: __, ...config } = record;
  return { authProxyConfig: { ...config, configId: organization.id } };
});
