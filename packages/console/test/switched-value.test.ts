import { parseHashSwitch } from '@countersign/judgement';
import { describe, expect, test } from 'vitest';
import { isOn, switchedValue } from '../src/pages/switched-value.ts';

const name = 'FEATURE_NAME_NO_BLIND_HASHES';
const [a, b] = ['a', 'b'].map(
  (digit) => `${digit.repeat(8)}-${digit.repeat(4)}-4${digit.repeat(3)}-8${digit.repeat(3)}-${digit.repeat(12)}`,
);

describe('the switch of a feature', () => {
  test('turns a feature without a value on and off', () => {
    expect(switchedValue('FEATURE_NAME_SMS_AUTH', undefined)).toBe('');
    expect(switchedValue('FEATURE_NAME_SMS_AUTH', { name: 'FEATURE_NAME_SMS_AUTH' })).toBeUndefined();
    expect(
      switchedValue('FEATURE_NAME_WEBHOOK', { name: 'FEATURE_NAME_WEBHOOK', value: 'https://x.test:8443/,y' }),
    ).toBeUndefined();
    expect(switchedValue(name, undefined)).toBe('');
    for (const value of [undefined, '', 'covered', 'all']) expect(switchedValue(name, { name, value })).toBeUndefined();
    expect(switchedValue(name, { name, value: 'none' })).toBe('');
  });

  test.each([
    [`covered,off:${a}`, true, `none,off:${a}`],
    [`off:${a},on:${b}`, true, `none,off:${a},on:${b}`],
    [`all, off:${a}`, true, `none,off:${a}`],
    [`none,on:${b}`, false, `covered,on:${b}`],
  ])('D472: keeps the exceptions of %s', (value, on, after) => {
    expect(isOn({ name, value })).toBe(on);
    expect(switchedValue(name, { name, value })).toBe(after);
    expect(parseHashSwitch(after)?.exceptions).toEqual(parseHashSwitch(value)?.exceptions);
  });
});
