import type { ListedActivity } from '@countersign/client';
import { transactionToSend } from '@countersign/judgement';
import { base58 } from '@scure/base';
import { describe, expect, test } from 'vitest';
import { RECEIVER as SOL_RECEIVER, transfer } from '../../../test/features/sending/solana-support.ts';
import { RECEIVER as TRON_RECEIVER, transferTrx } from '../../../test/features/sending/tron-support.ts';
import { leavesFee } from '../src/review/leaves-fee.ts';
import { readSigning } from '../src/review/read-request.ts';
import { signedRequest } from '../src/review/sent-request.ts';

const from = '0x7e5f4552091a69125d5dfcb7b8c2659029395bdf';
const to = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const signer = {
  curve: 'CURVE_SECP256K1',
  publicKey: '0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798',
  addressFormat: 'ADDRESS_FORMAT_ETHEREUM',
} as const;
const stated = { from, caip2: 'eip155:1', to, value: '1000000000000000000' };
const fees = { nonce: '7', gasLimit: '21000', maxFeePerGas: '2000000000', maxPriorityFeePerGas: '1000000000' };

const request = (parameters: object, type = 'ACTIVITY_TYPE_ETH_SEND_TRANSACTION') => ({
  ...{ type, organizationId: 'o' },
  parameters: parameters as Readonly<Record<string, unknown>>,
});
const reported = (parameters: object) => ({ intent: { ethSendTransactionIntent: parameters } }) as unknown as ListedActivity;

function sentence(parameters: object, intent: object, type?: string): string | undefined {
  const signed = signedRequest(request(parameters, type), reported(intent));
  return signed && readSigning(signed, signer, { contacts: [], tokens: [], interfaces: [] })?.sentence;
}

describe('a request that sends a transaction', () => {
  test('is read as the transaction that it states', () => {
    const whole = { ...stated, ...fees };
    expect(sentence(whole, whole)).toContain(`send 1 ETH to ${to} on Ethereum, network fee at most 0.000042 ETH`);
    expect(leavesFee(request(whole))).toBe(false);
  });

  test('on Bitcoin is read as the PSBT that it states, with its fee', () => {
    const stated = { signWith: 'bc1q', caip2: 'bip122:000000000019d6689c085ae165831e93', unsignedTransaction: '70736274ff' };
    const sending = request(stated, 'ACTIVITY_TYPE_BITCOIN_SEND_TRANSACTION');
    const other = reported({ ...stated, unsignedTransaction: '00', signWith: 'other' });
    const { signWith, unsignedTransaction } = stated;
    expect(signedRequest(sending, other)?.parameters).toEqual({
      signWith,
      unsignedTransaction,
      type: 'TRANSACTION_TYPE_BITCOIN',
    });
    expect(leavesFee(sending)).toBe(false);
  });

  test.each(['ACTIVITY_TYPE_ETH_UNDELEGATE_7702', 'ACTIVITY_TYPE_ETH_UNDELEGATE7702'])(
    'that removes a delegation is read as the bytes that the service signs: %s',
    (type) => {
      const whole = { from, caip2: 'eip155:1', ...fees };
      const built = transactionToSend('ethUndelegate7702', whole);
      expect(signedRequest(request({ from, caip2: 'eip155:1' }, type), reported(fees))?.parameters).toEqual(built);
      expect(sentence(whole, {}, type)).toMatch(/: it obeys no code any more on Ethereum, network fee at most 0\.000042 ETH$/);
      expect(leavesFee(request({ from, caip2: 'eip155:1' }, type))).toBe(true);
      expect(leavesFee(request(whole, type))).toBe(false);
    },
  );

  test('D960: a delegation is removed from the stamped account, on the stamped chain', () => {
    const type = 'ACTIVITY_TYPE_ETH_UNDELEGATE_7702';
    const altered = { ...fees, from: `0x${'99'.repeat(20)}`, caip2: 'eip155:137' };
    const own = { from, caip2: 'eip155:1' };
    expect(signedRequest(request(own, type), reported(altered))).toEqual(signedRequest(request(own, type), reported(fees)));
    expect(sentence(own, { ...fees, maxPriorityFeePerGas: undefined }, type)).toBeUndefined();
  });

  test('D960: the receiver, the amount and the data are the stamped ones, whatever the service reports', () => {
    const stranger = `0x${'99'.repeat(20)}`;
    const altered = { ...stated, ...fees, to: stranger, value: '9', data: '0xa9059cbb', caip2: 'eip155:137', from: stranger };
    expect(sentence(stated, altered)).toContain(`send 1 ETH to ${to} on Ethereum, network fee at most 0.000042 ETH`);
  });

  test('D960: a stamped fee is the one that is shown', () => {
    const altered = { ...stated, ...fees, maxFeePerGas: '1', gasLimit: '1' };
    expect(sentence({ ...stated, ...fees }, altered)).toContain('network fee at most 0.000042 ETH');
  });

  test('with a fee that the service sets is marked', () => {
    expect(leavesFee(request(stated))).toBe(true);
    expect(leavesFee(request({ ...stated, gasLimit: '21000' }))).toBe(true);
  });

  test('of the second version is read by its only call, and not with several', () => {
    const { value, to: receiver, ...common } = { ...stated, ...fees };
    const type = 'ACTIVITY_TYPE_ETH_SEND_TRANSACTION_V2';
    const call = { to: receiver, value };
    expect(sentence({ ...common, calls: [call] }, fees, type)).toContain('send 1 ETH');
    expect(sentence({ ...common, calls: [call, call] }, fees, type)).toBeUndefined();
  });

  test.each([
    ['no fee', { ...fees, maxFeePerGas: undefined }],
    ['a fee that is no number', { ...fees, maxFeePerGas: '0x10' }],
  ])('is unread with %s', (_, intent) => {
    expect(sentence(stated, intent)).toBeUndefined();
  });
});

