import { ChainError, chains, parseTypedData, personalMessageDigest } from '@countersign/chains';
import { stampedRequest } from '@countersign/client';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { z } from 'zod';
import type { Agent } from '../agent.ts';
import { type Outcome, outcomeShape, showOutcome } from '../outcome.ts';
import { AMOUNT, toBaseUnits } from '../payments/amount.ts';
import { requireAccount, requireAsset, tokensOf, type WalletAccount } from '../payments/knowledge.ts';
import { callOf, type Request, SIGN, SIGN_RAW } from '../payments/payment.ts';
import { Problem } from '../problem.ts';
import { propose } from '../propose.ts';
import { authorizationTypedData, authorize, paymentHeader, paymentRequirements, readOffer } from '../x402.ts';
import { purpose, reference } from './reference.ts';
import { defineSigner } from './tool.ts';

const from = z.string().max(128).describe('The address of the signing account, from list_wallets');

/** Signs once for a reference. `make` gets the time of the first attempt. */
async function signOnce(agent: Agent, name: string, intent: object, make: (nowMs: number) => Request): Promise<Outcome> {
  const { activity, isRepeated } = await propose(agent, {
    reference: name,
    intent,
    make: (nowMs) => callOf(make(nowMs), agent.organizationId, nowMs),
  });
  return showOutcome(agent, activity, isRepeated);
}

async function requireEthereumAccount(agent: Agent, address: string): Promise<WalletAccount> {
  const account = await requireAccount(agent, address);
  if (account.chain.id === 'ethereum') return account;
  throw new Problem(
    'CHAIN_MISMATCH',
    'Only Ethereum accounts sign messages here.',
    'Choose an Ethereum account of list_wallets.',
  );
}

const typedDataRequest = (signWith: string, payload: string): Request => ({
  ...SIGN_RAW,
  parameters: { signWith, payload, encoding: 'PAYLOAD_ENCODING_EIP712', hashFunction: 'HASH_FUNCTION_NO_OP' },
});

export const signTransaction = defineSigner({
  name: 'sign_transaction',
  title: 'Sign a transaction',
  description:
    'Signs a transaction that another tool built, for example a PSBT. The service decodes it, and policies decide. For payments use propose_payment.',
  input: z.strictObject({
    reference,
    from,
    unsignedTransaction: z
      .string()
      .max(200_000)
      .regex(/^(0x)?([0-9a-fA-F]{2})+$/, 'must be hexadecimal'),
  }),
  output: outcomeShape,
  async run(agent, { reference: name, from: address, unsignedTransaction }) {
    const account = await requireAccount(agent, address);
    const parameters = {
      signWith: account.address,
      unsignedTransaction: unsignedTransaction.replace(/^0x/, ''),
      type: chains[account.chain.id].transactionType,
    };
    return signOnce(agent, name, { tool: 'transaction', ...parameters }, () => ({ ...SIGN, parameters }));
  },
});

export const signMessage = defineSigner({
  name: 'sign_message',
  title: 'Sign a message',
  description:
    'Signs a text with an Ethereum account (EIP-191, personal_sign), for example to sign in somewhere. Policies decide.',
  input: z.strictObject({ reference, from, message: z.string().min(1).max(20_000) }),
  output: outcomeShape,
  async run(agent, { reference: name, from: address, message }) {
    const account = await requireEthereumAccount(agent, address);
    const content = utf8ToBytes(message);
    const prefix = utf8ToBytes(`\x19Ethereum Signed Message:\n${content.length}`);
    const parameters = {
      signWith: account.address,
      payload: bytesToHex(prefix) + bytesToHex(content),
      encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
      hashFunction: 'HASH_FUNCTION_KECCAK256',
    };
    const outcome = await signOnce(agent, name, { tool: 'message', ...parameters }, () => ({ ...SIGN_RAW, parameters }));
    requireSignatureOf(account, personalMessageDigest(content), outcome);
    return outcome;
  },
});

