import { activityTypeOf } from '@countersign/client';
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback } from 'react';
import { useSession } from '../session/context.tsx';
import { type Denials, readDenials } from './read-denials.ts';
import { ask } from './service-query.ts';
import type { SubmittedName } from './submitted-name.ts';
import { WHOLE } from './whole-list.ts';

/** One key for the session. Whole answers are not restarted by each entry of the log, so at most one call runs at a time. */
const queryKey = ['getDeniedActivityTypes', WHOLE];

/** Asks again which types are denied, for example because one was. */
export const askDenials = (queries: QueryClient): Promise<void> =>
  queries.invalidateQueries({ queryKey }, { cancelRefetch: false });

/**
 * Why this person cannot submit an activity with any parameters, or with any about the user `of`. Undefined if the service does not say so.
 */
export function useDenied(
  name: SubmittedName,
  of?: string,
): { readonly reason: string | undefined; readonly askAgain: () => void } {
  const { reader, userId } = useSession();
  const queries = useQueryClient();
  const query = useQuery<unknown, Error, Denials>({
    queryKey,
    queryFn: ({ signal }) => ask(reader, 'getDeniedActivityTypes', {}, signal),
    select: readDenials,
    // An older service does not know the query.
    retry: false,
  });
  // SECURITY: D1008: an answer that could not be refreshed denies nothing.
  const denials = query.isError ? undefined : query.data;
  const askAgain = useCallback(() => void askDenials(queries), [queries]);
  const type = activityTypeOf(name);
  const ofOthers = of === undefined || of === userId ? undefined : denials?.aboutOthers.get(type);
  return { reason: denials?.always.get(type) ?? ofOthers, askAgain };
}