describe('a request that replaces a transaction', () => {
  const type = 'ACTIVITY_TYPE_ETH_REPLACE_TRANSACTION';
  const named = { from, caip2: 'eip155:1', sendTransactionStatusId: 's' };
  const read = (parameters: object, intent: object, replaced?: object) => {
    const signed = signedRequest(request(parameters, type), reported(intent), replaced as Readonly<Record<string, unknown>>);
    return signed && readSigning(signed, signer, { contacts: [], tokens: [], interfaces: [] })?.sentence;
  };
  const stranger = `0x${'99'.repeat(20)}`;

  test('D976: a cancellation pays the account itself nothing, whatever the service reports', () => {
    const shown = read({ ...named, replacement: 'CANCEL' }, { ...fees, to: stranger, value: '5', data: '0xa9059cbb' });
    expect(shown).toContain('send 0 ETH to 0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf on Ethereum');
    expect(leavesFee(request({ ...named, replacement: 'CANCEL', maxFeePerGas: '1' }, type))).toBe(true);
  });

  test('D976: what is sped up is what was replaced, not what the service reports', () => {
    const intent = { ...fees, to: stranger, value: '5', data: '0xa9059cbb' };
    const replaced = { to, value: '1000000000000000000', maxFeePerGas: '1', gasLimit: '30000' };
    const speedUp = { ...named, replacement: 'SPEED_UP', maxFeePerGas: '3000000000' };
    expect(read(speedUp, intent, replaced)).toContain(`send 1 ETH to ${to} on Ethereum, network fee at most 0.00009 ETH`);
    expect(read(speedUp, intent)).toBeUndefined();
    expect(leavesFee(request(speedUp, type), { leavesGasLimit: false })).toBe(false);
    expect(leavesFee(request(speedUp, type), { leavesGasLimit: true })).toBe(true);
  });

  test('is unread if it does neither', () => {
    expect(read({ ...named, replacement: 'OTHER' }, fees, stated)).toBeUndefined();
  });
});

