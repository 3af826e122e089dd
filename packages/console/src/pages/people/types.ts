import type { Client } from '@countersign/client';

/** The organization with its people, as the service shows it. */
export type Organization = Awaited<ReturnType<Client['getOrganization']>>['organizationData'];
export type Person = Organization['users'][number];
