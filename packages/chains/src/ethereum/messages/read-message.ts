import type { ParseContext } from '../../transaction.ts';
import { roleOf } from '../calls/known-contracts.ts';
import type { CallScope } from '../calls/scope.ts';
import { describeValues, quote } from '../description.ts';
import { descriptorsOf } from '../descriptors/describe-call.ts';
import { showFields } from '../descriptors/show-fields.ts';
import type { MessageReader, TypedMessage } from './message.ts';
import { permit2Messages, witnessReader } from './permit2-messages.ts';
import { safeMessages } from './safe-messages.ts';
import { seaportMessages } from './seaport-messages.ts';
import { tokenMessages } from './token-messages.ts';

/** A member of any struct in an encodeType that is `bytes`, or a list of them. */
const holdsBytes = /[(,]bytes(?:\[[0-9]*\])* /;

/** Reports everything that the signature of a message does. */
export function readMessage(
  message: TypedMessage,
  { interfaces, tokens, descriptorsVouch }: Pick<ParseContext, 'interfaces' | 'tokens' | 'descriptorsVouch'>,
  scope: CallScope,
): void {
  const { chainId, found } = scope;
  if (chainId === undefined) {
    found.add({ kind: 'REPLAYABLE', what: 'the domain of the message has no chain id, so it counts on every chain' });
  }
  const reader = readerOf(message, chainId);
  if (reader?.(message, scope) === true) return;
  const { type, primaryType, contract, fields, domain } = message;
  const [format, ...others] = descriptorsOf(contract, chainId, interfaces).flatMap(({ messages }) => messages.get(type) ?? []);
  const name = domain.get('name');
  const words =
    format === undefined || others.length > 0
      ? undefined
      : showFields(format, primaryType, { values: fields.values, container: new Map(), scope, tokens });
  if (words !== undefined && descriptorsVouch === true) {
    found.add({ kind: 'CALL', what: words, to: contract });
    // SECURITY: bytes may hold a whole call. A descriptor names them; it does not tell what they do.
    if (holdsBytes.test(type)) found.doubt(`${primaryType} may hold raw bytes. What they mean to the contract was not decoded.`);
    return;
  }
  const application = typeof name === 'string' ? ` for ${quote(name)}` : '';
  const what = `by signature ${primaryType}(${describeValues(fields.values)})${application}`;
  found.add({ kind: 'CALL', what, ...(words !== undefined && { words: `by signature ${words}` }), to: contract });
  found.doubt(`What ${primaryType} means to the contract that checks it is not known. Only its fields are.`);
}

/** INVARIANT: a reader is chosen by the exact type of the message and by the contract, or the domain, that takes it. */
function readerOf({ type, contract }: TypedMessage, chainId: bigint | undefined): MessageReader | undefined {
  const role = roleOf(chainId, contract);
  if (role === 'PERMIT2') return permit2Messages[type] ?? witnessReader(type);
  if (role === 'SEAPORT') return seaportMessages[type];
  return tokenMessages[type] ?? safeMessages[type];
}
