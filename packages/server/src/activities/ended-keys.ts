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

/** Whether an activity of this type may have ended the use of keys. */
export function endsKeys(type: string): boolean {
  return types.has(type);
}
