import { processContext } from './context.ts';
import { run } from './run.ts';

const code = await run(process.argv.slice(2), processContext());
process.exitCode = code;
// An open handle must not keep a finished command alive. Allow this time for output to drain.
setTimeout(() => process.exit(code), 2000).unref();
