import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { leafRange, logCheckpoint, logLeaf } from '../../shapes/log.ts';
import { organizationId } from '../../shapes/primitives.ts';

const milliseconds = z.string().regex(/^\d{1,15}$/, 'must be a time in milliseconds since 1970, as a string');
const hashes = z.array(z.string());

const headProof = z
  .object({
    checkpoint: logCheckpoint,
    nodes: hashes.describe('The nodes of the head map in hexadecimal, from its root to the organization'),
    headVersion: z.int().optional().describe("Version of the organization's state. Present if the last leaf does not contain it"),
    headDigest: z
      .string()
      .optional()
      .describe("Digest of the organization's state. Present if the last leaf does not contain it"),
  })
  .describe('Proof that no leaf of the organization follows the last one: the checkpoint commits to the head map');

export const listAuditRecords = defineQuery({
  name: 'listAuditRecords',
  path: 'list_audit_records',
  subject: 'activities',
  summary: "List the organization's log leaves with the content that they commit to, for an audit file",
  reads: { resources: ['AUDIT_LOG'] },
  input: z.strictObject({
    organizationId,
    ...leafRange,
    since: milliseconds.optional().describe('Signatures before this time are returned without content'),
    until: milliseconds.optional().describe('Activities after this time are returned without content'),
  }),
  output: z.object({
    records: z.array(
      logLeaf.extend({
        gap: hashes.describe(
          'The roots, in hexadecimal, of the complete subtrees between the leaf before this one in the list and this one, from left to right',
        ),
        content: z.string().optional().describe('The content that the leaf commits to: JSON, byte for byte as in audit files'),
      }),
    ),
    next: z.string().optional().describe('The number of the next leaf. Absent after the last one'),
    end: z
      .object({
        checkpoint: logCheckpoint,
        gap: hashes.describe('The subtrees after the last leaf'),
        head: headProof.optional(),
      })
      .optional()
      .describe('Present after the last leaf: the signed tree that all of them lead to'),
  }),
});
