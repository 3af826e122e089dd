import type { ContractType } from './contract-type.ts';
import type { Content } from './protobuf.ts';

/**
 * Prices in sun, by the names of the chain's parameters, as on the main network. Representatives can vote for others, and a
 * transaction does not tell them.
 */
const parameters = {
  /** For each byte, where free and staked bandwidth do not reach. */
  getTransactionFee: 1_000n,
  /** Instead of bandwidth, for a transaction that creates an account. */
  getCreateAccountFee: 100_000n,
  /** For the account itself. */
  getCreateNewAccountFeeInSystemContract: 1_000_000n,
  getMemoFee: 1_000_000n,
  getUpdateAccountPermissionFee: 100_000_000n,
} as const;

/** java-tron, Constant.MAX_RESULT_SIZE_IN_TX: counted for each contract, in addition to the transaction. */
const RESULT_BYTES = 64;
/** One signature of 65 bytes with its tag and length. */
const SIGNATURE_BYTES = 67;

/**
 * The most that the owner can be charged, in sun: bandwidth, energy, and the fixed prices of the contract and the memo.
 * Accounts with several keys in their owner permission also pay for further signatures, which are not part of this transaction.
 */
export function maxFee(type: ContractType, header: Content, rawDataLength: number): bigint {
  const bandwidth = BigInt(signedLength(rawDataLength) + RESULT_BYTES) * parameters.getTransactionFee;
  // The virtual machine alone takes energy. Other contracts ignore the limit.
  const energy = type.runsCode ? (header.fee_limit as bigint) : 0n;
  const memo = header.data === '' ? 0n : parameters.getMemoFee;
  const permission = type.changesPermissions ? parameters.getUpdateAccountPermissionFee : 0n;
  return (type.mayCreateAccount ? forNewAccount(bandwidth) : bandwidth) + energy + memo + permission;
}

function forNewAccount(bandwidth: bigint): bigint {
  const { getCreateAccountFee: create, getCreateNewAccountFeeInSystemContract: account } = parameters;
  return account + (bandwidth > create ? bandwidth : create);
}

/** The length of the signed Transaction message around the raw data. */
function signedLength(rawDataLength: number): number {
  let lengthBytes = 1;
  for (let rest = rawDataLength; rest >= 0x80; rest >>= 7) lengthBytes += 1;
  return 1 + lengthBytes + rawDataLength + SIGNATURE_BYTES;
}
