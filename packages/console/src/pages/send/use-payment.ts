import type { StampedRequest } from '@countersign/client';
import { useQuery } from '@tanstack/react-query';
import { contactsAt } from '../../review/contacts-at.ts';
import type { Knowledge } from '../../review/types.ts';
import { proverOf, useTokensAndInterfaces } from '../../review/use-check.ts';
import { useSession } from '../../session/context.tsx';
import type { Account } from '../sign/account.ts';
import { isUnbuildable, type Payment } from './payment.ts';
import { paymentChainOf } from './payment-chains.ts';
import { type Preview, previewOf } from './preview.ts';

interface Given {
  readonly account: Account;
  readonly payment: Payment | undefined;
  /** SECURITY: D800: the contact whose name the person picked. Its name is shown as unproven if the log does not prove it. */
  readonly picked: Knowledge['contacts'][number] | undefined;
  /** What the person typed, if the service only signs the payment and its chain has nonces. */
  readonly nonce: string | undefined;
  /** Absent if the service only signs the payment. */
  readonly idempotencyKey: string | undefined;
  readonly timestampMs: number;
}

/** The request of a payment: built, decoded and compared in this browser. An error text if it cannot be built. */
export function usePreview({
  account,
  payment,
  picked,
  nonce,
  idempotencyKey,
  timestampMs,
}: Given): Preview | string | undefined {
  const { organizationId, reader } = useSession();
  const known = useTokensAndInterfaces();
  const isReady = payment !== undefined && known !== undefined && (nonce === undefined || /^\d{1,15}$/.test(nonce));
  const text = JSON.stringify(payment, (_, value: unknown) => (typeof value === 'bigint' ? value.toString() : value));
  return useQuery({
    queryKey: ['payment', organizationId, account.id, text, nonce, idempotencyKey, timestampMs, picked, known?.version],
    queryFn: async (): Promise<Preview | string> => {
      const wanted = payment as Payment;
      const { signer } = account;
      const named = {
        ...(idempotencyKey !== undefined && { idempotencyKey }),
        ...(nonce !== undefined && { nonce: BigInt(nonce) }),
      };
      try {
        const built = paymentChainOf(wanted.network).build(wanted, { ...named, timestampMs, signer });
        const request: StampedRequest = { ...built, organizationId };
        const { knowledge: listed } = known as NonNullable<typeof known>;
        const found = await contactsAt(reader, [{ kind: 'TRANSFER', to: wanted.to, from: wanted.from }]);
        const isFound = picked === undefined || found.some(({ contactId }) => contactId === picked.contactId);
        const knowledge = { ...listed, contacts: isFound ? found : [...found, picked] };
        return await previewOf(wanted, request, signer, knowledge, await proverOf(reader));
      } catch (error) {
        if (isUnbuildable(error)) return error.message;
        throw error;
      }
    },
    enabled: isReady,
    staleTime: Number.POSITIVE_INFINITY,
  }).data;
}
