import { describe, expect, test } from 'vitest';
import { changedParameter } from '../src/index.ts';

describe('completed transactions', () => {
  const submitted = { from: '0xAA', caip2: 'eip155:1', to: '0xBB' };
  const completed = { ...submitted, value: '0', data: '0x', nonce: '7', gasLimit: '21000', maxFeePerGas: '9' };

  test('what the service fills in changes nothing', () => {
    expect(changedParameter(submitted, completed)).toBeUndefined();
    expect(changedParameter({ ...submitted, data: 'AB' }, { ...completed, data: '0xab' })).toBeUndefined();
    expect(changedParameter({ ...submitted, maxFeePerGas: '8' }, completed)).toBe('maxFeePerGas');
  });

  test('D755: an amount or data that the caller did not give are a change', () => {
    expect(changedParameter(submitted, { ...completed, value: '1' })).toBe('value');
    expect(changedParameter({ ...submitted, value: undefined }, { ...completed, value: '1' })).toBe('value');
    expect(changedParameter(submitted, { ...completed, data: '0xa9059cbb' })).toBe('data');
  });
});
