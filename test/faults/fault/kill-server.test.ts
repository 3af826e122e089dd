import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { slowEngines } from '../../support/exhaustive.ts';
import { engines, type Installation } from '../../support/installation.ts';
import { renderReport, runCampaign } from './support/campaign.ts';
import { placeOf } from './support/serving.ts';

const nothing = { lostAcks: [], doubleExecutions: [], illegalTransitions: [], others: [] };

/** The short form of `npm run fault`. */
describe.each(slowEngines('postgres'))('fault 1: kill -9 under load on %s', (engine) => {
  let installation: Installation;

  beforeAll(async () => {
    installation = await engines[engine]();
  });
  afterAll(() => installation?.remove());

  test.each([
    { kills: 2, workers: 1, victims: ['server'], told: true },
    { kills: 2, workers: 2, victims: ['worker', 'server'] },
  ] as const)(
    'R1, R2, R4, R8: nothing acknowledged is lost, run twice or not sent: $kills kills of $victims, $workers workers',
    { timeout: 240_000 },
    async (campaign) => {
      const report = await runCampaign({ place: placeOf(installation), loadMs: 300, ...campaign });
      expect(report.violations, renderReport(engine, report)).toEqual(nothing);
      expect(report.kills).toBe(campaign.kills);
      expect(report.outcomes.ok).toBeGreaterThan(0);
    },
  );
});
