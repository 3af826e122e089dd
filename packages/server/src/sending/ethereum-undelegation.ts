import { encodeUndelegation, type RawSignature, undelegationDigest } from '@countersign/chains';
import { type ActivityInput, ServiceError } from '@countersign/contract';
import { type CompletedEthUndelegation, undelegationFields } from '@countersign/judgement';
import type { ChainClient } from '../chain-nodes/chain-client.ts';
import { ethereumChain } from './ethereum-chain.ts';
import { type EthereumFacts, ethereumCalls } from './ethereum-node.ts';
import type { CompletedChain } from './send-chain.ts';
import type { SendingAccount } from './sending.ts';

type Params = ActivityInput<'ethUndelegate7702'>;

interface UndelegationFacts extends EthereumFacts {
  /** Whether the account obeys code. */
  readonly isDelegated: boolean;
}

/** EIP-7702: the code of an account that obeys other code is this and an address. */
const DELEGATED = /^0xef0100[0-9a-f]{40}$/i;
/** EIP-7702: PER_EMPTY_ACCOUNT_COST, which each authorization takes in addition. */
const AUTHORIZATION_GAS = 25_000n;
const NOBODY = `0x${'0'.repeat(40)}`;
/** Its own nonce, and that of the authorization. */
const NONCES = 2;

/** Removing the delegation of an account of an EVM chain. */
export const ethereumUndelegation: CompletedChain<Params, UndelegationFacts, CompletedEthUndelegation> = {
  transactionType: ethereumChain.transactionType,
  signWith: 'from',
  chainOf: ({ caip2 }) => caip2,
  accountOf: ({ from }) => from.toLowerCase(),
  unread: { ...ethereumChain.unread, baseFee: 0n, isDelegated: true },

  async readFacts(client, params, planned, account) {
    const known = params.gasLimit ?? planned?.gasLimit;
    const { from, caip2 } = params;
    // The code that the account obeys still runs in an estimate of a call to itself, and nothing runs at this address.
    const call = { from, caip2, to: NOBODY, ...(known !== undefined && { gasLimit: known }) };
    const [facts, isDelegated] = await Promise.all([
      ethereumChain.readFacts(client, call, undefined, account),
      readDelegation(client, from),
    ]);
    return { ...facts, gas: known === undefined ? facts.gas + AUTHORIZATION_GAS : BigInt(known), isDelegated };
  },

  async renewed(client, { from, caip2 }, facts, account) {
    return { ...facts, ...(await ethereumChain.renewed(client, { from, caip2, to: from }, facts, account)) };
  },

  complete({ params, account, planned }, facts, limits) {
    const { from } = params;
    const before = planned as CompletedEthUndelegation | undefined;
    if (facts !== ethereumUndelegation.unread) requireDelegation(params, facts, account);
    const like = { ...params, to: from, value: '0', data: '0x' };
    const plannedLike = before && { ...before, to: from, value: '0', data: '0x' };
    const completed = ethereumChain.complete({ params: like, account, planned: plannedLike }, facts, limits);
    const { caip2, nonce, gasLimit, maxFeePerGas, maxPriorityFeePerGas } = completed;
    if (maxPriorityFeePerGas === undefined)
      throw refused(`${caip2} has no transactions of type 4 (EIP-7702), so its accounts have no delegations`);
    requireNextNonce(Number(nonce), account);
    return { from, caip2, nonce, gasLimit, maxFeePerGas, maxPriorityFeePerGas };
  },

  signedFirst: {
    requests: (completed) => [{ kind: 'ecdsa', digest: undelegationDigest(undelegationFields(completed)) }],
    insert: (completed, signatures) => encodeUndelegation(undelegationFields(completed), authorizationSignature(signatures)),
  },

  requireFunds: (completed, facts, account, cost) =>
    ethereumChain.requireFunds({ ...completed, to: completed.from, value: '0', data: '0x' }, facts, account, cost),
  toFollow: (completed, facts, cost) => ({
    ...ethereumChain.toFollow({ ...completed, to: completed.from, value: '0', data: '0x' }, facts, cost),
    nonces: NONCES,
  }),
};

/** SECURITY: D743: all endpoints must give the same code. One that hides the delegation must not decide that there is nothing to remove. */
async function readDelegation(client: ChainClient, account: string): Promise<boolean> {
  return DELEGATED.test(await client.agree(ethereumCalls.code(account)));
}

function requireDelegation({ caip2 }: Params, { isDelegated }: UndelegationFacts, { active }: SendingAccount): void {
  const same = active.find(({ nonces }) => nonces !== undefined);
  if (same !== undefined) throw refused(`The transaction ${same.id} removes the delegation already, and is not final yet`);
  if (!isDelegated) throw refused(`The account obeys no code on ${caip2}, so there is no delegation to remove`);
}

/**
 * SECURITY: D1003: the authorization uses the nonce after that of the transaction. A payment with that nonce could never be executed, and without
 * the authorization the code would stay.
 */
function requireNextNonce(nonce: number, { active }: SendingAccount): void {
  const later = active.find((send) => send.nonce === nonce + 1);
  if (later === undefined) return;
  throw refused(
    `The transaction ${later.id} has the nonce ${nonce + 1}, which the authorization needs. Wait until it is final, or cancel it`,
  );
}

function authorizationSignature([signature, ...others]: readonly RawSignature[]) {
  if (signature === undefined || others.length > 0 || signature.bytes.length !== 64)
    throw new TypeError('an authorization takes exactly one signature of 64 bytes');
  const hex = Buffer.from(signature.bytes.buffer, signature.bytes.byteOffset, 64).toString('hex');
  return { yParity: BigInt(signature.recovery), r: BigInt(`0x${hex.slice(0, 64)}`), s: BigInt(`0x${hex.slice(64)}`) };
}

const refused = (reason: string) => new ServiceError('PRECONDITION_FAILED', `${reason}. Nothing was signed.`);
