import type { NamedTag } from '@countersign/policy';
import { useMemo } from 'react';
import { useServiceQuery } from '../../data/service-query.ts';

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
