/** A session profile that every organization has. No activity changes or removes it. */
export interface BuiltInProfile {
  readonly sessionProfileId: string;
  readonly sessionProfileName: string;
  /** An expression over `activity`. */
  readonly scope: string;
  readonly expirationSeconds?: string;
}

/** One session by its id, or the submitter's own: not all sessions of another user or of the organization. */
const ENDS_SESSIONS = "activity.kind == 'END_SESSIONS' && activity.given.all(name, name == 'api_key_id')";

/**
 * Sessions of the web console. `console` reads: a passkey stamps all changes and votes. `consoleWithoutPasskey` also signs and creates
 * keys, for people who have no passkey.
 * SECURITY: D293: they list what is allowed, so that activities of later releases are out of scope. Neither opens sessions.
 * INVARIANT: audit files contain the scopes of sessions. A profile with another scope gets another id.
 */
export const builtInProfiles = {
  console: {
    sessionProfileId: '00000000-0000-4000-8000-000000000001',
    sessionProfileName: 'Console',
    scope: ENDS_SESSIONS,
  },
  consoleWithoutPasskey: {
    sessionProfileId: '00000000-0000-4000-8000-000000000002',
    sessionProfileName: 'Console without passkey',
    scope: `activity.action == 'SIGN' || activity.kind in ['CREATE_PRIVATE_KEYS', 'CREATE_WALLET', 'CREATE_WALLET_ACCOUNTS'] || (${ENDS_SESSIONS})`,
    expirationSeconds: '900',
  },
} as const satisfies Record<string, BuiltInProfile>;

/** The built-in profile with an id. Undefined if it is the id of another profile. */
export function builtInProfile(sessionProfileId: string): BuiltInProfile | undefined {
  return Object.values<BuiltInProfile>(builtInProfiles).find((profile) => profile.sessionProfileId === sessionProfileId);
}
