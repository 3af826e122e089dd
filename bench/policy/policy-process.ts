import { measurePolicyCost } from '../../packages/policy/test/cost.ts';
import type { FromPolicy } from './messages.ts';

// The process that measures decisions, so that the benchmark itself can still be interrupted meanwhile.
function measure(): FromPolicy {
  try {
    return { kind: 'measured', costs: measurePolicyCost(() => {}) };
  } catch (error) {
    return { kind: 'failed', message: String(error) };
  }
}

process.on('message', () => process.send?.(measure()));
// A Ctrl-C reaches the whole group; the benchmark decides when this process ends.
process.on('SIGINT', () => {});
process.on('disconnect', () => process.exit(0));
