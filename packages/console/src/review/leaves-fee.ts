import type { StampedRequest } from '@countersign/client';
import type { ReplacedReading } from './types.ts';

const SENDS = /^ACTIVITY_TYPE_ETH_SEND_TRANSACTION(_V2)?$/;
/** Removes the delegation of an account to code. Published clients write the type in two ways. */
export const UNDELEGATES = /^ACTIVITY_TYPE_ETH_UNDELEGATE_?7702$/;
const REPLACES = /^ACTIVITY_TYPE_ETH_REPLACE_TRANSACTION$/;

/**
 * Whether the service sets a part of the network fee, which the requester did not stamp. Transactions of other chains contain their fee.
 * SECURITY: D1033: a payment that is sped up keeps its gas limit, which its own request may have left to the service.
 */
export function leavesFee({ type, parameters }: StampedRequest, replaced?: Pick<ReplacedReading, 'leavesGasLimit'>): boolean {
  const { gasLimit, maxFeePerGas, replacement } = parameters;
  if (REPLACES.test(type))
    return maxFeePerGas === undefined || replacement !== 'SPEED_UP' || replaced === undefined || replaced.leavesGasLimit;
  return (SENDS.test(type) || UNDELEGATES.test(type)) && (gasLimit === undefined || maxFeePerGas === undefined);
}
