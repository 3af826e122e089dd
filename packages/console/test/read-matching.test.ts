import { expect, test } from 'vitest';
import { allWallets } from '../src/data/lists.ts';
import { readMatching } from '../src/data/read-matching.ts';

const wallet = (walletId: string) => ({ walletId, walletName: 'Treasury' }) as never;

/** A service that answers so, and what it was asked. */
function serviceOf(answers: readonly object[]) {
  const asked: object[] = [];
  const read = async (input: object) => {
    asked.push(input);
    return answers[asked.length - 1] as never;
  };
  return { asked, read };
}

test('a search goes on where the service stopped, so that an older wallet is found', async () => {
  const { asked, read } = serviceOf([{ wallets: [], next: 'c' }, { wallets: [wallet('w')], next: 'b' }, { wallets: [] }]);
  expect(await readMatching(read, allWallets, 'treasury', 5)).toEqual({ items: [wallet('w')], next: undefined });
  expect(asked).toEqual([
    { matching: 'treasury', paginationOptions: { limit: '5' } },
    { matching: 'treasury', paginationOptions: { limit: '5', after: 'c' } },
    { matching: 'treasury', paginationOptions: { limit: '4', after: 'b' } },
  ]);
});

test('a page ends when it is full, and the next one begins after its last item', async () => {
  const { asked, read } = serviceOf([{ wallets: [wallet('c'), wallet('b')] }, { wallets: [wallet('a')] }]);
  expect(await readMatching(read, allWallets, '', 2)).toEqual({ items: [wallet('c'), wallet('b')], next: 'b' });
  expect(await readMatching(read, allWallets, '', 2, 'b')).toEqual({ items: [wallet('a')], next: undefined });
  expect(asked).toEqual([{ paginationOptions: { limit: '2' } }, { paginationOptions: { limit: '2', after: 'b' } }]);
});
