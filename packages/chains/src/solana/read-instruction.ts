import type { PolicyValue } from '@countersign/policy';
import type { Effect } from '../effects/effect.ts';
import { ChainError } from '../errors.ts';
import { quoteText } from '../shared/text.ts';
import type { ContractInterface, ParseContext } from '../transaction.ts';
import type { DecodedValues } from './idl/borsh.ts';
import { decodeIdlCall, type IdlCall } from './idl/decode-call.ts';
import { type Idl, parseIdl } from './idl/idl.ts';
import type { Instruction } from './message.ts';
import { programs } from './programs/index.ts';
import { type Call, decodeInstruction, type Moves, type Reading } from './programs/instruction-spec.ts';

/** An instruction with as much meaning as could be read. */
export interface ReadInstruction {
  readonly instruction: Instruction;
  readonly moves: Moves;
  readonly effects: readonly Effect[];
  /** Names and values, if the program is built in or a stored interface fits. */
  readonly call?: Pick<IdlCall, 'name' | 'discriminatorHex' | 'accounts' | 'args'>;
  /** The decoded call of a built-in program. */
  readonly builtIn?: Call;
  /** Why the instruction was not understood, or not all of it. */
  readonly unparsed?: string;
}

const MAX_ARGUMENTS_TEXT = 500;

/** Parsing an interface takes milliseconds, and a stored interface never changes, so each is parsed once while in use. */
const parsedIdls = new WeakMap<ContractInterface, Idl>();

/**
 * Makes a reader that knows the built-in programs and the given interfaces, each for its own program only.
 * SECURITY: built-in programs come first, so no stored interface can give a System or Token instruction another meaning.
 */
export function instructionReader(
  { interfaces, bounds }: Pick<ParseContext, 'interfaces' | 'bounds'>,
  reading: Reading,
): (instruction: Instruction) => ReadInstruction {
  const decoded: DecodedValues = { total: 0 };
  const maxDecoded = bounds?.decodedValues ?? Number.POSITIVE_INFINITY;
  return (instruction) => {
    // SECURITY: D357: a type without content decodes to thousands of values for each of hundreds of instructions. Checked outside of the
    // `try` below, because the bound rejects the transaction.
    if (decoded.total > maxDecoded)
      throw new ChainError('INVALID_TRANSACTION', `the interfaces decode the transaction to more than ${maxDecoded} values`);
    const program = programs.get(instruction.programKey);
    if (program !== undefined) {
      const builtIn = decodeInstruction(program, instruction);
      if (builtIn === undefined)
        return unknown(instruction, `the ${program.name} program has no known instruction with this tag and these accounts`);
      const { spec, discriminatorHex, accounts, args } = builtIn;
      const call = { name: spec.name, discriminatorHex, accounts, args };
      const unparsed = spec.unparsed?.(builtIn, reading);
      const effects = spec.effects(builtIn, reading);
      return { instruction, moves: spec.moves, effects, call, builtIn, ...(unparsed !== undefined && { unparsed }) };
    }
    try {
      const idl = findIdl(interfaces, instruction.programKey);
      if (idl === undefined) return unknown(instruction, `no interface is stored for program ${instruction.programKey}`);
      const call = decodeIdlCall(idl, instruction, decoded);
      return { instruction, moves: 'other', effects: [{ kind: 'CALL', what: callText(call), to: instruction.programKey }], call };
    } catch (error) {
      // An interface that does not fit is no reason to refuse. The instruction then counts as not understood.
      if (!(error instanceof ChainError)) throw error;
      return unknown(instruction, `the interface of program ${instruction.programKey} does not fit: ${error.message}`);
    }
  };
}

function findIdl(interfaces: readonly ContractInterface[], programKey: string): Idl | undefined {
  const [stored, ...others] = interfaces.filter(({ kind, address }) => kind === 'solana' && address === programKey);
  if (others.length > 0) throw new ChainError('INVALID_INTERFACE', 'more than one interface is stored');
  if (stored === undefined) return undefined;
  const idl = parsedIdls.get(stored) ?? parseIdl(stored.json);
  parsedIdls.set(stored, idl);
  return idl;
}

function unknown(instruction: Instruction, unparsed: string): ReadInstruction {
  const effect: Effect = { kind: 'UNKNOWN', what: 'unknown call', to: instruction.programKey, bytes: instruction.data.length };
  return { instruction, moves: 'other', effects: [effect], unparsed };
}

function callText(call: IdlCall): string {
  const text = [...call.args].map(([name, value]) => `${name}: ${describeValue(value)}`).join(', ');
  const args = text.length > MAX_ARGUMENTS_TEXT ? `${text.slice(0, MAX_ARGUMENTS_TEXT)}…` : text;
  return `${call.name}(${args})`;
}

function describeValue(value: PolicyValue): string {
  if (typeof value === 'string') return quoteText(value);
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return `[${value.map(describeValue).join(', ')}]`;
  const members = value instanceof Map ? [...value] : Object.entries(value);
  return `{${members.map(([name, member]) => `${name}: ${describeValue(member)}`).join(', ')}}`;
}
