import { expect, test } from 'vitest';
import { auditedKinds, isAudited, recordKinds, resourceKinds } from '../src/record-kinds.ts';

test('names every stored kind, in the order in which an organization is dissolved', () => {
  expect(recordKinds.join(' ')).toBe(
    'organization user apiKey authenticator oauthProvider readOnlySession importTarget usedToken oneTimeCode wrongTries userTag privateKeyTag invitation policy smartContractInterface contact token velocityControl openActivity ipAllowlist webhookEndpoint sessionProfile mfaPolicy pushSubscription authProxy freeze secret oauth2Credential evictedKeys',
  );
  expect(resourceKinds).toEqual(['wallet', 'privateKey', 'walletAccount']);
});

test('keeps records with secrets and short-lived records out of audit files', () => {
  expect(recordKinds.filter((kind) => !isAudited(kind)).join(' ')).toBe(
    'readOnlySession importTarget usedToken oneTimeCode wrongTries openActivity ipAllowlist webhookEndpoint pushSubscription oauth2Credential evictedKeys',
  );
  expect(auditedKinds).toHaveLength(21);
});
