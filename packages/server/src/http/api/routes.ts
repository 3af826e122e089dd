import { type ActivityDefinition, activities, operationPath, type QueryDefinition, queries } from '@countersign/contract';
import type { Dialect } from '../../dialects/dialect.ts';

/** The operation and dialect of a path. */
export type Route =
  | { readonly kind: 'submit'; readonly dialect: Dialect; readonly definition: ActivityDefinition }
  | { readonly kind: 'query'; readonly dialect: Dialect; readonly definition: QueryDefinition };

/** Every path of every dialect, from the contract. */
export function buildRoutes(dialects: readonly Dialect[]): ReadonlyMap<string, Route> {
  const routes = new Map<string, Route>();
  for (const dialect of dialects) {
    for (const definition of Object.values<ActivityDefinition>(activities)) {
      routes.set(operationPath(dialect, definition), { kind: 'submit', dialect, definition });
    }
    for (const definition of Object.values<QueryDefinition>(queries)) {
      routes.set(operationPath(dialect, definition), { kind: 'query', dialect, definition });
    }
  }
  return routes;
}
