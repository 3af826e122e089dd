import type { StampedRequest } from '@countersign/client';
import { isSending } from '@countersign/contract';

/** Whether the service sets a part of the network fee, which the requester did not stamp. */
export function leavesFee({ type, parameters }: StampedRequest): boolean {
  return isSending(type) && (parameters.gasLimit === undefined || parameters.maxFeePerGas === undefined);
}
