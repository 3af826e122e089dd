import { activities } from '@countersign/contract';
import { execute } from '../../pipeline/plan/executor.ts';
import { notFound } from '../../wire/refuse.ts';

export const deleteSmartContractInterface = execute(activities.deleteSmartContractInterface, {
  locksOrganization: true,

  async plan({ organization }, params) {
    const { smartContractInterfaceId: id } = params;
    if (!organization.records.smartContractInterface.has(id))
      throw notFound('smart contract interface', 'smartContractInterfaceId');
    return { intent: params, subject: {}, prepared: id };
  },

  async run(_context, { prepared: id }) {
    return { result: { smartContractInterfaceId: id }, changes: [{ op: 'deleteRecord', kind: 'smartContractInterface', id }] };
  },
});
