import { createECDH } from 'node:crypto';
import { type SigningTarget, signingBody } from '../signing-request.ts';
import { type ApiKey, Stamper } from '../stamper.ts';
import type { Growing } from './records.ts';

/** A request that every organization receives. */
export type Operation = (unique: string) => Promise<void>;

/** How each kind is made and listed through the API. */
const api: Readonly<
  Record<Growing, { readonly list: string; create(unique: string): { path: string; type: string; parameters: object } }>
> = {
  users: {
    list: 'list_users',
    create: (unique) => ({
      path: 'create_users',
      type: 'ACTIVITY_TYPE_CREATE_USERS_V3',
      parameters: {
        users: [
          {
            userName: unique,
            apiKeys: [{ apiKeyName: 'Key', publicKey: newPublicKey(), curveType: 'API_KEY_CURVE_P256' }],
            authenticators: [],
            oauthProviders: [],
            userTags: [],
          },
        ],
      },
    }),
  },
  policies: {
    list: 'list_policies',
    create: (unique) => ({
      path: 'create_policy',
      type: 'ACTIVITY_TYPE_CREATE_POLICY_V3',
      parameters: {
        policyName: unique,
        effect: 'EFFECT_ALLOW',
        condition: `activity.kind == 'SIGN_TRANSACTION' && wallet.label == '${unique}'`,
        notes: '',
      },
    }),
  },
  tags: {
    list: 'list_user_tags',
    create: (unique) => ({
      path: 'create_user_tag',
      type: 'ACTIVITY_TYPE_CREATE_USER_TAG',
      parameters: { userTagName: unique, userIds: [] },
    }),
  },
  wallets: {
    list: 'list_wallets',
    create: (unique) => ({
      path: 'create_wallet',
      type: 'ACTIVITY_TYPE_CREATE_WALLET',
      parameters: { walletName: unique, accounts: [], mnemonicLength: 12 },
    }),
  },
  'private keys': {
    list: 'list_private_keys',
    create: (unique) => ({
      path: 'create_private_keys',
      type: 'ACTIVITY_TYPE_CREATE_PRIVATE_KEYS_V2',
      parameters: {
        privateKeys: [{ privateKeyName: unique, curve: 'CURVE_SECP256K1', privateKeyTags: [], addressFormats: [] }],
      },
    }),
  },
};

function newPublicKey(): string {
  const pair = createECDH('prime256v1');
  return pair.generateKeys('hex', 'compressed');
}

/** The requests that are measured, by name. */
export function operationsOn(url: string, kind: Growing, target: SigningTarget & ApiKey): Readonly<Record<string, Operation>> {
  const stamper = new Stamper(target);
  const { organizationId } = target;
  async function send(path: string, body: string): Promise<number> {
    const headers = { 'Content-Type': 'application/json', 'X-Stamp': stamper.stamp(body) };
    const response = await fetch(`${url}/public/v1/${path}`, { method: 'POST', headers, body });
    const text = await response.text();
    if (!response.ok && response.status !== 400) throw new Error(`${path}: ${text}`);
    return response.status;
  }
  const query = (name: string, fields: object = {}) => send(`query/${name}`, JSON.stringify({ organizationId, ...fields }));
  let pages = true;
  return {
    'a signature': async (unique) => {
      const payload = Buffer.from(unique).toString('hex').padStart(64, '0').slice(-64);
      await send('submit/sign_raw_payload', signingBody(target, payload, Date.now()));
    },
    'one change': async (unique) => {
      const { path, type, parameters } = api[kind].create(unique);
      const status = await send(
        `submit/${path}`,
        JSON.stringify({ type, timestampMs: String(Date.now()), organizationId, parameters }),
      );
      if (status !== 200) throw new Error(`${path} was refused`);
    },
    'a page of 10': async () => {
      // A release that does not page gives the whole list.
      const status = pages ? await query(api[kind].list, { paginationOptions: { limit: '10' } }) : 400;
      pages = status === 200;
      if (!pages) await query(api[kind].list);
    },
    get_organization: async () => {
      await query('get_organization');
    },
  };
}
