import { expect, test } from 'vitest';
import { loadAddon } from '../src/index.ts';

test('the environment turns the addon off, and says so', () => {
  expect(loadAddon({ COUNTERSIGN_NATIVE: 'off' })).toEqual({ absence: 'COUNTERSIGN_NATIVE=off' });
});

test('D153: a value that is neither on nor off turns it off too, and loads no file', () => {
  for (const value of ['', 'yes', '../../x', 'Release', '__proto__']) {
    expect(loadAddon({ COUNTERSIGN_NATIVE: value })).toEqual({ absence: expect.stringContaining('takes on and off') });
  }
});

test('without the variable the addon loads where it was built', () => {
  const { addon, absence } = loadAddon({});
  if (addon === undefined) expect(absence).toBe('it was not built');
  else
    expect(Object.keys(addon)).toEqual([
      'secp256k1Randomize',
      'secp256k1Sign',
      'secp256k1Checker',
      'p256Verifier',
      'sha256',
      'hmacSha256Each',
    ]);
});
