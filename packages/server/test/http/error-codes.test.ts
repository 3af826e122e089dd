import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ErrorCode, errorCodes } from '@countersign/contract';
import { describe, expect, test } from 'vitest';

const packages = new URL('../../../', import.meta.url).pathname;

function sources(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    if (entry.isDirectory()) return ['node_modules', 'dist', 'test'].includes(entry.name) ? [] : sources(path);
    return entry.name.endsWith('.ts') ? [path] : [];
  });
}

const table = join(packages, 'contract/src/errors.ts');

/** All sources of the service except for the table itself. */
const code = sources(packages)
  .filter((path) => path.includes('/src/') && path !== table)
  .map((path) => readFileSync(path, 'utf8'))
  .join('\n');

describe('the table of errors', () => {
  test.each(Object.keys(errorCodes) as ErrorCode[])('%s is raised somewhere', (name) => {
    expect(code).toMatch(
      new RegExp(`(?:(?:Error|Refusal|CallerRefused|failureOf)\\(\\s*|code: |code: ErrorCode = [^;]*)'${name}'`),
    );
  });

  test('every code has a status and a number known to clients', () => {
    for (const [name, { status, grpc, title }] of Object.entries(errorCodes)) {
      expect(status, name).toBeGreaterThanOrEqual(400);
      expect(status, name).toBeLessThan(600);
      expect(grpc, name).toBeGreaterThan(0);
      expect(grpc, name).toBeLessThan(17);
      expect(title, name).not.toMatch(/\.$/);
    }
  });
});
