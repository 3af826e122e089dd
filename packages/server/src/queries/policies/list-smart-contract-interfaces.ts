import { queries } from '@countersign/contract';
import { resolve } from '../../pipeline/query.ts';
import { showSmartContractInterface } from '../show.ts';

export const listSmartContractInterfaces = resolve(queries.listSmartContractInterfaces, async ({ organization }) => ({
  smartContractInterfaces: [...organization.records.smartContractInterface].map(([id, record]) =>
    showSmartContractInterface(organization.id, id, record),
  ),
}));
