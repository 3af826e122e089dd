import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Writes 2 MB of lines, and ends when it is told to. */
const program = `
import { createLogger } from ${JSON.stringify(join(import.meta.dirname, '../../src/config/logger.ts'))};
const log = createLogger('info', 1_048_576);
const line = 'x'.repeat(1000);
for (let at = 0; at < 2_000; at++) {
  log.info({ at }, line);
  if (at % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
}
process.stdout.write('written\\n');
process.stdin.once('data', () => process.exit(0));
`;

test('D647: a log whose reader has stopped keeps a bounded part, and says how many lines it dropped', async () => {
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', program], { stdio: 'pipe' });
  await new Promise((resolve) => child.stdout.once('data', resolve));
  // Only now does anyone read.
  let written = '';
  for await (const chunk of child.stderr) {
    written += chunk;
    if (/were dropped|"at":1999,/.test(written.slice(-100_000))) child.stdin.write('end\n');
  }
  const lines = written
    .trimEnd()
    .split('\n')
    .map((each) => JSON.parse(each));
  const kept = lines.filter(({ at }) => at !== undefined);
  const dropped = lines.find(({ lines: count }) => count !== undefined);
  const numbers: number[] = kept.map(({ at }) => at);
  expect(numbers).toEqual([...new Set(numbers)].sort((left, right) => left - right));
  expect(dropped).toMatchObject({ level: 40, msg: 'lines of this log were dropped, because its reader was too slow' });
  expect(dropped.lines + kept.length).toBe(2_000);
  expect(kept.length).toBeGreaterThan(900);
  expect(dropped.lines).toBeGreaterThan(100);
});
