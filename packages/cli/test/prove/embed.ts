import type { CheckOptions, DecisionRequest, PolicyValue } from '@countersign/policy';
import { amongAgreeing } from '../../../policy/src/check/agreeing.ts';
import { readRequest } from '../../../policy/src/decide/read-request.ts';
import { EvaluationError } from '../../../policy/src/evaluate/evaluation-error.ts';
import {
  type CompiledExpression,
  compileExpression,
  evaluateExpression,
  namespaceState,
} from '../../../policy/src/expression.ts';
import { Encoder } from '../../../policy/src/prove/encode.ts';
import type { Symbolic } from '../../../policy/src/prove/symbolic.ts';
import { SymbolicRequest, type World } from '../../../policy/src/prove/symbolic-request.ts';
import { Symbols } from '../../../policy/src/prove/symbols.ts';
import { and, integer, no, not, same, type Term, yes } from '../../../policy/src/prove/term.ts';
import { controlNamespace, controlOf } from '../../../policy/src/schema/controls.ts';
import { parameterNamespace, parameterOf } from '../../../policy/src/schema/parameters.ts';
import { namespaces } from '../../../policy/src/schema/schema.ts';
import { isList, isMap, isRecord } from '../../../policy/src/value.ts';

/** The longest list of a value. */
export function longestList(value: PolicyValue): number {
  if (typeof value !== 'object') return 0;
  const inner = isList(value) ? value : isMap(value) ? [...value.values()] : Object.values(value);
  return Math.max(isList(value) ? value.length : 0, ...inner.map(longestList));
}

/**
 * A script that is satisfiable if a proof covers a real request: it asserts that the symbolic request has the namespaces and values of the
 * real one, and that each expression has the outcome that the engine computes. `service` has the controls as the service knows them, which
 * the world of a proof may not.
 * INVARIANT: lists of the request have at most `listSize` elements.
 */
export function embedded(
  world: World,
  request: DecisionRequest,
  expressions: readonly CompiledExpression[],
  listSize: number,
  service: CheckOptions,
): string {
  const symbols = new Symbols();
  const symbolic = new SymbolicRequest(world, symbols, listSize);
  const { values } = readRequest(request);
  const { parameters = [], controls = [] } = world.options;
  const all = [...namespaces, ...parameters.map(parameterNamespace), ...controls.map(controlNamespace)];
  for (const namespace of all) {
    // Parameters of other kinds of activity are absent by the same table in both.
    if (parameterOf(namespace.path) !== undefined && namespace.alwaysIn?.has(world.activity.kind) !== true) continue;
    const { absent, lost, value } = symbolic.namespace(namespace);
    const known = service.controls?.find(({ name }) => controlOf(namespace.path) === name);
    const state = namespaceState(known === undefined ? namespace : controlNamespace(known), values);
    symbols.assert(state === 'absent' ? absent : not(absent));
    if (state !== 'absent') symbols.assert(state === 'lost' ? lost : not(lost));
    const real = state === 'present' ? values.get(namespace.path) : undefined;
    if (real === undefined) continue;
    if (namespace.path === 'approvers' || namespace.path === 'credentials') symbols.assert(chosen(value, real, symbols));
    else symbols.assert(equals(value, real, symbols));
  }
  const encoder = new Encoder(symbolic, symbols);
  for (const expression of expressions) {
    const { absent, isTrue, isFalse } = encoder.expression(expression);
    const { text, field, asks } = expression;
    const rewrite = expression.amongAgreeing === undefined ? undefined : amongAgreeing;
    const compiled = compileExpression(text, field, service, asks, rewrite).expression;
    const outcome = evaluateExpression(compiled ?? expression, values);
    if (outcome instanceof EvaluationError)
      symbols.assert(and(outcome.notApplicable ? absent : not(absent), not(isTrue), not(isFalse)));
    else symbols.assert(outcome ? isTrue : isFalse);
  }
  symbolic.finish();
  return symbols.script;
}

/** People are places with known values: exactly those of the request are present. */
function chosen(value: Symbolic, real: PolicyValue, symbols: Symbols): Term {
  if (value.kind !== 'list' || !isList(real)) return no;
  const ids = new Set(real.map((each) => (isRecord(each) ? each.id : '')));
  return and(
    ...value.places.map(({ present, value: place }) => {
      const id = place.kind === 'record' ? place.made.get('id')?.value : undefined;
      const isChosen = [...ids].some((each) => id?.kind === 'text' && id.term === symbols.atom(String(each)));
      return isChosen ? present : not(present);
    }),
  );
}

function equals(value: Symbolic, real: PolicyValue, symbols: Symbols): Term {
  switch (value.kind) {
    case 'bool':
      return typeof real === 'boolean' ? same(value.term, String(real)) : no;
    case 'int':
      return typeof real === 'bigint' ? `(= ${value.term} ${integer(real)})` : no;
    case 'text':
      return typeof real === 'string' ? same(value.term, symbols.atom(real)) : no;
    case 'list':
      if (!isList(real) || real.length > value.places.length) return no;
      return and(
        ...value.places.map(({ present, value: place }, index) => {
          const element = real[index];
          return element === undefined ? not(present) : and(present, equals(place, element, symbols));
        }),
      );
    case 'record':
      return recordEquals(value, real, symbols);
    case 'set':
      return isList(real) ? and(...real.map((each) => value.holds(symbols.atom(String(each))))) : no;
    case 'tags':
      if (!isMap(real)) return no;
      return and(
        ...[...real].map(([tag, members]) => {
          const { error, value: set } = value.at(tag);
          return and(not(error), equals(set, members, symbols));
        }),
      );
    case 'opaque':
      return yes;
  }
}

function recordEquals(value: Symbolic & { kind: 'record' }, real: PolicyValue, symbols: Symbols): Term {
  if (!isRecord(real)) return no;
  const names = new Set([...Object.keys(value.type.fields), ...value.made.keys()]);
  return and(
    ...[...names].map((name) => {
      const { present, value: field } = value.field(name);
      const member = Object.hasOwn(real, name) ? real[name] : undefined;
      return member === undefined ? not(present) : and(present, equals(field, member, symbols));
    }),
  );
}
