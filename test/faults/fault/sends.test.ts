import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { missingAnvil, withAnvil } from '../../support/anvil.ts';
import { slowEngines } from '../../support/exhaustive.ts';
import { engines, type Installation } from '../../support/installation.ts';
import { type PaidChainName, runSends } from './support/sends-campaign.ts';
import { placeOf } from './support/serving.ts';

// The short form of `npm run fault -- sends`.
describe.each(slowEngines('postgres'))('kills while sending on %s', (engine) => {
  let installation: Installation;

  beforeEach(async () => {
    installation = await engines[engine]();
  });
  afterEach(() => installation?.remove());

  async function killAndCheck(chain: PaidChainName): Promise<void> {
    const nodes = engine === 'sqlite' ? 1 : 2;
    const report = await runSends({ place: placeOf(installation), chain, kills: 3, nodes, accounts: 2 });
    expect(report).toMatchObject({ kills: 3, violations: [] });
    expect(report.payments).toBeGreaterThan(5);
  }

  test.skipIf(missingAnvil !== undefined)(
    withAnvil('D741: every acknowledged payment is made once, by one server or by two that send from the same accounts'),
    () => killAndCheck('ethereum'),
  );

  test('D954: on Bitcoin, every acknowledged payment is made once or its coin was spent elsewhere, and change is not lost', () =>
    killAndCheck('bitcoin'));
});
