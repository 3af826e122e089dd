import { queries } from '@countersign/contract';
import { notFound } from '../../activities/refuse.ts';
import { resolve } from '../../pipeline/query.ts';
import { showSmartContractInterface } from '../show.ts';

export const getSmartContractInterface = resolve(
  queries.getSmartContractInterface,
  async ({ organization }, { smartContractInterfaceId: id }) => {
    const record = organization.records.smartContractInterface.get(id);
    if (record === undefined) throw notFound('smart contract interface', 'smartContractInterfaceId');
    return { smartContractInterface: showSmartContractInterface(organization.id, id, record) };
  },
);
