import { describe, expect, test } from 'vitest';
import { commonPrefix, expandValue, kebabCase, shortValue } from '../src/naming.ts';

const encodings = ['PAYLOAD_ENCODING_HEXADECIMAL', 'PAYLOAD_ENCODING_TEXT_UTF8'];

test.each([
  ['signRawPayload', 'sign-raw-payload'],
  ['whoami', 'whoami'],
  ['disableSmsAuth', 'disable-sms-auth'],
])('kebabCase: %s is %s', (name, expected) => {
  expect(kebabCase(name)).toBe(expected);
});

describe('commonPrefix', () => {
  test.each([
    [encodings, 'PAYLOAD_ENCODING_'],
    [['HASH_FUNCTION_NO_OP', 'HASH_FUNCTION_NOT_APPLICABLE'], 'HASH_FUNCTION_'],
    [['PATH_FORMAT_BIP32'], 'PATH_FORMAT_'],
    [['NAME', 'USERNAME', 'PUBLIC_KEY'], ''],
    [[], ''],
  ])('%j has the prefix %j', (values, prefix) => {
    expect(commonPrefix(values)).toBe(prefix);
  });
});

describe('expandValue', () => {
  test.each(['hexadecimal', 'HEXADECIMAL', 'payload-encoding-hexadecimal', 'PAYLOAD_ENCODING_HEXADECIMAL'])('%s', (given) => {
    expect(expandValue(given, encodings)).toBe('PAYLOAD_ENCODING_HEXADECIMAL');
  });

  test('every short spelling expands to its value', () => {
    for (const value of encodings) expect(expandValue(shortValue(value, commonPrefix(encodings)), encodings)).toBe(value);
  });

  test.each(['', 'hex', 'UTF8', 'ENCODING_TEXT_UTF8'])('%j has no match', (given) => {
    expect(expandValue(given, encodings)).toBeUndefined();
  });
});
