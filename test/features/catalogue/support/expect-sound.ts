import { expect } from 'vitest';
import type { Caller } from '../../../support/caller.ts';
import type { TestService } from '../../../support/service.ts';

/** Expects an organization to verify when it is loaded from the database again: rows, sums and head. */
export async function expectSound(service: TestService, { organizationId }: Caller): Promise<void> {
  service.services.organizations.snapshots.drop(organizationId);
  expect(await service.services.organizations.snapshots.get(organizationId)).toBeDefined();
  expect(service.alarms()).toEqual([]);
}
