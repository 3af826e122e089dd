import { z } from 'zod';

/** An unsigned integer in hexadecimal (Ethereum JSON-RPC). */
export const hexQuantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]{1,64}$/)
  .transform(BigInt);

/** Bytes in hexadecimal with `0x`. */
export const hexData = z.string().regex(/^0x([0-9a-fA-F]{2})*$/);

/** An unsigned integer that is sent as a JSON number. */
export const wholeNumber = z.union([z.int().min(0).transform(BigInt), z.bigint().min(0n)]);

/** An unsigned integer in decimal text. */
export const decimalText = z
  .string()
  .regex(/^\d{1,78}$/)
  .transform(BigInt);