describe('a request that sends on Solana', () => {
  const payer = '4zvwRjXUKGfvwnParsHAS3HuSVzV5cA4McphgmoCtajS';
  const key = {
    curve: 'CURVE_ED25519',
    publicKey: Buffer.from(base58.decode(payer)).toString('hex'),
    addressFormat: 'ADDRESS_FORMAT_SOLANA',
  } as const;
  const type = 'ACTIVITY_TYPE_SOL_SEND_TRANSACTION';
  const own = { signWith: payer, caip2: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', unsignedTransaction: transfer(payer, 5n) };
  const blockhash = base58.encode(new Uint8Array(32).fill(9));
  const signedAs = (parameters: object, intent: object, of = type) =>
    signedRequest(request(parameters, of), reported(intent))?.parameters;
  const read = (parameters: object, intent: object, of = type) => {
    const signed = signedRequest(request(parameters, of), reported(intent));
    return signed && readSigning(signed, key, { contacts: [], tokens: [], interfaces: [] })?.sentence;
  };

  test('is read as the transaction that it states, with one key or a list of one', () => {
    expect(read(own, { recentBlockhash: blockhash })).toContain(`send 0.000000005 SOL to ${SOL_RECEIVER} on Solana`);
    expect(leavesFee(request(own, type))).toBe(false);
    const { signWith, ...rest } = own;
    const listed = signedAs({ ...rest, signWiths: [signWith] }, { recentBlockhash: blockhash }, `${type}_V2`);
    expect(listed).toMatchObject({ signWith: payer });
  });

  test('D977: the service fills in a blockhash, and nothing else', () => {
    const altered = { recentBlockhash: blockhash, unsignedTransaction: transfer(payer, 9_000_000_000n) };
    expect(read(own, altered)).toContain('send 0.000000005 SOL');
    const stampedHash = base58.encode(new Uint8Array(32).fill(8));
    const signed = signedAs({ ...own, recentBlockhash: stampedHash }, altered);
    expect(signed?.unsignedTransaction).toBe(transfer(payer, 5n, { blockhash: stampedHash }));
    expect(read(own, {})).toBeUndefined();
  });

  test('D977: a transaction with another blockhash than the stamped one is unreadable', () => {
    const unsignedTransaction = transfer(payer, 5n, { blockhash });
    const recentBlockhash = base58.encode(new Uint8Array(32).fill(8));
    expect(() => read({ ...own, unsignedTransaction, recentBlockhash }, {})).toThrow('it has the blockhash');
    expect(read({ ...own, unsignedTransaction }, { recentBlockhash })).toContain('send 0.000000005 SOL');
  });
});

describe('a request that sends on Tron', () => {
  const payer = 'TMVQGm1qAQYVdetCeGRRkTWYYrLXuHK2HC';
  const key = { ...signer, addressFormat: 'ADDRESS_FORMAT_TRON' } as const;
  const type = 'ACTIVITY_TYPE_TRON_SEND_TRANSACTION';
  const own = { signWith: payer, caip2: 'tron:0x2b6653dc', unsignedTransaction: transferTrx(payer, 5n) };
  const reference = { refBlockBytes: '1234', refBlockHash: '0123456789abcdef', expiration: '1700000300000' };
  const signedAs = (parameters: object, intent: object) => signedRequest(request(parameters, type), reported(intent))?.parameters;
  const read = (parameters: object, intent: object) => {
    const signed = signedRequest(request(parameters, type), reported(intent));
    return signed && readSigning(signed, key, { contacts: [], tokens: [], interfaces: [] })?.sentence;
  };

  test('D977: is read as the transaction that it states. The service fills in a reference, and nothing else', () => {
    const altered = { ...reference, unsignedTransaction: transferTrx(payer, 9_000_000n) };
    expect(read(own, altered)).toContain(`send 0.000005 TRX to ${TRON_RECEIVER} on Tron`);
    expect(leavesFee(request(own, type))).toBe(false);
    const given = { block: '4321', hash: 'fedcba9876543210', expiration: 1_700_000_000_001n };
    const unsignedTransaction = transferTrx(payer, 5n, given);
    expect(signedAs({ ...own, unsignedTransaction }, altered)?.unsignedTransaction).toBe(unsignedTransaction);
  });

  test.each([
    ['none', {}],
    ['an expiration that is no number', { ...reference, expiration: '0x1' }],
    ['a block that is no hexadecimal', { ...reference, refBlockHash: 'zz' }],
  ])('is unread with a reported reference of %s', (_, intent) => {
    expect(read(own, intent)).toBeUndefined();
  });
});
