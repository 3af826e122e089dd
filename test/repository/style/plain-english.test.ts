import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readComments } from './odd-phrases.ts';
import { root, sourceFiles, sourceFolders } from './source-files.ts';

const PER_THOUSAND_WORDS = 1;

describe.each(sourceFolders())('comments of %s', (folder) => {
  test('have at most 1 odd phrase per 1,000 words', () => {
    const counts = sourceFiles(folder, /\.(ts|tsx|c|h|mjs)$/).map((file) => ({
      file,
      ...readComments(readFileSync(join(root, file), 'utf8')),
    }));
    const words = counts.reduce((sum, count) => sum + count.words, 0);
    const found = counts.flatMap(({ file, phrases }) =>
      phrases.map(({ line, phrase, text }) => `${file}:${line} “${phrase}” in ${text}`),
    );
    const allowed = Math.floor((words * PER_THOUSAND_WORDS) / 1_000);
    expect(found.length, `${words} words\n${found.join('\n')}`).toBeLessThanOrEqual(allowed);
  });
});

describe('readComments', () => {
  test('counts words of comment lines only', () => {
    expect(readComments("const somebody = 1;\n// two words\n/** Three. */\n * four\nconst x = 'nobody'; // nobody\n").words).toBe(
      9,
    );
  });

  test('finds each phrase with its line', () => {
    const { phrases } = readComments('let x;\n  // Whoever waits, waits in vain.\n');
    expect(phrases.map(({ line, phrase }) => [line, phrase])).toEqual([
      [2, 'Whoever'],
      [2, 'in vain'],
    ]);
  });

  test('accepts plain sentences', () => {
    expect(readComments('// Retries the commit at most 3 times, then returns the conflict.').phrases).toEqual([]);
  });
});
