// Runs the tests of the addon with a build that has the address and undefined-behaviour sanitizers.
import { execFileSync, spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
// node itself has no sanitizer, so its library comes first.
const library = execFileSync(process.env.CC ?? 'gcc', ['-print-file-name=libasan.so'], { encoding: 'utf8' }).trim();
const { status } = spawnSync(
  process.execPath,
  [join(root, 'node_modules/vitest/vitest.mjs'), 'run', 'packages/native', '--testTimeout=600000'],
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      COUNTERSIGN_NATIVE: 'sanitized',
      LD_PRELOAD: library,
      // node ends without giving its memory back, which would look like leaks.
      ASAN_OPTIONS: 'detect_leaks=0:abort_on_error=1:allocator_may_return_null=1',
      UBSAN_OPTIONS: 'halt_on_error=1:print_stacktrace=1',
    },
  },
);
process.exitCode = status ?? 1;
