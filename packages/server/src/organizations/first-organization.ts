import type { Store } from '../store/store.ts';

/** Marks that an installation has its first organization. The body is that organization's id. */
export const FIRST_ORGANIZATION = 'first-organization';

/** The operator's organization. Undefined before the first run. */
export async function firstOrganizationId(store: Pick<Store, 'vault'>): Promise<string | undefined> {
  return (await store.vault.setting(FIRST_ORGANIZATION))?.body;
}
