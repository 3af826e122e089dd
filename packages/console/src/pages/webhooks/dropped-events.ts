import type { Client } from '@countersign/client';
import { dateTimeText, toMs } from '../../data/time.ts';
import { words } from '../../words/index.ts';

const texts = words.webhooks.delivery;

/** How deliveries to one endpoint go. */
export type State = Awaited<ReturnType<Client['getWebhookDeliveries']>>['deliveries'][number];

/** Whether something happened after the last successful delivery. */
export function isLatest({ lastSuccessAt }: Pick<State, 'lastSuccessAt'>, at: State['lastSuccessAt'] & object): boolean {
  return lastSuccessAt === undefined || toMs(at) >= toMs(lastSuccessAt);
}

/** The events that an endpoint lost, and what to do. Undefined if it lost none. */
export function droppedEvents(state: Pick<State, 'dropped' | 'lastSuccessAt'>) {
  const { dropped } = state;
  if (dropped === undefined) return undefined;
  const text = `${texts.dropped(Number(dropped.events), dateTimeText(toMs(dropped.lastAt)))} ${texts.droppedHelp}`;
  return { text, isCurrent: isLatest(state, dropped.lastAt) };
}
