import { ServiceError } from '@countersign/contract';
import type { GasSponsor } from '../config/gas-sponsors.ts';
import type { Snapshot } from '../organizations/snapshot/snapshot.ts';
import { invalidField } from '../wire/refuse.ts';
import { requestKeyOf } from './request-key.ts';
import type { SendRecord, TopUp, WaitingSend } from './send-record.ts';

/**
 * The sponsor that pays for the fees of an organization on a chain. Throws NOT_OFFERED without one.
 * SECURITY: D915: an organization that the sponsor does not pay for gets the same error as without a sponsor.
 */
export function requireSponsor(
  sponsors: readonly GasSponsor[],
  { id, profile }: Pick<Snapshot, 'id' | 'profile'>,
  chain: string,
  account: string,
): GasSponsor {
  const sponsor = sponsors.find((each) => each.chain === chain);
  if (sponsor === undefined || (sponsor.organizationId !== id && sponsor.organizationId !== profile.parentId))
    throw new ServiceError(
      'NOT_OFFERED',
      `This server sponsors no gas on ${chain} for this organization, so the account pays for its transactions. The operator names a sponsor in gasSponsors, which pays for its own organization and the sub-organizations of that. Send the request without sponsor to pay the fee from the account.`,
      { violations: [{ field: 'sponsor', description: 'must be false: there is no sponsor for this organization' }] },
    );
  // SECURITY: D914: it would wait for a transfer to itself, which a later nonce sends.
  if (sponsor.signWith === account.toLowerCase())
    throw invalidField('sponsor', 'must be false: this account is the sponsor of the chain, and pays for its own transactions');
  return sponsor;
}

/** What a sponsor pays for a transaction. Undefined if the account lacks nothing. SECURITY: D912: throws above the maximum of the sponsor. */
export function topUpOf(sponsor: GasSponsor, missing: bigint): TopUp | undefined {
  const { organizationId, userId, signWith, gasLimit, maxWeiPerSend } = sponsor;
  if (missing === 0n) return undefined;
  if (missing <= BigInt(maxWeiPerSend))
    return { organizationId, userId, signWith, gasLimit, amount: `${missing}`, isPaid: false };
  throw new ServiceError(
    'PRECONDITION_FAILED',
    `The account lacks ${missing} wei for the highest fee, and the sponsor pays at most ${maxWeiPerSend} wei for one transaction (maxWeiPerSend of gasSponsors). Nothing was signed. Give a lower gasLimit or maxFeePerGas, or pay a part of the fee from the account.`,
  );
}

/** How long a top-up can be requested and approved. Shorter than a stamped body lives. */
const REQUEST_MS = 30 * 60 * 1000;

/** The request for a top-up. */
export interface TopUpRequest {
  readonly activity: 'ethSendTransaction';
  readonly timestampMs: number;
  readonly parameters: Readonly<Record<'from' | 'caip2' | 'to' | 'value' | 'gasLimit' | 'idempotencyKey', string>>;
}

/**
 * INVARIANT: D911: it depends on the stored transaction alone, so each node and each process that starts later makes the same body. The sponsor's
 * organization executes a body once, and a payment with one name once in a day, which is longer than a body lives.
 * SECURITY: D952: with a gas limit. Otherwise an account that obeys code (EIP-7702) would decide what the sponsor pays for its execution.
 */
export function topUpRequest({ id, chain, account, createdAtMs, topUp }: WaitingSend): TopUpRequest {
  const { signWith: from, amount: value, gasLimit } = topUp;
  return {
    activity: 'ethSendTransaction',
    timestampMs: createdAtMs,
    parameters: { from, caip2: chain, to: account, value, gasLimit, idempotencyKey: `top-up-${id}` },
  };
}

/** The name under which the transaction of the top-up is stored. */
export function topUpKey(send: WaitingSend): string {
  const { from, caip2: chain, idempotencyKey } = topUpRequest(send).parameters;
  return requestKeyOf({ userId: send.topUp.userId, chain, account: from, idempotencyKey });
}

/** Whether the top-up can no longer be requested, or approved in time. */
export const isLate = ({ createdAtMs }: Pick<SendRecord, 'createdAtMs'>, nowMs: number): boolean =>
  nowMs >= createdAtMs + REQUEST_MS;
