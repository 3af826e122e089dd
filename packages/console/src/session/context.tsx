import { useQueryClient } from '@tanstack/react-query';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useState } from 'react';
import { installWorker, removeWorker } from '../offline/service-worker.ts';
import { forgetInbox, wipeSession } from './database.ts';
import { restoreSession, type Session, signOut } from './session.ts';

interface SessionState {
  /** Undefined while the session loads, null if no one is signed in. */
  readonly session: Session | null | undefined;
  /** Whether the person is signing out. */
  readonly isEnding: boolean;
  start(session: Session): void;
  /** Signs out and deletes all data. */
  end(): Promise<void>;
  /** The service no longer knows the session. */
  lapse(): void;
}

const SessionContext = createContext<SessionState | undefined>(undefined);

export function SessionProvider({ children }: { children: ReactNode }) {
  const [session, setSession] = useState<Session | null>();
  const [isEnding, setEnding] = useState(false);
  const queries = useQueryClient();

  useEffect(() => {
    restoreSession().then(
      (restored) => setSession(restored ?? null),
      () => setSession(null),
    );
  }, []);

  const isSignedIn = Boolean(session);
  useEffect(() => {
    if (isSignedIn) void installWorker();
  }, [isSignedIn]);

  const expiresAtMs = session?.expiresAtMs;
  useEffect(() => {
    if (expiresAtMs === undefined) return;
    const timer = setTimeout(() => void forgetInbox(), expiresAtMs - Date.now());
    return () => clearTimeout(timer);
  }, [expiresAtMs]);

  const forget = useCallback(
    (lapsed: boolean) => {
      queries.clear();
      setSession(null);
      setEnding(false);
      void removeWorker({ lapsed });
    },
    [queries],
  );

  /** SECURITY: D212: a link may open another user's session in another organization. Clear all data of the open one. */
  const start = useCallback(
    (next: Session) => {
      queries.clear();
      setSession(next);
    },
    [queries],
  );

  const state = useMemo<SessionState>(
    () => ({
      session,
      isEnding,
      start,
      async end() {
        setEnding(true);
        if (session) await signOut(session);
        forget(false);
      },
      lapse() {
        void wipeSession();
        forget(true);
      },
    }),
    [session, isEnding, start, forget],
  );
  return <SessionContext.Provider value={state}>{children}</SessionContext.Provider>;
}

export function useSessionState(): SessionState {
  const state = useContext(SessionContext);
  if (state === undefined) throw new Error('SessionProvider is missing');
  return state;
}

/** The session of a page that requires sign-in. */
export function useSession(): Session {
  const { session } = useSessionState();
  if (!session) throw new Error('this page needs a session');
  return session;
}
