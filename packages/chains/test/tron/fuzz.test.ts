import { test } from 'vitest';
import { fuzz } from './fuzz.ts';

test('D46: mutated and random input is refused cleanly or encodes to itself', () => {
  fuzz(200, 20_260_102);
});
