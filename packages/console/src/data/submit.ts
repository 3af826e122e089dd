import type { Client, ParametersOf, ResultOf, Submitted } from '@countersign/client';
import type { Activities } from '@countersign/contract';
import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { useSession } from '../session/context.tsx';
import { passkeyClient, type Session } from '../session/session.ts';
import { useToast } from '../ui/toast.tsx';
import { words } from '../words/index.ts';
import { askDenials } from './denials.ts';
import { isDeclined, isForbidden, messageOf } from './errors.ts';
import { refresh } from './refresh.ts';

type ActivityName = keyof Activities;

/**
 * The client for changes: it stamps with a passkey. A person without a passkey stamps with the session, within what the profile of the session
 * allows.
 * SECURITY: D387: a frozen member of the root quorum, or a person who may not read users, cannot list passkeys and must still be able to vote.
 * The browser then offers all passkeys of this site, and the service checks whose it is.
 */
export async function writerOf({ reader, organizationId, userId }: Session, queries: QueryClient): Promise<Client> {
  const authenticators = await queries.fetchQuery({
    queryKey: ['getAuthenticators', { userId }],
    queryFn: () => reader.getAuthenticators({ userId }).then((found) => found.authenticators, unlessForbidden),
    staleTime: 60_000,
  });
  if (authenticators === null) return passkeyClient(organizationId);
  return authenticators.length === 0
    ? reader
    : passkeyClient(
        organizationId,
        authenticators.map(({ credentialId }) => credentialId),
      );
}

function unlessForbidden(error: unknown): null {
  if (isForbidden(error)) return null;
  throw error;
}

export interface SubmitOptions<Name extends ActivityName> {
  /** Message on completion. */
  readonly done?: string;
  readonly onDone?: (result: ResultOf<Activities[Name]>) => void;
  /** Called on each outcome except an error, also if the activity is pending. */
  readonly onSent?: () => void;
  /** The reference of the request, see `ui/reference.tsx`. */
  readonly reference?: string;
  /** Stamp with the session, for self-service activities of a session. */
  readonly bySession?: boolean;
  /** Stamp with one of these passkeys. By default any passkey of the person may stamp. */
  readonly credentialIds?: readonly string[];
  /** Undoes the activity with the opposite one. Offered once it is completed; a pending activity can be rejected. */
  readonly undo?: () => void;
}

/** Submits an activity and shows its outcome. Field errors are in `error`, for the form. */
export function useSubmit<Name extends ActivityName>(
  name: Name,
  { done, onDone, onSent, reference, bySession = false, credentialIds, undo }: SubmitOptions<Name> = {},
) {
  const session = useSession();
  const queries = useQueryClient();
  const showToast = useToast();
  return useMutation({
    mutationFn: async (parameters: ParametersOf<Activities[Name]>) => {
      const client = bySession
        ? session.reader
        : credentialIds === undefined
          ? await writerOf(session, queries)
          : passkeyClient(session.organizationId, credentialIds);
      const method = client[name] as unknown as (
        given: typeof parameters,
        options?: { readonly reference: string },
      ) => Promise<Submitted<unknown, ResultOf<Activities[Name]>>>;
      return method(parameters, reference === undefined ? undefined : { reference });
    },
    onSuccess({ activity, result }) {
      const href = `#/activities/${activity.id}`;
      if (result !== undefined) {
        if (done !== undefined) showToast('good', done, undo && { label: words.common.undo, run: undo });
        onDone?.(result);
      } else if (activity.status === 'ACTIVITY_STATUS_CONSENSUS_NEEDED') {
        void showPending(session, activity.id, (text, page) => showToast('wait', text, { label: words.common.view, href: page }));
      } else {
        const text = activity.status === 'ACTIVITY_STATUS_REJECTED' ? words.common.denied : words.common.failed;
        showToast('bad', text, { label: words.common.view, href });
      }
      onSent?.();
      void refresh(queries);
    },
    onError(error) {
      if (isForbidden(error)) void askDenials(queries);
      showToast(isDeclined(error) ? 'wait' : 'bad', messageOf(error));
    },
  });
}

/** Shows what a pending activity waits for: another factor of the requester, whom an MFA policy asks to approve it again, or others. */
async function showPending({ reader }: Session, activityId: string, show: (text: string, page: string) => void): Promise<void> {
  const isOwn = await reader.getActivity({ activityId }).then(
    ({ activity }) => activity.canApprove,
    () => false,
  );
  if (isOwn) show(words.common.pendingFactor, `#/approvals/${activityId}`);
  else show(words.common.pendingApproval, `#/activities/${activityId}`);
}
