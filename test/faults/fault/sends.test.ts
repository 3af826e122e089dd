import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { missingAnvil, withAnvil } from '../../support/anvil.ts';
import { slowEngines } from '../../support/exhaustive.ts';
import { engines, type Installation } from '../../support/installation.ts';
import { runSends } from './support/sends-campaign.ts';
import { placeOf } from './support/serving.ts';

// The short form of `npm run fault -- sends`.
describe.skipIf(missingAnvil !== undefined).each(slowEngines('postgres'))(withAnvil('kills while sending on %s'), (engine) => {
  let installation: Installation;

  beforeEach(async () => {
    installation = await engines[engine]();
  });
  afterEach(() => installation?.remove());

  test('D741: every acknowledged payment is made once, by one server or by two that send from the same accounts', async () => {
    const nodes = engine === 'sqlite' ? 1 : 2;
    const report = await runSends({ place: placeOf(installation), kills: 3, nodes, accounts: 2 });
    expect(report).toMatchObject({ kills: 3, violations: [] });
    expect(report.payments).toBeGreaterThan(5);
  });
});
