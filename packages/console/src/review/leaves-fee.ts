import type { StampedRequest } from '@countersign/client';

const SENDS = /^ACTIVITY_TYPE_ETH_SEND_TRANSACTION(_V2)?$/;
const REPLACES = /^ACTIVITY_TYPE_ETH_REPLACE_TRANSACTION$/;

/** Whether the service sets a part of the network fee, which the requester did not stamp. Transactions of other chains contain their fee. */
export function leavesFee({ type, parameters }: StampedRequest): boolean {
  const { gasLimit, maxFeePerGas, replacement } = parameters;
  // What is sped up keeps its gas limit.
  if (REPLACES.test(type)) return maxFeePerGas === undefined || replacement !== 'SPEED_UP';
  return SENDS.test(type) && (gasLimit === undefined || maxFeePerGas === undefined);
}
