import { z } from 'zod';
import { policyMarks } from '../policy-view/marks.ts';
import { label, shortened, text, timestamp } from './primitives.ts';

/** What an interface is: an ABI, an IDL, or a descriptor that puts the calls of an Ethereum contract into words. */
export const smartContractInterfaceType = z
  .enum([
    'SMART_CONTRACT_INTERFACE_TYPE_ETHEREUM',
    'SMART_CONTRACT_INTERFACE_TYPE_SOLANA',
    'SMART_CONTRACT_INTERFACE_TYPE_ERC7730',
  ])
  .meta({ id: 'SmartContractInterfaceType' });

/** The wire name of a kind of interface. */
export type ContractInterfaceTypeName = z.output<typeof smartContractInterfaceType>;

/** An ABI (Ethereum), an IDL (Solana, Anchor) or a clear-signing descriptor (ERC-7730) to store, as JSON text. */
export const smartContractInterfaceParams = z.strictObject({
  smartContractAddress: z
    .string()
    .min(1, 'must not be empty')
    .max(128, 'must have at most 128 characters')
    .register(policyMarks, { form: 'address' }),
  smartContractInterface: z.string().min(1, 'must not be empty').max(400_000, 'must have at most 400000 characters'),
  type: smartContractInterfaceType,
  label,
  notes: text.optional(),
});

/** A stored interface as queries show it. */
export const smartContractInterface = z
  .object({
    organizationId: z.string(),
    smartContractInterfaceId: z.string(),
    smartContractAddress: z.string(),
    smartContractInterface: z.string(),
    type: smartContractInterfaceType,
    label: z.string(),
    notes: z.string(),
    createdAt: timestamp,
    updatedAt: timestamp,
    shortened,
  })
  .meta({ id: 'SmartContractInterface' });

/** A stored interface as queries show it. */
export type SmartContractInterfaceShape = z.output<typeof smartContractInterface>;
