import { describe, expect, test } from 'vitest';
import type { TokenList } from '../../../src/effects/token-list.ts';
import {
  dai,
  daiAsset,
  effectsOf,
  encode,
  ether,
  friend,
  maxUint256,
  self,
  send,
  stored,
  stranger,
  usdc,
  usdcAsset,
  weth,
  wethAsset,
} from './support.ts';

const collection = `0x${'ba'.repeat(20)}`;
/** A list that names one collection of each kind, and nothing else. */
const collections: TokenList = (id) =>
  id === `eip155:1/erc721:${collection}` || id === `eip155:1/erc1155:${stranger}` ? { symbol: 'ART', decimals: 0 } : undefined;

const zeros = `0x${'0'.repeat(64)}` as const;

describe('ERC-20', () => {
  test.each<[string, string, readonly unknown[], unknown]>([
    [
      'transfer',
      'function transfer(address to, uint256 value)',
      [friend, 25_000_000_000n],
      { kind: 'TRANSFER', asset: usdcAsset, amount: 25_000_000_000n, from: self, to: friend },
    ],
    [
      'transferFrom',
      'function transferFrom(address from, address to, uint256 value)',
      [stranger, friend, 5n],
      { kind: 'TRANSFER', asset: usdcAsset, amount: 5n, from: stranger, to: friend },
    ],
    [
      'approve',
      'function approve(address spender, uint256 value)',
      [friend, 5n],
      { kind: 'ALLOWANCE', asset: usdcAsset, amount: 5n, from: self, to: friend, unlimited: false },
    ],
    [
      'an unlimited approve',
      'function approve(address spender, uint256 value)',
      [friend, maxUint256],
      { kind: 'ALLOWANCE', asset: usdcAsset, amount: maxUint256, from: self, to: friend, unlimited: true },
    ],
    [
      'an approve of half the range',
      'function approve(address spender, uint256 value)',
      [friend, 2n ** 255n],
      { kind: 'ALLOWANCE', asset: usdcAsset, amount: 2n ** 255n, from: self, to: friend, unlimited: true },
    ],
    [
      'an approve of one less',
      'function approve(address spender, uint256 value)',
      [friend, 2n ** 255n - 1n],
      { kind: 'ALLOWANCE', asset: usdcAsset, amount: 2n ** 255n - 1n, from: self, to: friend, unlimited: false },
    ],
    [
      'a revoke',
      'function approve(address spender, uint256 value)',
      [friend, 0n],
      { kind: 'ALLOWANCE', asset: usdcAsset, amount: 0n, from: self, to: friend, unlimited: false },
    ],
    [
      'permit',
      'function permit(address owner, address spender, uint256 value, uint256 deadline, uint8 v, bytes32 r, bytes32 s)',
      [stranger, friend, 5n, 9n, 27, zeros, zeros],
      { kind: 'ALLOWANCE', asset: usdcAsset, amount: 5n, from: stranger, to: friend, unlimited: false },
    ],
    [
      'transferWithAuthorization',
      'function transferWithAuthorization(address from, address to, uint256 value, uint256 validAfter, uint256 validBefore, bytes32 nonce, uint8 v, bytes32 r, bytes32 s)',
      [stranger, friend, 5n, 0n, 9n, zeros, 27, zeros, zeros],
      { kind: 'TRANSFER', asset: usdcAsset, amount: 5n, from: stranger, to: friend },
    ],
  ])('%s', (_, signature, args, effect) => {
    const parsed = send({ to: usdc, data: encode(signature, args) });
    expect(effectsOf(parsed)).toEqual([effect]);
    expect(parsed).toMatchObject({ fullyParsed: true, unparsed: [] });
  });

  test('is told in the words of a treasurer', () => {
    const transfer = encode('function transfer(address to, uint256 value)', [friend, 25_000_000_000n]);
    expect(send({ to: usdc, data: transfer }).description).toBe(
      'send 25,000 USDC to 0x3535353535353535353535353535353535353535 on Ethereum, network fee at most 0.000000000000042 ETH',
    );
    const approve = encode('function approve(address spender, uint256 value)', [friend, maxUint256]);
    expect(send({ to: usdc, data: approve }).description).toContain(
      'LET 0x3535353535353535353535353535353535353535 SPEND UNLIMITED USDC on Ethereum',
    );
  });

  test('more and less of an allowance are told apart from a whole one', () => {
    const more = send({
      to: usdc,
      data: encode('function increaseAllowance(address spender, uint256 addedValue)', [friend, 5n]),
    });
    expect(effectsOf(more)).toMatchObject([
      { kind: 'ALLOWANCE', amount: 5n },
      { kind: 'CALL', to: usdc },
    ]);
    const less = send({
      to: usdc,
      data: encode('function decreaseAllowance(address spender, uint256 subtractedValue)', [friend, 5n]),
    });
    expect(effectsOf(less)).toMatchObject([{ kind: 'CALL', what: expect.stringContaining('spend 0.000005 USDC less') }]);
  });

  test('the permit of DAI is all or nothing', () => {
    const signature =
      'function permit(address holder, address spender, uint256 nonce, uint256 expiry, bool allowed, uint8 v, bytes32 r, bytes32 s)';
    const permit = (allowed: boolean) =>
      send({ to: dai, data: encode(signature, [self, friend, 0n, 0n, allowed, 27, zeros, zeros]) });
    expect(effectsOf(permit(true))).toMatchObject([{ kind: 'ALLOWANCE', asset: daiAsset, unlimited: true }]);
    expect(effectsOf(permit(false))).toMatchObject([{ kind: 'ALLOWANCE', amount: 0n, unlimited: false }]);
  });

  test('D68: a contract that no list names gives the effect, and is never fully parsed', () => {
    const parsed = send({ to: stranger, data: encode('function transfer(address to, uint256 value)', [friend, 5n]) });
    expect(effectsOf(parsed)).toEqual([
      { kind: 'TRANSFER', asset: { id: `eip155:1/erc20:${stranger}`, kind: 'TOKEN' }, amount: 5n, from: self, to: friend },
    ]);
    expect(parsed.fullyParsed).toBe(false);
    expect(parsed.unparsed).toEqual([
      'No token list names 0x6666666666666666666666666666666666666666, so nobody vouches that it is a token.',
    ]);
  });

  test('D68: the address of a token on another chain is not that token', () => {
    const parsed = send({ to: usdc, chainId: 10, data: encode('function transfer(address to, uint256 value)', [friend, 5n]) });
    expect(parsed.fullyParsed).toBe(false);
    expect(parsed.description).toContain('5 base units of the token 0xA0b8');
  });

  test('coins sent along are told too', () => {
    const parsed = send({ to: usdc, value: 3n, data: encode('function transfer(address to, uint256 value)', [friend, 5n]) });
    expect(effectsOf(parsed)).toMatchObject([
      { kind: 'TRANSFER', asset: ether, amount: 3n, to: usdc },
      { kind: 'TRANSFER', asset: usdcAsset },
    ]);
  });

  test.each(['0xa9059cbb', '0xa9059c', `0xa9059cbb${'00'.repeat(65)}`, `0xa9059cbb${'ff'.repeat(64)}`] as const)(
    'D40: %s is unknown, also for a listed token',
    (data) => {
      const parsed = send({ to: usdc, data });
      expect(effectsOf(parsed)).toEqual([{ kind: 'UNKNOWN', what: 'unknown call', to: usdc, bytes: (data.length - 2) / 2 }]);
      expect(parsed.fullyParsed).toBe(false);
    },
  );
});

