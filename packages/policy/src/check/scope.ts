import { type ControlName, controlNamespace } from '../schema/controls.ts';
import type { Namespace } from '../schema/namespace.ts';
import { type ActivityParameter, parameterNamespace } from '../schema/parameters.ts';
import { namespaces } from '../schema/schema.ts';
import type { PolicyField } from '../value.ts';

/** A group of namespaces (`eth`) or one of them (`eth.tx`). */
export interface ScopeNode {
  readonly path: string;
  readonly namespace?: Namespace;
  readonly children: ReadonlyMap<string, ScopeNode>;
}

/** The names that each field of a policy may use, as a tree by dotted path. */
export type Scopes = Readonly<Record<PolicyField, ScopeNode>>;

const noParameters: readonly ActivityParameter[] = [];
const noControls: readonly ControlName[] = [];
const known = new WeakMap<readonly ActivityParameter[], WeakMap<readonly ControlName[], Scopes>>();

/** The names of the language with the parameters and controls of the host. Memoized per pair of lists. */
export function scopesOf(parameters = noParameters, controls = noControls): Scopes {
  const ofParameters = known.get(parameters) ?? new WeakMap<readonly ControlName[], Scopes>();
  known.set(parameters, ofParameters);
  const made = ofParameters.get(controls) ?? withControls(languageOf(parameters), controls);
  ofParameters.set(controls, made);
  return made;
}

const languages = new WeakMap<readonly ActivityParameter[], Scopes>();

function languageOf(parameters: readonly ActivityParameter[]): Scopes {
  const made = languages.get(parameters) ?? buildScopes([...namespaces, ...parameters.map(parameterNamespace)]);
  languages.set(parameters, made);
  return made;
}

/** `controls` exists even if an organization has no controls, for a specific diagnostic. */
function withControls(scopes: Scopes, controls: readonly ControlName[]): Scopes {
  const entries = controls.map(controlNamespace).map((namespace) => ({ namespace, rest: namespace.path.split('.').slice(1) }));
  const node = build('controls', entries);
  return { ...scopes, condition: { ...scopes.condition, children: new Map([...scopes.condition.children, ['controls', node]]) } };
}

/** The field of a policy whose expressions may use a name. */
export function fieldOfName(scopes: Scopes, name: string): PolicyField | undefined {
  return (Object.keys(scopes) as PolicyField[]).find((field) => scopes[field].children.has(name));
}

function buildScopes(all: readonly Namespace[]): Scopes {
  const scope = (field: PolicyField) =>
    build(
      '',
      all.filter((namespace) => namespace.field === field).map((namespace) => ({ namespace, rest: namespace.path.split('.') })),
    );
  return { condition: scope('condition'), consensus: scope('consensus'), time: scope('time') };
}

function build(path: string, entries: readonly { namespace: Namespace; rest: readonly string[] }[]): ScopeNode {
  const own = entries.find(({ rest }) => rest.length === 0)?.namespace;
  const heads = new Set(entries.flatMap(({ rest }) => rest.slice(0, 1)));
  const children = new Map<string, ScopeNode>();
  for (const head of heads) {
    const below = entries
      .filter(({ rest }) => rest[0] === head)
      .map(({ namespace, rest }) => ({ namespace, rest: rest.slice(1) }));
    children.set(head, build(path === '' ? head : `${path}.${head}`, below));
  }
  return own === undefined ? { path, children } : { path, namespace: own, children };
}
