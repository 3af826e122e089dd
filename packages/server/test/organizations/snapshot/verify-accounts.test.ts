import type { ServiceError } from '@countersign/contract';
import { describe, expect, test } from 'vitest';
import type { Resource } from '../../../src/organizations/records.ts';
import { readVerifiedAccounts } from '../../../src/organizations/snapshot/verify-accounts.ts';

type Account = Resource<'walletAccount'>;
type Wallet = Resource<'wallet'>;

const account = (id: string, walletId = 'w') =>
  ({ kind: 'walletAccount', id, parentId: walletId, body: { walletId } }) as Account;
const wallet = (id: string, ...deletedAccounts: string[]) =>
  ({ kind: 'wallet', id, body: { deletedAccounts } }) as unknown as Wallet;

interface State {
  readonly accounts: readonly Account[];
  readonly wallets: readonly Wallet[];
}

/** A database that other nodes change before each read of accounts or wallets, until the last state. */
function scene(...states: readonly State[]) {
  const alarms: string[] = [];
  const walletReads: string[] = [];
  let at = 0;
  const next = () => states[Math.min(at++, states.length - 1)] as State;
  const run = () =>
    readVerifiedAccounts(
      (_organizationId, what) => alarms.push(what),
      'o',
      async () => next().accounts,
      async (ids) => {
        walletReads.push(...ids);
        return new Map(
          next()
            .wallets.filter(({ id }) => ids.includes(id))
            .map((each) => [each.id, each]),
        );
      },
    );
  return { run, alarms, walletReads };
}

const codeOf = (attempt: Promise<unknown>) =>
  attempt.then(
    () => 'given',
    (error: unknown) => (error as ServiceError).code,
  );

describe('accounts in force', () => {
  test('are returned, and each wallet is read once', async () => {
    const accounts = [account('a'), account('b', 'v'), account('c'), account('d', 'v'), account('e')];
    const { run, alarms, walletReads } = scene({ accounts, wallets: [wallet('w', 'x', 'y'), wallet('v')] });
    expect(await run()).toEqual(accounts);
    expect(walletReads).toEqual(['w', 'v']);
    expect(alarms).toEqual([]);
  });

  test('no accounts need no wallet', async () => {
    const { run, walletReads } = scene({ accounts: [], wallets: [] });
    expect(await run()).toEqual([]);
    expect(walletReads).toEqual([]);
  });

  test('an account that another node deletes during the read is gone, without an alarm', async () => {
    const before = { accounts: [account('a'), account('b')], wallets: [wallet('w')] };
    const after = { accounts: [account('b')], wallets: [wallet('w', 'a')] };
    const { run, alarms } = scene(before, after);
    expect(await run()).toEqual([account('b')]);
    expect(alarms).toEqual([]);
  });

  test('so are all accounts of a wallet that is deleted during the read', async () => {
    const before = { accounts: [account('a'), account('b'), account('c', 'v')], wallets: [wallet('w'), wallet('v')] };
    const after = { accounts: [account('c', 'v')], wallets: [wallet('v')] };
    const { run, alarms } = scene(before, after);
    expect(await run()).toEqual([account('c', 'v')]);
    expect(alarms).toEqual([]);
  });

  test('D62: an account that its wallet lists as deleted was put back', async () => {
    const { run, alarms } = scene({ accounts: [account('b'), account('a')], wallets: [wallet('w', 'x', 'a')] });
    expect(await codeOf(run())).toBe('STATE_TAMPERED');
    expect(alarms).toEqual(['the walletAccount a was deleted, and restored outside the service']);
  });

  test('D62: so was an account without a wallet', async () => {
    const { run, alarms } = scene({ accounts: [account('a', 'v'), account('b')], wallets: [wallet('w')] });
    expect(await codeOf(run())).toBe('STATE_TAMPERED');
    expect(alarms).toEqual(['the wallet v of a stored account is missing']);
  });

  test('D62: an account that was put back is found among others that are being deleted', async () => {
    const states = Array.from({ length: 30 }, (_, index) => ({
      accounts: [account('a'), account(`b${index}`)],
      wallets: [wallet('w', 'a', `b${index - 1}`)],
    }));
    const { run, alarms } = scene(...states);
    expect(await codeOf(run())).toBe('STATE_TAMPERED');
    expect(alarms).toEqual(['the walletAccount a was deleted, and restored outside the service']);
  });

  test('accounts that keep changing are refused as busy, not as tampered with', async () => {
    const states = Array.from({ length: 30 }, (_, index) => ({
      accounts: [account(`a${index}`)],
      wallets: [wallet('w', `a${index - 1}`)],
    }));
    const { run, alarms } = scene(...states);
    expect(await codeOf(run())).toBe('CONFLICT');
    expect(alarms).toEqual([]);
  });
});
