import { test } from 'vitest';
import { fuzz } from './fuzz.ts';

test('D35, D40, D41: mutated and random input is refused cleanly or encodes to itself', () => {
  fuzz(200, 20_240_229);
});
