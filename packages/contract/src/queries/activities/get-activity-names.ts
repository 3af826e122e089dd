import { z } from 'zod';
import { defineQuery } from '../../define.ts';
import { activityDetails } from '../../shapes/activity.ts';
import { contact, token } from '../../shapes/address-book.ts';
import { privateKey } from '../../shapes/keys.ts';
import { logCheckpoint, logLeaf } from '../../shapes/log.ts';
import { id, organizationId } from '../../shapes/primitives.ts';
import { wallet, walletAccount } from '../../shapes/wallets.ts';

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
  summary: 'Get the names for what activities sign or change, and proofs of these names',
  reads: { resources: ['ACTIVITY'], always: 'OWN' },
  input: z.strictObject({
    organizationId,
    activityId: id,
    moreActivityIds: z
      .array(id)
      .max(99, 'must have at most 99 items')
      .optional()
      .describe('Further activities whose names to include. Those that the caller may not read are ignored'),
    compareWith: z.array(id).max(100, 'must have at most 100 items').optional().describe('Earlier activities to prove as well'),
  }),
  output: z.object({
    namedActivityIds: z
      .array(z.string())
      .describe(
        'The activities whose names are all included. A response looks up 200 addresses, and as many assets, wallets, accounts and private keys. Ask for each of the others alone',
      ),
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
    wallets: z.array(wallet).describe(ofReaders('The wallets that the parameters name by their ids', 'get_wallet')),
    accounts: z
      .array(walletAccount)
      .describe(ofReaders('The accounts that sign, and those that the parameters name by their ids', 'list_wallet_accounts')),
    privateKeys: z
      .array(privateKey)
      .describe(ofReaders('The private keys that sign, and those that the parameters name by their ids', 'get_private_key')),
    policies: z
      .array(z.object({ policyId: z.string(), policyName: z.string(), consensus: z.string() }))
      .describe(ofReaders('The policies that allowed `activityId` or asked for approvals', 'list_policies')),
    approvers: z
      .array(z.object({ userId: z.string(), userName: z.string() }))
      .describe(ofReaders('The users whose approval would count, at most 100', 'list_users')),
    approverCount: z.int().optional().describe('The number of these users, if `approvers` does not list all'),
    proofs: z
      .array(provenActivity)
      .describe(
        ofReaders(
          'The activities that wrote the named records, the interfaces of called contracts, and the users and credentials of up to 20 requesters and voters; and those of `compareWith`',
          'list_activities and list_audit_records',
        ),
      ),
  }),
});
