import { expect, test } from 'vitest';
import type { Caller } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { startService } from '../../support/service.ts';
import { insert } from '../../support/tamper/tamper-case.ts';
import { createMember, createPrivateKey, createSubOrganization, signParams } from '../../support/world.ts';
import { createPolicy } from '../policies/support.ts';

describeEngines('changes by another process', (subject) => {
  const loadsOf = (service: { services: { organizations: { snapshots: { usage(): { loads: object } } } } }) => ({
    ...service.services.organizations.snapshots.usage().loads,
  });

  const usersOf = async (caller: Caller) => (await caller.data('listUsers')).users.length;

  test('D732: are read without the rest of the organization: users, policies, keys, and what was deleted', async () => {
    const { root } = subject().service;
    const other = await startService(subject().installation);
    try {
      const { caller, organizationId } = await createSubOrganization(root);
      const there = caller.with({ url: other.url });
      const kept = await createPrivateKey(caller);
      expect((await there.submit('signRawPayload', signParams(kept))).status).toBe(200);
      const before = loadsOf(other);
      for (let round = 0; round < 5; round++) {
        const { userId } = await createMember(caller);
        const gone = await createPrivateKey(caller);
        expect((await there.submit('signRawPayload', signParams(gone))).status).toBe(200);
        await caller.result('deletePrivateKeys', { privateKeyIds: [gone], deleteWithoutExport: true });
        expect((await there.submit('signRawPayload', signParams(gone))).status).toBe(404);
        await createPolicy(caller, 'DENY', { condition: 'false' });
        await caller.result('deleteUsers', { userIds: [userId] });
        expect((await there.submit('signRawPayload', signParams(kept))).status).toBe(200);
        expect(await usersOf(there)).toBe(1);
      }
      expect(loadsOf(other)).toMatchObject({ full: Reflect.get(before, 'full'), fallback: 0 });
      expect(Reflect.get(loadsOf(other), 'delta')).toBeGreaterThan(Number(Reflect.get(before, 'delta')));
      expect(other.alarms()).toEqual([]);
      expect(organizationId).not.toBe(root.organizationId);
    } finally {
      await other.close();
    }
  });

  test('D515: a forged tombstone removes nothing, and costs a full load', async () => {
    const { root } = subject().service;
    const other = await startService(subject().installation);
    try {
      const { caller, organizationId } = await createSubOrganization(root);
      const { userId } = await createMember(caller);
      const there = caller.with({ url: other.url });
      expect(await usersOf(there)).toBe(2);
      await createPolicy(caller, 'DENY', { condition: 'false' });
      const [row] = await subject().raw.all('SELECT version FROM organizations WHERE organization_id = ?', organizationId);
      const tombstone = { organization_id: organizationId, version: Number(row?.version), kind: 'user', id: userId };
      await insert(subject().raw, 'tombstones', tombstone);
      other.services.organizations.snapshots.expire(organizationId);
      expect(await usersOf(there)).toBe(2);
      expect(loadsOf(other)).toMatchObject({ fallback: 1 });
      expect(other.alarms()).toEqual([]);
    } finally {
      await other.close();
    }
  });

  test('D531: forged tombstones that cost full loads again and again raise an alarm', async () => {
    const { root } = subject().service;
    const other = await startService(subject().installation);
    const alarmsAt = async () =>
      /^countersign_load_alarms_total (\d+)/m.exec(await (await fetch(`${other.url}/metrics`)).text())?.[1];
    try {
      const { caller, organizationId } = await createSubOrganization(root);
      const { userId } = await createMember(caller);
      const there = caller.with({ url: other.url });
      expect(await usersOf(there)).toBe(2);
      for (let round = 1; round <= 30; round++) {
        expect(await alarmsAt()).toBe('0');
        await createPolicy(caller, 'DENY', { condition: 'false' });
        const [row] = await subject().raw.all('SELECT version FROM organizations WHERE organization_id = ?', organizationId);
        const tombstone = { organization_id: organizationId, version: Number(row?.version), kind: 'user', id: userId };
        await insert(subject().raw, 'tombstones', tombstone);
        other.services.organizations.snapshots.expire(organizationId);
        expect(await usersOf(there)).toBe(2);
        expect(loadsOf(other)).toMatchObject({ fallback: round });
      }
      expect(await alarmsAt()).toBe('1');
      // Other organizations are served as before, and nothing is known to be wrong with their state.
      expect((await root.with({ url: other.url }).query('whoami')).status).toBe(200);
      expect(other.alarms()).toEqual([]);
    } finally {
      await other.close();
    }
  });

  test('D515: a change that another process stored and then edited does not verify', async () => {
    const { root } = subject().service;
    const other = await startService(subject().installation);
    try {
      const { caller, organizationId } = await createSubOrganization(root);
      const there = caller.with({ url: other.url });
      expect((await there.query('listUsers')).status).toBe(200);
      const { userId } = await createMember(caller);
      await subject().raw.run('DELETE FROM records WHERE organization_id = ? AND id = ?', organizationId, userId);
      other.services.organizations.snapshots.expire(organizationId);
      expect((await there.query('listUsers')).status).toBe(500);
      expect((await there.query('listUsers')).status).toBe(500);
      expect(other.alarms()).not.toEqual([]);
      expect((await root.with({ url: other.url }).query('whoami')).status).toBe(200);
    } finally {
      await other.close();
    }
  });
});
