import { z } from 'zod';
import { id, timestamp } from './primitives.ts';

/** What a tag is for. */
export const tagType = z.enum(['TAG_TYPE_USER', 'TAG_TYPE_PRIVATE_KEY']).meta({ id: 'TagType' });

/** Objects to add a tag to or remove it from. The list may be empty. */
export const taggedIds = z.array(id).max(1000, 'must have at most 1000 items');

/** A tag of users or of private keys as queries show it. */
export const tag = z
  .object({ tagId: z.string(), tagName: z.string(), tagType, createdAt: timestamp, updatedAt: timestamp })
  .meta({ id: 'Tag' });

/** A tag as queries show it. */
export type TagShape = z.output<typeof tag>;
