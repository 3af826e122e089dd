import { credentialRules } from './credentials.ts';
import { keyRules } from './keys.ts';
import { organizationRules } from './organizations.ts';
import { policyRules } from './policies.ts';
import { type ActivityName, type Explains, nothing, type Rules } from './rule.ts';
import { secretRules } from './secrets.ts';
import { signInRules } from './sign-in.ts';
import { userRules } from './users.ts';

/** Every activity of the contract. INVARIANT: an activity without a rule does not compile. */
const rules: Rules<ActivityName> = {
  ...credentialRules,
  ...keyRules,
  ...organizationRules,
  ...policyRules,
  ...secretRules,
  ...signInRules,
  ...userRules,
  approveActivity: nothing,
  rejectActivity: nothing,
  signRawPayload: nothing,
  signRawPayloads: nothing,
  signTransaction: nothing,
  ethReplaceTransaction: nothing,
  ethSendTransaction: nothing,
  ethUndelegate7702: nothing,
  solSendTransaction: nothing,
  tronSendTransaction: nothing,
  bitcoinSendTransaction: nothing,
  createWebhookEndpoint: nothing,
  updateWebhookEndpoint: nothing,
  deleteWebhookEndpoint: nothing,
  testWebhookEndpoint: nothing,
  createOauth2Credential: nothing,
  updateOauth2Credential: nothing,
  deleteOauth2Credential: nothing,
  oauth2Authenticate: nothing,
};

/** The rule of an activity by its name. Undefined for one that this release does not know. */
export function ruleOf(name: string): Explains | undefined {
  return Object.hasOwn(rules, name) ? (rules[name as ActivityName] as Explains) : undefined;
}
