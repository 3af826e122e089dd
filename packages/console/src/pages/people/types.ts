import type { Client } from '@countersign/client';

/** The organization with its people. */
export type Organization = Awaited<ReturnType<Client['getOrganization']>>['organizationData'];
export type Person = Organization['users'][number];
