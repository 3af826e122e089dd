import { queries } from '@countersign/contract';
import { showOauth2Credential } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { listRecords } from '../page.ts';

export const listOauth2Credentials = resolve(queries.listOauth2Credentials, async (context, { paginationOptions }) => {
  const { id: organizationId, records } = context.organization;
  const show = (id: string, body: Parameters<typeof showOauth2Credential>[2]) => showOauth2Credential(organizationId, id, body);
  return { oauth2Credentials: await listRecords(context, records.oauth2Credential, paginationOptions, show) };
});
