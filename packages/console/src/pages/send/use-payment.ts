import type { StampedRequest } from '@countersign/client';
import { useQuery } from '@tanstack/react-query';
import { signerFor } from '../../review/check-activity.ts';
import { proverOf, useKnowledge } from '../../review/use-check.ts';
import { useSession } from '../../session/context.tsx';
import type { Account } from '../sign/account.ts';
import { isUnbuildable, type Payment, sendRequest, signRequest } from './ethereum-payment.ts';
import { type Preview, previewOf } from './preview.ts';

interface Given {
  readonly account: Account;
  readonly payment: Payment | undefined;
  /** Absent if the service sends the payment. */
  readonly nonce: string | undefined;
  readonly idempotencyKey: string;
}

/** The request of a payment: built, decoded and compared in this browser. An error text if it cannot be built. */
export function usePreview({ account, payment, nonce, idempotencyKey }: Given): Preview | string | undefined {
  const { organizationId, reader } = useSession();
  const known = useKnowledge();
  const isReady = payment !== undefined && known !== undefined && (nonce === undefined || /^\d{1,15}$/.test(nonce));
  const text = JSON.stringify(payment, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
  return useQuery({
    queryKey: ['payment', organizationId, account.walletAccountId, text, nonce, idempotencyKey, known?.version],
    queryFn: async (): Promise<Preview | string> => {
      const wanted = payment as Payment;
      const built = nonce === undefined ? sendRequest(wanted, idempotencyKey) : signRequest(wanted, BigInt(nonce));
      const request: StampedRequest = { ...built, organizationId };
      try {
        const { knowledge } = known as NonNullable<typeof known>;
        return await previewOf(wanted, request, signerFor(account), knowledge, await proverOf(reader));
      } catch (error) {
        if (isUnbuildable(error)) return error.message;
        throw error;
      }
    },
    enabled: isReady,
    staleTime: Number.POSITIVE_INFINITY,
  }).data;
}
