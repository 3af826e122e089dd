import type { Asset, Effect } from '@countersign/chains';
import { noPayment, signedNamespaces } from '@countersign/judgement';
import { type DecisionRequest, type PolicyUser, signings } from '@countersign/policy';

export const SELF = '0xd1220a0cf47c7b9be7a2e6ba89f429762e7b9adb';
export const HOT = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed';
export const COLD = '0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359';
export const ACME = '0xdbf03b407c01e7cd3cbea99509d93f8dddc8c6fb';
export const STRANGER = '0x9999999999999999999999999999999999999999';
export const BLOCKED = '0x8888888888888888888888888888888888888888';

const coin = (id: string, symbol: string, decimals: number): Asset => ({ id, kind: 'COIN', symbol, decimals });
const token = (id: string, symbol: string, decimals: number): Asset => ({ id, kind: 'TOKEN', symbol, decimals });

export const assets = {
  eth: coin('eip155:1/slip44:60', 'ETH', 18),
  sepolia: coin('eip155:11155111/slip44:60', 'ETH', 18),
  sol: coin('solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp/slip44:501', 'SOL', 9),
  trx: coin('tron:0x2b6653dc/slip44:195', 'TRX', 6),
  btc: coin('bip122:000000000019d6689c085ae165831e93/slip44:0', 'BTC', 8),
  usdc: token('eip155:1/erc20:0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48', 'USDC', 6),
  usdt: token('tron:0x2b6653dc/trc20:TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t', 'USDT', 6),
} as const;

export const send = (asset: Asset, amount: bigint, to: string): Effect => ({ kind: 'TRANSFER', asset, amount, from: SELF, to });
export const fee = (amount = 10n ** 15n, asset: Asset = assets.eth): Effect => ({ kind: 'FEE', asset, amount, from: SELF });
export const allowance = (to: string, amount: bigint | undefined, more: { permit?: true; expires?: bigint } = {}): Effect => ({
  kind: 'ALLOWANCE',
  asset: assets.usdc,
  from: SELF,
  to,
  unlimited: amount === undefined,
  ...(amount !== undefined && { amount }),
  ...more,
});

/** What a request of a guide's policy is about. */
export interface GuideRequest {
  /** The tags of each approver. */
  readonly by?: readonly (readonly string[])[];
  readonly kind?: string;
  readonly resource?: string;
  readonly action?: string;
  readonly params?: Readonly<Record<string, string>>;
  readonly wallet?: string;
  readonly privateKeyTags?: readonly string[];
  /** The namespace of what is signed, and its fields. */
  readonly signed?: readonly [namespace: string, fields: Parameters<typeof signedNamespaces>[0]['policy']];
  readonly effects?: readonly Effect[];
  /** The type of the credentials of all approvers, or of each. */
  readonly credentialType?: string | readonly string[];
  readonly now?: string;
}

/** An Ethereum transaction of a wallet. Whatever has an effect that nobody understood is not fully parsed. */
export function ethereum(
  wallet: string,
  effects: readonly Effect[],
  fields: GuideRequest['signed'] = ['eth.tx', {}],
): GuideRequest {
  return { wallet, effects, signed: ['eth.tx', { from: SELF, chain_id: 1n, value: 0n, to: ACME, ...fields[1] }] };
}

/** The contacts of the organization of the guide. */
const contacts = {
  all: [ACME, BLOCKED],
  tagged: new Map<string, readonly string[]>([
    ...['vendors', 'employees', 'grantees', 'protocols', 'suppliers', 'client-17'].map((tag) => [tag, [ACME]] as const),
    ['blocked', [BLOCKED]] as const,
  ]),
};

/** A request in the words of the engine, as the service would make it. */
export function toRequest(request: GuideRequest): DecisionRequest {
  const { by = [[]], kind = 'SIGN_TRANSACTION', resource = 'PRIVATE_KEY', action = 'SIGN', params = {}, effects = [] } = request;
  const users = by.map((tags, index): PolicyUser => ({ id: `u${index}`, tags, alias: `u${index}` }));
  const types = [request.credentialType ?? 'CREDENTIAL_TYPE_API_KEY_P256'].flat();
  const [namespace, policy] = request.signed ?? [];
  const fullyParsed = !effects.some((effect) => effect.kind === 'UNKNOWN');
  const wallet = { id: request.wallet ?? '', imported: false, exported: false, label: '' };
  const privateKey = { id: 'k', tags: request.privateKeyTags ?? [], imported: false, exported: false, label: '' };
  return {
    approvers: users,
    credentials: users.map(({ id }, index) => ({
      id: `c of ${id}`,
      userId: id,
      type: types[index] ?? (types.at(-1) as string),
      publicKey: '',
    })),
    activity: {
      type: `ACTIVITY_TYPE_${kind}`,
      kind,
      resource,
      action,
      params: (name) => params[name],
      given: () => Object.keys(params),
    },
    namespaces: {
      contacts,
      ...(signings.has(kind) && noPayment),
      ...(request.wallet !== undefined && { wallet }),
      ...(request.privateKeyTags !== undefined && { private_key: privateKey }),
      ...(namespace !== undefined && policy !== undefined && signedNamespaces({ namespace, policy, effects, fullyParsed }, SELF)),
    },
    now: Date.parse(request.now ?? '2026-03-25T10:00:00Z'),
    rootQuorum: { threshold: 2, userIds: [] },
    organizationUsers: new Map(users.map((user) => [user.id, user])),
  };
}
