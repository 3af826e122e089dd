import { type ApprovalNotifier, startApprovalNotifier } from '../notify/mail/approval-notifier.ts';
import type { NoticeServices } from '../notify/mail/post-notices.ts';
import type { Service } from '../open-service.ts';

/** Starts notifying users of an open installation about activities that need their approval. */
export function serviceNotifier(service: Service): ApprovalNotifier {
  return startApprovalNotifier(noticeServices(service));
}

/** The part of an open installation that approval notices need. */
export function noticeServices({
  services,
  backgroundClock,
  log,
}: Pick<Service, 'services' | 'backgroundClock'> & Pick<NoticeServices, 'log'>): NoticeServices {
  const { store, vault, organizations, limits, newId, notify } = services;
  const { snapshots, activities } = organizations;
  return { store, vault, snapshots, activities, limits, clock: backgroundClock, log, newId, onOutbox: notify.mail.signal.notify };
}
