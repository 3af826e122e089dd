import {
  type ActivityDefinition,
  activities,
  activityKind,
  judgedByPolicies,
  policyFields,
  policyView,
} from '@countersign/contract';
import { authorizeByPolicy, policyOptions, toDecisionRequest } from '@countersign/judgement';
import { checkPolicy, type PolicyValue } from '@countersign/policy';
import { describe, expect, test } from 'vitest';
import { sampleOf } from '../../contract/test/support/sample.ts';
import { judgement, organization, type PolicyText, vote } from './support/world.ts';

const table = Object.values<ActivityDefinition>(activities).filter(judgedByPolicies);
type Params = Readonly<Record<string, unknown>>;
const types = new Map(policyView().parameters.map(({ name, type }) => [name, type]));
type ViewType = ReturnType<typeof policyView>['parameters'][number]['type'];

/** The decision on a request, with these policies and the parameters of one activity. */
function decide(definition: ActivityDefinition, params: Params, policies: Readonly<Record<string, PolicyText>>) {
  return authorizeByPolicy.decide(judged(definition, params, policies));
}

/** A request whose executor resolved the parameters as submitted. */
function judged(definition: ActivityDefinition, params: Params, policies: Readonly<Record<string, PolicyText>> = {}) {
  const subject = { parameters: () => params };
  return judgement(organization([{ id: 'a' }], policies), [vote('a')], { definition, params, subject });
}

/** One value inside a parameter, and two conditions that distinguish it from another value. */
interface Leaf {
  readonly path: string;
  readonly isThis: string;
  readonly isOther: string;
}

/** Every value inside a parameter, each with a condition that is true for it and one that is false. */
function leaves(path: string, type: ViewType, value: PolicyValue, depth = 0): readonly Leaf[] {
  switch (type.kind) {
    case 'bool':
      return [{ path, isThis: `${path} == ${value}`, isOther: `${path} != ${value}` }];
    case 'int':
      return [{ path, isThis: `${path} == ${value}`, isOther: `${path} > ${value}` }];
    case 'list': {
      const [item] = value as readonly PolicyValue[];
      if (item === undefined) return [];
      const variable = `v${depth}`;
      return leaves(variable, type.of, item, depth + 1).map((leaf) => ({
        path: `${path}[].${leaf.path}`,
        isThis: `${path}.any(${variable}, ${leaf.isThis})`,
        isOther: `${path}.any(${variable}, ${leaf.isOther})`,
      }));
    }
    case 'struct':
      return Object.entries(type.fields).flatMap(([name, field]) =>
        leaves(`${path}.${name}`, field.type, (value as Record<string, PolicyValue>)[name] as PolicyValue, depth),
      );
    default:
      return [{ path, isThis: `${path} == '${value}'`, isOther: `${path} != '${value}'` }];
  }
}

describe.each(table.map((definition) => [definition.name, definition] as const))('the parameters of %s', (_, definition) => {
  const kind = activityKind(definition.type);
  const params = sampleOf(definition.input) as Params;
  const { activity } = toDecisionRequest(judged(definition, params));
  const all = [...policyFields(definition).values()].flatMap(({ name, type }) => {
    const value = activity.params?.(name);
    return value === undefined ? [] : leaves(`activity.params.${name}`, type, value);
  });

  test('are each reached by a policy of its own', () => {
    expect(all.length > 0 || policyFields(definition).size === 0).toBe(true);
    for (const { path, isThis, isOther } of all) {
      const condition = `activity.kind == '${kind}' && ${isThis}`;
      expect(checkPolicy({ condition }, policyOptions), path).toEqual([]);
      expect(decide(definition, params, { p: { condition, language: 2 } }).outcome, path).toBe('ALLOW');
      const other = `activity.kind == '${kind}' && ${isOther}`;
      expect(decide(definition, params, { p: { condition: other, language: 2 } }).outcome, path).toBe('DENY');
    }
  });

  test('never let a DENY step aside, given or left out', () => {
    const open = { language: 2 } as const;
    for (const { name, type } of policyFields(definition).values()) {
      const leaf = leaves(`activity.params.${name}`, type, activity.params?.(name) as PolicyValue)[0];
      if (leaf === undefined) continue;
      const deny = { effect: 'EFFECT_DENY', condition: leaf.isThis, language: 2 } as const;
      expect(decide(definition, params, { open, deny }), name).toMatchObject({ outcome: 'DENY', policyIds: ['deny'] });
      // Without parameters: one that has no documented default and is not text is an error that denies, and never NAMESPACE_ABSENT.
      const { evaluations } = decide(definition, {}, { open, deny });
      const errors = evaluations.filter(({ error }) => error !== undefined);
      expect(
        errors.map(({ error }) => error?.code).filter((code) => code === 'NAMESPACE_ABSENT'),
        name,
      ).toEqual([]);
      expect(
        errors.every(({ denies }) => denies),
        name,
      ).toBe(true);
    }
  });

  test('of other activities are not its own: a policy about them steps aside', () => {
    for (const { name, kinds } of policyView().parameters.filter((parameter) => !parameter.kinds.includes(kind))) {
      expect(activity.params?.(name), `${name} of ${kinds.join()}`).toBeUndefined();
      const condition = `${condenses(`activity.params.${name}`, types.get(name) as ViewType)}`;
      const deny = { effect: 'EFFECT_DENY', condition, language: 2 } as const;
      const open = { condition: `activity.kind == '${kind}'`, language: 2 } as const;
      expect(decide(definition, params, { open, deny }).outcome, name).toBe('ALLOW');
    }
  });
});

/** A condition on a parameter of any type. */
function condenses(path: string, type: ViewType): string {
  switch (type.kind) {
    case 'list':
      return `${path}.count() >= 0`;
    case 'bool':
      return `${path} || !${path}`;
    case 'int':
      return `${path} >= 0`;
    case 'struct': {
      const [[name, field] = ['', undefined]] = Object.entries(type.fields);
      return field === undefined ? 'true' : condenses(`${path}.${name}`, field.type);
    }
    default:
      return `${path} != ''`;
  }
}
