import { processContext } from './context.ts';
import { version } from './version.ts';

// Without the rest of the program, which takes much longer to load.
if (process.argv.length === 3 && process.argv[2] === '--version') {
  process.stdout.write(`${version}\n`);
} else {
  const { run } = await import('./run.ts');
  const code = await run(process.argv.slice(2), processContext());
  process.exitCode = code;
  // An open handle must not keep a finished command alive. Allow this time for output to drain.
  setTimeout(() => process.exit(code), 2000).unref();
}
