import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { smartContractInterfaceParams } from '../../shapes/smart-contract-interfaces.ts';

export const createSmartContractInterface = defineActivity({
  name: 'createSmartContractInterface',
  path: 'create_smart_contract_interface',
  subject: 'policies',
  summary: 'Store an ABI, an IDL or an ERC-7730 descriptor so that policies and people can read contract calls',
  policy: { resource: 'SMART_CONTRACT_INTERFACE', action: 'CREATE' },
  type: 'ACTIVITY_TYPE_CREATE_SMART_CONTRACT_INTERFACE',
  spec: 'none',
  params: smartContractInterfaceParams,
  intent: smartContractInterfaceParams,
  result: z.object({ smartContractInterfaceId: z.string() }),
});
