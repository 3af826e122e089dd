import { z } from 'zod';
import { chainNames } from '../chains.ts';
import { policyMarks } from '../policy-view/marks.ts';
import { label, text, timestamp } from './primitives.ts';

/** A word that groups contacts. Policies name it: `contacts.tagged('vendors')`. */
const contactTag = z
  .string()
  .regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'must be 1 to 64 lower-case letters, digits, - or _, beginning with a letter or a digit');

const contactTags = z.array(contactTag).max(20, 'must have at most 20 items');

/** An address that the organization knows, to add to its address book. */
export const contactParams = z
  .strictObject({
    label: label.describe('The name. Descriptions show it next to the address'),
    address: z
      .string()
      .min(1, 'must not be empty')
      .max(128, 'must have at most 128 characters')
      .register(policyMarks, { form: 'address' })
      .describe(`An address on ${chainNames}`),
    contactTags: contactTags.optional().meta({ default: [] }).describe('Tags that policies can refer to'),
    notes: text.optional(),
  })
  .meta({ id: 'ContactParams' });

/** What can change about a contact. Its address stays. */
export const contactChange = {
  label: label.optional().register(policyMarks, { resolved: 'the label that the contact has' }),
  contactTags: contactTags.optional().register(policyMarks, { resolved: 'the tags that the contact has' }),
  notes: text.optional().register(policyMarks, { resolved: 'the notes that the contact has' }),
};

/** A contact as queries show it. */
export const contact = z
  .object({
    contactId: z.string(),
    label: z.string(),
    address: z.string(),
    networks: z.string().describe('Where the address counts as this contact, for example every EVM network'),
    contactTags: z.array(z.string()),
    notes: z.string(),
    warnings: z.array(z.string()).optional().describe('Why the label would be rejected today'),
    createdAt: timestamp,
    updatedAt: timestamp,
  })
  .meta({ id: 'Contact' });

/** A contact as queries show it. */
export type ContactShape = z.output<typeof contact>;

/** The CAIP-19 name of a token on a chain whose transactions the service reads. */
const tokenAsset = z
  .string()
  .max(160, 'must have at most 160 characters')
  .describe('The CAIP-19 name of the token, for example eip155:1/erc20:0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed');

/** A token that the organization vouches for. */
export const tokenParams = z
  .strictObject({
    asset: tokenAsset,
    symbol: z
      .string()
      .regex(/^[A-Za-z0-9][A-Za-z0-9.$_-]{0,31}$/, 'must be 1 to 32 ASCII letters, digits, ., $, _ or -')
      .describe('The symbol in descriptions and policies'),
    decimals: z
      .int('must be a whole number')
      .min(0, 'must be at least 0')
      .max(36, 'must be at most 36')
      .describe('The number of decimals'),
  })
  .meta({ id: 'TokenParams' });

/** A token as queries show it. */
export const token = z
  .object({
    tokenId: z.string().describe('Empty for a built-in token'),
    asset: z.string(),
    symbol: z.string(),
    decimals: z.int(),
    source: z.enum(['ORGANIZATION', 'DEFAULT']).describe('The source of the token: the organization, or the built-in list'),
    ignored: z.string().optional().describe('Why this entry of the organization does not count'),
  })
  .meta({ id: 'Token' });

/** A token as queries show it. */
export type TokenShape = z.output<typeof token>;
