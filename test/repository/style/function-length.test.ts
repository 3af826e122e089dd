import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { functionLengths } from './function-length.ts';
import { root, sourceFiles, sourceFolders } from './source-files.ts';

const SHORT = /^packages\/server\/src\/(pipeline|http)\//;

const lengths = sourceFolders()
  .flatMap((folder) => sourceFiles(folder, /\.tsx?$/))
  .flatMap((file) =>
    functionLengths(readFileSync(join(root, file), 'utf8'), file.endsWith('x') ? 'tsx' : 'ts').map((found) => ({
      file,
      ...found,
    })),
  );

test('functions have at most 80 lines in pipeline and http, at most 120 elsewhere', () => {
  const long = lengths.filter(({ file, lines }) => lines > (SHORT.test(file) ? 80 : 120));
  expect(long.map(({ file, line, name, lines }) => `${file}:${line} ${name}: ${lines} lines`)).toEqual([]);
  expect(lengths.length).toBeGreaterThan(5_000);
});

describe('functionLengths', () => {
  test('measures declarations, methods, closures and arrow functions', () => {
    const source = 'function outer() {\n  const inner = () => {\n    return 1;\n  };\n  return { method() {} };\n}\n';
    expect(functionLengths(source)).toEqual([
      { name: 'outer', line: 1, lines: 6 },
      { name: 'inner', line: 2, lines: 3 },
      { name: 'method', line: 5, lines: 1 },
    ]);
  });

  test('reads TypeScript and JSX', () => {
    expect(functionLengths('export const f = <T,>(x: T): T =>\n  x;')).toEqual([{ name: 'f', line: 1, lines: 2 }]);
    expect(functionLengths('const V = () => <p>\n</p>;', 'tsx')).toEqual([{ name: 'V', line: 1, lines: 2 }]);
  });
});
