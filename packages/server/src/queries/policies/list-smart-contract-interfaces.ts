import { queries } from '@countersign/contract';
import { showSmartContractInterface } from '../../organizations/show.ts';
import { resolve } from '../../pipeline/query.ts';

export const listSmartContractInterfaces = resolve(queries.listSmartContractInterfaces, async ({ organization }) => ({
  smartContractInterfaces: [...organization.records.smartContractInterface].map(([id, record]) =>
    showSmartContractInterface(organization.id, id, record),
  ),
}));
