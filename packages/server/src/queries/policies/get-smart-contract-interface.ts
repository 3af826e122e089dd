import { queries } from '@countersign/contract';
import { showSmartContractInterface } from '../../organizations/views.ts';
import { resolve } from '../../pipeline/query.ts';
import { notFound } from '../../wire/refuse.ts';

export const getSmartContractInterface = resolve(
  queries.getSmartContractInterface,
  async ({ organization }, { smartContractInterfaceId: id }) => {
    const record = organization.records.smartContractInterface.get(id);
    if (record === undefined) throw notFound('smart contract interface', 'smartContractInterfaceId');
    return { smartContractInterface: showSmartContractInterface(organization.id, id, record) };
  },
);
