import { queries } from '@countersign/contract';
import type { Resource } from '../../organizations/records.ts';
import { showPrivateKey } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { listResources } from '../page.ts';

export const listPrivateKeys = resolve(
  queries.listPrivateKeys,
  async ({ resources, organization, showBeyondSpec, endSlice }, { paginationOptions }) => {
    const show = (key: Resource<'privateKey'>) => showPrivateKey(key, showBeyondSpec);
    return { privateKeys: await listResources(endSlice, resources, organization.id, 'privateKey', paginationOptions, show) };
  },
);
