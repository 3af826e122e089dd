import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { organizationId, paginationOptions } from '../../shapes/primitives.ts';

/** The properties that sub-organizations can be searched by. */
export const suborgFilters = ['CREDENTIAL_ID', 'NAME', 'USERNAME', 'EMAIL', 'PHONE_NUMBER', 'OIDC_TOKEN', 'PUBLIC_KEY'] as const;

/** A property that sub-organizations can be searched by. */
export type SuborgFilter = (typeof suborgFilters)[number];

export const listSuborgs = defineQuery({
  name: 'listSuborgs',
  path: 'list_suborgs',
  subject: 'organizations',
  summary: 'List sub-organizations, newest first',
  reads: { resources: ['SUB_ORGANIZATION'] },
  input: z.strictObject({
    organizationId,
    filterType: z
      .enum([...suborgFilters, ''])
      .optional()
      .describe('The meaning of filterValue. Empty counts as absent'),
    filterValue: z
      .string()
      .max(16_384)
      .optional()
      .describe('The value to find. For OIDC_TOKEN, the identity in the token is compared. Empty counts as absent'),
    includeNames: z.boolean().optional().describe('Whether to include the names'),
    paginationOptions: paginationOptions.optional(),
  }),
  output: z.object({
    organizationIds: z.array(z.string()),
    organizations: z
      .array(
        z
          .object({
            organizationId: z.string(),
            organizationName: z
              .string()
              .optional()
              .describe('Absent if the stored name does not verify: it was changed outside the service'),
          })
          .meta({ id: 'NamedOrganization' }),
      )
      .optional()
      .describe('The same with their names, if includeNames is true'),
  }),
});
