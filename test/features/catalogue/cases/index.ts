import type { CatalogueCases } from '../support/catalogue-case.ts';
import { addressBookCases } from './address-book.ts';
import { billingCases } from './billing.ts';
import { consensusCases } from './consensus.ts';
import { credentialCases } from './credentials.ts';
import { invitationCases } from './invitations.ts';
import { keyCases } from './keys.ts';
import { organizationCases } from './organizations.ts';
import { policyCases } from './policies.ts';
import { secretCases } from './secrets.ts';
import { sessionCases } from './sessions.ts';
import { signingCases } from './signing.ts';
import { transferCases } from './transfer.ts';
import { userCases } from './users.ts';
import { velocityControlCases } from './velocity-controls.ts';
import { walletCases } from './wallets.ts';
import { webhookCases } from './webhooks.ts';

/** The cases that show every activity type at work and refused, by file. */
export const caseFiles: Readonly<Record<string, CatalogueCases>> = {
  organizations: organizationCases,
  users: userCases,
  invitations: invitationCases,
  credentials: credentialCases,
  keys: keyCases,
  wallets: walletCases,
  signing: signingCases,
  policies: policyCases,
  'velocity-controls': velocityControlCases,
  'address-book': addressBookCases,
  billing: billingCases,
  consensus: consensusCases,
  sessions: sessionCases,
  transfer: transferCases,
  secrets: secretCases,
  webhooks: webhookCases,
};
