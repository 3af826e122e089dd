import { test } from 'vitest';
import { fuzzBitcoin } from './fuzz.ts';

test('D47: mutated and random PSBTs are refused cleanly or signed for exactly what they say', () => {
  fuzzBitcoin(150, 20_260_103);
});
