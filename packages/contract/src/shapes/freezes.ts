import { z } from 'zod';
import { flag, id, timestamp } from './primitives.ts';

/** What can be frozen. */
export const freezeTarget = z.enum(['ORGANIZATION', 'USER', 'WALLET', 'PRIVATE_KEY']).meta({ id: 'FreezeTarget' });

const ids = z.array(id).max(100, 'must have at most 100 items').optional().meta({ default: [] });

/** What a request freezes or unfreezes. */
export const frozenObjects = {
  wholeOrganization: flag.describe('The organization itself: nothing is executed in it, and its users cannot act elsewhere'),
  userIds: ids.describe('Users: their stamps and approvals count for nothing'),
  walletIds: ids.describe('Wallets: nothing signs or exports with their accounts, and they cannot be changed'),
  privateKeyIds: ids.describe('Private keys: nothing signs or exports with them, and they cannot be changed'),
};

/** A freeze as queries show it. */
export const freezeShape = z
  .object({
    target: freezeTarget,
    targetId: z.string(),
    reason: z.string(),
    frozenBy: z.string().describe('The id of the user who froze it'),
    frozenAt: timestamp,
  })
  .meta({ id: 'Freeze' });

/** A freeze as queries show it. */
export type FreezeShape = z.output<typeof freezeShape>;
