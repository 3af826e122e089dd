import type { StampedRequest } from '@countersign/client';
import { useSubmit } from '../../data/submit.ts';
import { words } from '../../words/index.ts';

interface Given {
  readonly onSent: () => void;
  readonly reference?: string;
}

/** Submits a built payment of any type. */
export function useSubmitPayment(given: Given) {
  const done = { done: words.send.submitted, ...given };
  const submits = {
    ACTIVITY_TYPE_SIGN_TRANSACTION_V2: useSubmit('signTransaction', { done: words.send.signed, ...given }),
    ACTIVITY_TYPE_ETH_SEND_TRANSACTION: useSubmit('ethSendTransaction', done),
    ACTIVITY_TYPE_SOL_SEND_TRANSACTION: useSubmit('solSendTransaction', done),
    ACTIVITY_TYPE_TRON_SEND_TRANSACTION: useSubmit('tronSendTransaction', done),
    ACTIVITY_TYPE_BITCOIN_SEND_TRANSACTION: useSubmit('bitcoinSendTransaction', done),
  };
  const all = Object.values(submits);
  const newest = all.reduce((last, each) => (each.submittedAt > last.submittedAt ? each : last));
  return {
    /** The time of the last payment that the service answered. 0 before the first one. */
    submittedAt: newest.data === undefined ? 0 : newest.submittedAt,
    isPending: all.some(({ isPending }) => isPending),
    /** The activity of the payment that was submitted last. */
    activity: newest.data?.activity,
    run({ type, parameters }: StampedRequest): void {
      const submit = submits[type as keyof typeof submits];
      submit.mutate(parameters as never);
    },
  };
}
