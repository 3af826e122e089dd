import { toChecksumAddress } from '../../addresses/ethereum.ts';
import type { Asset } from '../../effects/effect.ts';
import { ChainError } from '../../errors.ts';
import { toHex } from '../../shared/bytes.ts';
import { invalidTransaction } from '../../shared/refusal.ts';
import type { ParseContext } from '../../transaction.ts';
import { decodeAbi } from '../abi-codec.ts';
import { callArguments, type DecodedCall, decodeCall, rawArguments, storedInterfaces, type UndecodedCall } from '../call-data.ts';
import type { EthereumInterface } from '../contract-interface.ts';
import { describeValues } from '../description.ts';
import { describeCall, isDescribed } from '../descriptors/describe-call.ts';
import { Arguments } from './arguments.ts';
import { coinOf, collectionAsset, contractAssetId, type TokenStandard, tokenAsset } from './assets.ts';
import { erc721, erc1155 } from './collections.ts';
import { erc20 } from './erc20.ts';
import type { Findings } from './findings.ts';
import { type ContractRole, roleOf } from './known-contracts.ts';
import { multicall } from './multicall.ts';
import { permit2 } from './permit2.ts';
import { safe } from './safe.ts';
import { type BuiltIn, type Call, type CallScope, type FunctionTable, joinTables } from './scope.ts';
import { uniswapV2Router } from './uniswap-v2.ts';
import { uniswapV3Router, uniswapV3Router2 } from './uniswap-v3.ts';
import { universalRouter } from './universal-router.ts';
import { wrappedCoin } from './wrapped-coin.ts';

// A Safe that sends a batch to a router with a nested plan has a depth of four.
const maxDepth = 5;
const maxSteps = 100;

const byRole: { readonly [R in ContractRole]?: FunctionTable } = {
  PERMIT2: permit2,
  MULTICALL: multicall,
  WRAPPED_COIN: joinTables(erc20, wrappedCoin),
  UNISWAP_V2_ROUTER: uniswapV2Router,
  UNISWAP_V3_ROUTER: uniswapV3Router,
  UNISWAP_V3_ROUTER_2: uniswapV3Router2,
  UNIVERSAL_ROUTER: universalRouter,
};

const byStandard: { readonly [S in TokenStandard]: FunctionTable } = { erc20, erc721, erc1155 };

/** Standards that an unknown contract may follow, by the called function. ERC-20 goes first: it is the most common. */
const byFunction: FunctionTable = joinTables(safe, erc1155, erc721, erc20);

type ReaderContext = Pick<ParseContext, 'tokens' | 'interfaces' | 'bounds' | 'descriptorsVouch'>;

/** Reads the effects of calls and of nested calls. One reader serves one signature: all its calls share one quota. */
export class CallReader implements CallScope {
  readonly chainId: bigint | undefined;
  readonly found: Findings;
  readonly coin: Asset;
  readonly #context: ReaderContext;
  #depth = 0;
  #steps = 0;
  #exhausted = false;
  #described = 0;
  readonly #safes = new Set<string>();
  readonly #interfaces = new Map<string, readonly EthereumInterface[]>();

  constructor(chainId: bigint | undefined, context: ReaderContext, found: Findings) {
    this.chainId = chainId;
    this.found = found;
    this.coin = coinOf(chainId);
    this.#context = context;
  }

  open(call: Call): void {
    this.nest(call.to, call.data.length, () => this.read(call));
  }

  nest(at: string, bytes: number, read: () => void): void {
    if (!this.step(at, bytes)) return;
    this.#depth++;
    read();
    this.#depth--;
  }

