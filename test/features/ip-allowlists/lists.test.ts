import { beforeAll, describe, expect, test } from 'vitest';
import { newApiKey } from '../../support/api-key.ts';
import type { Caller, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { countRows } from '../../support/raw-database.ts';
import { createMember, createSubOrganization, errorOf, uniqueName } from '../../support/world.ts';
import { expectSound } from '../catalogue/support/expect-sound.ts';
import { addKey, HERE, only, ownOrganization } from './support.ts';

const nobody = { status: 404, code: 'NOT_FOUND', fields: ['publicKey'] };

describeEngines('IP allowlists', (subject) => {
  const listOf = async (root: Caller, fields: object = {}): Promise<Json> =>
    (await root.data('getIpAllowlist', fields)).allowlist;

  describe.each(['spec', 'turnkey'] as const)('in the dialect %s', (dialect) => {
    let root: Caller;

    beforeAll(async () => {
      root = (await ownOrganization(subject().service)).root.with({ dialect });
    });

    test('a list is set, read, replaced and removed', async () => {
      const rules = [{ cidr: '127.0.0.0/8', label: 'This machine' }, { cidr: '2001:DB8:0::/32' }];
      const before = Date.now();
      expect(await root.result('setIpAllowlist', { enabled: true, rules, onEvaluationError: 'ALLOW' })).toEqual({});
      const list = await listOf(root);
      expect(list).toEqual({
        organizationId: root.organizationId,
        enabled: true,
        onEvaluationError: 'ALLOW',
        rules: [
          { cidr: '127.0.0.0/8', label: 'This machine', createdAt: expect.stringMatching(/^\d+$/) },
          { cidr: '2001:db8::/32', createdAt: expect.stringMatching(/^\d+$/) },
        ],
      });
      expect(Number(list.rules[0].createdAt)).toBeGreaterThanOrEqual(before);

      // Absent fields fall back to the defaults. A rule that stays keeps its date.
      await root.result('setIpAllowlist', { rules: [{ cidr: '127.0.0.0/8' }, { cidr: '192.0.2.0/24' }] });
      expect(await listOf(root)).toEqual({
        organizationId: root.organizationId,
        enabled: true,
        onEvaluationError: 'DENY',
        rules: [
          { cidr: '127.0.0.0/8', createdAt: list.rules[0].createdAt },
          { cidr: '192.0.2.0/24', createdAt: expect.stringMatching(/^\d+$/) },
        ],
      });

      expect(await root.result('removeIpAllowlist', {})).toEqual({});
      expect(errorOf(await root.query('getIpAllowlist'))).toMatchObject({ status: 404 });
      expect(errorOf(await root.submit('removeIpAllowlist', {}))).toMatchObject({ status: 404 });
      await expectSound(subject().service, root);
    });

    test('a list is turned off and on without repeating its rules', async () => {
      await root.result('setIpAllowlist', only(HERE));
      const { rules } = await listOf(root);
      await root.result('setIpAllowlist', { enabled: false });
      expect(await listOf(root)).toMatchObject({ enabled: false, rules });
      await root.result('setIpAllowlist', { enabled: true });
      expect(await listOf(root)).toMatchObject({ enabled: true, rules });
      await root.result('setIpAllowlist', { enabled: false, rules: [] });
      expect(await listOf(root)).toMatchObject({ enabled: false, rules: [] });
      await root.result('removeIpAllowlist', {});
    });

    test('a key has its own list, and requests may name the key in any spelling', async () => {
      const { userId } = await createMember(root);
      const { key } = await addKey(root, userId);
      const publicKey = key.publicKey.toUpperCase();
      await root.result('setIpAllowlist', { publicKey, rules: [{ cidr: '0.0.0.0/0' }, { cidr: '::/0' }] });
      expect(await listOf(root, { publicKey })).toEqual({
        organizationId: root.organizationId,
        publicKey: key.publicKey,
        onEvaluationError: 'DENY',
        rules: [
          { cidr: '0.0.0.0/0', createdAt: expect.any(String) },
          { cidr: '::/0', createdAt: expect.any(String) },
        ],
      });
      expect(errorOf(await root.query('getIpAllowlist'))).toMatchObject({ status: 404 });
      await root.result('removeIpAllowlist', { publicKey });
      expect(errorOf(await root.query('getIpAllowlist', { publicKey }))).toMatchObject({ status: 404 });
    });

    test('null counts as absent, as clients document it', async () => {
      const { rules } = only(HERE);
      await root.result('setIpAllowlist', { publicKey: null, enabled: null, rules, onEvaluationError: null });
      expect(await listOf(root, { publicKey: null })).toMatchObject({ enabled: true, onEvaluationError: 'DENY' });
      await root.result('removeIpAllowlist', { publicKey: null });
    });
  });

  test('the intent shows the resulting list, including rules that stay', async () => {
    const { root } = await ownOrganization(subject().service);
    const first = await root.submit('setIpAllowlist', { rules: [{ cidr: '127.0.0.0/8', label: 'This machine' }] });
    const again = await root.submit('setIpAllowlist', { enabled: false });
    const intents = [first, again].map(({ body }) => body.activity.result.activity.intent.setIpAllowlistIntent);
    const rules = [{ cidr: '127.0.0.0/8', label: 'This machine' }];
    expect(intents).toEqual([
      { enabled: true, rules, onEvaluationError: 'DENY' },
      { enabled: false, rules, onEvaluationError: 'DENY' },
    ]);
  });

  describe('a refusal changes nothing', () => {
    let root: Caller;
    let publicKey: string;

    beforeAll(async () => {
      root = (await ownOrganization(subject().service)).root;
      publicKey = (await addKey(root, (await createMember(root)).userId)).key.publicKey;
      await root.result('setIpAllowlist', only(HERE));
    });

    const cidr = (text: string) => ({ rules: [{ cidr: `${HERE}/32` }, { cidr: text }] });

    test.each<[string, object | (() => object), string, RegExp?]>([
      ['bits beyond the prefix', cidr('10.1.2.3/8'), 'rules.1.cidr', /write 10\.0\.0\.0\/8/],
      ['an address without a prefix', cidr('192.0.2.1'), 'rules.1.cidr', /write 192\.0\.2\.1\/32/],
      ['IPv4 in IPv6 notation', cidr('::ffff:192.0.2.0/120'), 'rules.1.cidr', /write 192\.0\.2\.0\/24/],
      ['not a block', cidr('office'), 'rules.1.cidr', /must be a block of addresses/],
      ['the same block twice', cidr(`::ffff:${HERE}/128`), 'rules.1.cidr'],
      ['the same block twice, as it is', cidr(`${HERE}/32`), 'rules.1.cidr', /repeats a block/],
      ['every IPv4 address', cidr('0.0.0.0/0'), 'rules.1.cidr', /every address/],
      ['every IPv6 address', cidr('::/0'), 'rules.1.cidr', /every address/],
      ['no rules', { rules: [] }, 'rules', /would deny every caller/],
      ['no rules for a key', () => ({ publicKey, rules: [] }), 'rules', /would deny every caller/],
      ['a key’s list that is off', () => ({ publicKey, enabled: false, ...only(HERE) }), 'enabled', /until it is removed/],
      ['an unknown onEvaluationError', { ...only(HERE), onEvaluationError: 'IGNORE' }, 'onEvaluationError'],
      ['a blank label', { rules: [{ cidr: '127.0.0.0/8', label: ' ' }] }, 'rules.0.label'],
      ['an unknown field', { rules: [{ cidr: '127.0.0.0/8', port: 80 }] }, 'rules.0.port'],
      ['not a key', { publicKey: 'abc', ...only(HERE) }, 'publicKey'],
      ['an empty key', { publicKey: '', ...only(HERE) }, 'publicKey'],
    ])('%s', async (_, params, field, message = /./) => {
      const before = await countRows(subject().raw);
      const answer = await root.submit('setIpAllowlist', typeof params === 'function' ? params() : params);
      expect(errorOf(answer), JSON.stringify(answer.body)).toMatchObject({
        status: 400,
        code: 'REQUEST_INVALID',
        fields: [field],
      });
      expect(answer.body.message).toMatch(message);
      expect(await countRows(subject().raw)).toEqual(before);
      expect(await listOf(root)).toMatchObject({ rules: [{ cidr: `${HERE}/32` }] });
    });

    test('more rules than the operator allows', async () => {
      const rules = Array.from({ length: 101 }, (_, index) => ({ cidr: `127.0.0.${index}/32` }));
      const answer = await root.submit('setIpAllowlist', { rules });
      expect(errorOf(answer)).toMatchObject({ status: 409, code: 'LIMIT_EXCEEDED' });
      expect(answer.body.message).toContain('maxIpAllowlistRules');
      await root.result('setIpAllowlist', { rules: rules.slice(0, 100) });
      await root.result('setIpAllowlist', only(HERE));
    });

    test('D57: another organization’s key is answered like an unknown key', async () => {
      const { root: other } = await ownOrganization(subject().service);
      const before = await countRows(subject().raw);
      for (const foreign of [other.key.publicKey, newApiKey().publicKey]) {
        const params = { publicKey: foreign };
        expect(errorOf(await root.submit('setIpAllowlist', { ...params, ...only(HERE) }))).toEqual(nobody);
        expect(errorOf(await root.submit('removeIpAllowlist', params))).toEqual(nobody);
        expect(errorOf(await root.query('getIpAllowlist', params))).toEqual(nobody);
      }
      expect(await countRows(subject().raw)).toEqual(before);
    });

    test('a sub-organization has no lists, for any caller', async () => {
      const { caller, organizationId } = await createSubOrganization(root);
      const refusal = { status: 400, code: 'ACTIVITY_CALLER_INVALID' };
      expect(errorOf(await caller.submit('setIpAllowlist', only(HERE)))).toEqual(refusal);
      expect(errorOf(await caller.submit('removeIpAllowlist', {}))).toEqual(refusal);
      const compatible = await caller.with({ dialect: 'turnkey' }).submit('setIpAllowlist', only(HERE));
      expect(compatible.body.turnkeyErrorCode).toBe('INVALID_ACTIVITY_CALLER');
      expect(errorOf(await caller.query('getIpAllowlist'))).toMatchObject({ status: 404 });
      const parent = root.with({ organizationId });
      expect(errorOf(await parent.submit('setIpAllowlist', only(HERE)))).toMatchObject({ code: 'ORGANIZATION_MISMATCH' });
    });
  });

  test('policies can let a user manage lists, by their own resource', async () => {
    const { root } = await ownOrganization(subject().service);
    const { userId, caller } = await createMember(root);
    const allow = (condition: string) =>
      root.result('createPolicy', {
        policyName: uniqueName('Policy'),
        effect: 'EFFECT_ALLOW',
        condition,
        consensus: `approvers.any(user, user.id == '${userId}')`,
      });
    const statuses = async () => [
      (await caller.submit('setIpAllowlist', only(HERE))).status,
      (await caller.submit('removeIpAllowlist', {})).status,
    ];
    await root.result('setIpAllowlist', only(HERE));
    await allow("activity.resource == 'CONFIG' || activity.resource == 'ORGANIZATION'");
    expect(await statuses()).toEqual([403, 403]);
    await allow("activity.resource == 'IP_ALLOWLIST' && activity.action == 'UPDATE'");
    expect(await statuses()).toEqual([200, 403]);
    await allow("activity.kind == 'REMOVE_IP_ALLOWLIST' && activity.action == 'DELETE'");
    expect(await statuses()).toEqual([200, 200]);
  });
});
