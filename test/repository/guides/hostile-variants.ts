import type { Asset, Effect } from '@countersign/chains';
import { ACME, allowance, assets, type GuideRequest, SELF, STRANGER, send } from './policy-requests.ts';

const fake: Asset = { id: `eip155:1/erc20:0x${'66'.repeat(20)}`, kind: 'TOKEN', symbol: 'USDC', decimals: 6 };
const nft: Asset = { id: `eip155:1/erc721:0x${'77'.repeat(20)}/5`, kind: 'NFT', decimals: 0 };
const elsewhere: Asset = {
  id: 'eip155:10/erc20:0x0b2c639c533813f4aa9d7837caf62653d097ff85',
  kind: 'TOKEN',
  symbol: 'USDC',
  decimals: 6,
};
const large = 10n ** 12n;

/** Effects that no payment has. Each is added to a request that a policy allows, and stands in place of its transfers. */
const hostile: Readonly<Record<string, Effect>> = {
  'an unlimited allowance for a stranger': allowance(STRANGER, undefined),
  'an allowance for a known address': allowance(ACME, large),
  'a token that is called USDC': send(fake, large, ACME),
  'USDC of another chain': send(elsewhere, large, ACME),
  'USDC to a stranger': send(assets.usdc, large, STRANGER),
  'ether to a stranger': send(assets.eth, 100n * 10n ** 18n, STRANGER),
  'an NFT': send(nft, 1n, ACME),
  'an amount that the bytes do not tell': { kind: 'TRANSFER', asset: assets.usdc, from: SELF, to: ACME },
  'the funds of another': { kind: 'TRANSFER', asset: assets.usdc, amount: 1n, from: STRANGER, to: ACME },
  'a contract creation with ether': { kind: 'CREATE', what: 'CONTRACT', from: SELF, asset: assets.eth, amount: large },
  'a change of control': { kind: 'AUTHORITY', what: 'it obeys the code at', from: SELF, to: STRANGER },
  'a signature for every chain': { kind: 'REPLAYABLE', what: 'no chain id' },
  'bytes that were not understood': { kind: 'UNKNOWN', what: 'unknown call', to: STRANGER, bytes: 4 },
  'a fee that burns everything': { kind: 'FEE', asset: assets.eth, amount: 100n * 10n ** 18n, from: SELF },
  'a memo': { kind: 'CALL', what: 'memo "for my account"', to: ACME },
};

/**
 * Requests that differ from one that a policy allows, by name, and that no policy on payments may allow. `anyone` receives from some
 * policies, and some policies are about calls.
 */
export function hostileVariants(allowed: GuideRequest): Readonly<Record<string, GuideRequest>> {
  const { effects = [], by = [], signed, ...rest } = allowed;
  const fees = effects.filter(({ kind }) => kind === 'FEE');
  const having = (changed: readonly Effect[]): GuideRequest => ({ ...allowed, effects: changed });
  const variants: Record<string, GuideRequest> = { 'no transfer at all': having(fees), 'nothing that was listed': having([]) };
  for (const [name, effect] of Object.entries(hostile)) {
    variants[`${name}, in addition`] = having([...effects, effect]);
    variants[`${name} instead`] = having([effect, ...fees]);
  }
  const raw = { ...rest, by, params: { encoding: 'PAYLOAD_ENCODING_HEXADECIMAL' } };
  return {
    ...variants,
    'one approver fewer': { ...allowed, by: by.slice(1) },
    'as many approvers without tags': { ...allowed, by: by.map(() => []) },
    'a permit': { ...rest, by, kind: 'SIGN_RAW_PAYLOAD', signed: ['eth.eip_712', { domain: { chain_id: 1n } }], effects },
    'a raw payload': { ...raw, kind: 'SIGN_RAW_PAYLOAD' },
    'raw payloads': { ...raw, kind: 'SIGN_RAW_PAYLOADS' },
    'another wallet': { ...allowed, wallet: 'another' },
    ...(signed?.[0] === 'eth.tx' && {
      'the same on another chain': {
        ...allowed,
        signed: [signed[0], { ...signed[1], chain_id: 10n }],
        effects: effects.map((effect) => moved(effect)),
      },
    }),
  };
}

/** An effect on another chain. */
function moved(effect: Effect): Effect {
  if (!('asset' in effect) || effect.asset === undefined) return effect;
  return { ...effect, asset: { ...effect.asset, id: effect.asset.id.replace(/^eip155:[0-9]+/, 'eip155:10') } };
}
