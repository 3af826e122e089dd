import { describe, expect, test } from 'vitest';
import { defaultTokens } from '../../../src/effects/default-tokens.ts';
import { parseTypedData } from '../../../src/ethereum/index.ts';
import type { ParseContext } from '../../../src/transaction.ts';
import { signer } from '../support.ts';
import {
  dai,
  daiAsset,
  encode,
  friend,
  maxUint256,
  permit2,
  self,
  stored,
  stranger,
  usdc,
  usdcAsset,
  weth,
  wethAsset,
} from './support.ts';

type Members = Readonly<Record<string, string>>;

/** Typed data from types that are written as `{ Permit: { owner: 'address' } }`; the first one is the primary type. */
function sign(
  types: Readonly<Record<string, Members>>,
  domain: Readonly<Record<string, unknown>>,
  message: unknown,
  context: Partial<ParseContext> = {},
) {
  const [primaryType] = Object.keys(types);
  const written = Object.fromEntries(
    Object.entries(types).map(([name, members]) => [
      name,
      Object.entries(members).map(([member, type]) => ({ name: member, type })),
    ]),
  );
  const text = JSON.stringify({ types: written, primaryType, domain, message }, (_, value) =>
    typeof value === 'bigint' ? value.toString() : value,
  );
  return parseTypedData(text, { signer, interfaces: [], tokens: defaultTokens, ...context });
}

const usdcDomain = { name: 'USD Coin', version: '2', chainId: 1, verifyingContract: usdc };
const erc2612 = { Permit: { owner: 'address', spender: 'address', value: 'uint256', nonce: 'uint256', deadline: 'uint256' } };
const permit = { owner: self, spender: friend, value: 5n, nonce: 0, deadline: 9 };

describe('permits of tokens', () => {
  test.each([
    [5n, false],
    [2n ** 255n, true],
    [maxUint256, true],
    [0n, false],
  ])('EIP-2612: %s is an allowance, unlimited %s', (value, unlimited) => {
    const message = sign(erc2612, usdcDomain, { ...permit, value });
    expect(message.effects).toEqual([
      { kind: 'ALLOWANCE', asset: usdcAsset, amount: value, from: self, to: friend, unlimited, permit: true },
    ]);
    expect(message).toMatchObject({ fullyParsed: true, unparsed: [] });
  });

  test('DAI', () => {
    const types = { Permit: { holder: 'address', spender: 'address', nonce: 'uint256', expiry: 'uint256', allowed: 'bool' } };
    const domain = { name: 'Dai Stablecoin', version: '1', chainId: 1, verifyingContract: dai };
    const message = (allowed: boolean) => sign(types, domain, { holder: self, spender: friend, nonce: 0, expiry: 0, allowed });
    expect(message(true).effects).toEqual([
      { kind: 'ALLOWANCE', asset: daiAsset, from: self, to: friend, unlimited: true, permit: true },
    ]);
    expect(message(false).effects).toMatchObject([{ amount: 0n, unlimited: false }]);
    expect(message(true).description).toBe('LET 0x3535353535353535353535353535353535353535 SPEND UNLIMITED DAI on Ethereum');
  });

  test('EIP-3009', () => {
    const members = {
      from: 'address',
      to: 'address',
      value: 'uint256',
      validAfter: 'uint256',
      validBefore: 'uint256',
      nonce: 'bytes32',
    };
    const nonce = `0x${'11'.repeat(32)}`;
    const order = { from: self, to: friend, value: 5n, validAfter: 0, validBefore: 9, nonce };
    for (const primary of ['TransferWithAuthorization', 'ReceiveWithAuthorization']) {
      const message = sign({ [primary]: members }, usdcDomain, order);
      expect(message.effects).toEqual([{ kind: 'TRANSFER', asset: usdcAsset, amount: 5n, from: self, to: friend }]);
      expect(message.fullyParsed).toBe(true);
    }
    const cancel = sign({ CancelAuthorization: { authorizer: 'address', nonce: 'bytes32' } }, usdcDomain, {
      authorizer: self,
      nonce,
    });
    expect(cancel.effects).toMatchObject([{ kind: 'CALL', to: usdc }]);
    expect(cancel.fullyParsed).toBe(true);
  });

  test('D68: a permit for a contract that no list names is told, and is not fully parsed', () => {
    const message = sign(erc2612, { ...usdcDomain, verifyingContract: stranger }, permit);
    expect(message.effects).toMatchObject([{ kind: 'ALLOWANCE', asset: { id: `eip155:1/erc20:${stranger}` } }]);
    expect(message.fullyParsed).toBe(false);
  });

  test('D69: a type with the same name and other members is not taken for a permit', () => {
    const { nonce: _, ...members } = erc2612.Permit;
    const { nonce: __, ...rest } = permit;
    const message = sign({ Permit: members }, usdcDomain, rest);
    expect(message.effects).toMatchObject([{ kind: 'CALL', to: usdc, what: expect.stringContaining('Permit(owner:') }]);
    expect(message.fullyParsed).toBe(false);
    const other = sign({ Permit: { ...erc2612.Permit, value: 'uint128' } }, usdcDomain, permit);
    expect(other.fullyParsed).toBe(false);
  });

  test('D45: a domain without a chain id is replayable', () => {
    const { chainId: _, ...domain } = usdcDomain;
    const message = sign(erc2612, domain, permit);
    expect(message.effects).toMatchObject([
      { kind: 'REPLAYABLE' },
      { kind: 'ALLOWANCE', asset: { id: `eip155:0/erc20:${usdc}` } },
    ]);
    expect(message.fullyParsed).toBe(false);
  });
});

