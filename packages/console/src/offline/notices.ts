import { notices as texts } from '../words/notices.ts';

/** A notification, and the page of the console that it leads to. */
export interface Notice {
  readonly title: string;
  readonly body: string;
  /** A later notification of the same organization takes the place of an earlier one. */
  readonly tag: string;
  /** Below the folder of the console. */
  readonly page: string;
}

const ID = /^[\w-]{1,64}$/;
const MAX_SENTENCE = 400;

/**
 * What to show for a push message of the service.
 * SECURITY: A83: a message says what waits, and nothing in it leads elsewhere or approves: the page is put together here from ids, and
 * whatever else is in the message is not looked at. Browsers demand a notification for every message, so one that is not understood is
 * shown too, and leads to the list.
 */
export function noticeOf(text: string | undefined): Notice {
  const { organizationId, activityId, sentence, more } = fieldsOf(text);
  if (!isId(organizationId) || !isId(activityId))
    return { title: texts.title, body: texts.unreadable, tag: 'approvals', page: '#/approvals' };
  const others = Number.isSafeInteger(more) && (more as number) > 0 ? (more as number) : 0;
  return {
    title: texts.title,
    body: bodyOf(typeof sentence === 'string' ? sentence.slice(0, MAX_SENTENCE) : '', others),
    tag: `approvals ${organizationId}`,
    page: `#/approvals/${activityId}?organization=${organizationId}`,
  };
}

function bodyOf(sentence: string, others: number): string {
  if (sentence === '') return others === 0 ? texts.one : texts.several(others + 1);
  return others === 0 ? sentence : `${sentence}\n${texts.more(others)}`;
}

const isId = (value: unknown): value is string => typeof value === 'string' && ID.test(value);

function fieldsOf(text: string | undefined): Readonly<Record<string, unknown>> {
  try {
    const read: unknown = JSON.parse(text ?? '');
    return typeof read === 'object' && read !== null ? (read as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
