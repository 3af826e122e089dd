import { test } from 'vitest';
import { fuzz } from './fuzz.ts';

test('D65: mutated and random PSBTs are refused cleanly or signed for exactly what they say', () => {
  fuzz(150, 20_260_103);
});
