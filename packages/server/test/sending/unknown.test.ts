import { describe, expect, test } from 'vitest';
import type { SendRecord } from '../../src/sending/send-record.ts';
import { followedOnSolana, type SolanaView } from '../../src/sending/solana-follow.ts';
import type { SolanaStatus } from '../../src/sending/solana-node.ts';
import { followedOnTron, type TronView } from '../../src/sending/tron-follow.ts';
import type { TronInfo } from '../../src/sending/tron-node.ts';

const send: SendRecord = {
  organizationId: 'o',
  id: 'i',
  chain: 'c',
  account: 'a',
  nonce: 0,
  state: 'BROADCASTING',
  revision: 1,
  activityId: 'x',
  requestKey: '',
  bytesKey: '',
  hash: 'h',
  signed: '00',
  lifetime: { since: 100, until: 1_000 },
  attempts: 1,
  isOut: true,
  confirmations: 0,
  createdAtMs: 0,
  updatedAtMs: 0,
};

const DAY_MS = 86_400_000;
const DAY_BLOCKS = 216_000;
const included: SolanaStatus = { slot: 150, isFailed: false, level: 3 };
const info: TronInfo = { id: 'h', block: 150, isFailed: false };

const onSolana = (answers: readonly (SolanaStatus | null)[], after: number, firstBlock: number) => {
  const view: SolanaView = { statuses: new Map([['h', answers]]), finalHeight: 1_000 + after, firstBlock };
  return followedOnSolana(send, view);
};

const onTron = (
  final: readonly (TronInfo | null)[],
  after: number,
  kept: readonly number[],
  newest: readonly (TronInfo | null)[] = final,
) => {
  const view: TronView = {
    final: new Map([['h', final]]),
    newest: new Map([['h', newest]]),
    finalTime: 1_000 + after,
    kept: new Set(kept),
  };
  return followedOnTron(send, view);
};

describe('D949: transactions whose outcome nobody can tell', () => {
  test.each([
    ['Solana, blocks are gone', (after: number) => onSolana([null, null], after, 101), DAY_BLOCKS],
    ['Solana, one endpoint knows it', (after: number) => onSolana([included, null], after, 0), DAY_BLOCKS],
    [
      'Solana, different blocks',
      (after: number) =>
        onSolana(
          [
            { ...included, level: 1 },
            { ...included, slot: 9 },
          ],
          after,
          0,
        ),
      DAY_BLOCKS,
    ],
    ['Tron, blocks are gone', (after: number) => onTron([null, null], after, []), DAY_MS],
    ['Tron, one endpoint knows it', (after: number) => onTron([info, null], after, [100]), DAY_MS],
    ['Tron, one endpoint has it in a newer block', (after: number) => onTron([null, null], after, [100], [info, null]), DAY_MS],
  ])('D949: wait for a day and end as unknown: %s', (_what, at, day) => {
    for (const after of [61_000, day]) expect(at(after).state).toBe('BROADCASTING');
    const ended = at(day + 1);
    expect(ended).toMatchObject({ state: 'UNKNOWN', block: undefined, lastError: undefined });
    expect(ended.failure).toMatch(/It may have been paid\. Look for h in an explorer/);
  });

  test('D949: a proof decides at any time', () => {
    for (const after of [61_000, DAY_MS * 10]) {
      expect(onSolana([included, included], after, 1_000).state).toBe('COMPLETED');
      expect(onSolana([null, null], after, 100)).toMatchObject({
        state: 'FAILED',
        failure: expect.stringContaining('It expired'),
      });
      expect(onTron([info, info], after, []).state).toBe('COMPLETED');
      expect(onTron([null, null], after, [100])).toMatchObject({
        state: 'FAILED',
        failure: expect.stringContaining('It expired'),
      });
    }
  });

  test('D949: a transaction that blocks can still contain waits', () => {
    expect(onSolana([null, null], 0, 101).state).toBe('BROADCASTING');
    expect(
      onSolana(
        [
          { ...included, level: 2 },
          { ...included, level: 2 },
        ],
        DAY_BLOCKS * 2,
        101,
      ).state,
    ).toBe('INCLUDED');
    expect(onTron([null, null], 0, []).state).toBe('BROADCASTING');
  });
});