export const signTypedData = defineSigner({
  name: 'sign_typed_data',
  title: 'Sign typed data',
  description: 'Signs typed data with an Ethereum account (EIP-712). Policies see its fields and what it allows others to do.',
  input: z.strictObject({
    reference,
    from,
    typedData: z.string().max(100_000).describe('JSON with types, primaryType, domain and message'),
  }),
  output: outcomeShape,
  async run(agent, { reference: name, from: address, typedData }) {
    const account = await requireEthereumAccount(agent, address);
    digestOf(typedData, account);
    const request = typedDataRequest(account.address, typedData);
    const outcome = await signOnce(agent, name, { tool: 'typed data', ...request.parameters }, () => request);
    requireSignatureOf(account, digestOf(typedData, account), outcome);
    return outcome;
  },
});

export const payX402 = defineSigner({
  name: 'pay_x402',
  title: 'Pay for an HTTP request (x402)',
  description:
    'Signs the payment that a server demands with status 402 (EIP-3009). The result has the header to repeat the HTTP request with. Spending limits count it like a transfer, also if the server never collects it.',
  input: z.strictObject({
    reference,
    purpose,
    from,
    x402Version: z.union([z.literal(1), z.literal(2)]).describe('The version of the 402 response'),
    offer: paymentRequirements.describe('One item of "accepts" of the 402 response'),
    maxAmount: z
      .string()
      .regex(AMOUNT)
      .describe('The most that you are willing to pay, in units of the token, for example "0.01"'),
  }),
  output: outcomeShape.extend({
    header: z.object({ name: z.string(), value: z.string() }).optional().describe('For the repeated HTTP request'),
    validBefore: z.string().optional().describe('Seconds since 1970'),
  }),
  async run(agent, { reference: name, purpose, from: address, x402Version, offer, maxAmount }) {
    const account = await requireEthereumAccount(agent, address);
    const read = readOffer(offer);
    const asset = requireAsset(`eip155:${read.chainId}/erc20:${read.token}`, (await tokensOf(agent)).list);
    if (read.value > toBaseUnits(maxAmount, asset.decimals)) {
      const message = `The server asks for more than ${maxAmount} ${asset.symbol}.`;
      throw new Problem('ABOVE_MAXIMUM', message, 'Do not pay, or ask your user whether to pay more.');
    }
    const scope = `${agent.organizationId}\n${account.address}\n${name}`;
    const paid = { tool: 'x402', from: account.address, ...read, value: read.value.toString() };
    const intent = { ...paid, ...(purpose !== undefined && { purpose }) };
    const { activity, isRepeated } = await propose(agent, {
      reference: name,
      intent,
      make: (nowMs) => {
        const typedData = authorizationTypedData(read, authorize(read, account.address, scope, nowMs));
        return callOf(typedDataRequest(account.address, typedData), agent.organizationId, nowMs, purpose);
      },
    });
    const outcome = await showOutcome(agent, activity, isRepeated);
    if (outcome.signature === undefined) return outcome;
    // The authorization of the first attempt, which may have another end.
    const payload = String(stampedRequest(activity)?.parameters.payload);
    requireSignatureOf(account, digestOf(payload, account), outcome);
    const { message } = JSON.parse(payload);
    const hasExpired = Number(message.validBefore) * 1_000 <= Date.now();
    return {
      ...outcome,
      ...(hasExpired && { next: 'The payment was signed and has expired. Use a new reference to pay.' }),
      header: paymentHeader(offer, x402Version, message, outcome.signature),
      validBefore: String(message.validBefore),
    };
  },
});

/** The digest of typed data. Throws Problem for invalid ones. */
function digestOf(typedData: string, { curve, publicKey, addressFormat }: WalletAccount): Uint8Array {
  try {
    return parseTypedData(typedData, { signer: { curve, publicKey: hexToBytes(publicKey), addressFormat }, interfaces: [] })
      .digest;
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    throw new Problem(
      'TYPED_DATA_INVALID',
      error.message,
      'Give complete typed data as JSON text, with EIP712Domain among its types.',
    );
  }
}

/** SECURITY: A71: shows a signature only if this account made it for this content. */
function requireSignatureOf({ publicKey }: WalletAccount, digest: Uint8Array, { signature }: Outcome): void {
  if (signature === undefined) return;
  const compact = hexToBytes(signature.slice(2, 130));
  if (secp256k1.verify(compact, digest, hexToBytes(publicKey), { prehash: false })) return;
  const next = 'Use nothing of it, and report it to the operator of the service.';
  throw new Problem('RESPONSE_MISMATCH', 'The service returned a signature of something else.', next);
}
