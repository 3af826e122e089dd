import { describe, expect, test } from 'vitest';
import { notOffered } from '../../src/dialects/not-offered.ts';
import { turnkey } from '../../src/dialects/turnkey.ts';
import { buildRoutes } from '../../src/http/routes.ts';

describe('operations that are not offered', () => {
  const routes = buildRoutes([turnkey]);

  test.each([...notOffered])('%s is served nowhere, and the reason is a sentence', (path, reason) => {
    expect(routes.has(turnkey.basePath + path), 'it is served now: remove its row').toBe(false);
    expect(path).toMatch(/^\/public\/v1\/(query|submit)\/[a-z0-9_]+$/);
    expect(reason).toMatch(/^[a-z].*\.$/);
  });
});
