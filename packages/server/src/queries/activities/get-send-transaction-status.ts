import { setTimeout as sleep } from 'node:timers/promises';
import { queries } from '@countersign/contract';
import type { z } from 'zod';
import { toTimestamp } from '../../organizations/views.ts';
import { type QueryContext, resolve } from '../../pipeline/query.ts';
import { followedChainOf } from '../../sending/send-chains.ts';
import type { SendRecord } from '../../sending/send-record.ts';
import { notFound } from '../../wire/refuse.ts';

type Output = z.output<typeof queries.getSendTransactionStatus.output>;

const LOOK_MS = 500;

/** A transaction whose execution failed is shown as included only in its final state, because clients take INCLUDED for success. */
function shownState({ state, block }: SendRecord): Output['txStatus'] {
  return state === 'INCLUDED' && block?.isReverted === true ? 'BROADCASTING' : state;
}

export const getSendTransactionStatus = resolve(
  queries.getSendTransactionStatus,
  async (context, { sendTransactionStatusId: id, knownStatus, waitSeconds = '0' }) => {
    let found = await find(context, id);
    if (waitSeconds === '0' || shownState(found) !== knownStatus) return showSend(found, context);
    const { caller, organization } = context;
    const wait = { userId: caller.userId, homeId: caller.organizationId, organizationId: organization.id };
    const ms = Number(waitSeconds) * 1000;
    // SECURITY: D194: it counts as a waiting request of its user and organization.
    const waiting = context.longPoll.begin({ ...wait, from: Number.MAX_SAFE_INTEGER, ms, isGone: context.isGone });
    try {
      const untilMs = performance.now() + ms;
      while (shownState(found) === knownStatus && performance.now() < untilMs && !context.isGone()) {
        await sleep(LOOK_MS);
        found = await find(context, id);
      }
    } finally {
      waiting.end();
    }
    await context.proveAgain();
    return showSend(found, context);
  },
);

async function find({ sending, organization }: QueryContext, id: string): Promise<SendRecord> {
  const found = await sending.get(organization.id, id);
  if (found === undefined) throw notFound('sent transaction', 'sendTransactionStatusId');
  return found;
}

/** A transaction as queries show it. */
export function showSend(record: SendRecord, { sending }: Pick<QueryContext, 'sending'>): Output {
  const {
    hash,
    chain,
    account,
    nonce,
    activityId,
    block,
    confirmations,
    lastError,
    failure,
    replaces,
    replacedBy,
    replacedById,
    topUp,
  } = record;
  const { isInSequence = false, countsConfirmations = false } = followedChainOf(chain) ?? {};
  return {
    txStatus: shownState(record),
    ...(chain.startsWith('eip155:') && { eth: { txHash: hash } }),
    ...(chain.startsWith('tron:') && { tron: { txId: hash } }),
    ...(chain.startsWith('solana:') && { solana: { signature: hash } }),
    ...(chain.startsWith('bip122:') && { bitcoin: { txId: hash } }),
    ...(failure !== undefined && { txError: failure, error: { message: failure } }),
    transaction: {
      chain,
      from: account,
      ...(isInSequence && { nonce: `${nonce}` }),
      activityId,
      ...(replaces !== undefined && { replaces }),
      ...(replacedBy !== undefined && { replacedBy }),
      ...(replacedById !== undefined && { replacedById }),
      ...(block !== undefined && { blockNumber: `${block.number}`, ...(block.hash !== undefined && { blockHash: block.hash }) }),
      ...(countsConfirmations && {
        confirmations: `${confirmations}`,
        requiredConfirmations: `${sending.confirmations}`,
      }),
      ...(lastError !== undefined && { lastError }),
      ...(topUp !== undefined && {
        topUp: { organizationId: topUp.organizationId, amount: topUp.amount, isPaid: topUp.isPaid },
      }),
      createdAt: toTimestamp(record.createdAtMs),
      updatedAt: toTimestamp(record.updatedAtMs),
    },
  };
}
