import type { Client } from '@countersign/client';
import type { PolicyChangeShape } from '@countersign/contract';
import { queries } from '@countersign/contract';
import { CliFault } from '../faults.ts';
import { readJsonFile, toPolicies } from './policy-file.ts';

/** What a change is read from. */
export interface ChangeFlags {
  readonly policy?: readonly string[];
  readonly remove?: readonly string[];
}

type Added = NonNullable<PolicyChangeShape['add']>[number];
type Updated = NonNullable<PolicyChangeShape['update']>[number];

/** The change in a file, or that flags describe. A policy whose name is stored already stands for a change of that one. */
export async function readChange(
  client: Pick<Client, 'listPolicies'>,
  file: string | undefined,
  { policy = [], remove = [] }: ChangeFlags,
): Promise<PolicyChangeShape> {
  const whole = file === undefined ? {} : readChangeFile(file);
  const stored = policy.length === 0 ? [] : (await client.listPolicies({})).policies;
  const byName = new Map(stored.map(({ policyName, policyId }) => [policyName, policyId]));
  const add: Added[] = [...(whole.add ?? [])];
  const update: Updated[] = [...(whole.update ?? [])];
  for (const path of policy) {
    for (const { id: policyName, effect, condition, consensus, time } of toPolicies(readJsonFile(path), path)) {
      const policyId = byName.get(policyName);
      if (policyId === undefined) {
        add.push({ policyName, effect, ...given({ condition, consensus, time }) });
      } else {
        const fields = given({ policyCondition: condition, policyConsensus: consensus, time });
        update.push({ policyId, policyEffect: effect, ...fields });
      }
    }
  }
  return { add, update, remove: [...(whole.remove ?? []), ...remove] };
}

const shape = queries.backtestPolicies.input.shape.policies.unwrap();

function readChangeFile(path: string): PolicyChangeShape {
  const parsed = shape.safeParse(readJsonFile(path));
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new CliFault(
    `${path}: ${issue?.path.join('.')}: ${issue?.message}`,
    'A change is {"add": […], "update": […], "remove": […]}; for a file with policies use --policy.',
  );
}

function given<T extends Record<string, string | undefined>>(fields: T): { [K in keyof T]?: string } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as { [K in keyof T]?: string };
}
