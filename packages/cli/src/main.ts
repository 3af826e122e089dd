import { processContext } from './context.ts';
import { run } from './run.ts';

const code = await run(process.argv.slice(2), processContext());
process.exitCode = code;
// A forgotten handle must not keep a finished command alive. Output has this long to drain.
setTimeout(() => process.exit(code), 2000).unref();
