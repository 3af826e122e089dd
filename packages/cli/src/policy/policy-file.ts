import { readFileSync } from 'node:fs';
import type { PolicySource } from '@countersign/policy';
import { z } from 'zod';
import { CliError } from '../errors.ts';

const policyShape = z.looseObject({
  policyName: z.string().optional(),
  effect: z.enum(['EFFECT_ALLOW', 'EFFECT_DENY']),
  condition: z.string().optional(),
  consensus: z.string().optional(),
  time: z.string().optional(),
});

/** One policy, a list of policies, or the parameters of `create_policies`. */
const policiesShape = z.union([z.object({ policies: z.array(policyShape) }), z.array(policyShape), policyShape]);

/** Reads a JSON file. Throws CliError with the file and the reason. */
export function readJsonFile(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    const reason = cause instanceof SyntaxError ? `is not JSON: ${cause.message}` : 'cannot be read';
    throw new CliError(`${path} ${reason}`, 'Check the path and the content of the file.', { cause });
  }
}

/** Policies in a file. The id of each is its `policyName` or its position. */
export function toPolicies(value: unknown, path: string): PolicySource[] {
  const parsed = policiesShape.safeParse(value);
  if (!parsed.success) {
    throw new CliError(
      `${path} contains no policies.`,
      'Write one policy as {"policyName", "effect", "condition", "consensus"}, or a list of them.',
    );
  }
  const { data } = parsed;
  const list = Array.isArray(data) ? data : 'policies' in data && Array.isArray(data.policies) ? data.policies : [data];
  return (list as z.output<typeof policyShape>[]).map(({ policyName, effect, condition, consensus, time }, index) => ({
    id: policyName ?? `policy ${index + 1}`,
    effect,
    condition,
    consensus,
    time,
  }));
}
