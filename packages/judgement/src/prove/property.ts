import { activityByType, OperatorError } from '@countersign/contract';
import {
  type CompiledExpression,
  compileExpression,
  type Property,
  type ProvenActivity,
  renderDiagnostic,
} from '@countersign/policy';
import { besidePolicies } from '../beside-policies.ts';
import { policyOptions } from '../policy-options.ts';
import { offlineOptions } from './offline-options.ts';

/** The kind of activity of a property that names none. */
export const PROVEN_BY_DEFAULT = 'SIGN_TRANSACTION';

/** A property as people write it. */
export interface WrittenProperty {
  readonly name: string;
  /** A condition. The property applies to requests for which it is true. */
  readonly forbid: string;
  /** A consensus. Requests with these approvers may be allowed. */
  readonly unless?: string | undefined;
  /** A kind of activity. */
  readonly activity: string;
}

/** A checked property and its activity. */
export interface PropertyToProve {
  readonly property: Property;
  readonly activity: ProvenActivity;
}

/** A proof cannot start, because a property or a policy has an error. */
export class ProofInputError extends OperatorError {
  override readonly name = 'ProofInputError';
}

/** Checks a property. Throws ProofInputError with the position of its errors. */
export function toProperty({ name, forbid, unless, activity }: WrittenProperty): PropertyToProve {
  const property: Property = {
    name,
    forbid: compiled(name, forbid, 'condition'),
    ...(unless !== undefined && { unless: compiled(name, unless, 'consensus') }),
  };
  return { property, activity: activityOf(name, activity) };
}

function compiled(name: string, text: string, field: 'condition' | 'consensus'): CompiledExpression {
  const { expression, diagnostics } = compileExpression(text, field, offlineOptions([{ condition: text }]));
  if (expression !== undefined) return expression;
  const drawings = diagnostics.map((diagnostic) => renderDiagnostic(text, diagnostic)).join('\n');
  const what = field === 'condition' ? 'forbid' : 'unless';
  throw new ProofInputError(`property "${name}", ${what}:\n${drawings}`, `Write ${what} like the ${field} of a policy.`);
}

function activityOf(name: string, kind: string): ProvenActivity {
  const versions = policyOptions.activities.filter((each) => each.kind === kind);
  const [first] = versions;
  if (first === undefined) {
    throw new ProofInputError(
      `property "${name}": policies do not apply to activities of kind ${kind}.`,
      'Use a kind such as SIGN_TRANSACTION. Activities that only the root quorum may perform need no proof.',
    );
  }
  const { resource, action } = first;
  const definition = activityByType.get(first.type)?.definition;
  if (definition === undefined) throw new Error(`the contract has no ${first.type}`);
  return { kind, resource, action, types: versions.map(({ type }) => type), ...besidePolicies(definition) };
}
