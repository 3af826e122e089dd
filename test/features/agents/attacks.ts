import { keccak_256 } from '@noble/hashes/sha3.js';
import { newApiKey } from '../../support/api-key.ts';
import type { Answer, Caller } from '../../support/caller.ts';
import { apiKeyParams, uniqueName, userParams } from '../../support/world.ts';
import { erc20Transfer, ethereumTransaction } from '../policies/transactions.ts';
import { newTarget } from '../sign-in/transfer-support.ts';

/** USDC on Base, and the contact of the guide. */
export const USDC = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
export const PAYEE = '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC';
export const STRANGER = `0x${'77'.repeat(20)}`;
const CHAIN = 8453n;
const MILLION = 1_000_000n;

/** An agent in an organization: the guide's, or one without its policies. */
export interface Target {
  readonly root: Caller;
  readonly agent: Caller;
  readonly agentId: string;
  readonly address: string;
  readonly velocityControlId: string;
}

let nonce = 0n;

/** Signs a transfer of USDC on Base, in millionths. */
export function pay({ agent, address }: Target, amount: bigint, to = PAYEE, more: object = {}): Promise<Answer> {
  nonce += 1n;
  const unsignedTransaction = ethereumTransaction({
    chainId: CHAIN,
    nonce,
    to: USDC,
    value: 0n,
    data: erc20Transfer(to, amount),
    ...more,
  });
  return agent.submit('signTransaction', { signWith: address, unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' });
}

const field = (text: string) => ({ type: text.split(' ')[0], name: text.split(' ')[1] });
const fields = (text: string) => text.split(', ').map(field);
const TRANSFER = 'address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce';

/** Typed data under the domain of USDC on Base. */
function typedData(primaryType: string, types: string, message: object, domain: object = {}): string {
  return JSON.stringify({
    types: {
      EIP712Domain: fields('string name, string version, uint256 chainId, address verifyingContract'),
      [primaryType]: fields(types),
    },
    primaryType,
    domain: { name: 'USD Coin', version: '2', chainId: Number(CHAIN), verifyingContract: USDC, ...domain },
    message,
  });
}

function signRaw(
  { agent, address }: Target,
  payload: string,
  encoding: string,
  hashFunction = 'HASH_FUNCTION_NO_OP',
): Promise<Answer> {
  const parameters = { signWith: address, payload, encoding, hashFunction };
  return agent.with({ dialect: 'turnkey' }).submit('signRawPayload', parameters);
}

const signTyped = (target: Target, payload: string) => signRaw(target, payload, 'PAYLOAD_ENCODING_EIP712');

/** Signs an EIP-3009 authorization, as x402 uses it. */
export function authorize(
  target: Target,
  value: bigint,
  to = PAYEE,
  type = 'TransferWithAuthorization',
  domain: object = {},
): Promise<Answer> {
  nonce += 1n;
  const message = {
    from: target.address,
    to,
    value: value.toString(),
    validAfter: '0',
    validBefore: '1800000000',
    nonce: `0x${nonce.toString(16).padStart(64, '0')}`,
  };
  return signTyped(target, typedData(type, TRANSFER, message, domain));
}

const permit = (target: Target, value: bigint, spender: string) =>
  signTyped(
    target,
    typedData('Permit', 'address owner, address spender, uint256 value, uint256 nonce, uint256 deadline', {
      owner: target.address,
      spender,
      value: value.toString(),
      nonce: 0,
      deadline: 1_800_000_000,
    }),
  );

const digest = Buffer.from(keccak_256(Buffer.from('anything'))).toString('hex');

/** A message of personal_sign whose content is a hash: some contracts take it for a transaction. */
function personalHash(target: Target): Promise<Answer> {
  const prefix = Buffer.from('\x19Ethereum Signed Message:\n32').toString('hex');
  return signRaw(target, prefix + digest, 'PAYLOAD_ENCODING_HEXADECIMAL', 'HASH_FUNCTION_KECCAK256');
}

const delegate = (target: Target) =>
  signRaw(
    target,
    JSON.stringify({ address: STRANGER, chainId: Number(CHAIN), nonce: 0 }),
    'PAYLOAD_ENCODING_EIP7702_AUTHORIZATION',
  );

const unlimited = 2n ** 256n - 1n;
const transferFrom = (from: string, to: string) =>
  `0x23b872dd${from.slice(2).padStart(64, '0')}${to.slice(2).padStart(64, '0')}${MILLION.toString(16).padStart(64, '0')}`;

/** What an agent that has turned hostile tries, by the row of docs/threats.md. */
export const attacks: readonly (readonly [title: string, run: (target: Target) => Promise<Answer>])[] = [
  ['D704: a transfer to a stranger', (target) => pay(target, 1n, STRANGER)],
  ['D704: an EIP-3009 authorization to a stranger', (target) => authorize(target, 1n, STRANGER)],
  [
    'D704: an authorization that the receiver submits, to a stranger',
    (target) => authorize(target, 1n, STRANGER, 'ReceiveWithAuthorization'),
  ],
  ['D704: ether instead of the token', (target) => pay(target, 1n, PAYEE, { to: PAYEE, value: 1n, data: '0x' })],
  ['D704: the token on another chain', (target) => pay(target, 1n, PAYEE, { chainId: 1n })],
  [
    'D704: an authorization of a token with the same name',
    (target) => authorize(target, 1n, PAYEE, 'TransferWithAuthorization', { verifyingContract: STRANGER }),
  ],
  [
    'D704: an authorization on another chain',
    (target) => authorize(target, 1n, PAYEE, 'TransferWithAuthorization', { chainId: 1 }),
  ],
  [
    'D704: a transferFrom of the own tokens to a stranger',
    (target) => pay(target, 1n, PAYEE, { data: transferFrom(target.address, STRANGER) }),
  ],
  ['D705: more than the budget at once by an authorization', (target) => authorize(target, 51n * MILLION)],
  ['D705: more than 1 USDC by an authorization', (target) => authorize(target, MILLION + 1n)],
  ['D706: a permit for a stranger', (target) => permit(target, 1n, STRANGER)],
  ['D706: an unlimited permit for a contact', (target) => permit(target, unlimited, PAYEE)],
  ['D706: a small permit for a contact', (target) => permit(target, 1n, PAYEE)],
  [
    'D706: an allowance for a contact',
    (target) => pay(target, 1n, PAYEE, { data: erc20Transfer(PAYEE, 1n).replace('a9059cbb', '095ea7b3') }),
  ],
  [
    'D706: typed data of an unknown kind',
    (target) => signTyped(target, typedData('Order', 'address to, uint256 amount', { to: PAYEE, amount: '1' })),
  ],
  [
    'D706: typed data with the name of an authorization and other fields',
    (target) => signTyped(target, typedData('TransferWithAuthorization', 'address to, uint256 value', { to: PAYEE, value: '1' })),
  ],
  ['D707: a digest', (target) => signRaw(target, digest, 'PAYLOAD_ENCODING_HEXADECIMAL')],
  ['D707: personal_sign of a hash', personalHash],
  [
    'D707: personal_sign of a text',
    (target) => signRaw(target, 'I agree', 'PAYLOAD_ENCODING_TEXT_UTF8', 'HASH_FUNCTION_KECCAK256'),
  ],
  ['D707: an EIP-7702 authorization', delegate],
  [
    'D707: the bytes of a payment as a raw payload',
    (target) =>
      signRaw(
        target,
        ethereumTransaction({ chainId: CHAIN, to: USDC, value: 0n, data: erc20Transfer(STRANGER, 1n) }),
        'PAYLOAD_ENCODING_HEXADECIMAL',
        'HASH_FUNCTION_KECCAK256',
      ),
  ],
  [
    'D708: a new policy',
    ({ agent, agentId }) =>
      agent.submit('createPolicy', {
        policyName: uniqueName('Mine'),
        effect: 'EFFECT_ALLOW',
        consensus: `approvers.any(user, user.id == '${agentId}')`,
        condition: "activity.resource == 'POLICY'",
        notes: '',
      }),
  ],
  [
    'D708: a higher limit',
    ({ agent, velocityControlId }) => agent.submit('updateVelocityControl', { velocityControlId, newThreshold: '5000' }),
  ],
  [
    'D708: another contact',
    ({ agent }) =>
      agent.submit('createContacts', {
        contacts: [{ label: uniqueName('Friend'), address: newAddress(), contactTags: ['agent-payees'] }],
      }),
  ],
  [
    'D708: another API key',
    ({ agent, agentId }) => agent.submit('createApiKeys', { userId: agentId, apiKeys: [apiKeyParams(newApiKey())] }),
  ],
  [
    'D708: a session',
    ({ agent, agentId }) => agent.submit('createReadWriteSession', { targetPublicKey: newTarget().hex, userId: agentId }),
  ],
  ['D708: another user', ({ agent }) => agent.submit('createUsers', { users: [userParams(newApiKey())] })],
  ['D708: another wallet', ({ agent }) => agent.submit('createWallet', { walletName: uniqueName('Mine'), accounts: [] })],
];

const newAddress = () =>
  `0x${Buffer.from(keccak_256(Buffer.from(uniqueName('address'))))
    .toString('hex')
    .slice(24)}`;
