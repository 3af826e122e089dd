import { queries } from '@countersign/contract';
import { showSmartContractInterface } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { listRecords } from '../page.ts';

export const listSmartContractInterfaces = resolve(
  queries.listSmartContractInterfaces,
  async ({ organization, endSlice }, { paginationOptions }) => ({
    smartContractInterfaces: await listRecords(
      endSlice,
      organization.records.smartContractInterface,
      paginationOptions,
      (id, record) => showSmartContractInterface(organization.id, id, record),
    ),
  }),
);
