import { AbiParameters } from 'ox';
import { describe, expect, test } from 'vitest';
import {
  dai,
  daiAsset,
  effectsOf,
  encode,
  ether,
  friend,
  permit2,
  self,
  send,
  stranger,
  usdc,
  usdcAsset,
  weth,
  wethAsset,
} from './support.ts';

const v2Router = '0x7a250d5630b4cf539739df2c5dacb4c659f2488d';
const v3Router = '0xe592427a0aece92de3edee1f18e0157c05861564';
const router2 = '0x68b3465833fb72a70ecdf485e0e4c7bd8665fc45';
const universal = '0x66a9893cc07d91d95644aedd05d03f95e1dba8af';
const one = 10n ** 18n;
const caller = `0x${'0'.repeat(39)}1`;
const router = `0x${'0'.repeat(39)}2`;

describe('Uniswap V2', () => {
  const exact =
    'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline)';
  const swap = (to: string) => send({ to: v2Router, data: encode(exact, [1_000_000n, one, [usdc, weth, dai], to, 9n]) });

  test('a swap pays at most the input and says what comes back', () => {
    const parsed = swap(self);
    expect(effectsOf(parsed)).toEqual([
      { kind: 'TRANSFER', asset: usdcAsset, amount: 1_000_000n, from: self, to: v2Router },
      { kind: 'CALL', what: 'swapExactTokensForTokens for at least 1 DAI', to: v2Router },
    ]);
    expect(parsed.fullyParsed).toBe(true);
  });

  test('D72: what comes back to somebody else is a transfer of its own', () => {
    expect(effectsOf(swap(stranger))).toEqual([
      { kind: 'TRANSFER', asset: usdcAsset, amount: 1_000_000n, from: self, to: v2Router },
      {
        kind: 'CALL',
        what: 'swapExactTokensForTokens for at least 1 DAI to 0x6666666666666666666666666666666666666666',
        to: v2Router,
      },
      { kind: 'TRANSFER', asset: daiAsset, from: self, to: stranger },
    ]);
    expect(swap(stranger).description).toContain('send an unknown amount of DAI to 0x6666666666666666666666666666666666666666');
  });

  test('coins in and out', () => {
    const buy = 'function swapExactETHForTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline)';
    expect(effectsOf(send({ to: v2Router, value: one, data: encode(buy, [5n, [weth, usdc], self, 9n]) }))).toEqual([
      { kind: 'TRANSFER', asset: ether, amount: one, from: self, to: v2Router },
      { kind: 'CALL', what: 'swapExactETHForTokens for at least 0.000005 USDC', to: v2Router },
    ]);
    const sell =
      'function swapTokensForExactETH(uint256 amountOut, uint256 amountInMax, address[] path, address to, uint256 deadline)';
    expect(effectsOf(send({ to: v2Router, data: encode(sell, [one, 7n, [usdc, weth], stranger, 9n]) }))).toEqual([
      { kind: 'TRANSFER', asset: usdcAsset, amount: 7n, from: self, to: v2Router },
      expect.objectContaining({ kind: 'CALL' }),
      { kind: 'TRANSFER', asset: ether, from: self, to: stranger },
    ]);
  });

  test('D68: a token that no list names leaves a doubt, and another router is unknown', () => {
    const data = encode(exact, [1n, 1n, [usdc, stranger], self, 9n]);
    expect(send({ to: v2Router, data }).unparsed).toHaveLength(1);
    expect(effectsOf(send({ to: stranger, data }))).toMatchObject([{ kind: 'UNKNOWN' }]);
    expect(send({ to: v2Router, data: encode(exact, [1n, 1n, [], self, 9n]) }).fullyParsed).toBe(false);
  });
});

