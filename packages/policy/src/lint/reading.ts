import { pathOf } from '../decide/index-key.ts';
import { countsForReading, type QueryWords, READ } from '../decide/reading.ts';
import type { CompiledPolicy } from '../policy.ts';
import { activityKind, engineNamespaces } from '../schema/engine.ts';
import type { Namespace } from '../schema/namespace.ts';
import { queryOrganization } from '../schema/query.ts';
import { allNodes } from './nodes.ts';
import type { PolicyWarning } from './warning.ts';

/** A query that policies can authorize. */
export interface ReadableQuery {
  readonly kind: string;
  readonly resources: readonly string[];
}

const organizations = ['OWN_ORGANIZATION', 'SUB_ORGANIZATION'] as const;

/** The namespaces that queries have. They have neither a type nor parameters. */
const present: ReadonlySet<string> = new Set([
  ...engineNamespaces.map(({ path }) => path).filter((path) => path !== 'activity.type' && path !== 'activity.given'),
  queryOrganization.path,
  'contacts',
]);

function wordsOf(queries: readonly ReadableQuery[]): readonly QueryWords[] {
  return queries.flatMap(({ kind, resources }) =>
    resources.flatMap((resource) => organizations.map((organization) => ({ kind, resource, organization }))),
  );
}

/** The kinds of the queries that a policy counts for. */
export function queriesOf(policy: CompiledPolicy, queries: readonly ReadableQuery[]): readonly string[] {
  if (lacking(policy) !== undefined) return [];
  const counted = wordsOf(queries).filter((words) => countsForReading(policy, words));
  return [...new Set(counted.map(({ kind }) => kind))];
}

/** Whether a policy counts for every query that another one counts for. */
export function countsWherever(policy: CompiledPolicy, other: CompiledPolicy, queries: readonly ReadableQuery[]): boolean {
  return wordsOf(queries).every((words) => countsForReading(policy, words) || !countsForReading(other, words));
}

/** Warns if a policy names queries and counts for none. */
export function notForReading(policy: CompiledPolicy, queries: readonly ReadableQuery[]): readonly PolicyWarning[] {
  if (!namesQueries(policy, queries) || queriesOf(policy, queries).length > 0) return [];
  const absent = lacking(policy);
  const base = { code: 'NOT_FOR_READING', policyId: policy.id, field: 'condition' } as const;
  if (absent !== undefined)
    return [{ ...base, message: `it names queries, and they have no \`${absent.path}\``, help: 'make one policy for queries' }];
  return [
    {
      ...base,
      message: 'it names queries, but requests that are no queries could meet its condition, so it counts for no query',
      help: `require it: \`activity.action == '${READ}' && …\``,
    },
  ];
}

function lacking({ condition }: CompiledPolicy): Namespace | undefined {
  return condition?.uses.find(({ namespace }) => !present.has(namespace.path))?.namespace;
}

function namesQueries({ condition }: CompiledPolicy, queries: readonly ReadableQuery[]): boolean {
  if (condition === undefined) return false;
  const kinds = new Set(queries.map(({ kind }) => kind));
  return allNodes(condition.typed).some((node) => {
    if (node.kind === 'read') return node.namespace === queryOrganization;
    if (node.kind !== 'oneOf' || node.operand.kind !== 'read') return false;
    const path = pathOf(node.operand);
    if (path === 'activity.action') return node.values.has(READ);
    return path === activityKind.path && [...node.values].some((value) => typeof value === 'string' && kinds.has(value));
  });
}
