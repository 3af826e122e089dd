import type { ListedActivity, OutputOf } from '@countersign/client';
import { isSending, isSignature, type Queries } from '@countersign/contract';
import { useQuery } from '@tanstack/react-query';
import { chainOf } from '../../data/explorer-link.ts';
import { ask } from '../../data/service-query.ts';
import { escapeInvisible } from '../../review/escape-invisible.ts';
import { useSession } from '../../session/context.tsx';
import { Notice } from '../../ui/page.tsx';
import { TransactionHash } from '../../ui/transaction-hash.tsx';
import { words } from '../../words/index.ts';

const texts = words.approvals;
type Sent = OutputOf<Queries['getSendTransactionStatus']>;

const tones = {
  INITIALIZED: 'wait',
  BROADCASTING: 'wait',
  INCLUDED: 'wait',
  COMPLETED: 'good',
  FAILED: 'bad',
  CANCELLED: 'bad',
  UNKNOWN: 'bad',
} as const satisfies Record<Sent['txStatus'], string>;

const REFRESH_MS = 3_000;

/** The outcome of a decided signature: why it failed, that it was signed and not sent, or the state of its broadcast. */
export function SigningOutcome({ activity }: { activity: ListedActivity }) {
  const { status, type, failure, transactionHash, result } = activity;
  if (status === 'ACTIVITY_STATUS_FAILED')
    return (
      <Notice tone="bad" role="alert" title={texts.failed}>
        {escapeInvisible(failure?.message ?? words.common.failed)}
      </Notice>
    );
  if (status !== 'ACTIVITY_STATUS_COMPLETED' || !isSignature(type)) return null;
  const [sent] = Object.values(result) as { sendTransactionStatusId?: string; transactionHash?: string }[];
  if (isSending(type))
    return <Broadcast statusId={sent?.sendTransactionStatusId} hash={sent?.transactionHash} chain={chainOf(activity)} />;
  return (
    <Notice tone="good" title={texts.notSent}>
      {transactionHash !== undefined && <TransactionHash hash={transactionHash} chain={chainOf(activity)} />}
    </Notice>
  );
}

/** The state of a transaction that the service sends. It is read again until it is final. */
function Broadcast({
  statusId,
  hash,
  chain,
}: {
  statusId: string | undefined;
  hash: string | undefined;
  chain: string | undefined;
}) {
  const { reader } = useSession();
  const { data, error } = useQuery<Sent>({
    queryKey: ['getSendTransactionStatus', statusId],
    queryFn: ({ signal }) => ask(reader, 'getSendTransactionStatus', { sendTransactionStatusId: statusId as string }, signal),
    enabled: statusId !== undefined,
    refetchInterval: ({ state }) => (state.data === undefined || tones[state.data.txStatus] === 'wait' ? REFRESH_MS : false),
  });
  if (data === undefined && error === null && statusId !== undefined) return null;
  const reason = data?.txError ?? data?.error?.message;
  const { confirmations, requiredConfirmations, lastError, topUp } = data?.transaction ?? {};
  const waits = topUp?.isPaid === false ? texts.broadcast.waitsForSponsor : texts.broadcast.lastError;
  return (
    <div aria-live="polite">
      <Notice
        tone={data === undefined ? 'wait' : tones[data.txStatus]}
        title={data === undefined ? texts.broadcast.unknown : texts.broadcast[data.txStatus]}
      >
        {reason !== undefined && <p>{escapeInvisible(reason)}</p>}
        {data?.txStatus === 'INCLUDED' && confirmations !== undefined && (
          <p>{texts.broadcast.confirmations(confirmations, requiredConfirmations ?? '')}</p>
        )}
        {lastError !== undefined && data !== undefined && tones[data.txStatus] === 'wait' && (
          <p>{escapeInvisible(waits(lastError))}</p>
        )}
        {hash !== undefined && <TransactionHash hash={hash} chain={chain} />}
      </Notice>
    </div>
  );
}
