import { preference, setPreference } from './database.ts';

/** An organization that a person signed in to with this browser. */
export interface KnownOrganization {
  readonly organizationId: string;
  readonly organizationName: string;
}

const NAME = 'organizations';
/** Older ones are forgotten. */
const MOST = 10;

/** The organizations of this browser, the last one first. Empty if it stores nothing. */
export async function knownOrganizations(): Promise<readonly KnownOrganization[]> {
  try {
    return JSON.parse((await preference(NAME)) ?? '[]') as KnownOrganization[];
  } catch {
    return [];
  }
}

/** Puts an organization first. Signing in works also where nothing can be stored. */
export async function noteOrganization({ organizationId, organizationName }: KnownOrganization): Promise<void> {
  const others = await withoutOrganization(organizationId);
  await store([{ organizationId, organizationName }, ...others].slice(0, MOST));
}

/** Removes an organization from the list of this browser. */
export async function forgetOrganization(organizationId: string): Promise<void> {
  await store(await withoutOrganization(organizationId));
}

async function withoutOrganization(organizationId: string): Promise<readonly KnownOrganization[]> {
  return (await knownOrganizations()).filter((known) => known.organizationId !== organizationId);
}

async function store(known: readonly KnownOrganization[]): Promise<void> {
  await setPreference(NAME, JSON.stringify(known)).catch(() => undefined);
}
