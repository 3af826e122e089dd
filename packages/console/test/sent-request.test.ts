import type { ListedActivity } from '@countersign/client';
import { describe, expect, test } from 'vitest';
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
