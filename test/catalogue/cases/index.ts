import type { CatalogueCases } from '../support/catalogue-case.ts';
import { billingCases } from './billing.ts';
import { consensusCases } from './consensus.ts';
import { credentialCases } from './credentials.ts';
import { keyCases } from './keys.ts';
import { organizationCases } from './organizations.ts';
import { policyCases } from './policies.ts';
import { signingCases } from './signing.ts';
import { userCases } from './users.ts';
import { walletCases } from './wallets.ts';

/** How every activity type is shown to work and to refuse, by the file that says so. */
export const caseFiles: Readonly<Record<string, CatalogueCases>> = {
  organizations: organizationCases,
  users: userCases,
  credentials: credentialCases,
  keys: keyCases,
  wallets: walletCases,
  signing: signingCases,
  policies: policyCases,
  billing: billingCases,
  consensus: consensusCases,
};
