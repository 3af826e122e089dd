import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { id, organizationId } from '../../shapes/primitives.ts';
import { smartContractInterface } from '../../shapes/smart-contract-interfaces.ts';

export const getSmartContractInterface = defineQuery({
  name: 'getSmartContractInterface',
  path: 'get_smart_contract_interface',
  subject: 'policies',
  summary: 'Get one stored ABI or IDL',
  reads: { resources: ['SMART_CONTRACT_INTERFACE'] },
  input: z.strictObject({ organizationId, smartContractInterfaceId: id }),
  output: z.object({ smartContractInterface }),
});
