import { test } from 'vitest';
import { fuzzTron } from './fuzz.ts';

test('D46: mutated and random input is refused cleanly or encodes to itself', () => {
  fuzzTron(200, 20_260_102);
});