describe('D67: what policies of language 1 see does not change with what the service learns', () => {
  const data = encode('function transfer(address to, uint256 value)', [friend, 5n]);

  test('a built-in function fills no field and does not make tx.fully_parsed true', () => {
    const parsed = send({ to: usdc, data });
    for (const field of ['function_name', 'function_signature', 'contract_call_args'])
      expect(parsed.policy).not.toHaveProperty(field);
    expect(parsed.fullyParsed).toBe(true);
    expect(parsed.fullyParsedByInterfaces).toBe(false);
  });

  test('a stored interface does both, as before, and the listed token gives the real effect', () => {
    const interfaces = [stored(usdc, 'function transfer(address recipient, uint256 amount)')];
    const parsed = send({ to: usdc, data }, { interfaces });
    expect(parsed.policy).toMatchObject({ function_name: 'transfer', function_signature: '0xa9059cbb' });
    expect(parsed.fullyParsedByInterfaces).toBe(true);
    expect(effectsOf(parsed)).toMatchObject([{ kind: 'TRANSFER', asset: usdcAsset }]);
  });

  test('a stored interface of an unlisted contract gives what it says and what the standard says', () => {
    const interfaces = [stored(stranger, 'function transfer(address recipient, uint256 amount)')];
    const parsed = send({ to: stranger, data }, { interfaces });
    expect(effectsOf(parsed)).toMatchObject([
      { kind: 'CALL', what: expect.stringContaining('recipient: 0x3535') },
      { kind: 'TRANSFER' },
    ]);
    expect(parsed).toMatchObject({ fullyParsed: true, fullyParsedByInterfaces: true });
  });

  test('a call that is unknown to both is neither', () => {
    const parsed = send({ to: stranger, data: '0x12345678' });
    expect(parsed).toMatchObject({ fullyParsed: false, fullyParsedByInterfaces: false });
  });
});

