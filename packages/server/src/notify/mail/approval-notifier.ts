import { setTimeout as sleep } from 'node:timers/promises';
import { noteWanted, tellDue } from './approval-notices.ts';
import type { NoticeServices } from './post-notices.ts';

/** Notifies users by mail and push about activities that need their approval, until `stop`. Any number of processes can run one. */
export interface ApprovalNotifier {
  stop(): Promise<void>;
}

const EVERY_MS = 2_000;
const REST_MS = 50;

export function startApprovalNotifier(services: NoticeServices, everyMs = EVERY_MS): ApprovalNotifier {
  const ended = new AbortController();

  async function work(): Promise<void> {
    while (!ended.signal.aborted) {
      let more = false;
      try {
        more = await noteWanted(services);
        more = (await tellDue(services)) || more;
      } catch (error) {
        // No notice is lost: the scan is repeated, and the claims expire.
        services.log.warn({ err: error }, 'approvers cannot be notified');
      }
      // An abort ends the pause early. It is not an error.
      await sleep(more ? REST_MS : everyMs, undefined, { signal: ended.signal }).catch(() => undefined);
    }
  }

  const working = work();
  return {
    async stop() {
      ended.abort();
      await working;
    },
  };
}
