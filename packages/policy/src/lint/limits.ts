import { type Scalar, someNode, type Typed } from '../check/typed.ts';
import type { CompiledPolicy } from '../policy.ts';
import { type ControlName, controlOf } from '../schema/controls.ts';
import { assetsAllowed, demandsPayment } from './effect-bounds.ts';
import type { PolicyWarning } from './warning.ts';

/** Warns about assets that no limit of a policy counts: an ALLOW that lets them pass, and a DENY that denies them. */
export function otherAssets(policy: CompiledPolicy, controls: readonly ControlName[] = []): readonly PolicyWarning[] {
  const { condition, effect, id: policyId } = policy;
  if (condition === undefined || condition.controls.length === 0) return [];
  const named = controls.filter(({ name }) => condition.controls.includes(name));
  const base = { policyId, field: 'condition' } as const;
  if (effect === 'EFFECT_DENY') return named.some(isDenied) ? [{ ...base, ...deniesOthers }] : [];
  const warnings: PolicyWarning[] = [];
  const [free] = named.filter((control) => control.otherAssets === 'FREE');
  if (free !== undefined && !named.some(isDenied) && isOpen(condition.typed)) warnings.push({ ...base, ...leavesFree(free) });
  const apart = named.find((control) => isDenied(control) && standsApart(condition.typed, control.name, condition.controls));
  if (apart !== undefined) warnings.push({ ...base, ...hasNoValue(apart) });
  return warnings;
}

const isDenied = (control: ControlName) => control.otherAssets === 'DENIED';

/** Whether a condition says nothing about which assets move. */
function isOpen(condition: Typed): boolean {
  const allowed: ReadonlySet<Scalar> | undefined = demandsPayment(condition) ? assetsAllowed(condition) : undefined;
  return allowed === undefined;
}

/** Whether a control is read without the others of the condition in its `&&`. */
function standsApart(condition: Typed, name: string, all: readonly string[]): boolean {
  return someNode(
    condition,
    (node) =>
      node.kind === 'read' &&
      controlOf(node.namespace.path) === name &&
      all.some((other) => node.beside?.includes(other) === false),
  );
}

type Found = Omit<PolicyWarning, 'policyId' | 'field'>;

const deniesOthers: Found = {
  code: 'OTHER_ASSETS_DENIED',
  message: 'it also denies every signature that moves an asset which its limits do not count',
  help: 'limit with an ALLOW, or set `otherAssets` of the limit to FREE',
  example: { 'effects[0].kind': 'TRANSFER', 'effects[0].asset': 'another asset' },
};

const leavesFree = ({ name }: ControlName): Found => ({
  code: 'OTHER_ASSETS_FREE',
  message: `\`controls.${name}\` says nothing about other assets: any amount of them can leave, and others can be allowed to take them`,
  help: 'set `otherAssets` of the limit to DENIED, or name the assets with `tx.is_payment && tx.payments.all(p, p.asset == …)`',
  example: { 'effects[0].kind': 'ALLOWANCE', 'effects[0].asset': 'another asset', 'effects[0].unlimited': 'true' },
});

const hasNoValue = ({ name }: ControlName): Found => ({
  code: 'OTHER_ASSETS_DENIED',
  message: `\`controls.${name}\` has no value for assets that only a limit in another branch counts`,
  help: 'join the limits with `&&`, or write one policy for each',
});
