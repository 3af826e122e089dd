import { queries } from '@countersign/contract';
import { resolve } from '../../pipeline/query.ts';
import { listRecords } from '../page.ts';

export const listSecrets = resolve(queries.listSecrets, async (context, { paginationOptions }) => {
  const secrets = await listRecords(
    context,
    context.organization.records.secret,
    paginationOptions,
    (secretId, { name, staticProperties, createdAtMs }) => ({
      secretId,
      ...(name !== undefined && { name }),
      staticProperties: staticProperties.map(({ key, value }) => ({ key, value })),
      createdAtUnixMs: String(createdAtMs),
    }),
  );
  // Published clients expect the newest first, also without pagination.
  return { secrets: paginationOptions === undefined ? secrets.reverse() : secrets };
});