describe('collections', () => {
  const nft = (id: bigint) => ({ id: `eip155:1/erc721:${collection}/${id}`, kind: 'NFT', symbol: 'ART', decimals: 0 });
  const shared: readonly [string, string, readonly unknown[]][] = [
    ['transferFrom', 'function transferFrom(address from, address to, uint256 tokenId)', [self, friend, 7n]],
    ['approve', 'function approve(address to, uint256 tokenId)', [friend, 7n]],
  ];

  test.each(shared)('D69: %s shares its selector with ERC-20; the kind of the token decides', (_, signature, args) => {
    const data = encode(signature, args);
    const piece = send({ to: collection, data }, { tokens: collections });
    expect(effectsOf(piece)).toMatchObject([{ asset: nft(7n), amount: 1n, from: self, to: friend }]);
    expect(piece.fullyParsed).toBe(true);
    expect(effectsOf(send({ to: usdc, data }))).toMatchObject([{ asset: usdcAsset, amount: 7n }]);
  });

  test.each(shared)(
    'D69: %s of a contract that nobody knows says that the number may be that of a piece',
    (name, signature, args) => {
      const parsed = send({ to: stranger, data: encode(signature, args) });
      expect(effectsOf(parsed)).toMatchObject([
        { asset: { id: `eip155:1/erc20:${stranger}` }, amount: 7n },
        {
          kind: 'CALL',
          to: stranger,
          what: `${name}, which is about the one piece with that number if the contract is a collection,`,
        },
      ]);
      expect(parsed.fullyParsed).toBe(false);
      const cut = send({ to: stranger, data: encode(signature, args).slice(0, -2) as `0x${string}` });
      expect(effectsOf(cut)).toMatchObject([{ kind: 'UNKNOWN' }]);
    },
  );

  test('D69: a stored interface with ownerOf tells a collection', () => {
    const interfaces = [
      stored(
        stranger,
        'function approve(address to, uint256 tokenId)',
        'function ownerOf(uint256 tokenId) view returns (address)',
      ),
    ];
    const data = encode('function approve(address to, uint256 tokenId)', [friend, 7n]);
    expect(effectsOf(send({ to: stranger, data }, { interfaces }))).toMatchObject([
      { kind: 'CALL' },
      { kind: 'ALLOWANCE', asset: { id: `eip155:1/erc721:${stranger}/7` }, amount: 1n, unlimited: false },
    ]);
  });

  test('the zero address takes an approval back', () => {
    const data = encode('function approve(address to, uint256 tokenId)', [`0x${'00'.repeat(20)}`, 7n]);
    expect(effectsOf(send({ to: collection, data }, { tokens: collections }))).toMatchObject([{ kind: 'ALLOWANCE', amount: 0n }]);
  });

  test('setApprovalForAll is unlimited, or a revoke', () => {
    const all = (to: string, approved: boolean) =>
      send(
        { to, data: encode('function setApprovalForAll(address operator, bool approved)', [friend, approved]) },
        { tokens: collections },
      );
    const asset = { id: `eip155:1/erc721:${collection}`, kind: 'NFT', symbol: 'ART', decimals: 0 };
    expect(effectsOf(all(collection, true))).toEqual([{ kind: 'ALLOWANCE', asset, from: self, to: friend, unlimited: true }]);
    expect(effectsOf(all(collection, false))).toEqual([
      { kind: 'ALLOWANCE', asset, amount: 0n, from: self, to: friend, unlimited: false },
    ]);
    expect(effectsOf(all(stranger, true))).toMatchObject([{ asset: { id: `eip155:1/erc1155:${stranger}` }, unlimited: true }]);
    expect(all(collection, true).description).toContain('SPEND UNLIMITED ART');
    const unknown = send({
      to: friend,
      data: encode('function setApprovalForAll(address operator, bool approved)', [friend, true]),
    });
    expect(effectsOf(unknown)).toMatchObject([{ kind: 'ALLOWANCE', unlimited: true }]);
    expect(unknown.fullyParsed).toBe(false);
  });

  test('safe transfers move a piece, and data for the receiver is not understood', () => {
    const plain = encode('function safeTransferFrom(address from, address to, uint256 tokenId)', [self, friend, 7n]);
    expect(send({ to: collection, data: plain }, { tokens: collections })).toMatchObject({ fullyParsed: true });
    const signature = 'function safeTransferFrom(address from, address to, uint256 tokenId, bytes data)';
    const empty = send({ to: collection, data: encode(signature, [self, friend, 7n, '0x']) }, { tokens: collections });
    expect(empty.fullyParsed).toBe(true);
    const full = send({ to: collection, data: encode(signature, [self, friend, 7n, '0x1234']) }, { tokens: collections });
    expect(effectsOf(full)).toMatchObject([{ kind: 'TRANSFER' }, { kind: 'UNKNOWN', to: friend, bytes: 2 }]);
    expect(full.fullyParsed).toBe(false);
    expect(full.description).toContain('send 1 ART no. 7 to');
  });

  test('ERC-1155 moves amounts of kinds, one or many', () => {
    const one = 'function safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes data)';
    const single = send({ to: stranger, data: encode(one, [self, friend, 7n, 5n, '0x']) }, { tokens: collections });
    expect(effectsOf(single)).toMatchObject([{ asset: { id: `eip155:1/erc1155:${stranger}/7` }, amount: 5n }]);
    const many = 'function safeBatchTransferFrom(address from, address to, uint256[] ids, uint256[] amounts, bytes data)';
    const batch = send({ to: stranger, data: encode(many, [self, friend, [1n, 2n], [3n, 4n], '0x']) }, { tokens: collections });
    expect(effectsOf(batch)).toMatchObject([{ amount: 3n }, { amount: 4n }]);
    expect(batch.fullyParsed).toBe(true);
    const uneven = send({ to: stranger, data: encode(many, [self, friend, [1n, 2n], [3n], '0x']) }, { tokens: collections });
    expect(effectsOf(uneven)).toMatchObject([{ kind: 'UNKNOWN' }]);
    const ids = Array.from({ length: 300 }, (_, id) => BigInt(id));
    const huge = send({ to: stranger, data: encode(many, [self, friend, ids, ids, '0x']) }, { tokens: collections });
    expect(effectsOf(huge)).toMatchObject([{ kind: 'UNKNOWN' }]);
    expect(huge.fullyParsed).toBe(false);
  });
});

describe('wrapped coins', () => {
  test('deposit and withdraw', () => {
    const deposit = send({ to: weth, value: 10n ** 18n, data: encode('function deposit()', []) });
    expect(effectsOf(deposit)).toEqual([
      { kind: 'TRANSFER', asset: ether, amount: 10n ** 18n, from: self, to: weth },
      { kind: 'CALL', what: 'deposit for 1 WETH', to: weth },
    ]);
    const withdraw = send({ to: weth, data: encode('function withdraw(uint256 value)', [10n ** 18n]) });
    expect(effectsOf(withdraw)).toEqual([
      { kind: 'TRANSFER', asset: wethAsset, amount: 10n ** 18n, from: self, to: weth },
      { kind: 'CALL', what: 'withdraw for 1 ETH', to: weth },
    ]);
    expect(deposit.fullyParsed && withdraw.fullyParsed).toBe(true);
  });

  test('D68: the same calls to another contract are unknown', () => {
    const deposit = send({ to: stranger, value: 1n, data: encode('function deposit()', []) });
    expect(effectsOf(deposit)).toMatchObject([{ kind: 'TRANSFER' }, { kind: 'UNKNOWN', to: stranger }]);
  });
});
