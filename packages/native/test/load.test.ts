import { expect, test } from 'vitest';
import { loadAddon, loadSystemSigner } from '../src/index.ts';

test('the environment disables the addon, with a reason', () => {
  expect(loadAddon({ COUNTERSIGN_NATIVE: 'off' })).toEqual({ absence: 'COUNTERSIGN_NATIVE=off' });
});

test('D153: any value except on and off disables the addon and loads no file', () => {
  for (const value of ['', 'yes', '../../x', 'Release', '__proto__']) {
    expect(loadAddon({ COUNTERSIGN_NATIVE: value })).toEqual({ absence: expect.stringContaining('takes on and off') });
    expect(loadSystemSigner({ COUNTERSIGN_NATIVE: value })).toBeUndefined();
  }
});

test('loads the addon by default if it was built', () => {
  const { addon, absence } = loadAddon({});
  if (addon === undefined) expect(absence).toBe('it was not built');
  else expect(Object.keys(addon)).toEqual(['secp256k1Checker', 'p256Verifier', 'sha256', 'keccak256', 'hmacSha256Each']);
});
