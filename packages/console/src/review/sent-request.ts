import { encodeFeeMarketTransaction, encodeLegacyTransaction } from '@countersign/chains';
import type { ListedActivity, StampedRequest } from '@countersign/client';
import { isSending } from '@countersign/contract';

type Values = Readonly<Record<string, unknown>>;
type Completed = Readonly<Record<(typeof stamped)[number] | 'nonce' | 'gasLimit' | 'maxFeePerGas', string>> & {
  readonly maxPriorityFeePerGas?: string;
};

/** What the stamped request determines alone. */
const stamped = ['from', 'caip2', 'to', 'value', 'data'] as const;
/** What the service fills in unless the request states it. */
const completed = ['nonce', 'gasLimit', 'maxFeePerGas', 'maxPriorityFeePerGas'] as const;
const chainName = /^eip155:[1-9]\d{0,18}$/;
const wholeNumber = /^\d{1,78}$/;

/**
 * The request as one that signs a transaction. A request that sends one becomes the transaction that it states. Undefined if it cannot be
 * read.
 * SECURITY: D960: the receiver, the amount and the data are the stamped ones. Only a nonce and fees that the request leaves to the service are
 * those that the service reports.
 */
export function signedRequest(request: StampedRequest, { intent }: Pick<ListedActivity, 'intent'>): StampedRequest | undefined {
  if (!isSending(request.type)) return request;
  const own = callOf(request.parameters);
  const [reported = {}] = Object.values(intent) as Values[];
  const fields: Record<string, unknown> = { value: '0', data: '0x' };
  for (const name of completed) fields[name] = reported[name];
  for (const name of [...stamped, ...completed]) if (own?.[name] !== undefined) fields[name] = own[name];
  if (!isComplete(fields)) return undefined;
  const unsignedTransaction = encode(fields);
  return { ...request, parameters: { signWith: fields.from, unsignedTransaction, type: 'TRANSACTION_TYPE_ETHEREUM' } };
}

/** The unsigned transaction. Without a priority fee it is a legacy one. */
function encode({ caip2, to, data, ...numbers }: Completed): string {
  const { maxPriorityFeePerGas: priority } = numbers;
  const maxFeePerGas = BigInt(numbers.maxFeePerGas);
  const fields = {
    chainId: BigInt(caip2.slice('eip155:'.length)),
    nonce: BigInt(numbers.nonce),
    gas: BigInt(numbers.gasLimit),
    value: BigInt(numbers.value),
    ...{ to, data },
  };
  return priority === undefined
    ? encodeLegacyTransaction({ ...fields, gasPrice: maxFeePerGas })
    : encodeFeeMarketTransaction({ ...fields, maxFeePerGas, maxPriorityFeePerGas: BigInt(priority) });
}

/** The parameters with the only call of the second version. */
function callOf(parameters: Values): Values | undefined {
  const { calls, ...rest } = parameters;
  if (calls === undefined) return parameters;
  const [only, ...others] = Array.isArray(calls) ? (calls as unknown[]) : [];
  return typeof only !== 'object' || only === null || others.length > 0 ? undefined : { ...rest, ...only };
}

function isComplete(fields: Values): fields is Values & Completed {
  const { from, caip2, to, data, maxPriorityFeePerGas = '0', ...numbers } = fields;
  const isText = [from, to, data].every((each) => typeof each === 'string');
  const values = [numbers.value, numbers.nonce, numbers.gasLimit, numbers.maxFeePerGas, maxPriorityFeePerGas];
  return isText && chainName.test(String(caip2)) && values.every((each) => typeof each === 'string' && wholeNumber.test(each));
}
