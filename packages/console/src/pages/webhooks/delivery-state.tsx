import { useEffect } from 'react';
import { useServiceQuery } from '../../data/service-query.ts';
import { dateTimeText, toMs } from '../../data/time.ts';
import { Icon } from '../../ui/icon.tsx';
import { Name } from '../../ui/name.tsx';
import { When } from '../../ui/when.tsx';
import { words } from '../../words/index.ts';
import { droppedEvents, isLatest, type State } from './dropped-events.ts';

const texts = words.webhooks.delivery;

/** An organization has at most a hundred endpoints. */
const ALL = '100';
/** Deliveries are not in the log, so they are polled. */
const LOOK_AGAIN_MS = 3_000;

/** Delivery status, polled while the page is visible. */
export function useDeliveryStates(endpoints: number): readonly State[] {
  const { data, refetch } = useServiceQuery(
    'getWebhookDeliveries',
    { paginationOptions: { limit: ALL } },
    { enabled: endpoints > 0 },
  );
  useEffect(() => {
    if (endpoints === 0) return;
    const timer = setInterval(() => {
      if (!document.hidden) void refetch();
    }, LOOK_AGAIN_MS);
    return () => clearInterval(timer);
  }, [endpoints, refetch]);
  return data?.deliveries ?? [];
}

export function DeliveryState({ state }: { state: State | undefined }) {
  if (state === undefined) return null;
  const { waitingEvents, lastSuccessAt, lastFailure, nextTryAt } = state;
  const dropped = droppedEvents(state);
  const pending = Number(waitingEvents);
  // Hide failures before the last successful delivery.
  const isFailing = lastFailure !== undefined && isLatest(state, lastFailure.at);
  return (
    <ul aria-label={texts.title} className="mt-1 grid gap-0.5 text-sm text-quiet">
      <li className="flex items-center gap-1.5">
        <Icon name={lastSuccessAt === undefined ? 'clock' : 'check'} size={16} />
        {lastSuccessAt === undefined ? (
          texts.neverDelivered
        ) : (
          <span>
            {texts.lastDelivered} <When at={lastSuccessAt} />
          </span>
        )}
      </li>
      {lastFailure !== undefined && (
        <li className={`flex items-start gap-1.5 ${isFailing ? 'text-bad' : ''}`}>
          <Icon name="warning" size={16} className="mt-0.5" />
          <span className="min-w-0 break-words">
            {texts.lastFailed} <When at={lastFailure.at} />: <Name text={lastFailure.reason} />
          </span>
        </li>
      )}
      {state.disabledAt !== undefined && (
        <li className="flex items-start gap-1.5 text-bad">
          <Icon name="warning" size={16} className="mt-0.5" />
          <span className="min-w-0 break-words">
            {texts.disabled} <When at={state.disabledAt} />
          </span>
        </li>
      )}
      {dropped !== undefined && (
        <li className={`flex items-start gap-1.5 ${dropped.isCurrent ? 'text-bad' : ''}`}>
          <Icon name="warning" size={16} className="mt-0.5" />
          <span className="min-w-0 break-words">{dropped.text}</span>
        </li>
      )}
      {pending > 0 && (
        <li className="flex items-center gap-1.5">
          <Icon name="clock" size={16} />
          {texts.pending(pending)}
          {nextTryAt !== undefined && ` ${texts.nextTry(dateTimeText(toMs(nextTryAt)))}`}
        </li>
      )}
    </ul>
  );
}
