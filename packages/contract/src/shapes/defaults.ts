/**
 * What the service assumes where a request leaves a parameter out.
 * INVARIANT: schemas document these values, policies see them, and executors apply them. All three read this table.
 */
export const defaults = {
  /** The lifetime of a session, and of a key that is mailed. */
  sessionSeconds: '900',
  /** The lifetime of a key to register a first passkey with. */
  setupKeySeconds: '86400',
  /** The lifetime of a one-time code. */
  codeSeconds: '300',
  codeLength: 9,
  alphanumericCode: true,
  /** The lifetime of a verification token. */
  verificationSeconds: '3600',
  mnemonicLength: 12,
  /** Whether derived accounts are kept. */
  persistAccounts: true,
  ipAllowlistEnabled: true,
  onEvaluationError: 'DENY',
  webhookDeliveryMode: 'WEBHOOK_DELIVERY_MODE_SINGLE',
  webhookSubscription: { eventType: 'ACTIVITY_UPDATES', isActive: true },
} as const;
