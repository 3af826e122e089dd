import { readSignedFields } from '@countersign/chains';
import { type ActivityInput, ServiceError } from '@countersign/contract';
import type { CompletedEthReplacement } from '@countersign/judgement';
import { invalidField } from '../wire/refuse.ts';
import { type Fees, maxCostOf, requireFunds } from './complete-transaction.ts';
import { ethereumChain } from './ethereum-chain.ts';
import { type EthereumFacts, readEthereumFacts } from './ethereum-node.ts';
import { type PaidFees, replacementFees } from './replacement-fees.ts';
import type { CompletedChain } from './send-chain.ts';
import { type SendRecord, waitsForTopUp } from './send-record.ts';
import type { SendingAccount } from './sending.ts';

type Params = ActivityInput<'ethReplaceTransaction'>;
type Content = Pick<CompletedEthReplacement, 'to' | 'value' | 'data' | 'nonce' | 'gasLimit'>;

/** Transactions with one nonce that wait at the same time. */
const MAX_WITH_NONCE = 8;
/** The same, if the next one pays what the chain asks for. */
const MAX_WITH_NONCE_THAT_PAY = 16;

/** Speeding up and cancelling transactions of EVM chains: another one with the same nonce and a higher fee. */
export const ethereumReplacement: CompletedChain<Params, EthereumFacts, CompletedEthReplacement> = {
  transactionType: ethereumChain.transactionType,
  signWith: 'from',
  chainOf: ({ caip2 }) => caip2,
  accountOf: ({ from }) => from.toLowerCase(),
  unread: ethereumChain.unread,

  readFacts(client, { from, replacement }, planned) {
    // A transaction that is sped up keeps its gas limit.
    const known = replacement === 'SPEED_UP' ? 0n : planned && BigInt(planned.gasLimit);
    return readEthereumFacts(client, { from, to: from, value: '0', data: '0x' }, known);
  },

  renewed: (client, { from, caip2 }, facts, account) => ethereumChain.renewed(client, { from, caip2, to: from }, facts, account),

  complete({ params, account, planned }, facts, limits) {
    const { from, caip2, sendTransactionStatusId, replacement } = params;
    const before = planned as CompletedEthReplacement | undefined;
    const named = { from, caip2, sendTransactionStatusId, replacement };
    if (facts === ethereumChain.unread) return { ...named, ...unknown(params) };
    const replaced = replacedBy(params, account, facts);
    const fields = readSignedFields(replaced.signed);
    if (replacement === 'SPEED_UP' && fields.authorizationList !== undefined)
      throw refused(
        `The transaction ${replaced.id} removes a delegation. It can be cancelled and sent again, and not be sped up`,
      );
    const content: Content =
      replacement === 'CANCEL'
        ? { ...empty(from), nonce: `${replaced.nonce}`, gasLimit: before?.gasLimit ?? `${facts.gas}` }
        : {
            to: fields.to ?? '',
            value: `${fields.value}`,
            data: `0x${Buffer.from(fields.data).toString('hex')}`,
            nonce: `${fields.nonce}`,
            gasLimit: `${fields.gas}`,
          };
    const paid: PaidFees = { maxFee: fields.maxFeePerGas ?? fields.gasPrice ?? 0n, priorityFee: fields.maxPriorityFeePerGas };
    const fees = replacementFees(params, paid, facts, before, limits);
    requirePlace(account, replaced, paysEnough(fees, facts));
    return { ...named, replacesHash: replaced.hash, ...content, ...fees };
  },

  requireFunds(completed, facts, { active }) {
    const nonce = Number(completed.nonce);
    // Later transactions wait for this one. If a cancellation needed their funds too, it could not make room for them.
    const earlier = active.filter((send) => send.nonce < nonce);
    requireFunds(maxCostOf(completed), facts, earlier);
  },

  toFollow: (completed, _facts, cost) => ({
    ...ethereumChain.toFollow(completed, ethereumChain.unread, cost),
    replaces: completed.sendTransactionStatusId,
    ...(paysNobody(completed) && { isCancellation: true }),
  }),
};

/** Whether it is a cancellation, or one that was sped up. */
const paysNobody = ({ from, to, value, data }: CompletedEthReplacement) =>
  to.toLowerCase() === from.toLowerCase() && value === '0' && data === '0x';

const empty = (from: string) => ({ to: from, value: '0', data: '0x' });

/** What policies see of a request that nothing allows. SECURITY: D742: nothing about the account is known. */
function unknown({
  from,
  maxFeePerGas = '0',
}: Params): Omit<CompletedEthReplacement, 'from' | 'caip2' | 'sendTransactionStatusId' | 'replacement'> {
  return { ...empty(from), replacesHash: '', nonce: '0', gasLimit: '21000', maxFeePerGas, maxPriorityFeePerGas: '0' };
}

/**
 * The transaction to replace.
 * SECURITY: D905: only the newest one with its nonce, so of two requests that arrive together one is rejected, and a cancellation stays one.
 * INVARIANT: it is in no block, as far as the service and all endpoints know, and the commit needs the account at the revision that showed it. So
 * nothing is signed with the nonce of a transaction that is final.
 */
function replacedBy(
  { sendTransactionStatusId: id }: Params,
  { active }: SendingAccount,
  { latest }: Pick<EthereumFacts, 'latest'>,
): SendRecord {
  const found = active.find((send) => send.id === id);
  // SECURITY: D906: the same for final transactions, and for those of other accounts and organizations.
  if (found === undefined) throw refused(`The account has no transaction ${id} that waits for a block`);
  // D918: no node has it, and the account cannot pay for a replacement.
  if (waitsForTopUp(found)) throw refused(`The transaction ${id} waits for its sponsor to pay for the fee, and no node has it`);
  if (found.state === 'INCLUDED' || latest > found.nonce)
    throw refused(`The transaction ${id} is in a block, or its nonce is used`);
  const newer = active.find(({ replaces }) => replaces === id);
  if (newer !== undefined) throw refused(`The transaction ${newer.id} replaces ${id} already. Replace that one`);
  return found;
}

/**
 * SECURITY: D1017: whoever sends with fees that no block takes could fill the places of a nonce, and no transaction of the account would be
 * executed any more. One that pays what the chain asks for still finds a place.
 */
function requirePlace({ active }: SendingAccount, { nonce }: SendRecord, pays: boolean): void {
  const waiting = active.filter((send) => send.nonce === nonce).length;
  if (waiting < (pays ? MAX_WITH_NONCE_THAT_PAY : MAX_WITH_NONCE)) return;
  throw new ServiceError(
    'LIMIT_EXCEEDED',
    `${waiting} transactions with the nonce ${nonce} wait, and at most ${MAX_WITH_NONCE} can, or ${MAX_WITH_NONCE_THAT_PAY} with fees as the chain asks for. Nothing was signed.`,
  );
}

/** Whether the newest blocks would take a transaction with these fees. */
function paysEnough({ maxFeePerGas, maxPriorityFeePerGas }: Fees, { baseFee, priorityFee, gasPrice }: EthereumFacts): boolean {
  const fee = BigInt(maxFeePerGas);
  if (baseFee === undefined) return fee >= gasPrice;
  return fee >= baseFee + priorityFee && BigInt(maxPriorityFeePerGas ?? maxFeePerGas) >= priorityFee;
}

function refused(reason: string): ServiceError {
  const { violations } = invalidField(
    'sendTransactionStatusId',
    'must be the newest transaction with its nonce, and in no block',
  );
  return new ServiceError('PRECONDITION_FAILED', `${reason}. Nothing was signed.`, { ...(violations && { violations }) });
}
