import { randomBytes } from 'node:crypto';
import type { LoadTarget } from '../load/messages.ts';
import type { SigningTarget } from '../signing-request.ts';
import type { ApiKey } from '../stamper.ts';
import { halfSent } from './half-sent.ts';
import type { Hoarder } from './hoarder.ts';
import type { Shooting } from './messages.ts';
import { badStamp, httpRequest, manyKeys, newApiKey, query, type Sender, signatures, submits } from './requests.ts';

/** The people of a run. */
export interface Cast {
  readonly quiet: SigningTarget & ApiKey;
  readonly noisy: SigningTarget & ApiKey;
  /** A user of the noisy organization without any rights. */
  readonly powerless: Sender;
  readonly hoarder: Hoarder;
}

/** What disturbs the quiet tenant. */
export interface Scenario {
  readonly name: string;
  readonly disturb?: (cast: Cast, seconds: number) => Pick<Shooting, 'requests' | 'connections' | 'repeat'>;
  /** Sends to another server on this machine, to measure the influence of the machine. */
  readonly isElsewhere?: true;
  /** Opens resources for the duration of the scenario. Returns the function that closes them. */
  readonly hold?: (target: LoadTarget, from: string) => Promise<() => void>;
}

const CREATE_USERS = 'ACTIVITY_TYPE_CREATE_USERS_V3';

/** The attacks that were found on a live server, and a tenant that is merely busy. */
export const scenarios: readonly Scenario[] = [
  { name: 'nobody else' },
  { name: 'a tenant that signs at another server on this machine', disturb: signAll, isElsewhere: true },
  { name: 'a tenant that signs as fast as it can, 64 connections', disturb: signAll },
  {
    name: '900 keys to check, by a user without rights, 4 in flight',
    disturb: ({ powerless }) => {
      const parameters = manyKeys();
      return { requests: submits(powerless, 'create_users', CREATE_USERS, 400, () => parameters), connections: 4 };
    },
  },
  {
    name: 'the same keys in simulations, 4 in flight',
    disturb: ({ powerless }) => {
      const fields = { type: CREATE_USERS, parameters: manyKeys() };
      return { requests: [query(powerless, 'simulate_activity', fields)], connections: 4, repeat: true };
    },
  },
  {
    name: 'wallets with 100 accounts, 4 in flight',
    disturb: ({ noisy }, seconds) => {
      const accounts = Array.from({ length: 100 }, (_, index) => ({
        curve: 'CURVE_SECP256K1',
        pathFormat: 'PATH_FORMAT_BIP32',
        path: `m/86'/0'/${index}'/0/0`,
        addressFormat: 'ADDRESS_FORMAT_BITCOIN_MAINNET_P2TR',
      }));
      const parameters = () => ({ walletName: randomBytes(16).toString('hex'), accounts });
      return {
        requests: submits(noisy, 'create_wallet', 'ACTIVITY_TYPE_CREATE_WALLET', 20 * seconds, parameters),
        connections: 4,
      };
    },
  },
  {
    name: '600 KB of numbers without a credential, 8 connections',
    disturb: () => {
      const body = `{"organizationId":[${Array(120_000).fill('1.5').join(',')}]}`;
      return { requests: [httpRequest('/public/v1/query/whoami', body)], connections: 8, repeat: true };
    },
  },
  {
    name: 'bad stamps, 16 connections',
    disturb: ({ quiet }) => ({
      requests: Array.from({ length: 500 }, () => badStamp(quiet)),
      connections: 16,
      repeat: true,
    }),
  },
  {
    name: 'quick queries, 16 connections',
    disturb: ({ powerless }) => ({ requests: [query(powerless, 'whoami', {})], connections: 16, repeat: true }),
  },
  {
    name: 'whole lists of 1.6 MB, 8 connections',
    disturb: ({ hoarder }) => ({ requests: [query(hoarder, 'list_policies', {})], connections: 8, repeat: true }),
  },
  {
    name: 'one activity of 1.1 MB again and again, 8 connections',
    disturb: ({ hoarder }) => ({
      requests: [query(hoarder, 'get_activity', { activityId: hoarder.activityId })],
      connections: 8,
      repeat: true,
    }),
  },
  {
    name: 'sign-ins of one user, 8 connections',
    disturb: ({ powerless }, seconds) => {
      const parameters = () => ({ publicKey: newApiKey().apiPublicKey, expirationSeconds: '60' });
      return {
        requests: submits(powerless, 'stamp_login', 'ACTIVITY_TYPE_STAMP_LOGIN', 400 * seconds, parameters),
        connections: 8,
      };
    },
  },
  {
    name: 'refused requests of 0.5 MB, 8 connections',
    disturb: ({ powerless }) => ({ requests: manyPayloads(powerless, powerless.organizationId), connections: 8 }),
  },
  {
    name: 'requests of 0.5 MB for 500 signatures, 8 connections',
    disturb: ({ noisy }) => ({ requests: manyPayloads(noisy, noisy.privateKeyId), connections: 8 }),
  },
  { name: '400 half-sent bodies of 0.85 MB', hold: (target, from) => halfSent(target, 400, 850_000, from) },
];

/** A hundred requests to sign 500 payloads of 500 bytes each. */
function manyPayloads(sender: Sender, signWith: string): Buffer[] {
  const parameters = () => ({
    signWith,
    payloads: Array.from({ length: 500 }, () => randomBytes(500).toString('hex')),
    encoding: 'PAYLOAD_ENCODING_HEXADECIMAL',
    hashFunction: 'HASH_FUNCTION_SHA256',
  });
  return submits(sender, 'sign_raw_payloads', 'ACTIVITY_TYPE_SIGN_RAW_PAYLOADS', 100, parameters);
}

function signAll({ noisy }: Cast, seconds: number): Pick<Shooting, 'requests' | 'connections'> {
  return { requests: signatures(noisy, 2500 * seconds), connections: 64 };
}
