import { expect, test } from 'vitest';
import { sentenceFor } from '../src/pages/approvals/sentence.ts';
import { namedKeys } from '../src/review/proof/named-keys.ts';
import type { NamedRecord } from '../src/review/proof/prove-record.ts';
import type { StatedKeys } from '../src/review/types.ts';

const type = 'ACTIVITY_TYPE_DELETE_WALLETS';
const ids = (count: number) => Array.from({ length: count }, (_, at) => `w${at}`);

/** The keys of a request, and the records that were proven for it. */
async function claimsOf(parameters: Readonly<Record<string, unknown>>, stated: Partial<StatedKeys> = {}) {
  const proven: NamedRecord[] = [];
  const prover = {
    async record(record: NamedRecord) {
      proven.push(record);
      return { activityId: 'a1', userName: 'Ann', atMs: 1 };
    },
  };
  const request = { type, organizationId: 'o1', parameters };
  const keys = await namedKeys(request, { wallets: [], accounts: [], privateKeys: [], ...stated }, prover);
  return { keys, proven, sentence: sentenceFor({ type } as never, { state: 'plain', request, keys }) };
}

const wallets = (walletIds: readonly string[]) =>
  walletIds.map((walletId) => ({ walletId, walletName: `Name ${walletId}`, updatedAt: { seconds: '1' } })) as never;

test('D1098: the sentence counts all wallets of a long list, and a bounded number of names is proven', async () => {
  const walletIds = ids(1000);
  const { keys, proven, sentence } = await claimsOf({ walletIds }, { wallets: wallets(walletIds.slice(0, 200)) });
  expect(sentence).toBe('delete wallets “Name w0”, “Name w1”, “Name w2”, and 997 more');
  expect(keys.map(({ id }) => id)).toEqual(walletIds);
  expect(proven.length).toBeLessThanOrEqual(50);
  // A name that was not tried is no reason for a warning.
  expect(keys.filter(({ name, proof }) => name !== undefined && proof === undefined)).toEqual([]);
});

test('D1098: an id that repeats does not crowd out others', async () => {
  const { keys, sentence } = await claimsOf({ walletIds: ['w1', 'w1', 'w1', 'w2'] }, { wallets: wallets(['w1', 'w2']) });
  expect(sentence).toBe('delete wallets “Name w1”, “Name w2”');
  expect(keys).toHaveLength(2);
});

test('D1098: what is no id, and the key of another kind, have no name', async () => {
  const stated = { wallets: wallets(['w1']) };
  expect((await claimsOf({ walletIds: [{ walletId: 'w1' }, ['w1'], null, 1], walletId: { id: 'w1' } }, stated)).keys).toEqual([]);
  const { keys } = await claimsOf({ privateKeyIds: ['w1'], walletAccountIds: ['w1'] }, stated);
  expect(keys.map(({ kind, name, proof }) => [kind, name, proof])).toEqual([
    ['private key', undefined, undefined],
    ['account', undefined, undefined],
  ]);
});
