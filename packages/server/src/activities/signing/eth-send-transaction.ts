import { ChainError, transactionTypes } from '@countersign/chains';
import { type ActivityInput, activities, ServiceError } from '@countersign/contract';
import { alsoSigned, type CompletedEthTransaction, signerOf, transactionToSend } from '@countersign/judgement';
import { parserEngines } from '../../auth/parser-engines.ts';
import { execute, type PlanContext } from '../../pipeline/plan/executor.ts';
import { completeTransaction, maxCostOf, requireFunds, requireRoom } from '../../sending/complete-transaction.ts';
import { type EthereumFacts, ethereumCalls, readEthereumFacts } from '../../sending/ethereum-node.ts';
import type { Sending, SendingAccount } from '../../sending/sending.ts';
import { keyToSign, parseContext, signingSubject, signWithKey } from './signing-key.ts';

type Params = ActivityInput<'ethSendTransaction'>;
const ethereum = transactionTypes.TRANSACTION_TYPE_ETHEREUM;

const withPrefix = (data: string | undefined) => (data === undefined || data.startsWith('0x') ? (data ?? '0x') : `0x${data}`);

/** SECURITY: D742: nothing about the account is known, and the plan cannot be executed. It only shows policies what was asked for. */
const unread: EthereumFacts = { latest: 0, pending: 0, balance: 0n, baseFee: 0n, priorityFee: 0n, gasPrice: 0n, gas: 21_000n };
const unused: SendingAccount = { account: undefined, active: [] };

export const ethSendTransaction = execute(activities.ethSendTransaction, {
  locksOrganization: false,

  async readChain({ organization, resources, sending, planned }, params) {
    const nodes = sending.nodesOf(params.caip2);
    // SECURITY: D742: the nodes are asked about accounts of the organization only.
    await resources.signingKey(organization, params.from);
    const { from, to, value = '0' } = params;
    const gas = params.gasLimit ?? (planned as CompletedEthTransaction | undefined)?.gasLimit;
    const call = { from, to, value, data: withPrefix(params.data) };
    return readEthereumFacts(nodes, call, gas === undefined ? undefined : BigInt(gas));
  },

  async plan(context, params) {
    const { organization, sending } = context;
    sending.nodesOf(params.caip2);
    const key = await keyToSign(context, params.from);
    if (key.body.curve !== ethereum.curve) throw invalid('from', `a transaction is signed with a ${ethereum.curve} key`);
    const subject = await signingSubject(context, key);
    const { completed, facts, sendingAccount, accountKey } = await complete(context, params);
    try {
      const transaction = transactionToSend('ethSendTransaction', { ...completed, from: params.from });
      const signer = signerOf(key, params.from);
      const parsed = ethereum.parse(transaction.unsignedTransaction, parseContext(organization, signer, subject));
      const named = subject.parameters?.() ?? {};
      const { signWith: from } = named as { readonly signWith: string };
      return {
        intent: { ...completed, from: params.from },
        subject: {
          ...subject,
          parsed,
          ...alsoSigned(transaction, parsed),
          parameters: () => ({ ...completed, from, sponsor: false }),
        },
        prepared: { key, signer, parsed, completed, facts, sendingAccount, accountKey },
      };
    } catch (error) {
      if (error instanceof ChainError) throw invalid('', error.message, error);
      throw error;
    }
  },

  async run(context, { prepared }) {
    const { key, signer, parsed, completed, facts, sendingAccount, accountKey } = prepared;
    if (facts === undefined)
      throw new ServiceError('CONFLICT', 'The rights of the caller changed while this request was authorized. Send it again.');
    requireRoom(sendingAccount);
    const maxCost = maxCostOf(completed);
    requireFunds(maxCost, facts, sendingAccount);
    const signatures = await signWithKey(context, key, ethereum.signingRequests(parsed, signer, parserEngines));
    const signed = ethereum.assemble(parsed, signer, signatures);
    const hash = ethereum.hash(signed, parserEngines);
    if (hash === undefined) throw new Error('a signed transaction has no hash');
    const id = context.newId();
    const { account } = sendingAccount;
    return {
      result: { sendTransactionStatusId: id, transactionHash: hash },
      changes: [],
      sends: [
        {
          ...accountKey,
          id,
          nonce: Number(completed.nonce),
          hash,
          signed,
          maxCost: `${maxCost}`,
          expected: account && { revision: account.revision, mac: account.mac },
          floor: Math.max(account?.floor ?? 0, 0),
        },
      ],
    };
  },
});

/** The transaction with its nonce, gas and fees. Without facts, because nothing allows the request, they are made up. */
async function complete({ organization, sending, chain, planned }: PlanContext, params: Params) {
  const facts = chain?.() as EthereumFacts | undefined;
  const accountKey = { organizationId: organization.id, chain: params.caip2, account: params.from.toLowerCase() };
  const sendingAccount = facts === undefined ? unused : await sending.account(accountKey);
  const current = facts && (await renewed(sending, params, facts, sendingAccount));
  const given = { ...params, data: withPrefix(params.data) };
  const before = planned as CompletedEthTransaction | undefined;
  const completed = completeTransaction(given, current ?? unread, sendingAccount, before, sending);
  return { completed, facts: current, sendingAccount, accountKey };
}

/** The facts are from before other transactions of the account became final. Their nonces are read again. */
async function renewed(sending: Sending, { caip2, from }: Params, facts: EthereumFacts, { account }: SendingAccount) {
  if (facts.latest >= (account?.floor ?? 0)) return facts;
  return { ...facts, latest: await sending.nodesOf(caip2).agree(ethereumCalls.count(from, 'latest')) };
}

function invalid(field: string, description: string, cause?: unknown): ServiceError {
  return new ServiceError('TRANSACTION_INVALID', `The transaction cannot be signed: ${description}`, {
    cause,
    ...(field !== '' && { violations: [{ field, description }] }),
  });
}
