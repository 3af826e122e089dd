import { measurePolicyCost } from '../../packages/policy/test/cost.ts';
import type { FromPolicy } from './messages.ts';

// Decisions are measured in this process, so the benchmark itself stays interruptible.
function measure(): FromPolicy {
  try {
    return { kind: 'measured', costs: measurePolicyCost(() => {}) };
  } catch (error) {
    return { kind: 'failed', message: String(error) };
  }
}

process.on('message', () => process.send?.(measure()));
// Ctrl-C reaches the whole process group, but the benchmark decides when this process ends.
process.on('SIGINT', () => {});
process.on('disconnect', () => process.exit(0));
