import { queries } from '@countersign/contract';
import type { SmartContractInterfaceRecord } from '../../organizations/records.ts';
import { showSmartContractInterface } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { listRecords } from '../page.ts';
import { shortenInterface } from '../shorten.ts';

export const listSmartContractInterfaces = resolve(
  queries.listSmartContractInterfaces,
  async (context, { paginationOptions }) => {
    const { id: organizationId, records } = context.organization;
    const show = (id: string, record: SmartContractInterfaceRecord) => showSmartContractInterface(organizationId, id, record);
    const { smartContractInterface } = records;
    const shorten = shortenInterface;
    return {
      smartContractInterfaces: await listRecords(context, smartContractInterface, paginationOptions, show, { shorten }),
    };
  },
);
