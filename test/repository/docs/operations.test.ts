import { readdirSync, readFileSync } from 'node:fs';
import { openApiDocument } from '@countersign/contract';
import { describe, expect, test } from 'vitest';
import { dialectsAt } from '../../../packages/server/src/dialects/index.ts';
import { buildRoutes } from '../../../packages/server/src/http/api/routes.ts';

/** The activity types that each path takes; a query takes none. */
type Served = Readonly<Record<string, readonly string[]>>;

const sorted = (paths: ReadonlyMap<string, readonly string[]>): Served =>
  Object.fromEntries([...paths].sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, types]) => [path, [...types].sort()]));

/** What the server routes. */
function routed(): Served {
  const types = new Map<string, readonly string[]>();
  for (const [path, route] of buildRoutes(dialectsAt(false))) {
    const versions = route.kind === 'query' ? [] : route.dialect.acceptedVersions(route.definition);
    types.set(
      path,
      versions.map(({ type }) => type),
    );
  }
  return sorted(types);
}

/** What a client reads in the OpenAPI document. */
function described(): Served {
  const { paths } = openApiDocument({ version: '1' });
  const types = Object.entries(paths).map(([path, { post }]) => {
    const consts = JSON.stringify(post.requestBody).matchAll(/"type":\{"const":"(ACTIVITY_TYPE_\w+)"\}/g);
    return [path, [...consts].map(([, type = '']) => type)] as const;
  });
  return sorted(new Map(types));
}

/** What a person reads in the reference: facts in a list on the page of each operation. */
function documented(): Served {
  const found = new Map<string, readonly string[]>();
  const folder = new URL('../../../docs/reference/operations/', import.meta.url);
  for (const page of readdirSync(folder)) {
    const text = readFileSync(new URL(page, folder), 'utf8');
    const [, spec = '', compatible = ''] = /^- Path: `(\S+)`, compatible `(\S+)`$/m.exec(text) ?? [];
    const listed = [...text.matchAll(/^- (?:Type|Earlier types|Newer types)( \(compatible path\))?: (.+)$/gm)];
    const types = (facts: typeof listed) =>
      facts.flatMap(([, , names = '']) => [...names.matchAll(/`(\w+)`/g)].map(([, type = '']) => type));
    found.set(spec, types(listed.filter(([, onlyCompatible]) => onlyCompatible === undefined)));
    found.set(compatible, types(listed));
  }
  return sorted(found);
}

describe('the server, the OpenAPI document and the reference agree', () => {
  const served = routed();

  test('there is something to compare', () => {
    expect(served['/public/v1/submit/update_organization_name']).toEqual(['ACTIVITY_TYPE_UPDATE_ORGANIZATION_NAME']);
    expect(served['/compat/turnkey/public/v1/submit/sign_raw_payload']).toHaveLength(2);
    expect(served['/public/v1/query/whoami']).toEqual([]);
  });

  test('the OpenAPI document has the paths that are served, with the types that each takes', () => {
    expect(described()).toEqual(served);
  });

  test('the reference has the paths that are served, with the types that each takes', () => {
    expect(documented()).toEqual(served);
  });
});
