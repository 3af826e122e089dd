/**
 * Links into the console. Parameters of a page are in the fragment.
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

/** Link to accept an invitation. The key is the one in the mail: organization, invitation, user and private key, with dots. */
export function invitationLink(consoleUrl: string, invitationKey: string): string {
  const [organization = '', invitation = '', user = '', token = ''] = invitationKey.split('.');
  return consoleLink(consoleUrl, 'accept', { organization, invitation, user, token });
}

/** Link to an activity with a pending approval. Opening it does not approve anything. */
export function approvalLink(consoleUrl: string, organizationId: string, activityId: string): string {
  return consoleLink(consoleUrl, `approvals/${encodeURIComponent(activityId)}`, { organization: organizationId });
}

/** Link to all pending approvals of a user. */
export function approvalsLink(consoleUrl: string, organizationId: string): string {
  return consoleLink(consoleUrl, 'approvals', { organization: organizationId });
}

/** Link to an activity. */
export function activityLink(consoleUrl: string, organizationId: string, activityId: string): string {
  return consoleLink(consoleUrl, `activities/${encodeURIComponent(activityId)}`, { organization: organizationId });
}

/** Link to the webhook endpoints of an organization. */
export function webhooksLink(consoleUrl: string, organizationId: string): string {
  return consoleLink(consoleUrl, 'webhooks', { organization: organizationId });
}

/** Link to the activities of an organization. */
export function activitiesLink(consoleUrl: string, organizationId: string): string {
  return consoleLink(consoleUrl, 'activities', { organization: organizationId });
}