describe('Permit2', () => {
  const domain = { name: 'Permit2', chainId: 1, verifyingContract: permit2 };
  const PermitDetails = { token: 'address', amount: 'uint160', expiration: 'uint48', nonce: 'uint48' };
  const details = { token: usdc, amount: 5n, expiration: 1_800_000_000, nonce: 0 };
  const TokenPermissions = { token: 'address', amount: 'uint256' };

  test('PermitSingle and PermitBatch', () => {
    const single = { PermitSingle: { details: 'PermitDetails', spender: 'address', sigDeadline: 'uint256' }, PermitDetails };
    const one = sign(single, domain, { details, spender: friend, sigDeadline: 9 });
    expect(one.effects).toEqual([
      {
        kind: 'ALLOWANCE',
        asset: usdcAsset,
        amount: 5n,
        from: self,
        to: friend,
        unlimited: false,
        permit: true,
        expires: 1_800_000_000n,
      },
    ]);
    expect(one.fullyParsed).toBe(true);
    const batch = { PermitBatch: { details: 'PermitDetails[]', spender: 'address', sigDeadline: 'uint256' }, PermitDetails };
    const list = [details, { ...details, token: weth, amount: 2n ** 160n - 1n }];
    expect(sign(batch, domain, { details: list, spender: friend, sigDeadline: 9 }).effects).toMatchObject([
      { asset: usdcAsset, unlimited: false },
      { asset: wethAsset, unlimited: true },
    ]);
  });

  test('PermitTransferFrom and PermitBatchTransferFrom', () => {
    const types = (permitted: string, name: string) => ({
      [name]: { permitted, spender: 'address', nonce: 'uint256', deadline: 'uint256' },
      TokenPermissions,
    });
    const one = sign(types('TokenPermissions', 'PermitTransferFrom'), domain, {
      permitted: { token: usdc, amount: 5n },
      spender: friend,
      nonce: 0,
      deadline: 9,
    });
    expect(one.effects).toMatchObject([
      { kind: 'ALLOWANCE', asset: usdcAsset, amount: 5n, to: friend, permit: true, expires: 9n },
    ]);
    const two = sign(types('TokenPermissions[]', 'PermitBatchTransferFrom'), domain, {
      permitted: [
        { token: usdc, amount: 5n },
        { token: dai, amount: maxUint256 },
      ],
      spender: friend,
      nonce: 0,
      deadline: 9,
    });
    expect(two.effects).toMatchObject([{ unlimited: false }, { asset: daiAsset, unlimited: true }]);
    expect(one.fullyParsed && two.fullyParsed).toBe(true);
  });

  test('a witness is shown, and is not claimed to be understood', () => {
    const types = {
      PermitWitnessTransferFrom: {
        permitted: 'TokenPermissions',
        spender: 'address',
        nonce: 'uint256',
        deadline: 'uint256',
        witness: 'Order',
      },
      Order: { receiver: 'address' },
      TokenPermissions,
    };
    const message = {
      permitted: { token: usdc, amount: 5n },
      spender: friend,
      nonce: 0,
      deadline: 9,
      witness: { receiver: stranger },
    };
    const signed = sign(types, domain, message);
    expect(signed.effects).toMatchObject([
      { kind: 'ALLOWANCE', asset: usdcAsset, to: friend },
      { kind: 'CALL', to: permit2, what: expect.stringContaining('witness: {receiver: 0x6666') },
    ]);
    expect(signed.fullyParsed).toBe(false);
  });

  test('D68: the same message for another contract is only a message', () => {
    const types = { PermitSingle: { details: 'PermitDetails', spender: 'address', sigDeadline: 'uint256' }, PermitDetails };
    const message = sign(types, { ...domain, verifyingContract: stranger }, { details, spender: friend, sigDeadline: 9 });
    expect(message.effects).toMatchObject([{ kind: 'CALL', to: stranger }]);
    expect(message.fullyParsed).toBe(false);
  });
});

