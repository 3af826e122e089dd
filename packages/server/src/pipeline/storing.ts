import type { Storing } from '../fairness/stored-bytes.ts';
import { limitsOf } from '../organizations/limits-of.ts';
import type { Snapshot } from '../organizations/snapshot.ts';
import type { PipelineServices } from './services.ts';

/** Whose share of storage an activity takes from: that of the organization whose users sent it. */
export function storingBy(
  { limits }: Pick<PipelineServices, 'limits'>,
  { target, home }: { readonly target: Snapshot; readonly home: Snapshot },
): Storing {
  return { target, home, limits: limitsOf(home, limits) };
}
