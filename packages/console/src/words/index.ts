import { activities } from './activities.ts';
import { approvals } from './approvals.ts';
import { common, statuses, time } from './common.ts';
import { credentials } from './credentials.ts';
import { freezes } from './freezes.ts';
import { identity } from './identity.ts';
import { notices } from './notices.ts';
import { contacts, network, organizations, people, settings, webhooks } from './organization.ts';
import { overview } from './overview.ts';
import { limits, policies } from './policies.ts';
import { references } from './references.ts';
import { secrets } from './secrets.ts';
import { send } from './send.ts';
import { shell } from './shell.ts';
import { sign, wallets } from './wallets.ts';

/** All texts of the console. A translation is another object of this type. */
export const words = {
  common,
  statuses,
  time,
  shell,
  identity,
  overview,
  approvals,
  activities,
  wallets,
  sign,
  secrets,
  send,
  references,
  policies,
  limits,
  freezes,
  contacts,
  people,
  credentials,
  organizations,
  webhooks,
  network,
  settings,
  notices,
} as const;
