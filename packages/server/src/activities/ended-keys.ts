import { type ActivityDefinition, activities } from '@countersign/contract';
import type { AnyExecutor } from '../pipeline/plan/executor.ts';
import { executors } from './index.ts';

/** The types of activities that delete, disable or freeze keys. */
const types: ReadonlySet<string> = new Set(
  Object.entries(executors as Readonly<Record<string, Pick<AnyExecutor, 'endsKeys'>>>)
    .filter(([, executor]) => executor.endsKeys === true)
    .flatMap(([name]) => (activities as Readonly<Record<string, ActivityDefinition>>)[name]?.versions ?? [])
    .map(({ type }) => type),
);

/** Whether a step of an activity ended the use of keys. One that is pending or was denied did not. */
export function endsKeys({ type, status }: { readonly type: string; readonly status: string }): boolean {
  return types.has(type) && status === 'ACTIVITY_STATUS_COMPLETED';
}
