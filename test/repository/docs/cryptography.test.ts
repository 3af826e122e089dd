import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (file: string) => readFileSync(new URL(`../../../${file}`, import.meta.url), 'utf8');

test('the page on cryptography names the installed versions of libraries', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, { version?: string }> };
  const named = [...read('docs/cryptography.md').matchAll(/`([^`\s]+)` (\d+\.\d+\.\d+)/g)];
  expect(named.length).toBeGreaterThan(8);
  for (const [, name, version] of named) expect([name, packages[`node_modules/${name}`]?.version]).toEqual([name, version]);
});
