import { type QueryDefinition, queries } from '@countersign/contract';
import type { ComparedKind } from './change.ts';

interface KindInWords {
  readonly word: string;
  /** The member of the record that is its name. */
  readonly name?: string;
  /**
   * The queries that show such records, and what their fields refer to.
   * SECURITY: D496: a user who may not use one of them does not read the comparison either.
   */
  readonly shownBy: readonly QueryDefinition[];
}

const { listUsers, listUserTags, listPolicies, listContacts, listTokens, listVelocityControls } = queries;

/** A missing kind does not compile. */
export const kinds: Readonly<Record<ComparedKind, KindInWords>> = {
  organization: { word: 'organization', name: 'name', shownBy: [queries.getOrganizationConfigs, listUsers] },
  user: { word: 'user', name: 'userName', shownBy: [listUsers] },
  apiKey: { word: 'API key', name: 'apiKeyName', shownBy: [listUsers] },
  authenticator: { word: 'passkey', name: 'authenticatorName', shownBy: [listUsers] },
  oauthProvider: { word: 'sign-in identity', name: 'providerName', shownBy: [listUsers] },
  userTag: { word: 'user tag', name: 'tagName', shownBy: [listUserTags, listUsers] },
  privateKeyTag: { word: 'private key tag', name: 'tagName', shownBy: [queries.listPrivateKeyTags] },
  invitation: { word: 'invitation of', name: 'receiverUserName', shownBy: [listUsers] },
  policy: { word: 'policy', name: 'policyName', shownBy: [listPolicies] },
  smartContractInterface: { word: 'contract interface', name: 'label', shownBy: [queries.listSmartContractInterfaces] },
  contact: { word: 'contact', name: 'label', shownBy: [listContacts] },
  token: { word: 'token', name: 'symbol', shownBy: [listTokens] },
  velocityControl: { word: 'spending limit', name: 'name', shownBy: [listVelocityControls] },
  ipAllowlist: { word: 'IP allowlist', shownBy: [queries.getIpAllowlist, listUsers] },
  webhookEndpoint: { word: 'webhook', name: 'name', shownBy: [queries.listWebhookEndpoints] },
  sessionProfile: { word: 'session profile', name: 'sessionProfileName', shownBy: [queries.getSessionProfiles] },
  mfaPolicy: { word: 'MFA policy', name: 'mfaPolicyName', shownBy: [listUsers] },
  pushSubscription: { word: 'browser for notifications', name: 'name', shownBy: [listUsers] },
  authProxy: { word: 'auth proxy', shownBy: [queries.getAuthProxyConfig] },
  oauth2Credential: { word: 'OAuth 2 credential', name: 'clientId', shownBy: [queries.listOauth2Credentials] },
  secret: { word: 'secret', name: 'name', shownBy: [queries.listSecrets] },
  freeze: { word: 'freeze', shownBy: [queries.listFreezes, listUsers] },
};

/** The name of a kind in responses, such as `MFA_POLICY`. */
export function kindName(kind: ComparedKind): string {
  return kind.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
}

const byName = new Map((Object.keys(kinds) as ComparedKind[]).map((kind) => [kindName(kind), kind]));

/**
 * The queries that show everything that changes of these kinds are about. Undefined for a kind that this release does not know.
 * SECURITY: D496: without any change, all of them. A request that changes nothing reveals that the current state equals its parameters.
 */
export function queriesFor(kindNames: readonly string[]): readonly QueryDefinition[] | undefined {
  const found = new Set<QueryDefinition>();
  for (const name of kindNames.length === 0 ? byName.keys() : kindNames) {
    const kind = byName.get(name);
    if (kind === undefined) return undefined;
    for (const query of kinds[kind].shownBy) found.add(query);
  }
  return [...found];
}