describe('Uniswap V3', () => {
  const single =
    'function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 deadline, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params)';
  const params = {
    tokenIn: usdc,
    tokenOut: weth,
    fee: 500,
    recipient: self,
    deadline: 9n,
    amountIn: 5n,
    amountOutMinimum: one,
    sqrtPriceLimitX96: 0n,
  };
  const multi = 'function multicall(bytes[] data)';
  const call = (data: `0x${string}`, value?: bigint, to = v3Router) => send({ to, data, ...(value !== undefined && { value }) });

  test('a single swap', () => {
    expect(effectsOf(call(encode(single, [params])))).toEqual([
      { kind: 'TRANSFER', asset: usdcAsset, amount: 5n, from: self, to: v3Router },
      { kind: 'CALL', what: 'exactInputSingle for at least 1 WETH', to: v3Router },
    ]);
  });

  test('paths, forward for an exact input and backward for an exact output', () => {
    const path = `0x${usdc.slice(2)}0001f4${weth.slice(2)}000bb8${dai.slice(2)}`;
    const input =
      'function exactInput((bytes path, address recipient, uint256 deadline, uint256 amountIn, uint256 amountOutMinimum) params)';
    expect(
      effectsOf(call(encode(input, [{ path, recipient: self, deadline: 9n, amountIn: 5n, amountOutMinimum: one }]))),
    ).toMatchObject([
      { kind: 'TRANSFER', asset: usdcAsset, amount: 5n },
      { kind: 'CALL', what: 'exactInput for at least 1 DAI' },
    ]);
    const output =
      'function exactOutput((bytes path, address recipient, uint256 deadline, uint256 amountOut, uint256 amountInMaximum) params)';
    expect(
      effectsOf(call(encode(output, [{ path, recipient: self, deadline: 9n, amountOut: 1_000_000n, amountInMaximum: one }]))),
    ).toMatchObject([
      { kind: 'TRANSFER', asset: daiAsset, amount: one },
      { kind: 'CALL', what: 'exactOutput for at least 1 USDC' },
    ]);
    const broken = call(
      encode(input, [{ path: path.slice(0, -2), recipient: self, deadline: 9n, amountIn: 5n, amountOutMinimum: 0n }]),
    );
    expect(effectsOf(broken)).toMatchObject([{ kind: 'UNKNOWN' }]);
  });

  test('D42: a multicall is opened: swap to the router, then unwrap to somebody', () => {
    const steps = (recipient: string) => [
      encode(single, [{ ...params, recipient: `0x${'00'.repeat(20)}` }]),
      encode('function unwrapWETH9(uint256 amountMinimum, address recipient)', [one, recipient]),
    ];
    const own = call(encode(multi, [steps(self)]));
    expect(effectsOf(own)).toMatchObject([
      { kind: 'TRANSFER', asset: usdcAsset },
      { kind: 'CALL', what: 'exactInputSingle for at least 1 WETH, which the router keeps for a later step,' },
      { kind: 'CALL', what: 'unwrapWETH9 for at least 1 ETH' },
    ]);
    expect(own.fullyParsed).toBe(true);
    expect(effectsOf(call(encode(multi, [steps(stranger)])))).toContainEqual({
      kind: 'TRANSFER',
      asset: ether,
      from: self,
      to: stranger,
    });
  });

  test('D72: coins sent along pay for wrapped coins once, not twice', () => {
    const swap = encode(single, [{ ...params, tokenIn: weth, tokenOut: usdc, amountIn: one }]);
    const paid = (value: bigint, count: number) =>
      call(encode(multi, [Array.from({ length: count }, () => swap)]), value).effects.filter(({ kind }) => kind === 'TRANSFER');
    expect(paid(one, 1)).toEqual([{ kind: 'TRANSFER', asset: ether, amount: one, from: self, to: v3Router }]);
    expect(paid(one, 2)).toMatchObject([{ asset: ether }, { asset: wethAsset, amount: one }]);
    expect(paid(0n, 1)).toMatchObject([{ asset: wethAsset }]);
  });

  test('D72: coins that a step in between may use up pay for nothing after it', () => {
    const swap = encode(single, [{ ...params, tokenIn: weth, tokenOut: usdc, amountIn: one }]);
    const path = `0x${usdc.slice(2)}0001f4${weth.slice(2)}000bb8${dai.slice(2)}`;
    const input =
      'function exactInput((bytes path, address recipient, uint256 deadline, uint256 amountIn, uint256 amountOutMinimum) params)';
    const before = [
      encode(input, [{ path, recipient: self, deadline: 9n, amountIn: 5n, amountOutMinimum: 0n }]),
      encode('function refundETH()', []),
    ];
    for (const step of before) {
      const { effects } = call(encode(multi, [[step, swap]]), one);
      expect(effects).toContainEqual({ kind: 'TRANSFER', asset: wethAsset, amount: one, from: self, to: v3Router });
    }
    const { deadline: _, ...rest } = { ...params, tokenIn: weth, tokenOut: usdc, amountIn: one, recipient: caller };
    const second =
      'function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params)';
    const wrap = encode('function wrapETH(uint256 value)', [one]);
    const { effects } = call(encode(multi, [[wrap, encode(second, [rest])]]), one, router2);
    expect(effects).toContainEqual({ kind: 'TRANSFER', asset: wethAsset, amount: one, from: self, to: router2 });
  });

  test('D72: payments of the router name their receiver literally', () => {
    const unwrap = (recipient: string) =>
      encode('function unwrapWETH9(uint256 amountMinimum, address recipient)', [one, recipient]);
    for (const [to, recipient] of [
      [router2, caller],
      [v3Router, `0x${'00'.repeat(20)}`],
    ] as const) {
      expect(effectsOf(call(unwrap(recipient), undefined, to))).toContainEqual({
        kind: 'TRANSFER',
        asset: ether,
        from: self,
        to: recipient,
      });
    }
  });

  test('SwapRouter02 has names for the caller and itself, and 0 for what it holds', () => {
    const second =
      'function exactInputSingle((address tokenIn, address tokenOut, uint24 fee, address recipient, uint256 amountIn, uint256 amountOutMinimum, uint160 sqrtPriceLimitX96) params)';
    const { deadline: _, ...rest } = params;
    const to = (recipient: string, amountIn = 5n) => call(encode(second, [{ ...rest, recipient, amountIn }]), undefined, router2);
    expect(effectsOf(to(caller))).toMatchObject([
      { kind: 'TRANSFER' },
      { kind: 'CALL', what: 'exactInputSingle for at least 1 WETH' },
    ]);
    expect(effectsOf(to(router))).toMatchObject([{ kind: 'TRANSFER' }, { what: expect.stringContaining('the router keeps') }]);
    expect(effectsOf(to(caller, 0n))).toMatchObject([{ kind: 'CALL' }]);
    expect(effectsOf(to(stranger))).toMatchObject([{ kind: 'TRANSFER' }, { kind: 'CALL' }, { kind: 'TRANSFER', to: stranger }]);
    const deadline = encode('function multicall(uint256 deadline, bytes[] data)', [
      9n,
      [encode(second, [{ ...rest, recipient: caller }])],
    ]);
    expect(call(deadline, undefined, router2)).toMatchObject({ fullyParsed: true });
  });
});

