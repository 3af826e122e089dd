import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { describeEngines } from '../../support/describe-engines.ts';
import { createMember, createWallet } from '../../support/world.ts';
import { approve, createOrganization, createPolicy, outcomeOf } from '../policies/support.ts';
import { attacks, authorize, PAYEE, pay, STRANGER, type Target } from './attacks.ts';
import { followGuide, type GuideOrganization } from './guide-organization.ts';

const SIGNED = '200 COMPLETED';
const WAITS = '200 CONSENSUS_NEEDED';
const MILLION = 1_000_000n;

const isDenied = (outcome: string) => /^403 (POLICY_DENIED|REQUEST_NOT_AUTHORIZED)$/.test(outcome);

describeEngines('a hostile agent', (subject) => {
  let guide: GuideOrganization & Target;
  let careless: Target;

  beforeAll(async () => {
    const { service } = subject();
    const { root } = await createOrganization(service.root);
    const followed = await followGuide(service, root);
    const { velocityControls } = await root.data('listVelocityControls');
    const budget = velocityControls.find(({ identifier }: { identifier: string }) => identifier === 'agent_budget');
    guide = { ...followed, velocityControlId: budget.velocityControlId };
    careless = await organizationWithoutGuide();
  });
  afterAll(() => guide?.remove());

  /** The agent may do anything, as in an organization that gave it a broad policy. */
  async function organizationWithoutGuide(): Promise<Target> {
    const { root } = await createOrganization(subject().service.root);
    const { caller: agent, userId: agentId } = await createMember(root);
    const { addresses } = await createWallet(root);
    const consensus = `approvers.any(user, user.id == '${agentId}')`;
    for (const resource of ['PRIVATE_KEY', 'POLICY', 'VELOCITY_CONTROL', 'CONTACT', 'USER', 'CREDENTIAL', 'WALLET'])
      await createPolicy(root, 'ALLOW', { condition: `activity.resource == '${resource}'`, consensus });
    const { velocityControlId } = await root.result('createVelocityControl', {
      name: 'Requests',
      identifier: 'requests',
      dataSource: { activityExecution: {} },
      aggregation: {
        method: 'VELOCITY_CONTROL_AGGREGATION_METHOD_COUNT',
        operator: 'VELOCITY_CONTROL_AGGREGATION_OPERATOR_LESS_THAN_OR_EQUAL',
        threshold: '200',
        window: { infinite: {} },
        groupBy: { organization: {} },
      },
    });
    return { root, agent, agentId, address: addresses[0] as string, velocityControlId };
  }

  describe('each attempt', () => {
    test.each(attacks)('%s is denied by the policies of the guide, and works without them', async (_, attack) => {
      expect(outcomeOf(await attack(careless))).toBe(SIGNED);
      const outcome = outcomeOf(await attack(guide));
      expect(isDenied(outcome), outcome).toBe(true);
    });
  });

  test('D708: it cannot approve its own payment, nor raise or reset its limit', async () => {
    const { agent, velocityControlId } = guide;
    const pending = await pay(guide, 60n * MILLION);
    expect(outcomeOf(pending)).toBe(WAITS);
    const { activity } = await agent.data('getActivity', { activityId: pending.body.activity.id });
    expect((await approve({ caller: agent }, activity)).status).not.toBe(200);
    for (const answer of [
      await agent.submit('raiseVelocityControl', {
        velocityControlId,
        newThreshold: '5000',
        until: String(Date.now() + 3_600_000),
      }),
      await agent.submit('resetVelocityControl', { velocityControlId }),
    ])
      expect(isDenied(outcomeOf(answer)), JSON.stringify(answer.body)).toBe(true);
    const { velocityControlId: other } = careless;
    const raise = { velocityControlId: other, newThreshold: '6000', until: String(Date.now() + 3_600_000) };
    expect(outcomeOf(await careless.root.submit('raiseVelocityControl', raise))).toBe(SIGNED);
  });

  test('D705: transfers and EIP-3009 authorizations share the budget, and what exceeds it waits for a treasurer', async () => {
    const used = async () => {
      const { velocityControl } = await guide.root.data('getVelocityControl', { velocityControlId: guide.velocityControlId });
      return velocityControl.usage[0]?.used ?? '0';
    };
    expect(await used()).toBe('0');
    expect(outcomeOf(await pay(guide, 20n * MILLION))).toBe(SIGNED);
    expect(await used()).toBe('20');
    expect(outcomeOf(await authorize(guide, MILLION))).toBe(SIGNED);
    expect(await used()).toBe('21');
    expect(outcomeOf(await pay(guide, 23n * MILLION + 500_000n))).toBe(SIGNED);
    // Five and a half are left: concurrent requests of both kinds get exactly five of one USDC.
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, index) => (index % 2 === 0 ? authorize(guide, MILLION) : pay(guide, MILLION))),
    );
    expect(answers.map(outcomeOf).filter((outcome) => outcome === SIGNED)).toHaveLength(5);
    expect(isDenied(outcomeOf(await authorize(guide, 500_001n)))).toBe(true);
    expect(outcomeOf(await authorize(guide, 250_000n))).toBe(SIGNED);
    expect(outcomeOf(await pay(guide, 250_000n))).toBe(SIGNED);
    expect(await used()).toBe('50');
    expect(isDenied(outcomeOf(await authorize(guide, 1n)))).toBe(true);
    // Split as often as it likes: each part waits for a person.
    const parts = await Promise.all(Array.from({ length: 5 }, () => pay(guide, 1n)));
    expect(parts.map(outcomeOf)).toEqual(Array(5).fill(WAITS));
    expect(outcomeOf(await pay(guide, 1_000n * MILLION + 1n)).startsWith('403')).toBe(true);
    expect(outcomeOf(await pay(guide, 1_000n * MILLION))).toBe(WAITS);
    expect(isDenied(outcomeOf(await pay(guide, 1n, STRANGER)))).toBe(true);
    const [first] = parts;
    const { activity } = await guide.root.data('getActivity', { activityId: first?.body.activity.id });
    expect(outcomeOf(await approve({ caller: guide.root }, activity))).toBe(SIGNED);
    expect(activity.parsed.effects).toMatchObject([{ kind: 'TRANSFER', amount: '1', to: PAYEE.toLowerCase() }, { kind: 'FEE' }]);
  });
});
