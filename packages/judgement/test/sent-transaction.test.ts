import { describe, expect, test } from 'vitest';
import { changedParameter } from '../src/index.ts';

describe('completed transactions', () => {
  const submitted = { from: '0xAA', caip2: 'eip155:1', to: '0xBB' };
  const completed = { ...submitted, value: '0', data: '0x', nonce: '7', gasLimit: '21000', maxFeePerGas: '9' };

  test('what the service fills in changes nothing', () => {
    expect(changedParameter('ethSendTransaction', submitted, completed)).toBeUndefined();
    expect(changedParameter('ethSendTransaction', { ...submitted, data: 'AB' }, { ...completed, data: '0xab' })).toBeUndefined();
    expect(changedParameter('ethSendTransaction', { ...submitted, maxFeePerGas: '8' }, completed)).toBe('maxFeePerGas');
  });

  test('D755: an amount or data that the caller did not give are a change', () => {
    expect(changedParameter('ethSendTransaction', submitted, { ...completed, value: '1' })).toBe('value');
    expect(changedParameter('ethSendTransaction', { ...submitted, value: undefined }, { ...completed, value: '1' })).toBe(
      'value',
    );
    expect(changedParameter('ethSendTransaction', submitted, { ...completed, data: '0xa9059cbb' })).toBe('data');
  });

  test('D755: letters of another case are a change, unless they are hexadecimal digits', () => {
    const solana = { signWith: 'aa', caip2: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp', unsignedTransaction: 'AQABAgME' };
    const changed = (unsignedTransaction: string) =>
      changedParameter('solSendTransaction', solana, { ...solana, unsignedTransaction });
    expect(changed('AQABAgME')).toBeUndefined();
    expect(changed('AQABAGME')).toBe('unsignedTransaction');
  });

  test('D911: a sponsor that the caller did not ask for, or did, is a change', () => {
    const changed = (submitted_: object, after: object) => changedParameter('ethSendTransaction', submitted_, after);
    const asked = { ...submitted, sponsor: true };
    expect(changed(asked, { ...completed, sponsor: true })).toBeUndefined();
    expect(changed({ ...submitted, sponsor: false }, completed)).toBeUndefined();
    expect(changed(asked, completed)).toBe('sponsor');
    expect(changed(submitted, { ...completed, sponsor: true })).toBe('sponsor');
  });

  test('D904: a replacement that cancels pays nobody, and one that speeds up keeps what the caller gave', () => {
    const request = { from: '0xAA', caip2: 'eip155:1', sendTransactionStatusId: 'i', replacement: 'CANCEL' };
    const done = { ...request, to: '0xaa', value: '0', data: '0x', nonce: '7', gasLimit: '21000', maxFeePerGas: '9' };
    const changed = (submitted: object, after: object) => changedParameter('ethReplaceTransaction', submitted, after);
    expect(changed(request, done)).toBeUndefined();
    expect(changed(request, { ...done, to: '0xbb' })).toBe('to');
    expect(changed(request, { ...done, value: '1' })).toBe('value');
    expect(changed(request, { ...done, data: '0xab' })).toBe('data');
    const faster = { ...request, replacement: 'SPEED_UP', maxFeePerGas: '9' };
    expect(changed(faster, { ...done, ...faster, to: '0xbb', value: '5' })).toBeUndefined();
    expect(changed(faster, { ...done, ...faster, maxFeePerGas: '10' })).toBe('maxFeePerGas');
    expect(changed(faster, { ...done, ...faster, sendTransactionStatusId: 'j' })).toBe('sendTransactionStatusId');
  });
});
