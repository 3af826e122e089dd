import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  createOrganization,
  createPolicy,
  memberAt,
  type Organization,
  outcomeOf,
  userIs,
} from '../../features/policies/support.ts';
import { ethereumTransaction } from '../../features/policies/transactions.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { createWallet } from '../../support/world.ts';

const guide = readFileSync(join(import.meta.dirname, '../../../docs/guide/limits.md'), 'utf8');

interface Shown {
  readonly control: { readonly identifier: string };
  readonly policies: readonly { readonly condition: string; readonly consensus?: string }[];
}

/** The controls of the guide, each with the policies that follow it. */
function readControls(): Shown[] {
  const shown: { control: Shown['control']; policies: { condition: string; consensus?: string }[] }[] = [];
  for (const [, kind, block = ''] of guide.matchAll(/^```(json|policy)\n([\s\S]*?)^```/gm)) {
    if (kind === 'json') shown.push({ control: JSON.parse(block), policies: [] });
    const condition = /^condition: (.*)$/m.exec(block)?.[1];
    const consensus = /^consensus: (.*)$/m.exec(block)?.[1];
    if (condition !== undefined) shown.at(-1)?.policies.push({ condition, ...(consensus !== undefined && { consensus }) });
  }
  return shown;
}

const ANN = `0x${'a1'.repeat(20)}`;
const BOB = `0x${'b2'.repeat(20)}`;

/** What a member sends, in thousandths of an ether, and what becomes of it. */
const cases: Readonly<Record<string, readonly (readonly [to: string, thousandths: number, outcome: string])[]>> = {
  daily_ether: [
    [ANN, 1_500, '200 COMPLETED'],
    [BOB, 501, '403 POLICY_DENIED'],
    [BOB, 500, '200 COMPLETED'],
  ],
  monthly_per_receiver: [
    [ANN, 1_000, '200 COMPLETED'],
    [ANN, 1, '403 POLICY_DENIED'],
    [BOB, 1_000, '200 COMPLETED'],
  ],
  daily_dollars: [
    [ANN, 1_999, '200 COMPLETED'],
    [ANN, 2, '403 POLICY_DENIED'],
    [ANN, 1, '200 COMPLETED'],
  ],
  first_payment: [
    [ANN, 1, '200 CONSENSUS_NEEDED'],
    [ANN, 1, '200 CONSENSUS_NEEDED'],
  ],
};

const shown = readControls();

test('every control of the guide has cases, and every case a control', () => {
  expect(shown.map(({ control }) => control.identifier).sort()).toEqual(Object.keys(cases).sort());
});

describeEngines('the guide to limits', (subject) => {
  let nonce = 0n;

  async function prepared({ control, policies }: Shown) {
    const organization = await createOrganization(subject().service.root, { members: 2 });
    const { addresses } = await createWallet(organization.root);
    const { velocityControlId } = await organization.root.result('createVelocityControl', control);
    for (const { condition, consensus = userIs(memberAt(organization, 0)) } of policies)
      await createPolicy(organization.root, 'ALLOW', { condition, consensus });
    return { organization, address: addresses[0] as string, velocityControlId };
  }

  const pay = ({ members }: Organization, signWith: string, to: string, thousandths: number) => {
    nonce += 1n;
    const unsignedTransaction = ethereumTransaction({ value: BigInt(thousandths) * 10n ** 15n, to, nonce });
    const params = { signWith, unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' };
    return memberAt({ members }, 0).caller.submit('signTransaction', params);
  };

  test.each(shown.map((each) => [each.control.identifier, each] as const))('%s holds', async (identifier, each) => {
    const { organization, address } = await prepared(each);
    for (const [to, thousandths, outcome] of cases[identifier] ?? [])
      expect(outcomeOf(await pay(organization, address, to, thousandths)), `${thousandths} to ${to}`).toBe(outcome);
  });

  test('D56: concurrent requests together do not exceed a limit, and nothing that fits is refused', async () => {
    const { organization, address } = await prepared(shown[0] as Shown);
    const answers = await Promise.all(Array.from({ length: 10 }, () => pay(organization, address, ANN, 500)));
    const outcomes = answers.map(outcomeOf).sort();
    expect(outcomes).toEqual([...Array(4).fill('200 COMPLETED'), ...Array(6).fill('403 POLICY_DENIED')]);
  });

  test('get_velocity_control shows what is used, what is left and when it frees up', async () => {
    const { organization, address, velocityControlId } = await prepared(shown[0] as Shown);
    await pay(organization, address, ANN, 1_500);
    const { velocityControl } = await organization.root.data('getVelocityControl', { velocityControlId });
    expect(velocityControl.usage).toMatchObject([{ group: '', used: '1.5', left: '0.5', freesUp: [{ amount: '1.5' }] }]);
    expect(velocityControl.usage[0].text).toMatch(
      /^1\.5 of 2 ETH used in the last 24 h, 0\.5 left; 1\.5 free up at [-\d]* ?\d\d:\d\d UTC$/,
    );
  });

  test('a denial and a simulation say what the request would bring the window to', async () => {
    const { organization, address } = await prepared(shown[0] as Shown);
    await pay(organization, address, ANN, 1_500);
    const unsignedTransaction = ethereumTransaction({ value: 10n ** 18n, to: ANN, nonce: 99n });
    const { decision } = await organization.root.data('simulateActivity', {
      type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2',
      parameters: { signWith: address, unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' },
      approverIds: [memberAt(organization, 0).userId],
      explain: true,
    });
    expect(decision.outcome).toBe('DENY');
    expect(decision.text).toMatch(/it would bring the last 24 h to 2\.5 of 2 ETH; 1\.5 free up at/);
  });
});