describe('Universal Router', () => {
  const execute = 'function execute(bytes commands, bytes[] inputs, uint256 deadline)';
  const input = (types: string, values: readonly unknown[]) =>
    AbiParameters.encode(AbiParameters.from(types.split(';') as never) as never, values as never);
  const run = (commands: string, inputs: readonly string[], value?: bigint) =>
    send({ to: universal, data: encode(execute, [commands, inputs, 9n]), ...(value !== undefined && { value }) });
  const swapV3 = 'address recipient;uint256 amountIn;uint256 amountOutMin;bytes path;bool payerIsUser';
  const path = `0x${usdc.slice(2)}0001f4${weth.slice(2)}`;

  test('a swap of the caller’s tokens through Permit2', () => {
    const parsed = run('0x00', [input(swapV3, [caller, 5n, one, path, true])]);
    expect(effectsOf(parsed)).toEqual([
      { kind: 'TRANSFER', asset: usdcAsset, amount: 5n, from: self, to: universal },
      { kind: 'CALL', what: 'V3_SWAP_EXACT_IN for at least 1 WETH', to: universal },
    ]);
    expect(parsed.fullyParsed).toBe(true);
  });

  test('wrap, swap and sweep', () => {
    const swapV2 = 'address recipient;uint256 amountIn;uint256 amountOutMin;address[] path;bool payerIsUser';
    const steps = (recipient: string) => [
      input('address recipient;uint256 amountMin', [router, one]),
      input(swapV2, [router, one, 5n, [weth, usdc], false]),
      input('address token;address recipient;uint256 bips', [usdc, stranger, 25n]),
      input('address token;address recipient;uint256 amountMin', [usdc, recipient, 4n]),
    ];
    const own = run('0x0b080604', steps(caller), one);
    expect(effectsOf(own)).toMatchObject([
      { kind: 'TRANSFER', asset: ether, amount: one, to: universal },
      { kind: 'CALL', what: 'WRAP_ETH of 1 ETH' },
      { kind: 'CALL', what: expect.stringContaining('V2_SWAP_EXACT_IN for at least 0.000005 USDC, which the router keeps') },
      { kind: 'CALL', what: 'PAY_PORTION of 25 of 10,000 parts' },
      { kind: 'TRANSFER', asset: usdcAsset, from: self, to: stranger },
      { kind: 'CALL', what: 'SWEEP for at least 0.000004 USDC' },
    ]);
    expect(own.fullyParsed).toBe(true);
    expect(effectsOf(run('0x0b080604', steps(friend), one)).at(-1)).toEqual({
      kind: 'TRANSFER',
      asset: usdcAsset,
      from: self,
      to: friend,
    });
  });

  test('D72: a permit and a transfer hidden among the commands are told', () => {
    const permit = AbiParameters.encode(
      AbiParameters.from([
        `struct Details { address token; uint160 amount; uint48 expiration; uint48 nonce; }`,
        'struct Permit { Details details; address spender; uint256 sigDeadline; }',
        'Permit permit, bytes signature',
      ] as never) as never,
      [
        { details: { token: dai, amount: 2n ** 160n - 1n, expiration: 9, nonce: 0 }, spender: stranger, sigDeadline: 9n },
        '0x11',
      ] as never,
    );
    const parsed = run('0x0a0205', [
      permit,
      input('address token;address recipient;uint160 amount', [usdc, stranger, 7n]),
      input('address token;address recipient;uint256 value', [`0x${'00'.repeat(20)}`, stranger, 3n]),
    ]);
    expect(effectsOf(parsed)).toMatchObject([
      { kind: 'ALLOWANCE', asset: daiAsset, from: self, to: stranger, unlimited: true },
      { kind: 'TRANSFER', asset: usdcAsset, amount: 7n, from: self, to: stranger },
      { kind: 'TRANSFER', asset: ether, amount: 3n, from: self, to: stranger },
    ]);
  });

  test('a plan inside of a plan is opened', () => {
    const inner = input('bytes commands;bytes[] inputs', ['0x00', [input(swapV3, [caller, 5n, one, path, true])]]);
    expect(effectsOf(run('0x21', [inner]))).toMatchObject([{ kind: 'TRANSFER' }, { kind: 'CALL' }]);
  });

  test('D41: plans within plans end at a fixed depth', () => {
    let inner = input(swapV3, [caller, 5n, one, path, true]);
    let code = '0x00';
    for (let depth = 0; depth < 30; depth++) {
      inner = input('bytes commands;bytes[] inputs', [code, [inner]]);
      code = '0x21';
    }
    const parsed = run('0x21', [inner]);
    expect(effectsOf(parsed)).toMatchObject([{ kind: 'UNKNOWN', what: 'further calls' }]);
    expect(parsed.fullyParsed).toBe(false);
  });

  test.each([
    ['an unknown command', '0x10', ['0x1234']],
    ['an input that does not fit', '0x00', ['0x1234']],
    ['fewer inputs than commands', '0x0000', ['0x1234']],
    ['a command with an unknown flag', '0x40', ['0x1234']],
  ])('D42: %s is unknown', (_, commands, inputs) => {
    const parsed = run(commands, inputs);
    expect(effectsOf(parsed)).toMatchObject([{ kind: 'UNKNOWN', to: universal }]);
    expect(parsed.fullyParsed).toBe(false);
  });

  test('the flag that lets a command fail changes nothing', () => {
    expect(effectsOf(run('0x80', [input(swapV3, [caller, 5n, one, path, true])]))).toMatchObject([
      { kind: 'TRANSFER' },
      { kind: 'CALL' },
    ]);
  });

  test('approving Permit2 itself stays an allowance of the token', () => {
    const data = encode('function approve(address spender, uint256 value)', [permit2, 5n]);
    expect(effectsOf(send({ to: usdc, data }))).toMatchObject([{ kind: 'ALLOWANCE', to: permit2 }]);
  });
});
