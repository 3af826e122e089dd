import { afterAll, beforeAll, describe } from 'vitest';
import { type Engine, engines, type Installation, preparedEngines } from './installation.ts';
import type { RawDatabase } from './raw-database.ts';
import { type ServiceChoice, startService, type TestService } from './service.ts';

/** What the tests of one suite share: an installation with a running service. */
export interface Subject {
  readonly installation: Installation;
  readonly service: TestService;
  readonly raw: RawDatabase;
}

/** Runs a suite once on each engine. `subject` may be used inside tests and hooks. */
export function describeEngines(
  title: string,
  suite: (subject: () => Subject) => void,
  choice: ServiceChoice = {},
  on: readonly Engine[] = Object.keys(engines) as Engine[],
): void {
  describe.each(on)(`${title} on %s`, (engine) => {
    let installation: Installation;
    let service: TestService;
    let subject: Subject;

    beforeAll(async () => {
      installation = await preparedEngines[engine]();
      service = await startService(installation, choice);
      subject = { installation, service, raw: await installation.raw() };
    });
    // A service that did not start is undefined, and a second error would hide the first.
    afterAll(async () => {
      await service?.close();
      await installation?.remove();
    });

    suite(() => subject);
  });
}
