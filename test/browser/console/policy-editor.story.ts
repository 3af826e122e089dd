import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CHROMIUM_TIMEOUT_MS, startChromium } from '../../support/chromium.ts';
import { type ConsoleService, startConsoleService } from './console-service.ts';
import { openPerson, type Person } from './person.ts';
import { setUp, told, visit } from './story.ts';

describe('the policy editor', () => {
  let browser: Browser;
  let service: ConsoleService;
  let ann: Person;

  beforeAll(async () => {
    [browser, service] = await Promise.all([startChromium(), startConsoleService()]);
    ann = await openPerson(browser, service.consoleUrl);
    await setUp(ann, service);
  }, CHROMIUM_TIMEOUT_MS);

  afterAll(async () => {
    await browser?.close();
    await service?.close();
  });

  const button = (name: string) => ann.page.getByRole('button', { name, exact: true });
  const dialog = () => ann.page.getByRole('dialog');

  test('D1140: the deletion of a policy with times is final, and the page says so before', async () => {
    const { page } = ann;
    const time = "time.now > Timestamp('2020-01-01T00:00:00Z')";
    for (const given of [{ time }, {}]) {
      const { policyId } = await service.root
        .result('createPolicies', {
          policies: [
            { policyName: 'Exports', effect: 'EFFECT_ALLOW', condition: "activity.action == 'EXPORT'", notes: '', ...given },
          ],
        })
        .then(({ policyIds }) => ({ policyId: policyIds[0] }));
      await visit(ann, `/policies/${policyId}`);
      await button('Delete policy').click();
      await dialog().getByText('Requests that only this policy allows will be denied.').waitFor();
      const isFinal = 'time' in given;
      expect(await dialog().getByText('This cannot be undone here').count()).toBe(isFinal ? 1 : 0);
      await dialog().getByRole('button', { name: 'Delete policy' }).click();
      await page.getByText('The policy was deleted.').waitFor();
      expect(await button('Undo').count()).toBe(isFinal ? 0 : 1);
      await told(ann, 'The policy was deleted.');
    }
  });

  test('D1141: a draft is tried as it would be saved', async () => {
    const { page } = ann;
    await visit(ann, '/policies/new');
    await page.getByLabel('Name', { exact: true }).fill('No payments');
    await page.getByText('approvers.count() >= 2').waitFor();
    await page.getByLabel('Effect').selectOption({ label: 'Deny' });
    await page.getByText('A DENY allows nothing.').waitFor();
    const sent = page.waitForRequest(/backtest_policies$/);
    await button('Run the test').click();
    const [added] = (await sent).postDataJSON().policies.add;
    expect(added).toMatchObject({ policyName: 'No payments', effect: 'EFFECT_DENY' });
    expect(added).not.toHaveProperty('consensus');
    const saved = page.waitForRequest(/submit\/create_policy$/);
    await button('Save policy').click();
    const { parameters } = (await saved).postDataJSON();
    expect({ ...parameters }).toEqual({ ...added });
    expect(ann.faults).toEqual([]);
  });
});
