import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { activityDetails } from '../../shapes/activity.ts';
import { contact, token } from '../../shapes/address-book.ts';
import { privateKey } from '../../shapes/keys.ts';
import { logCheckpoint, logLeaf } from '../../shapes/log.ts';
import { id, organizationId } from '../../shapes/primitives.ts';
import { walletAccount } from '../../shapes/wallets.ts';

const provenActivity = z
  .object({
    activity: activityDetails,
    checkpoint: logCheckpoint,
    leaf: logLeaf,
    hashes: z.array(z.string()).describe('The inclusion proof, as get_log_proof returns it'),
    content: z.string().optional().describe('The content that the leaf commits to, as list_audit_records returns it'),
  })
  .meta({ id: 'ProvenActivity' });

const ofReaders = (what: string, list: string) => `${what}. Empty unless the caller may use ${list}`;

export const getActivityNames = defineQuery({
  name: 'getActivityNames',
  path: 'get_activity_names',
  subject: 'activities',
  summary: 'Get the names for what an activity signs and for who decides about it, and proofs of these names',
  reads: { resources: ['ACTIVITY'], always: 'OWN' },
  input: z.strictObject({
    organizationId,
    activityId: id,
    compareWith: z.array(id).max(8, 'must have at most 8 items').optional().describe('Earlier activities to prove as well'),
  }),
  output: z.object({
    contacts: z
      .array(contact)
      .describe(
        ofReaders(
          'The contacts with an address of the effects, or of those of the transaction that the activity replaces',
          'list_contacts',
        ),
      ),
    similarContacts: z
      .array(contact)
      .describe('Contacts whose address begins and ends like one of the effects. People mistake such addresses for each other'),
    tokens: z.array(token).describe(ofReaders('The tokens of the organization for assets of the effects', 'list_tokens')),
    accounts: z.array(walletAccount).describe(ofReaders('The account that signs', 'list_wallet_accounts')),
    privateKeys: z.array(privateKey).describe(ofReaders('The private key that signs', 'get_private_key')),
    policies: z
      .array(z.object({ policyId: z.string(), policyName: z.string(), consensus: z.string() }))
      .describe(ofReaders('The policies that allowed the activity or asked for approvals', 'list_policies')),
    approvers: z
      .array(z.object({ userId: z.string(), userName: z.string() }))
      .describe(ofReaders('The users whose approval would count, at most 100', 'list_users')),
    approverCount: z.int().optional().describe('The number of these users, if `approvers` does not list all'),
    proofs: z
      .array(provenActivity)
      .describe(
        ofReaders(
          'The activities that wrote the named records, and those of `compareWith`',
          'list_activities and list_audit_records',
        ),
      ),
  }),
});
