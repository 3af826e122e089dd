import { activities, dialects, queries } from '@countersign/contract';

/**
 * The module `operations.ts` of the client: paths and types of all operations, without the schemas that they come from.
 * With the schemas, a page in a browser would load four times as much.
 */
export function clientTable(): string {
  const rows = (table: object, row: (definition: never) => string) =>
    Object.entries(table).map(([name, definition]) => `  ${name}: ${row(definition as never)},`);
  const bases = Object.entries(dialects).map(([name, { basePath }]) => `  ${name}: '${basePath}',`);
  return [
    '// biome-ignore-all format: generated from the contract by `npm run docs`',
    '',
    '/** The part of the path before `/public/v1`, by dialect. */',
    'export const basePaths = {',
    ...bases,
    '} as const;',
    '',
    '/** The path and the current type of every activity. */',
    'export const activityPaths = {',
    ...rows(activities, ({ path, type }: { path: string; type: string }) => `{ path: '${path}', type: '${type}' }`),
    '} as const;',
    '',
    '/** The path of every query. */',
    'export const queryPaths = {',
    ...rows(queries, ({ path }: { path: string }) => `{ path: '${path}' }`),
    '} as const;',
    '',
  ].join('\n');
}
