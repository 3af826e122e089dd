import { z } from 'zod';
import { defineActivity } from '../../define.ts';
import { id } from '../../shapes/primitives.ts';

const params = z.strictObject({ smartContractInterfaceId: id });

export const deleteSmartContractInterface = defineActivity({
  name: 'deleteSmartContractInterface',
  path: 'delete_smart_contract_interface',
  subject: 'policies',
  summary: 'Remove a stored ABI or IDL',
  policy: { resource: 'SMART_CONTRACT_INTERFACE', action: 'DELETE' },
  type: 'ACTIVITY_TYPE_DELETE_SMART_CONTRACT_INTERFACE',
  spec: 'none',
  params,
  intent: params,
  result: z.object({ smartContractInterfaceId: z.string() }),
});
