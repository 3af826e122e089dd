import { randomBytes } from 'node:crypto';
import type { LocalChange } from '../../packages/server/src/organizations/snapshot/changes.ts';
import type { GrowingRecord } from './kinds.ts';

const dates = { createdAtMs: Date.now(), updatedAtMs: Date.now() };
// These keys are never used, so any bytes serve as a public key.
const publicKey = () => `02${randomBytes(32).toString('hex')}`;

/** The changes that make one of them. */
export function recordsOf(kind: GrowingRecord, number: number, newId: () => string): LocalChange[] {
  switch (kind) {
    case 'users': {
      const userId = newId();
      const key = { apiKeyName: 'Key', curve: 'API_KEY_CURVE_P256', type: 'CREDENTIAL_TYPE_API_KEY_P256', ...dates } as const;
      return [
        {
          op: 'putRecord',
          kind: 'user',
          id: userId,
          body: { userName: `User ${number}`, userEmail: `user-${number}@example.com`, userTags: [], ...dates },
        },
        { op: 'putRecord', kind: 'apiKey', id: newId(), body: { ...key, userId, publicKey: publicKey() } },
      ];
    }
    case 'policies': {
      const body = {
        policyName: `Policy ${number}`,
        effect: 'EFFECT_ALLOW',
        condition: `activity.kind == 'SIGN_TRANSACTION' && wallet.id == '${newId()}' && eth.tx.value < ${number + 1}`,
        consensus: `approvers.any(user, user.id == '${newId()}')`,
        notes: '',
        language: 2,
        ...dates,
      } as const;
      return [{ op: 'putRecord', kind: 'policy', id: newId(), body }];
    }
    case 'tags':
      return [{ op: 'putRecord', kind: 'userTag', id: newId(), body: { tagName: `Tag ${number}`, ...dates } }];
    case 'wallets':
      return [
        {
          op: 'putResource',
          kind: 'wallet',
          id: newId(),
          body: { walletName: `Wallet ${number}`, exported: false, imported: false, mnemonicLength: 12, ...dates } as never,
        },
      ];
    case 'private keys': {
      const body = {
        privateKeyName: `Key ${number}`,
        publicKey: publicKey(),
        curve: 'CURVE_SECP256K1',
        addresses: [],
        privateKeyTags: [],
        exported: false,
        imported: false,
        ...dates,
      };
      return [{ op: 'putResource', kind: 'privateKey', id: newId(), body: body as never }];
    }
  }
}
