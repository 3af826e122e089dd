import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { weakKeysModule } from '../../../../../scripts/weak-keys/weak-keys-module.ts';

test('D284: the generator reproduces the table of weak keys', () => {
  const table = readFileSync(new URL('../../../src/auth/api-key/weak-keys-table.ts', import.meta.url), 'utf8');
  expect(weakKeysModule() === table).toBe(true);
}, 600_000);
