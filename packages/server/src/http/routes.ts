import { type ActivityDefinition, activities, type QueryDefinition, queries } from '@countersign/contract';
import type { Dialect } from '../dialects/dialect.ts';

/** What a path leads to. */
export type Route =
  | { readonly kind: 'submit'; readonly dialect: Dialect; readonly definition: ActivityDefinition }
  | { readonly kind: 'query'; readonly dialect: Dialect; readonly definition: QueryDefinition };

/** Every path of every dialect, from the contract. */
export function buildRoutes(dialects: readonly Dialect[]): ReadonlyMap<string, Route> {
  const routes = new Map<string, Route>();
  for (const dialect of dialects) {
    for (const definition of Object.values(activities) as unknown as ActivityDefinition[]) {
      routes.set(`${dialect.basePath}/public/v1/submit/${definition.path}`, { kind: 'submit', dialect, definition });
    }
    for (const definition of Object.values(queries) as unknown as QueryDefinition[]) {
      routes.set(`${dialect.basePath}/public/v1/query/${definition.path}`, { kind: 'query', dialect, definition });
    }
  }
  return routes;
}
