import { toChecksumAddress } from '../../addresses/ethereum.ts';
import { ChainError } from '../../errors.ts';
import { toHex } from '../../shared/bytes.ts';
import { decodeAbi } from '../abi-codec.ts';
import { fromBigEndian } from '../integer.ts';
import { parseSignature } from './abi-signature.ts';
import { Arguments } from './arguments.ts';
import { roleOf } from './known-contracts.ts';
import { type Call, type CallScope, functionTable } from './scope.ts';

const nobody = `0x${'0'.repeat(40)}`;
const multiSend = parseSignature('multiSend(bytes transactions)');

/** The inner call of a Safe, from `execTransaction` or from a signed SafeTx. */
export interface SafeTransaction {
  readonly safe: string;
  readonly to: string;
  readonly value: bigint;
  readonly data: Uint8Array;
  readonly operation: bigint;
  readonly gasPrice: bigint;
  readonly gasToken: string;
  readonly refundReceiver: string;
}

/**
 * Safe (Gnosis Safe 1.0 and later). Each owner group has its own Safe, so the address does not identify the contract:
 * the organization vouches for it by storing an interface.
 */
export const safe = functionTable({
  'execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures)':
    (args, call, scope) => {
      scope.vouch(call, 'a Safe');
      openSafeTransaction(
        {
          safe: call.to,
          to: args.address('to'),
          value: args.uint('value'),
          data: args.bytes('data'),
          operation: args.uint('operation'),
          gasPrice: args.uint('gasPrice'),
          gasToken: args.address('gasToken'),
          refundReceiver: args.address('refundReceiver'),
        },
        scope,
      );
    },
  'addOwnerWithThreshold(address owner, uint256 threshold)': (args, call, scope) => {
    const what = `needs ${args.uint('threshold')} signatures from now on and has the further owner`;
    change(what, args.address('owner'), call, scope);
  },
  'removeOwner(address prevOwner, address owner, uint256 threshold)': (args, call, scope) => {
    const owner = toChecksumAddress(args.address('owner'));
    change(`needs ${args.uint('threshold')} signatures from now on and loses the owner ${owner}`, undefined, call, scope);
  },
  'swapOwner(address prevOwner, address oldOwner, address newOwner)': (args, call, scope) => {
    const what = `loses the owner ${toChecksumAddress(args.address('oldOwner'))} and has the further owner`;
    change(what, args.address('newOwner'), call, scope);
  },
  'changeThreshold(uint256 threshold)': (args, call, scope) =>
    change(`needs ${args.uint('threshold')} signatures from now on`, undefined, call, scope),
  'enableModule(address module)': (args, call, scope) =>
    change('obeys without any signature the module', args.address('module'), call, scope),
  'disableModule(address prevModule, address module)': (args, call, scope) =>
    change(`no longer obeys the module ${toChecksumAddress(args.address('module'))}`, undefined, call, scope),
  'setGuard(address guard)': (args, call, scope) => {
    const guard = args.address('guard');
    if (guard === nobody) {
      change('has no guard any more', undefined, call, scope);
      return;
    }
    change('may do only what the guard lets pass:', guard, call, scope);
  },
  'setFallbackHandler(address handler)': (args, call, scope) =>
    change('answers unknown calls with the code of', args.address('handler'), call, scope),
});

/** Reads the inner call of a Safe. The Safe is its caller. */
export function openSafeTransaction(transaction: SafeTransaction, scope: CallScope): void {
  const { safe: from, to, value, data, operation } = transaction;
  refund(transaction, scope);
  if (operation === 0n) {
    scope.open({ from, to, value, data });
    return;
  }
  const batch = operation === 1n && roleOf(scope.chainId, to) === 'MULTI_SEND' ? batchOf(data) : undefined;
  if (batch === undefined) {
    obey(from, to, data.length, scope);
    return;
  }
  for (const step of batch) {
    if (step.operation === 0 && step.to !== nobody) scope.open({ from, to: step.to, value: step.value, data: step.data });
    // Newer versions take the zero address for the Safe itself.
    else if (step.operation === 0) scope.unknown('call of the zero address', step.to, step.data.length, zeroReason);
    else obey(from, step.to, step.data.length, scope);
  }
}

const zeroReason = 'A step of a batch calls the zero address, which some versions of MultiSend take for the Safe itself.';

/** SECURITY: foreign code that runs as the Safe can do everything, also exchange its owners. */
function obey(from: string, to: string, bytes: number, scope: CallScope): void {
  scope.found.add({ kind: 'AUTHORITY', what: 'runs with all its rights (delegatecall) the code of', from, to });
  scope.unknown('delegatecall', to, bytes, 'A Safe runs foreign code with all its rights (delegatecall), which may do anything.');
}

/** A Safe pays back the gas where a gas price is set. How much gas that is, only the execution tells. */
function refund({ safe: from, gasPrice, gasToken, refundReceiver }: SafeTransaction, scope: CallScope): void {
  if (gasPrice === 0n) return;
  const asset = gasToken === nobody ? scope.coin : scope.token(gasToken);
  // Safe: without a receiver, the sender of the transaction gets it.
  scope.found.add({ kind: 'TRANSFER', asset, from, to: refundReceiver });
  scope.found.doubt('The Safe pays back gas. The amount is not known before the execution.');
}

function change(what: string, to: string | undefined, call: Call, scope: CallScope): void {
  scope.vouch(call, 'a Safe');
  scope.found.add({ kind: 'AUTHORITY', what, from: call.to, ...(to !== undefined && { to }) });
}

interface Step {
  readonly operation: number;
  readonly to: string;
  readonly value: bigint;
  readonly data: Uint8Array;
}

/** The steps of `multiSend(bytes)`: operation (1 byte), to (20), value (32), length of data (32), data, without padding. */
function batchOf(data: Uint8Array): readonly Step[] | undefined {
  if (toHex(data.subarray(0, 4)) !== multiSend.selector) return undefined;
  let packed: Uint8Array;
  try {
    const types = multiSend.inputs.map(({ type }) => type);
    packed = new Arguments(multiSend.inputs, decodeAbi(types, data.subarray(4))).bytes('transactions');
  } catch (error) {
    // The data does not encode multiSend. Rethrow anything else: it is a bug.
    if (!(error instanceof ChainError)) throw error;
    return undefined;
  }
  const steps: Step[] = [];
  for (let at = 0; at < packed.length; ) {
    const head = packed.subarray(at, at + 85);
    const length = fromBigEndian(head.subarray(53));
    const [operation] = head;
    if (head.length < 85 || operation === undefined || operation > 1 || length > packed.length - at - 85) return undefined;
    const end = at + 85 + Number(length);
    steps.push({
      operation,
      to: toHex(head.subarray(1, 21)),
      value: fromBigEndian(head.subarray(21, 53)),
      data: packed.subarray(at + 85, end),
    });
    at = end;
  }
  return steps;
}
