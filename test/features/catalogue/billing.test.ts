import { describe, expect, test } from 'vitest';
import { ConfigError } from '../../../packages/server/src/config/config-error.ts';
import { effectiveLimits } from '../../../packages/server/src/config/limits.ts';
import { readConfig } from '../../../packages/server/src/config/read-config.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { countRows } from '../../support/raw-database.ts';
import { createSubOrganization, errorOf, uniqueName } from '../../support/world.ts';
import { expectSound } from './support/expect-sound.ts';
import { createOrganization } from './support/organizations.ts';

const cardHolder = { cardHolderEmail: 'billing@example.com', cardHolderName: 'Accounts Payable' };

describeEngines(
  'billing',
  (subject) => {
    test.each(['spec', 'turnkey'] as const)(
      'D61: a card number is refused and never stored or logged, in the dialect %s',
      async (dialect) => {
        const { service, raw } = subject();
        const root = service.root.with({ dialect });
        const before = await countRows(raw);
        const card = { number: '4000056655665556', cvv: '7391', expiryMonth: '12', expiryYear: '2031', ...cardHolder };
        const answers = [
          await root.submit('setPaymentMethod', card, { type: 'ACTIVITY_TYPE_SET_PAYMENT_METHOD' }),
          await root.submit('setPaymentMethod', { paymentMethodId: card.number, ...cardHolder }),
          await root.submit('setPaymentMethod', { paymentMethodId: '4000 0566 5566 5556', ...cardHolder }),
          await root.submit('setPaymentMethod', { paymentMethodId: `pm_4000-0566-5566-5556-${card.cvv}`, ...cardHolder }),
        ];
        for (const answer of answers) {
          expect(errorOf(answer)).toMatchObject({ status: 400, code: 'REQUEST_INVALID', fields: ['paymentMethodId'] });
          expect(answer.body.message).toContain('card numbers and CVVs are not accepted');
        }
        expect(await countRows(raw)).toEqual(before);
        const traces = [
          (await raw.dump()).toString('latin1'),
          service.logText(),
          JSON.stringify(answers.map(({ body }) => body)),
        ];
        for (const trace of traces) expect(trace).not.toMatch(/4000.?0566.?5566.?5556/);
      },
    );

    test('a reference is stored, shown, replaced and removed', async () => {
      const { service } = subject();
      const root = await createOrganization(service.root, service);
      const configs = async () => (await root.data('getOrganizationConfigs')).configs;
      const first = { paymentMethodId: 'pm_1N3T00LkdIwHu7ixt44h1F8k', ...cardHolder };
      expect(await root.result('setPaymentMethod', first)).toEqual({ lastFour: '', ...cardHolder });
      expect((await configs()).paymentMethod).toEqual(first);
      const second = { ...first, paymentMethodId: 'pm_2', cardHolderName: 'Somebody Else' };
      await root.result('setPaymentMethod', second);
      expect((await configs()).paymentMethod).toEqual(second);
      const remove = (paymentMethodId: string) => root.submit('deletePaymentMethod', { paymentMethodId });
      expect(errorOf(await remove(first.paymentMethodId))).toEqual({
        status: 404,
        code: 'NOT_FOUND',
        fields: ['paymentMethodId'],
      });
      expect((await remove('pm_2')).status).toBe(200);
      expect(await configs()).not.toHaveProperty('paymentMethod');
      expect(errorOf(await remove('pm_2'))).toMatchObject({ status: 404 });
      await expectSound(service, root);
    });

    test('a tier sets the limits of its own organization only', async () => {
      const { service } = subject();
      const [root, other] = [await createOrganization(service.root, service), await createOrganization(service.root, service)];
      const tag = (caller: typeof root) => caller.submit('createUserTag', { userTagName: uniqueName('Tag'), userIds: [] });
      expect((await tag(root)).status).toBe(200);
      expect(errorOf(await tag(root))).toEqual({ status: 409, code: 'LIMIT_EXCEEDED' });
      expect(await root.result('activateBillingTier', { productId: 'team' })).toEqual({ productId: 'team' });
      expect((await root.data('getOrganizationConfigs')).configs.billingTier).toBe('team');
      expect((await tag(root)).status).toBe(200);
      expect((await tag(root)).status).toBe(200);
      const full = await tag(root);
      expect(errorOf(full)).toEqual({ status: 409, code: 'LIMIT_EXCEEDED' });
      expect(full.body.message).toContain('3 tags (maxTags)');
      expect((await tag(other)).status).toBe(200);
      expect(errorOf(await tag(other))).toEqual({ status: 409, code: 'LIMIT_EXCEEDED' });
      // A smaller tier removes nothing, but allows nothing more. Limits that it does not set keep their defaults.
      await root.result('activateBillingTier', { productId: 'small' });
      expect((await root.data('listUserTags')).userTags).toHaveLength(3);
      expect((await tag(root)).body.message).toContain('1 tags (maxTags)');
      const wallet = () => root.submit('createWallet', { walletName: uniqueName('Wallet'), accounts: [] });
      expect((await wallet()).status).toBe(200);
      expect((await wallet()).body.message).toContain('1 wallets (maxWallets)');
      await expectSound(service, root);
    });

    test('D308: a tenant activates granted tiers only, and a withdrawn grant ends the tier', async () => {
      const { service } = subject();
      const root = await createOrganization(service.root, service);
      const activate = (caller: typeof root, productId: string) => caller.submit('activateBillingTier', { productId });
      const refused = await activate(root, 'huge');
      expect(errorOf(refused)).toEqual({ status: 400, code: 'PRECONDITION_FAILED', fields: ['productId'] });
      expect(refused.body.message).toContain('grantedBillingTiers');
      expect((await root.data('getOrganizationConfigs')).configs).not.toHaveProperty('billingTier');
      expect((await activate(root, 'team')).status).toBe(200);
      // The operator's own organization needs no grant.
      expect((await activate(service.root, 'huge')).status).toBe(200);
      const { limits } = service.services;
      const team = { id: root.organizationId, profile: { billingTier: 'team' } };
      const maxTagsWith = (grantedBillingTiers: string[]) => effectiveLimits(team, { ...limits, grantedBillingTiers }).maxTags;
      expect([maxTagsWith(['team']), maxTagsWith([`${root.organizationId}=team`])]).toEqual([3, 3]);
      expect([maxTagsWith([]), maxTagsWith(['small']), maxTagsWith([`${service.root.organizationId}=team`])]).toEqual([1, 1, 1]);
    });

    test('unknown tiers, foreign plans and sub-organizations are refused', async () => {
      const { service } = subject();
      const root = await createOrganization(service.root, service);
      const refused = async (params: object) => errorOf(await root.submit('activateBillingTier', params));
      for (const productId of ['enterprise', 'toString', '__proto__'])
        expect(await refused({ productId })).toEqual({ status: 404, code: 'NOT_FOUND', fields: ['productId'] });
      expect(await refused({ productId: 'team', orbPlanId: 'plan' })).toMatchObject({ status: 501, fields: ['orbPlanId'] });
      const { caller: child } = await createSubOrganization(root);
      const answer = await child.submit('activateBillingTier', { productId: 'team' });
      expect(errorOf(answer)).toEqual({ status: 400, code: 'PRECONDITION_FAILED' });
      expect(answer.body.message).toContain('parent organization');
    });
  },
  {
    config: {
      maxTags: 1,
      billingTiers: { team: { maxTags: 3 }, small: { maxTags: 1, maxWallets: 1 }, huge: { maxTags: 1000 } },
      grantedBillingTiers: ['team', 'small'],
    },
  },
);

describe('the setting for tiers', () => {
  const read = (text: string) => readConfig({ billingTiers: text }, {}).billingTiers;

  test('is JSON of names and limits', () => {
    expect(read('{"team":{"maxUsers":500}}')).toEqual({ team: { maxUsers: 500 } });
    expect(readConfig({}, {}).billingTiers).toEqual({});
    expect(readConfig({}, { COUNTERSIGN_BILLING_TIERS: '{"team":{}}' }).billingTiers).toEqual({ team: {} });
  });

  test.each([
    '',
    'team',
    '[]',
    '{"team":1}',
    '{"team":{"maxUsers":0}}',
    '{"team":{"maxBodyBytes":1}}',
    '{"team":{"maxUsers":"5"}}',
  ])('refuses %s with one line that describes the expected form', (text) => {
    expect(() => read(text)).toThrow(ConfigError);
  });
});
