import { notices as texts } from '../words/notices.ts';

/** A notification and the console page that it opens. */
export interface Notice {
  readonly title: string;
  readonly body: string;
  /** A later notification of the same organization replaces an earlier one. */
  readonly tag: string;
  /** Relative to the folder of the console. */
  readonly page: string;
  /** The number on the icon of the installed app. Undefined if it is unknown. */
  readonly badge?: number;
}

const ID = /^[\w-]{1,64}$/;
const MAX_SENTENCE = 400;

/**
 * Notification for a push message of the service.
 * SECURITY: A83: a message cannot link elsewhere or approve: the page is built here from ids, and all other fields are ignored. Browsers
 * require a notification per message, so an invalid one is shown too and opens the list.
 */
export function noticeOf(text: string | undefined): Notice {
  const { organizationId, activityId, sentence, more, about } = fieldsOf(text);
  if (!isId(organizationId) || !isId(activityId))
    return { title: texts.title, body: texts.unreadable, tag: 'approvals', page: '#/approvals' };
  const others = Number.isSafeInteger(more) && (more as number) > 0 ? (more as number) : 0;
  const said = typeof sentence === 'string' ? sentence.slice(0, MAX_SENTENCE) : '';
  if (about === 'FREEZES')
    return {
      title: texts.freezeTitle,
      body: said === '' ? texts.freeze : said,
      tag: `freezes ${organizationId}`,
      page: `#/activities/${activityId}?organization=${organizationId}`,
    };
  return {
    title: texts.title,
    body: bodyOf(said, others),
    tag: `approvals ${organizationId}`,
    page: `#/approvals/${activityId}?organization=${organizationId}`,
    badge: others + 1,
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
