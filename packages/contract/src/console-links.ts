/**
 * Links into the console. What a page needs stands in the fragment.
 * SECURITY: browsers send fragments to no server, so no token in one reaches a log, a proxy or a Referer header.
 */
function consoleLink(consoleUrl: string, page: string, parameters: Readonly<Record<string, string>>): string {
  const given = Object.entries(parameters).map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `${consoleUrl}#/${page}${given.length === 0 ? '' : `?${given.join('&')}`}`;
}

/** A one-time key, and whom it is for. */
export interface SetupKey {
  readonly organizationId: string;
  readonly userId: string;
  /** The private key of a one-time P-256 key, in hexadecimal. */
  readonly token: string;
}

/** Where a user registers their first passkey. `consoleUrl` ends in a slash. */
export function setupLink(consoleUrl: string, { organizationId, userId, token }: SetupKey): string {
  return consoleLink(consoleUrl, 'setup', { organization: organizationId, user: userId, token });
}

/** Where somebody accepts an invitation. The key is the one in the mail: organization, invitation, user and private key, with dots. */
export function invitationLink(consoleUrl: string, invitationKey: string): string {
  const [organization = '', invitation = '', user = '', token = ''] = invitationKey.split('.');
  return consoleLink(consoleUrl, 'accept', { organization, invitation, user, token });
}

/** Where somebody looks at an activity that waits for them. It approves nothing by itself. */
export function approvalLink(consoleUrl: string, organizationId: string, activityId: string): string {
  return consoleLink(consoleUrl, `approvals/${encodeURIComponent(activityId)}`, { organization: organizationId });
}

/** Where somebody sees all that waits for them. */
export function approvalsLink(consoleUrl: string, organizationId: string): string {
  return consoleLink(consoleUrl, 'approvals', { organization: organizationId });
}
