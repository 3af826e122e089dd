import { expect, test } from 'vitest';
import type { Caller, Json } from '../../support/caller.ts';
import { describeEngines } from '../../support/describe-engines.ts';
import { startService } from '../../support/service.ts';
import { createMember, createSubOrganization, errorOf, ethereumAccount, signParams, uniqueName } from '../../support/world.ts';
import { type Account, accountsOf, remove, unknown, walletWith } from './support/wallet-accounts.ts';

describeEngines('delete_wallet_accounts with concurrent operations', (subject) => {
  test('a waiting signature is not made once the account is gone', async () => {
    const { caller: root, userId } = await createSubOrganization(subject().service.root);
    const second = await createMember(root);
    const { accounts } = await walletWith(root, 1);
    const condition = "activity.kind == 'DELETE_WALLET_ACCOUNTS'";
    const consensus = `approvers.any(user, user.id == '${second.userId}')`;
    await root.result('createPolicy', { policyName: uniqueName('Policy'), effect: 'EFFECT_ALLOW', condition, consensus });
    await root.result('updateRootQuorum', { threshold: 2, userIds: [userId, second.userId] });
    const compatible = root.with({ dialect: 'turnkey' });
    const waiting = (await compatible.submit('signRawPayload', signParams(accounts[0]?.address as string))).body.activity;
    expect(waiting.status).toBe('ACTIVITY_STATUS_CONSENSUS_NEEDED');
    await second.caller.result('deleteWalletAccounts', remove(accounts[0]));
    const voted = await second.caller.submit('approveActivity', { fingerprint: waiting.fingerprint });
    expect(voted.body.activity?.status).not.toBe('ACTIVITY_STATUS_COMPLETED');
    const { activity }: Json = await compatible.data('getActivity', { activityId: waiting.id });
    expect(activity.status).toBe('ACTIVITY_STATUS_FAILED');
    expect(activity.failure.message).toContain('Could not find any resource to sign with');
  });

  test('repeating the request returns the same activity', async () => {
    const { caller: root } = await createSubOrganization(subject().service.root);
    const { accounts } = await walletWith(root, 1);
    const body = root.submitBody('deleteWalletAccounts', remove(accounts[0]));
    const send = () => root.send(root.submitPath('deleteWalletAccounts'), body);
    const [first, second] = [await send(), await send()];
    expect(first.status).toBe(200);
    expect(second.body).toEqual(first.body);
  });

  test('another service on the same database refuses at once, although it has just signed', async () => {
    const { service, installation } = subject();
    const { caller: root } = await createSubOrganization(service.root);
    const { walletId, accounts } = await walletWith(root, 2);
    const [gone, kept] = accounts as [Account, Account];
    const second = await startService(installation);
    try {
      const there = root.with({ url: second.url });
      for (const { address } of accounts) await there.result('signRawPayload', signParams(address));
      await root.result('deleteWalletAccounts', remove(gone));
      for (const signWith of [gone.address, gone.walletAccountId]) {
        expect(errorOf(await there.submit('signRawPayload', signParams(signWith)))).toEqual(unknown);
      }
      expect(errorOf(await there.query('getWalletAccount', { walletId, address: gone.address }))).toMatchObject({ status: 404 });
      await there.result('signRawPayload', signParams(kept.address));
      await there.result('createWalletAccounts', { walletId, accounts: [ethereumAccount(0)] });
      await root.result('signRawPayload', signParams(gone.address));
      expect(second.alarms()).toEqual([]);
    } finally {
      await second.close();
    }
  });

  test('while two services sign, deletions raise no alarm, and no deleted account signs', async () => {
    const { service, installation } = subject();
    const { caller: root } = await createSubOrganization(service.root);
    const { accounts } = await walletWith(root, 6);
    const second = await startService(installation);
    try {
      const there = root.with({ url: second.url });
      const gone = new Set<string>();
      const late: number[] = [];
      const sign = async (side: Caller) => {
        for (const { address } of [...accounts, ...accounts]) {
          const before = gone.has(address);
          const { status, body } = await side.submit('signRawPayload', signParams(address));
          if (status !== 200) expect(body.errorCode).toBe('SIGN_WITH_NOT_FOUND');
          if (before) late.push(status);
        }
      };
      const deleteAll = async () => {
        for (const account of accounts) {
          await root.result('deleteWalletAccounts', remove(account));
          gone.add(account.address);
        }
      };
      await Promise.all([sign(root), sign(there), sign(there), deleteAll()]);
      await Promise.all([sign(root), sign(there)]);
      expect(late.length).toBeGreaterThanOrEqual(4 * accounts.length);
      expect(late.filter((status) => status !== 404)).toEqual([]);
      expect([...service.alarms(), ...second.alarms()]).toEqual([]);
    } finally {
      await second.close();
    }
  });

  test('while two services list, deletions raise no alarm, and no deleted account is listed', async () => {
    const { service, installation } = subject();
    const { caller: root } = await createSubOrganization(service.root);
    const { walletId, accounts } = await walletWith(root, 6);
    const second = await startService(installation);
    try {
      const gone = new Set<string>();
      let lists = 0;
      let over = false;
      const list = async (side: Caller) => {
        while (!over) {
          const before = [...gone];
          const listed = (await accountsOf(side, walletId)).map(({ address }) => address);
          expect(listed.filter((address) => before.includes(address))).toEqual([]);
          lists++;
        }
      };
      const deleteAll = async () => {
        try {
          for (const account of accounts) {
            await root.result('deleteWalletAccounts', remove(account));
            gone.add(account.address);
          }
        } finally {
          over = true;
        }
      };
      const there = root.with({ url: second.url });
      await Promise.all([list(root), list(there), list(there), deleteAll()]);
      expect(lists).toBeGreaterThanOrEqual(3);
      expect([...service.alarms(), ...second.alarms()]).toEqual([]);
    } finally {
      await second.close();
    }
  });
});
