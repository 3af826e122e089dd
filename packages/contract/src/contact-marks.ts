import { z } from 'zod';

/** Marks a value by which a person or a device can be reached. The database contains such values only encrypted. */
export const contactMarks = z.registry<{ readonly contact: true }>();

/** Marks an email address, a phone number or the like. */
export function contactValue<S extends z.ZodType>(schema: S): S {
  contactMarks.add(schema as z.ZodType, { contact: true });
  return schema;
}