describe('SafeTx', () => {
  const safe = `0x${'5a'.repeat(20)}`;
  const nobody = `0x${'00'.repeat(20)}`;
  const types = {
    SafeTx: {
      to: 'address',
      value: 'uint256',
      data: 'bytes',
      operation: 'uint8',
      safeTxGas: 'uint256',
      baseGas: 'uint256',
      gasPrice: 'uint256',
      gasToken: 'address',
      refundReceiver: 'address',
      nonce: 'uint256',
    },
  };
  const rest = { safeTxGas: 0, baseGas: 0, gasPrice: 0, gasToken: nobody, refundReceiver: nobody, nonce: 1 };
  const domain = { chainId: 1, verifyingContract: safe };
  const transfer = encode('function transfer(address to, uint256 value)', [friend, 5n]);
  const interfaces = [stored(safe, 'function nonce() view returns (uint256)')];

  test('D42: the inner call is opened', () => {
    const message = sign(types, domain, { ...rest, to: usdc, value: 0, data: transfer, operation: 0 }, { interfaces });
    expect(message.effects).toEqual([{ kind: 'TRANSFER', asset: usdcAsset, amount: 5n, from: safe, to: friend }]);
    expect(message.fullyParsed).toBe(true);
    expect(sign(types, domain, { ...rest, to: usdc, value: 0, data: transfer, operation: 0 }).fullyParsed).toBe(false);
  });

  test('D71: a delegatecall is authority for foreign code', () => {
    const message = sign(types, domain, { ...rest, to: stranger, value: 0, data: transfer, operation: 1 }, { interfaces });
    expect(message.effects).toMatchObject([{ kind: 'AUTHORITY', from: safe, to: stranger }, { kind: 'UNKNOWN' }]);
    expect(message.fullyParsed).toBe(false);
  });

  test('D69: a domain that no Safe has is not taken for one', () => {
    const order = { ...rest, to: usdc, value: 0, data: transfer, operation: 0 };
    for (const other of [
      { ...domain, name: 'Safe' },
      { chainId: 1, name: 'Safe' },
      { ...domain, version: '1' },
    ]) {
      const message = sign(types, other, order, { interfaces });
      expect(message.effects).toMatchObject([{ kind: 'CALL' }]);
      expect(message.fullyParsed).toBe(false);
    }
  });

  test('D45: an old Safe has no chain in its domain', () => {
    const message = sign(
      types,
      { verifyingContract: safe },
      { ...rest, to: friend, value: 4, data: '0x', operation: 0 },
      { interfaces },
    );
    expect(message.effects).toMatchObject([{ kind: 'REPLAYABLE' }, { kind: 'TRANSFER', amount: 4n, from: safe }]);
  });
});

