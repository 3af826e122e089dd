import { afterAll, beforeAll, describe } from 'vitest';
import type { Store } from '../../../src/store/store.ts';
import { backlogSuite } from './backlog-suite.ts';
import { commitSuite } from './commit-suite.ts';
import { concurrencySuite } from './concurrency-suite.ts';
import { copySuite } from './copy-suite.ts';
import { countersSuite } from './counters-suite.ts';
import { countsSuite } from './counts-suite.ts';
import { eventLeasesSuite } from './event-leases-suite.ts';
import { eventReceiversSuite } from './event-receivers-suite.ts';
import { eventsSuite } from './events-suite.ts';
import { fenceSuite } from './fence-suite.ts';
import type { Installation } from './installation.ts';
import { installationLockSuite } from './installation-lock-suite.ts';
import { isolationSuite } from './isolation-suite.ts';
import { largeIntegersSuite } from './large-integers-suite.ts';
import { logSuite } from './log-suite.ts';
import { mailEventsSuite } from './mail-events-suite.ts';
import { noticesSuite } from './notices-suite.ts';
import { outboxSuite } from './outbox-suite.ts';
import { pagingSuite } from './paging-suite.ts';
import { readingSuite } from './reading-suite.ts';
import { revisionSuite } from './revision-suite.ts';
import { sendsSuite } from './sends-suite.ts';
import { sessionUsesSuite } from './session-uses-suite.ts';
import { textSuite } from './text-suite.ts';
import { usageSuite } from './usage-suite.ts';
import { vaultSuite } from './vault-suite.ts';

/** What a part of the suite uses. Each test creates its own organizations, so tests do not disturb each other. */
export interface Subject {
  readonly store: Store;
  readonly installation: Installation;
}

/** Every store passes this suite. The rest of the service relies on what it checks. */
export function describeStore(name: string, create: () => Promise<Installation>): void {
  describe(`store: ${name}`, () => {
    let subject: Subject;

    beforeAll(async () => {
      const installation = await create();
      subject = { installation, store: await installation.open() };
    });
    afterAll(async () => {
      await subject?.store.close();
      await subject?.installation.remove();
    });

    const suites = {
      commitSuite,
      revisionSuite,
      readingSuite,
      isolationSuite,
      pagingSuite,
      textSuite,
      vaultSuite,
      outboxSuite,
      countersSuite,
      backlogSuite,
      countsSuite,
      mailEventsSuite,
      sessionUsesSuite,
      noticesSuite,
      sendsSuite,
      eventsSuite,
      eventLeasesSuite,
      eventReceiversSuite,
      logSuite,
      fenceSuite,
      copySuite,
      usageSuite,
      largeIntegersSuite,
      installationLockSuite,
      concurrencySuite,
    };
    for (const suite of Object.values(suites)) suite(() => subject);
  });
}
