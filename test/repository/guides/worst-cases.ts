import { organizationOf, recordOf, type SmartContractInterfaceRecord, type WorstCase, worstCase } from '@countersign/judgement';
import { type PolicySource, StepBudget } from '@countersign/policy';
import { policies as consoleWords } from '../../../packages/console/src/words/policies.ts';
import { readGuidePolicies } from './policies.ts';

/** A policy that people copy: from a guide, or from the examples of the console. */
export interface ShownPolicy {
  readonly source: string;
  readonly policy: PolicySource;
}

/** Every policy that the guides and the console show. */
export function shownPolicies(): readonly ShownPolicy[] {
  const guides = readGuidePolicies().map(({ name, guide, effect, condition, consensus, time }) => ({
    source: guide,
    policy: { id: name, effect: `EFFECT_${effect}` as const, condition, ...(consensus && { consensus }), ...(time && { time }) },
  }));
  // The other templates of the console are policies of the guides.
  const names = new Set(guides.map(({ policy }) => policy.id));
  const own = consoleWords.examples.list.filter(({ name }) => !names.has(name));
  const examples = own.map((example) => ({
    source: 'console',
    policy: {
      id: example.name,
      effect: 'effect' in example ? example.effect : ('EFFECT_ALLOW' as const),
      condition: example.condition,
      ...(example.consensus && { consensus: example.consensus }),
    },
  }));
  return [...guides, ...examples] as readonly ShownPolicy[];
}

const abi = (name: string, inputs: readonly string[]) =>
  JSON.stringify([
    {
      type: 'function',
      name,
      inputs: inputs.map((type, index) => ({ name: `a${index}`, type })),
      outputs: [],
      stateMutability: 'payable',
    },
  ]);
const storedInterface = (address: string, text: string): SmartContractInterfaceRecord => ({
  label: address,
  smartContractAddress: address.toLowerCase(),
  smartContractInterface: text,
  type: 'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
  notes: '',
  createdAtMs: 0,
  updatedAtMs: 0,
});

/** The interfaces that guides tell readers to store. */
const interfaces = new Map([
  ['router', storedInterface('0x3fC91A3afd70395Cd496C647d5a6CC9D4B2b7FAD', abi('execute', ['bytes', 'bytes[]', 'uint256']))],
  ['governor', storedInterface('0x408ED6354d4973f66138C91495F2f2FCbd8724C3', abi('castVote', ['uint256', 'uint8']))],
]);

/** What a policy allows at worst, without any other policy. */
export function worstCaseOf(policy: PolicySource): WorstCase {
  const organization = organizationOf(new Map([[policy.id, recordOf(policy)]]));
  const records = { ...organization.records, smartContractInterface: interfaces };
  const search = { nowMs: Date.parse('2026-03-20T10:00:00Z'), budget: new StepBudget(), every: true };
  return worstCase({ ...organization, records }, policy.id, search);
}

/** The harms that a policy allows, each with its receiver. */
export function harmsOf({ allowed }: WorstCase): readonly string[] {
  return [...new Set(allowed.map(({ request, to }) => (to === undefined ? request.harm : `${request.harm}:${to}`)))].sort();
}
