import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { corpusModule } from '../../../../scripts/hostile/corpus-module.ts';

test('the module contains the files of conformance/policies; `npm run hostile` writes it', () => {
  const written = readFileSync(new URL('../../src/worst-case/corpus.ts', import.meta.url), 'utf8');
  expect(written).toBe(corpusModule());
});
