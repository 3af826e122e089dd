import type { Client } from '@countersign/client';
import { type ControlChangeShape, type PolicyChangeShape, queries } from '@countersign/contract';
import { z } from 'zod';
import { CliError } from '../errors.ts';
import { readJsonFile, toPolicies } from './policy-file.ts';

/** Source of a change. */
export interface ChangeFlags {
  readonly policy?: readonly string[];
  readonly remove?: readonly string[];
}

/** A change to backtest. */
export interface Change {
  readonly policies: PolicyChangeShape;
  readonly velocityControls?: ControlChangeShape;
}

type Added = NonNullable<PolicyChangeShape['add']>[number];
type Updated = NonNullable<PolicyChangeShape['update']>[number];

/** Reads the change from a file or from flags. A policy whose name already exists updates that policy. */
export async function readChange(
  client: Pick<Client, 'listPolicies'>,
  file: string | undefined,
  { policy = [], remove = [] }: ChangeFlags,
): Promise<Change> {
  const { policies: whole, ...rest } = file === undefined ? { policies: {} } : readChangeFile(file);
  const stored = policy.length === 0 ? [] : (await client.listPolicies({})).policies;
  const byName = new Map(stored.map(({ policyName, policyId }) => [policyName, policyId]));
  const add: Added[] = [...(whole.add ?? [])];
  const update: Updated[] = [...(whole.update ?? [])];
  for (const path of policy) {
    for (const { id: policyName, effect, condition, consensus, time } of toPolicies(readJsonFile(path), path)) {
      const policyId = byName.get(policyName);
      if (policyId === undefined) {
        add.push({ policyName, effect, ...definedFields({ condition, consensus, time }) });
      } else {
        const fields = definedFields({ policyCondition: condition, policyConsensus: consensus, time });
        update.push({ policyId, policyEffect: effect, ...fields });
      }
    }
  }
  return { policies: { add, update, remove: [...(whole.remove ?? []), ...remove] }, ...rest };
}

const { policies: policyShape, velocityControls } = queries.backtestPolicies.input.shape;
const shape = z.strictObject({ ...policyShape.unwrap().shape, velocityControls });

function readChangeFile(path: string): Change {
  const parsed = shape.safeParse(readJsonFile(path));
  if (parsed.success) {
    const { velocityControls: controls, ...policies } = parsed.data;
    return { policies, ...(controls && { velocityControls: controls }) };
  }
  const [issue] = parsed.error.issues;
  throw new CliError(
    `${path}: ${issue?.path.join('.')}: ${issue?.message}`,
    'A change is {"add": […], "update": […], "remove": […], "velocityControls": {…}}; for a file with policies use --policy.',
  );
}

function definedFields<T extends Record<string, string | undefined>>(fields: T): { [K in keyof T]?: string } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as { [K in keyof T]?: string };
}
