import { test } from 'vitest';
import { fuzzBitcoin } from './fuzz.ts';

test('D65: mutated and random PSBTs are refused cleanly or signed for exactly what they say', () => {
  fuzzBitcoin(150, 20_260_103);
});
