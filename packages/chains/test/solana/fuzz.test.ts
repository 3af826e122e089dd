import { test } from 'vitest';
import { fuzz } from './fuzz.ts';

test('D38, D39, D41: mutated and random input is refused cleanly or encodes to itself', () => {
  fuzz(200, 20_260_101);
});
