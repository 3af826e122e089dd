import { z } from 'zod';

/** A chain that the operator may have configured. */
export const chainName = z
  .string()
  .regex(/^[-a-z0-9]{3,8}:[-\w]{1,64}$/, 'must be the CAIP-2 name of a chain, for example eip155:1')
  .describe('The CAIP-2 name of the chain, for example eip155:1. solana:mainnet and solana:devnet are names too');

/** An address of an account of the organization. */
export const ownAddress = z.string().min(1, 'must not be empty').max(128, 'must have at most 128 characters');

/** An amount in the smallest unit, in decimal text. */
export const amount = z.string();
