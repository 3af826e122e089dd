import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { invitation } from '../../shapes/invitations.ts';
import { privateKey } from '../../shapes/keys.ts';
import { feature, rootQuorum } from '../../shapes/organizations.ts';
import { policy } from '../../shapes/policies.ts';
import { organizationId } from '../../shapes/primitives.ts';
import { tag } from '../../shapes/tags.ts';
import { user } from '../../shapes/users.ts';
import { wallet } from '../../shapes/wallets.ts';

/** The most items of each list of an organization. */
export const MAX_IN_ORGANIZATION = 1_000;
/** The most characters of each list. */
export const MAX_IN_ORGANIZATION_CHARACTERS = 2_097_152;

export const getOrganization = defineQuery({
  name: 'getOrganization',
  path: 'get_organization',
  subject: 'organizations',
  summary: 'Get the organization with its users, policies, keys, wallets and tags',
  reads: { resources: ['ORGANIZATION', 'USER', 'POLICY', 'PRIVATE_KEY', 'WALLET', 'SMART_CONTRACT_INTERFACE'] },
  input: z.strictObject({ organizationId }),
  output: z.object({
    organizationData: z.object({
      organizationId: z.string(),
      name: z.string(),
      users: z.array(user),
      policies: z.array(policy),
      privateKeys: z.array(privateKey),
      invitations: z.array(invitation),
      tags: z.array(tag),
      rootQuorum,
      features: z.array(feature),
      wallets: z.array(wallet),
      smartContractInterfaceReferences: z.array(
        z.object({ smartContractInterfaceId: z.string(), smartContractAddress: z.string() }),
      ),
      leftOut: z
        .array(z.object({ list: z.string(), count: z.number(), query: z.string() }))
        .optional()
        .describe(
          `Lists that have more than ${MAX_IN_ORGANIZATION.toLocaleString('en')} items or ${MAX_IN_ORGANIZATION_CHARACTERS.toLocaleString('en')} characters, of which the oldest items are shown: how many items are left out of each, and the query that gives all of them page by page`,
        ),
    }),
  }),
});