  /** Reads a call. `stored` is its data as a stored interface decoded it, if the caller has it already. */
  read(call: Call, stored = this.#decode(call)): void {
    const { from, to, value, data } = call;
    if (value > 0n || data.length === 0) this.found.add({ kind: 'TRANSFER', asset: this.coin, amount: value, from, to });
    if (data.length === 0) return;
    const selector = toHex(data.subarray(0, 4));
    const known = this.#known(to, selector);
    if (known !== undefined) {
      this.#run(known, call, stored);
      return;
    }
    if (stored !== undefined && 'abi' in stored) {
      this.#readStored(stored, selector, call);
      return;
    }
    const described = describeCall(call, this, this.#context);
    const vouched = this.#context.descriptorsVouch === true ? described : undefined;
    if (vouched !== undefined) this.found.add({ kind: 'CALL', what: vouched.text, to });
    // The organization vouched for the contract by an interface that does not have this call.
    if (stored?.stored === true && !this.#isToldSafe(from, to)) this.found.doubt(stored.reason);
    if (this.#readStandard(selector, call)) return;
    if (vouched === undefined) {
      const reason = stored?.reason ?? 'The call was not decoded.';
      this.unknown('unknown call', to, data.length, reason, described?.text);
    } else if (vouched.rawBytes > 0) {
      this.unknown('raw bytes in the call', to, vouched.rawBytes, rawReason('of the call'));
    }
  }

  token(address: string): Asset {
    const asset = tokenAsset(this.chainId, address, this.#context.tokens);
    const vouched = asset.symbol !== undefined || roleOf(this.chainId, address) === 'WRAPPED_COIN' || this.#isStored(address);
    if (!vouched) this.found.doubt(`No token list names ${toChecksumAddress(address)}, so nobody vouches that it is a token.`);
    return asset;
  }

  collection(standard: 'erc721' | 'erc1155', address: string, tokenId?: bigint): Asset {
    if (this.#context.tokens?.(contractAssetId(this.chainId, standard, address)) === undefined && !this.#isStored(address)) {
      this.found.doubt(`No token list names ${toChecksumAddress(address)}, so nobody vouches that it is a collection.`);
    }
    return collectionAsset(this.chainId, standard, address, this.#context.tokens, tokenId);
  }

  step(at: string, bytes: number): boolean {
    if (this.#depth < maxDepth && this.#steps < maxSteps) {
      this.#steps++;
      return true;
    }
    // INVARIANT: skipped calls are reported. One report for all of them keeps the number of effects bounded.
    if (!this.#exhausted) {
      const reason = `The calls are nested more than ${maxDepth} deep or are more than ${maxSteps}. The rest was not read.`;
      this.unknown('further calls', at, bytes, reason);
    }
    this.#exhausted = true;
    return false;
  }

  /** SECURITY: D358: each of thousands of fields can select every item of a list. */
  countDescribed(values: number): void {
    const max = this.#context.bounds?.describedValues ?? Number.POSITIVE_INFINITY;
    this.#described += values;
    if (this.#described > max) throw invalidTransaction(`the stored descriptor selects more than ${max} values`);
  }

  unknown(what: string, at: string, bytes: number, reason: string, words?: string): void {
    this.found.add({ kind: 'UNKNOWN', what, ...(words !== undefined && { words }), to: at, bytes });
    this.found.doubt(reason);
  }

  vouch({ from, to }: Call, what: string): void {
    if (this.#isToldSafe(from, to)) return;
    this.#safes.add(to);
    if (this.#isStored(to)) return;
    this.found.doubt(`No interface is stored for ${toChecksumAddress(to)}, so nobody vouches that it is ${what}.`);
  }

  /** Whether a Safe calls itself in an inner call. The outer call has already checked whether the Safe is known. */
  #isToldSafe(from: string, to: string): boolean {
    return from === to && this.#safes.has(to);
  }

  #decode({ to, data }: Call): ReturnType<typeof decodeCall> | undefined {
    return data.length === 0 ? undefined : decodeCall(to, data, this.#context.interfaces);
  }

  /** A function of a contract that its address or a token list makes known. */
  #known(to: string, selector: string): BuiltIn | undefined {
    const role = roleOf(this.chainId, to);
    const byAddress = role === undefined ? undefined : byRole[role]?.get(selector);
    if (byAddress !== undefined) return byAddress;
    const standard = this.#listedStandard(to);
    return standard === undefined ? undefined : byStandard[standard].get(selector);
  }

  #listedStandard(to: string): TokenStandard | undefined {
    const { tokens } = this.#context;
    if (tokens === undefined) return undefined;
    return (['erc20', 'erc721', 'erc1155'] as const).find(
      (standard) => tokens(contractAssetId(this.chainId, standard, to)) !== undefined,
    );
  }

  /** A call that the organization's interface names: its effects, if it follows a standard, and the call as the interface names it. */
  #readStored(stored: DecodedCall, selector: string, call: Call): void {
    const { to } = call;
    const described = describeCall(call, this, this.#context);
    const decoded = () => `${stored.abi.name}(${describeValues(callArguments(stored))})`;
    if (described === undefined) this.found.add({ kind: 'CALL', what: decoded(), to });
    else if (this.#context.descriptorsVouch === true) this.found.add({ kind: 'CALL', what: described.text, to });
    else this.found.add({ kind: 'CALL', what: decoded(), words: described.text, to });
    if (this.#readStandard(selector, call, stored)) return;
    for (const { name, bytes } of rawArguments(stored)) {
      this.unknown(`raw bytes in ${name}`, to, bytes, rawReason(name));
    }
  }

  /** Whether the function is of a standard, and was read as such. */
  #readStandard(selector: string, call: Call, stored?: DecodedCall): boolean {
    const standard = this.#standardFunction(selector, call.to);
    if (standard === undefined) return false;
    const fits = this.#run(standard, call, stored);
    // SECURITY: without an interface, an amount of a token looks like the id of an NFT, which may be worth far more.
    if (fits && stored === undefined && standard === erc20.get(selector) && erc721.get(selector) !== undefined) {
      const what = `${standard.abi.name}, which is about the one piece with that number if the contract is a collection,`;
      this.found.add({ kind: 'CALL', what, to: call.to });
    }
    return true;
  }

  /** Two standards share selectors. The other functions of a stored interface decide which one it is. */
  #standardFunction(selector: string, to: string): BuiltIn | undefined {
    const has = (other: string) => this.#stored(to).some(({ functions }) => functions.has(other));
    // ownerOf(uint256) is of ERC-721 alone; transfer(address,uint256) of ERC-20 alone.
    const isCollection = has('0x6352211e') && !has('0xa9059cbb');
    return (isCollection ? erc721.get(selector) : undefined) ?? byFunction.get(selector);
  }

  #isStored(address: string): boolean {
    const { interfaces, descriptorsVouch } = this.#context;
    if (this.#stored(address).length > 0) return true;
    // SECURITY: D461: a descriptor only changes words.
    return descriptorsVouch === true && isDescribed(address, this.chainId, interfaces);
  }

  /** The interfaces stored for an address. Many calls may go to one contract, and an organization may have stored many interfaces. */
  #stored(address: string): readonly EthereumInterface[] {
    const known = this.#interfaces.get(address) ?? storedInterfaces(address, this.#context.interfaces);
    this.#interfaces.set(address, known);
    return known;
  }

  /** Whether the call data fits the function. */
  #run({ abi, read }: BuiltIn, call: Call, stored?: DecodedCall | UndecodedCall): boolean {
    let args: Arguments;
    try {
      const types = abi.inputs.map(({ type }) => type);
      // A stored interface with the same signature has decoded the same values already.
      const known = stored !== undefined && 'abi' in stored && stored.abi.signature === abi.signature ? stored.values : undefined;
      args = new Arguments(abi.inputs, known ?? decodeAbi(types, call.data.subarray(4)));
    } catch (error) {
      // An error in the data. Our own bugs must stay visible.
      if (!(error instanceof ChainError)) throw error;
      const reason = `The call data does not fit ${abi.signature}: ${error.message}.`;
      this.unknown('unknown call', call.to, call.data.length, reason);
      return false;
    }
    read(args, call, this);
    return true;
  }
}

/** The reason why raw bytes leave a call not fully understood. */
function rawReason(name: string): string {
  return `The argument ${name} holds raw bytes. What they mean to the contract was not decoded.`;
}
