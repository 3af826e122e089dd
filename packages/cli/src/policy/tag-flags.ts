import { type ConnectionFlags, connect } from '../connection.ts';
import type { Context } from '../context.ts';

/** Flags of a command that reads policies from files. */
export interface TagFlags extends ConnectionFlags {
  readonly resolveTags?: true;
}

export const resolveTagsHelp = "ask the service for the ids of the tags that policies name: tag('treasurers')";

/** How to read the tags of policies: their ids with `--resolve-tags`, else as they are written. */
export async function tagReader(context: Context, flags: TagFlags): Promise<<T>(policies: T) => Promise<T>> {
  if (flags.resolveTags !== true) return async (policies) => policies;
  const { shownOn, withTagIds } = await import('./tag-names.ts');
  const client = connect(context, flags);
  return (policies) => withTagIds(client, policies, shownOn(context));
}
