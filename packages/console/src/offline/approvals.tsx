import { usePendingApprovals } from '../data/pending-approvals.ts';
import { ApprovalsPage } from '../pages/approvals/approvals.tsx';
import { KeepRequests } from './keep-requests.tsx';
import { OfflineInbox } from './offline-inbox.tsx';
import { useOffline } from './use-offline.ts';

/** The inbox, or what this browser kept of it if the service is unreachable. */
export function ApprovalsOrKept() {
  const { mine, query } = usePendingApprovals();
  const isOffline = useOffline();
  if (query.data === undefined && isOffline) return <OfflineInbox />;
  return (
    <>
      <ApprovalsPage />
      {query.data !== undefined && <KeepRequests activities={mine} />}
    </>
  );
}
