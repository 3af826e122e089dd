import { queries } from '@countersign/contract';
import { showIpAddress } from '../../network/ip-address.ts';
import { resolve } from '../../pipeline/query.ts';

export const getCallerAddress = resolve(queries.getCallerAddress, async ({ clientAddress }) => {
  const address = clientAddress();
  return address === undefined ? {} : { address: showIpAddress(address) };
});
