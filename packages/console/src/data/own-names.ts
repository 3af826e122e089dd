import { useSession } from '../session/context.tsx';
import { useServiceQuery } from './service-query.ts';

/** The names of this person and of the organization. Both may have changed since the session started. */
export function useOwnNames(): { readonly userName: string; readonly organizationName: string } {
  const remembered = useSession();
  const current = useServiceQuery('whoami', {}).data;
  return {
    userName: current?.username ?? remembered.userName,
    organizationName: current?.organizationName ?? remembered.organizationName,
  };
}
