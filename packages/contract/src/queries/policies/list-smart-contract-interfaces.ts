import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { listPagination, organizationId } from '../../shapes/primitives.ts';
import { smartContractInterface } from '../../shapes/smart-contract-interfaces.ts';

export const listSmartContractInterfaces = defineQuery({
  name: 'listSmartContractInterfaces',
  path: 'list_smart_contract_interfaces',
  subject: 'policies',
  summary: 'List stored ABIs and IDLs',
  reads: { resources: ['SMART_CONTRACT_INTERFACE'] },
  input: z.strictObject({ organizationId, paginationOptions: listPagination }),
  output: z.object({ smartContractInterfaces: z.array(smartContractInterface) }),
});
