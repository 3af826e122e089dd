import { transfersOf } from '../../review/past.ts';
import { earlierFindings } from './earlier.ts';
import type { Preview } from './preview.ts';
import { keyOfTransfer, useEarlier } from './use-earlier.ts';

/** Pending and signed requests for the payment of a preview. No findings while they are searched. `runs` is as in `useEarlier`. */
export function usePaymentBefore(preview: Preview | undefined, runs: number) {
  const transfers = transfersOf(preview?.reading.effects);
  const { data, error, refetch } = useEarlier(transfers, { runs });
  const findings = data && transfers.flatMap((transfer) => earlierFindings(transfer, data.get(keyOfTransfer(transfer)) ?? []));
  return { findings, error, retry: () => void refetch() };
}
