import { useServiceQuery } from '../../data/service-query.ts';

/** The latest activities that disabled a key. A key of an older one has no mark, and the service still denies it. */
const LATEST = '100';

/** Ids of keys that can no longer sign. Lists of keys do not name them, so they are those of completed activities. */
export function useDisabledKeys(): ReadonlySet<string> {
  const { data } = useServiceQuery('listActivities', {
    filterByType: ['ACTIVITY_TYPE_DISABLE_PRIVATE_KEY'],
    filterByStatus: ['ACTIVITY_STATUS_COMPLETED'],
    paginationOptions: { limit: LATEST },
  });
  const ids = (data?.activities ?? []).flatMap(({ intent }) =>
    Object.values(intent).map((parameters) => (parameters as { privateKeyId?: string }).privateKeyId ?? ''),
  );
  return new Set(ids);
}
