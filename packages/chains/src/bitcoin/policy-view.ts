import { bytesToHex } from '@noble/hashes/utils.js';
import { Address, OutScript } from '@scure/btc-signer';
import type { PolicyValue } from '../transaction.ts';
import { type NetworkName, networks, type ScriptKind } from './network.ts';
import type { Output, Psbt } from './psbt.ts';

type Fields = { readonly [field: string]: PolicyValue };

/** Where an output goes. */
export interface Destination {
  readonly type: ScriptKind | 'OP_RETURN' | 'unknown';
  readonly address?: string;
}

/** A lock time of this or more is in seconds; below, it is a block height. */
const LOCKTIME_THRESHOLD = 500_000_000;
const OP_RETURN = 0x6a;

const addressTypes: Readonly<Record<string, ScriptKind>> = { pkh: 'P2PKH', sh: 'P2SH', wpkh: 'P2WPKH', wsh: 'P2WSH', tr: 'P2TR' };

/** The value of `bitcoin.tx`. `destinations` are those of the outputs, in their order. `fee` is absent when the fee is uncertain. */
export function policyView(
  { version, lockTime, inputs, outputs }: Psbt,
  destinations: readonly Destination[],
  fee: bigint | undefined,
): Fields {
  return {
    version: String(version),
    inputs: inputs.map(({ txId, vout, sequence }) => ({
      tx_id: bytesToHex(txId),
      vout: BigInt(vout),
      sequence: BigInt(sequence),
    })),
    outputs: outputs.map((output, index) => outputView(output, destinations[index] as Destination)),
    locktime: { amount: BigInt(lockTime), type: lockTime < LOCKTIME_THRESHOLD ? 'Blocks' : 'Seconds' },
    ...(fee !== undefined && { fee }),
  };
}

/** Where an output's script sends the money. Data outputs and unusual scripts have no address. */
export function destination(script: Uint8Array, network: NetworkName): Destination {
  if (script[0] === OP_RETURN) return { type: 'OP_RETURN' };
  try {
    const decoded = OutScript.decode(script);
    const type = addressTypes[decoded.type];
    return type === undefined ? { type: 'unknown' } : { type, address: Address(networks[network]).encode(decoded) };
  } catch {
    // A script that cannot be decoded can still be paid. It only has no address.
    return { type: 'unknown' };
  }
}

function outputView({ amount, script }: Output, { type, address }: Destination): Fields {
  return {
    value: amount,
    script_pubkey: bytesToHex(script),
    ...(address !== undefined && { address }),
    ...(type !== 'unknown' && { address_type: type }),
  };
}
