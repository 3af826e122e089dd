import {
  ethereumPaymentCall,
  type ParsedTransaction,
  paymentsOf,
  readChainAddress,
  solanaPayment,
  type TokenList,
  transactionTypes,
} from '@countersign/chains';
import { type Client, submitCall } from '@countersign/client';
import { hexToBytes } from '@noble/hashes/utils.js';
import { z } from 'zod';
import type { Agent } from '../agent.ts';
import { Problem } from '../problem.ts';
import { AMOUNT, toBaseUnits } from './amount.ts';
import { ethereumFields, ethereumPayment } from './ethereum.ts';
import {
  contactsOf,
  type Recipient,
  requireAccount,
  requireAsset,
  requireRecipient,
  tokensOf,
  type WalletAccount,
} from './knowledge.ts';
import { orderOf, type PaymentParts } from './parts.ts';
import { solanaFields } from './solana.ts';
import { tronFields, tronTransaction } from './tron.ts';

/** A payment as an agent asks for it. */
export const paymentInput = {
  from: z.string().max(128).describe('The address of the paying account, from list_wallets'),
  to: z.string().max(256).describe('The receiver: the id or the label of a contact, or an address'),
  asset: z.string().max(160).describe('The CAIP-19 name of the asset, from list_assets'),
  amount: z.string().regex(AMOUNT, 'must be a decimal number as text').describe('In units of the asset, for example "12.5"'),
  ethereum: ethereumFields.optional().describe('For EVM networks, if the service does not send transactions itself'),
  solana: solanaFields.optional().describe('For Solana'),
  tron: tronFields.optional().describe('For Tron'),
};

const paymentSchema = z.strictObject(paymentInput);
export type PaymentInput = z.output<typeof paymentSchema>;

/** A payment whose account, asset and receiver exist. */
export interface Payment extends PaymentParts {
  readonly account: WalletAccount;
  readonly recipient: Recipient;
  readonly tokens: TokenList;
  readonly input: PaymentInput;
}

/** Looks up what a payment names. Throws Problem. */
export async function resolvePayment(agent: Agent, input: PaymentInput): Promise<Payment> {
  const { list } = await tokensOf(agent);
  const asset = requireAsset(input.asset, list);
  const account = await requireAccount(agent, input.from);
  if (account.chain.id !== asset.chain.id) {
    const message = `The account is for ${account.chain.id}, and the asset is on ${asset.chain.id}.`;
    throw new Problem('CHAIN_MISMATCH', message, 'Choose an account and an asset of the same chain.');
  }
  const recipient = requireRecipient(input.to, asset.chain, await contactsOf(agent));
  const amount = toBaseUnits(input.amount, asset.decimals);
  return { asset, account, from: account.address, to: recipient.address, amount, recipient, tokens: list, input };
}

/** A request to the service, without a time. */
export interface Request {
  readonly name: 'signTransaction' | 'signRawPayload' | 'ethSendTransaction';
  readonly type: string;
  readonly path: string;
  readonly parameters: Readonly<Record<string, unknown>>;
}

const SEND = { name: 'ethSendTransaction', path: 'eth_send_transaction', type: 'ACTIVITY_TYPE_ETH_SEND_TRANSACTION_V2' } as const;
export const SIGN = { name: 'signTransaction', path: 'sign_transaction', type: 'ACTIVITY_TYPE_SIGN_TRANSACTION_V2' } as const;
export const SIGN_RAW = { name: 'signRawPayload', path: 'sign_raw_payload', type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2' } as const;

/** The request for a payment: a signature, or on an EVM network without `ethereum` a transaction that the service sends. */
export function paymentRequest(payment: Payment, nowMs: number): Request {
  const { asset, from, input } = payment;
  if (asset.chain.id === 'ethereum' && input.ethereum === undefined) {
    const { to, value, data } = ethereumPaymentCall(orderOf(payment));
    return { ...SEND, parameters: { from, caip2: asset.network, calls: [{ to, value: value.toString(), data }] } };
  }
  const unsignedTransaction = buildTransaction(payment, nowMs);
  requirePayment(payment, unsignedTransaction);
  return { ...SIGN, parameters: { signWith: from, unsignedTransaction, type: asset.chain.transactionType } };
}

function buildTransaction(payment: Payment, nowMs: number): string {
  const { ethereum, solana, tron } = payment.input;
  switch (payment.asset.chain.id) {
    case 'ethereum':
      return ethereumPayment(payment, required('ethereum', ethereum));
    case 'solana':
      return solanaPayment(orderOf(payment), { blockhash: required('solana', solana).recentBlockhash });
    case 'tron':
      return tronTransaction(payment, required('tron', tron), nowMs);
    case 'bitcoin':
      throw new Problem(
        'NOT_BUILT',
        'This server does not build Bitcoin transactions: they need a list of coins to spend.',
        'Build a PSBT with another tool, and give it to sign_transaction.',
      );
  }
}

function required<T>(name: string, fields: T | undefined): T {
  if (fields !== undefined) return fields;
  throw new Problem(
    'FIELDS_MISSING',
    `A payment on this chain needs the field "${name}".`,
    `Read its values from a node of the chain and give them as "${name}".`,
  );
}

/** SECURITY: D703: reads the built bytes again. They must be this one payment and its fee. */
function requirePayment({ account, asset, to, amount, tokens }: Payment, unsignedTransaction: string): void {
  const signer = { curve: account.curve, publicKey: hexToBytes(account.publicKey), addressFormat: account.addressFormat };
  const type = transactionTypes[asset.chain.transactionType];
  const parsed: ParsedTransaction = type.parse(unsignedTransaction, { signer, interfaces: [], tokens });
  const [only, ...more] = paymentsOf(parsed) ?? [];
  const receivers = [to, ...(asset.chain.effects.holdsTokensOf?.(to, asset.id) ?? [])].map((address) =>
    readChainAddress(address),
  );
  const isSame = only?.asset === asset.id && only.amount === amount && receivers.includes(readChainAddress(only.to));
  if (!isSame || more.length > 0) throw new Error('the built transaction is not the payment that was asked for');
}

/** The body of a request at a time, and the path that takes it. */
export function callOf(request: Request, organizationId: string, timestampMs: number, reference?: string) {
  const options = { organizationId, dialect: 'turnkey', timestampMs, ...(reference !== undefined && { reference }) } as const;
  const { path, body } = submitCall(request, request.parameters, options);
  return { path, body };
}

/** What a request would do and how it would be decided. */
export function simulate({ compatible }: Agent, { type, parameters }: Request): ReturnType<Client['simulateActivity']> {
  return compatible.simulateActivity({ type, parameters: { ...parameters }, explain: true });
}
