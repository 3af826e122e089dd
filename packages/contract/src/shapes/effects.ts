import { z } from 'zod';

/** Something of value, by its CAIP-19 name. */
const asset = z
  .object({
    id: z.string().describe('Its CAIP-19 name, for example eip155:1/slip44:60'),
    kind: z.enum(['COIN', 'TOKEN', 'NFT']),
    symbol: z.string().optional().describe('Absent for a token that is in no token list'),
    decimals: z.int().optional(),
    definedBy: z.enum(['ORGANIZATION']).optional().describe('Present if only the token list of the organization names it'),
  })
  .meta({ id: 'Asset' });

/** One thing that a signature does. Fields that an effect does not have are absent. */
export const effect = z
  .object({
    kind: z.enum(['TRANSFER', 'ALLOWANCE', 'FEE', 'CREATE', 'AUTHORITY', 'CALL', 'REPLAYABLE', 'UNKNOWN']),
    asset: asset.optional(),
    amount: z.string().optional().describe('In base units. Absent if the bytes do not contain it'),
    units: z.string().optional().describe('The amount in units of the asset, if its decimals are known'),
    from: z.string().optional().describe('Who loses something or grants it'),
    to: z.string().optional().describe('Who gains'),
    owner: z.string().optional().describe('The owner of `to`, if the bytes prove it: the wallet of a token account'),
    fee: z.string().optional().describe('The part of the amount that the token withholds, in base units'),
    unlimited: z.boolean().optional().describe('An allowance without a limit'),
    permit: z.boolean().optional().describe('An allowance by signature, which the spender submits'),
    expires: z.string().optional().describe('When an allowance ends, in seconds since 1970'),
    lasting: z.boolean().optional().describe('The signature is valid until it is revoked'),
    what: z.string().optional().describe('A description'),
    words: z.string().optional().describe('The call as a stored ERC-7730 descriptor shows it. Policies do not see it'),
    bytes: z.int().optional().describe('The number of bytes that were not decoded'),
  })
  .meta({ id: 'TransactionEffect' });

/** What a transaction or typed message was understood as. */
export const parsedTransaction = z
  .object({
    description: z.string().describe('One sentence for people'),
    fullyParsed: z.boolean().describe('Every effect of every part is in the list, and none is unknown'),
    unparsed: z.array(z.string()).describe('Why it was not fully understood'),
    effects: z.array(effect).describe('Empty in activities from before effects were stored'),
  })
  .meta({ id: 'ParsedTransaction' });

/** An effect as activities show it. */
export type EffectShape = z.output<typeof effect>;

/** What a transaction or typed message was understood as. */
export type ParsedShape = z.output<typeof parsedTransaction>;
