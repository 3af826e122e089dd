import { test } from 'vitest';
import { fuzzEthereum } from './fuzz.ts';

test('D35, D40, D41: mutated and random input is refused cleanly or encodes to itself', () => {
  fuzzEthereum(200, 20_240_229);
});
