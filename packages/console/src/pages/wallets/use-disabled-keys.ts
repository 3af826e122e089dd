import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { WHOLE } from '../../data/lists.ts';
import { useSession } from '../../session/context.tsx';
import { disabledKeys } from './disabled-keys.ts';

/** Ids of keys that can no longer sign. Lists of keys do not name them, so they are those of completed activities. */
export function useDisabledKeys(): ReadonlySet<string> {
  const { reader } = useSession();
  const { data } = useQuery({
    queryKey: ['listActivities', WHOLE, 'disabled keys'],
    queryFn: ({ signal }) => disabledKeys(reader, signal),
  });
  return useMemo(() => new Set(data), [data]);
}
