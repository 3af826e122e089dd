import { bytesOf, type HostileSignature, payload } from './placeholders.ts';

const self = `0x${bytesOf('self', 20)}`;
const to = `0x${bytesOf('to', 20)}`;
const token = `0x${bytesOf('token', 20)}`;
const MAX = (2n ** 256n - 1n).toString();
const MAX_160 = (2n ** 160n - 1n).toString();
const LATE = 4_000_000_000;
const permit2 = '0x000000000022D473030F116dDEE9F6B43aC78BA3';

type Field = readonly [name: string, type: string];
const fields = (list: readonly Field[]) => list.map(([name, type]) => ({ name, type }));
const domainFields: readonly Field[] = [
  ['name', 'string'],
  ['chainId', 'uint256'],
  ['verifyingContract', 'address'],
];

function typed(
  id: string,
  harm: string,
  types: Readonly<Record<string, readonly Field[]>>,
  domain: { readonly name: string; readonly verifyingContract: string },
  message: object,
): HostileSignature {
  const own = Object.fromEntries(Object.entries(types).map(([name, list]) => [name, fields(list)]));
  const text = JSON.stringify({
    types: { EIP712Domain: fields(domainFields), ...own },
    primaryType: Object.keys(types)[0],
    domain: { name: domain.name, chainId: 1, verifyingContract: domain.verifyingContract },
    message,
  });
  return payload({ id: `ethereum/${id}`, harm, chain: 'ethereum' }, text, 'EIP712');
}

/** Hostile messages of Ethereum, in the types of their standards, and payloads that no policy can read. */
export const messages: readonly HostileSignature[] = [
  typed(
    'permit',
    'permit',
    {
      Permit: [
        ['owner', 'address'],
        ['spender', 'address'],
        ['value', 'uint256'],
        ['nonce', 'uint256'],
        ['deadline', 'uint256'],
      ],
    },
    { name: 'USD Coin', verifyingContract: token },
    { owner: self, spender: to, value: MAX, nonce: 0, deadline: LATE },
  ),
  typed(
    'permit-small',
    'small-allowance',
    {
      Permit: [
        ['owner', 'address'],
        ['spender', 'address'],
        ['value', 'uint256'],
        ['nonce', 'uint256'],
        ['deadline', 'uint256'],
      ],
    },
    { name: 'USD Coin', verifyingContract: token },
    { owner: self, spender: to, value: 1_000_000, nonce: 0, deadline: LATE },
  ),
  typed(
    'permit-dai',
    'permit',
    {
      Permit: [
        ['holder', 'address'],
        ['spender', 'address'],
        ['nonce', 'uint256'],
        ['expiry', 'uint256'],
        ['allowed', 'bool'],
      ],
    },
    { name: 'Dai Stablecoin', verifyingContract: '0x6B175474E89094C44Da98b954EedeAC495271d0F' },
    { holder: self, spender: to, nonce: 0, expiry: 0, allowed: true },
  ),
  typed(
    'permit2-single',
    'permit',
    {
      PermitSingle: [
        ['details', 'PermitDetails'],
        ['spender', 'address'],
        ['sigDeadline', 'uint256'],
      ],
      PermitDetails: [
        ['token', 'address'],
        ['amount', 'uint160'],
        ['expiration', 'uint48'],
        ['nonce', 'uint48'],
      ],
    },
    { name: 'Permit2', verifyingContract: permit2 },
    { details: { token, amount: MAX_160, expiration: LATE, nonce: 0 }, spender: to, sigDeadline: LATE },
  ),
  typed(
    'permit2-small',
    'small-allowance',
    {
      PermitSingle: [
        ['details', 'PermitDetails'],
        ['spender', 'address'],
        ['sigDeadline', 'uint256'],
      ],
      PermitDetails: [
        ['token', 'address'],
        ['amount', 'uint160'],
        ['expiration', 'uint48'],
        ['nonce', 'uint48'],
      ],
    },
    { name: 'Permit2', verifyingContract: permit2 },
    { details: { token, amount: 1_000_000, expiration: LATE, nonce: 0 }, spender: to, sigDeadline: LATE },
  ),
  typed(
    'permit2-transfer',
    'permit',
    {
      PermitTransferFrom: [
        ['permitted', 'TokenPermissions'],
        ['spender', 'address'],
        ['nonce', 'uint256'],
        ['deadline', 'uint256'],
      ],
      TokenPermissions: [
        ['token', 'address'],
        ['amount', 'uint256'],
      ],
    },
    { name: 'Permit2', verifyingContract: permit2 },
    { permitted: { token, amount: MAX }, spender: to, nonce: 0, deadline: LATE },
  ),
  typed(
    'safe-message',
    'safe',
    {
      SafeTx: [
        ['to', 'address'],
        ['value', 'uint256'],
        ['data', 'bytes'],
        ['operation', 'uint8'],
        ['safeTxGas', 'uint256'],
        ['baseGas', 'uint256'],
        ['gasPrice', 'uint256'],
        ['gasToken', 'address'],
        ['refundReceiver', 'address'],
        ['nonce', 'uint256'],
      ],
    },
    { name: 'Safe', verifyingContract: token },
    {
      to,
      value: 0,
      data: '0xdeadbeef',
      operation: 1,
      safeTxGas: 0,
      baseGas: 0,
      gasPrice: 0,
      gasToken: `0x${'0'.repeat(40)}`,
      refundReceiver: `0x${'0'.repeat(40)}`,
      nonce: 0,
    },
  ),
  typed(
    'unknown-message',
    'message',
    {
      Order: [
        ['maker', 'address'],
        ['taker', 'address'],
        ['amount', 'uint256'],
      ],
    },
    { name: 'Exchange', verifyingContract: to },
    { maker: self, taker: to, amount: MAX },
  ),
  payload(
    { id: 'ethereum/delegation-message', harm: 'authority', chain: 'ethereum' },
    JSON.stringify({ chainId: 0, address: to, nonce: 7 }),
    'EIP7702_AUTHORIZATION',
  ),
  payload({ id: 'any/digest', harm: 'raw', chain: 'ethereum' }, '5a'.repeat(32), 'HEXADECIMAL'),
  payload({ id: 'any/text', harm: 'raw', chain: 'ethereum' }, 'I agree', 'TEXT_UTF8', 'HASH_FUNCTION_KECCAK256'),
  payload({ id: 'any/hashed', harm: 'raw', chain: 'ethereum' }, '5a'.repeat(32), 'HEXADECIMAL', 'HASH_FUNCTION_SHA256'),
  payload({ id: 'any/bytes', harm: 'raw', chain: 'solana' }, '5a'.repeat(32), 'HEXADECIMAL', 'HASH_FUNCTION_NOT_APPLICABLE'),
  {
    id: 'any/digests',
    harm: 'raw',
    chain: 'ethereum',
    type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOADS',
    parameters: {
      signWith: '<account>',
      payloads: ['5a'.repeat(32), '5b'.repeat(32)],
      encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
      hashFunction: 'HASH_FUNCTION_NO_OP',
    },
  },
  {
    id: 'any/digest-first-version',
    harm: 'raw',
    chain: 'ethereum',
    type: 'ACTIVITY_TYPE_SIGN_RAW_PAYLOAD',
    parameters: {
      privateKeyId: '<key>',
      payload: '5a'.repeat(32),
      encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
      hashFunction: 'HASH_FUNCTION_NO_OP',
    },
  },
];