describe('Seaport', () => {
  const seaport = '0x0000000000000068f116a894984e2db1123eb395';
  const item = {
    itemType: 'uint8',
    token: 'address',
    identifierOrCriteria: 'uint256',
    startAmount: 'uint256',
    endAmount: 'uint256',
  };
  const types = {
    OrderComponents: {
      offerer: 'address',
      zone: 'address',
      offer: 'OfferItem[]',
      consideration: 'ConsiderationItem[]',
      orderType: 'uint8',
      startTime: 'uint256',
      endTime: 'uint256',
      zoneHash: 'bytes32',
      salt: 'uint256',
      conduitKey: 'bytes32',
      counter: 'uint256',
    },
    OfferItem: item,
    ConsiderationItem: { ...item, recipient: 'address' },
  };
  const nobody = `0x${'00'.repeat(20)}`;
  const hash = `0x${'00'.repeat(32)}`;
  const order = (offer: readonly unknown[], consideration: readonly unknown[]) => ({
    offerer: self,
    zone: nobody,
    offer,
    consideration,
    orderType: 0,
    startTime: 0,
    endTime: 9,
    zoneHash: hash,
    salt: 1,
    conduitKey: hash,
    counter: 0,
  });
  const domain = { name: 'Seaport', version: '1.6', chainId: 1, verifyingContract: seaport };
  const piece = { itemType: 2, token: stranger, identifierOrCriteria: 7, startAmount: 1, endAmount: 1 };
  const tokens: ParseContext['tokens'] = (id) =>
    id === `eip155:1/erc721:${stranger}` ? { symbol: 'ART', decimals: 0 } : defaultTokens(id);

  test('what is offered leaves, and what is asked is in the words', () => {
    const asked = {
      itemType: 0,
      token: nobody,
      identifierOrCriteria: 0,
      startAmount: 10n ** 18n,
      endAmount: 10n ** 17n,
      recipient: self,
    };
    const message = sign(types, domain, order([piece], [asked]), { tokens });
    expect(message.effects).toMatchObject([
      { kind: 'TRANSFER', asset: { id: `eip155:1/erc721:${stranger}/7` }, amount: 1n, from: self, to: seaport },
      { kind: 'CALL', what: 'an order that asks for 0.1 ETH to 0x9d8A62f656a8d1615C1294fd71e9CFb3E4855A4F', to: seaport },
    ]);
    expect(message.fullyParsed).toBe(true);
  });

  test('D72: an order that asks for nothing says so', () => {
    const message = sign(
      types,
      domain,
      order([piece, { ...piece, itemType: 1, token: usdc, startAmount: 3, endAmount: 5 }], []),
      { tokens },
    );
    expect(message.effects).toMatchObject([
      { kind: 'TRANSFER' },
      { kind: 'TRANSFER', asset: usdcAsset, amount: 5n },
      { kind: 'CALL', what: expect.stringContaining('NOTHING IN RETURN') },
    ]);
  });

  test('criteria leave open which pieces move', () => {
    const message = sign(types, domain, order([{ ...piece, itemType: 4 }], []), { tokens });
    expect(message.effects).toMatchObject([{ asset: { id: `eip155:1/erc721:${stranger}` } }, { kind: 'CALL' }]);
    expect(message.fullyParsed).toBe(false);
    expect(sign(types, domain, order([{ ...piece, itemType: 9 }], []), { tokens }).fullyParsed).toBe(false);
  });

  test('D68: an order for another contract is only a message', () => {
    const message = sign(types, { ...domain, verifyingContract: friend }, order([piece], []), { tokens });
    expect(message.effects).toMatchObject([{ kind: 'CALL', to: friend }]);
    expect(message.fullyParsed).toBe(false);
  });
});
