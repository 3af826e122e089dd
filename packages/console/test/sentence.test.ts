import type { ListedActivity } from '@countersign/client';
import { expect, test } from 'vitest';
import { sentenceFor } from '../src/pages/approvals/sentence.ts';
import type { Check, KeyClaim } from '../src/review/types.ts';

function shown(type: string, parameters: Readonly<Record<string, unknown>>, keys: readonly KeyClaim[] = []): string {
  const request = { type, organizationId: 'o1', parameters };
  const check: Check = { state: 'plain', request, keys };
  return sentenceFor({ type } as ListedActivity, check);
}

test('D389: the sentence of an unfreeze names the objects in the stamped bytes, the organization and users first', () => {
  const parameters = { walletIds: ['w1'], userIds: ['thief'], privateKeyIds: ['k1', 'k2'], wholeOrganization: true };
  expect(shown('ACTIVITY_TYPE_UNFREEZE', parameters)).toMatch(/^unfreeze the organization, user thief, wallet w1, and 2 more$/i);
  expect(shown('ACTIVITY_TYPE_UNFREEZE', { walletIds: ['w1'] })).toMatch(/^unfreeze wallet w1$/i);
});

test('D1096: the sentence has names of keys that are proven, which cannot end their quotation, and ids of others', () => {
  const proof = { activityId: 'a1', userName: 'Ann', atMs: 1 };
  const wallet = (id: string, name: string, isProven = true): KeyClaim => ({
    ...{ kind: 'wallet', id, name },
    proof: isProven ? proof : undefined,
  });
  const type = 'ACTIVITY_TYPE_DELETE_WALLETS';
  const all = [wallet('w1', 'Ops”, “Test'), wallet('w2', 'Treasury', false), wallet('w3', 'Old'), wallet('w4', 'Older')];
  expect(shown(type, { walletIds: ['w1', 'w2', 'w3', 'w4'] }, all)).toMatch(
    /^delete wallets “Ops', 'Test”, w2, “Old”, and 1 more$/i,
  );
  expect(shown('ACTIVITY_TYPE_UPDATE_WALLET', { walletId: 'w3', walletName: 'New' }, [wallet('w3', 'Old')])).toMatch(
    /“New” \(“Old”\)$/,
  );
  expect(shown('ACTIVITY_TYPE_FREEZE', { walletIds: ['w3'] }, [wallet('w3', 'Old')])).toMatch(/^freeze wallet “Old”$/i);
  const account: KeyClaim = { kind: 'account', id: 'c1', name: 'Ops', address: '0xaa', proof };
  expect(shown('ACTIVITY_TYPE_DELETE_WALLET_ACCOUNTS', { walletAccountIds: ['c1'] }, [account])).toMatch(
    /0xaa of the wallet “Ops”$/,
  );
});

test.each(['❞', "''", '＂', '〞', '״'])('D1097: %s in a name does not look like the end of its quotation', (mark) => {
  const proof = { activityId: 'a1', userName: 'Ann', atMs: 1 };
  const key: KeyClaim = { kind: 'wallet', id: 'w1', name: `Test${mark} and nothing else`, proof };
  expect(shown('ACTIVITY_TYPE_DELETE_WALLETS', { walletIds: ['w1'] }, [key])).toMatch(/ “Test' and nothing else”$/);
  const named = { ...key, name: 'Treasury' };
  const walletName = `New${mark} (“Test`;
  expect(shown('ACTIVITY_TYPE_UPDATE_WALLET', { walletId: 'w1', walletName }, [named])).toMatch(
    / “New' \('Test” \(“Treasury”\)$/,
  );
  const frozen = { walletIds: ['w1'], reason: `lost${mark}, user u1` };
  expect(shown('ACTIVITY_TYPE_FREEZE', frozen, [named])).toMatch(/ “Treasury”: “lost', user u1”$/);
});

test('D1098: the name of a wallet is not that of a user or a private key with the same id', () => {
  const key: KeyClaim = { kind: 'wallet', id: 'x', name: 'Test', proof: { activityId: 'a1', userName: 'Ann', atMs: 1 } };
  const unknown: KeyClaim = { kind: 'private key', id: 'x', name: undefined, proof: undefined };
  const parameters = { userIds: ['x'], walletIds: ['x'], privateKeyIds: ['x'] };
  expect(shown('ACTIVITY_TYPE_UNFREEZE', parameters, [key, unknown])).toMatch(/ user x, wallet “Test”, private key x$/);
});

test('a freeze shows its reason, without invisible characters, and other requests show their name', () => {
  expect(shown('ACTIVITY_TYPE_FREEZE', { walletIds: ['w1'], reason: 'stolen\u202e laptop' })).toMatch(
    /^freeze wallet w1: “stolen.+laptop”$/i,
  );
  expect(shown('ACTIVITY_TYPE_FREEZE', { walletIds: ['w1'], reason: 'a\u202eb' })).not.toContain('\u202e');
  expect(shown('ACTIVITY_TYPE_CREATE_POLICY_V3', { policyName: 'Pay' })).toContain('“Pay”');
});
