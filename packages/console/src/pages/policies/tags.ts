import type { NamedTag } from '@countersign/policy';
import { useMemo } from 'react';
import { useServiceQuery } from '../../data/service-query.ts';
import type { Draft } from './draft.ts';

/** The tags that policies can name. Undefined until they are known. */
export function useNamedTags(): readonly NamedTag[] | undefined {
  const users = useServiceQuery('listUserTags', {}).data;
  const keys = useServiceQuery('listPrivateKeyTags', {}).data;
  return useMemo(() => {
    if (users === undefined || keys === undefined) return undefined;
    return [
      ...users.userTags.map(({ tagId, tagName }): NamedTag => ({ id: tagId, name: tagName, kind: 'user tag' })),
      ...keys.privateKeyTags.map(({ tagId, tagName }): NamedTag => ({ id: tagId, name: tagName, kind: 'private key tag' })),
    ];
  }, [users, keys]);
}

/**
 * The draft with ids in place of the names of tags.
 * SECURITY: D445: before the request is stamped. A name that cannot be resolved is kept, and the service rejects it.
 */
export async function withTagIds(draft: Draft, tags: readonly NamedTag[] = []): Promise<Draft> {
  // The policy language loads with the editor.
  await import('./editor/no-jit.ts');
  const { resolveTags } = await import('@countersign/policy');
  return {
    ...draft,
    condition: resolveTags(draft.condition, tags).text,
    consensus: resolveTags(draft.consensus, tags).text,
  };
}
