import type { PolicyValue } from '@countersign/policy';
import { bytesToHex } from '@noble/hashes/utils.js';
import { addressOfScript } from '../addresses/bitcoin.ts';
import type { NetworkName, ScriptKind } from './network.ts';
import type { Psbt } from './psbt.ts';
import type { Output } from './serialize.ts';

type Fields = { readonly [field: string]: PolicyValue };

/** Where an output goes. */
export interface Destination {
  readonly type: ScriptKind | 'OP_RETURN' | 'unknown';
  readonly address?: string;
  readonly scriptHex: string;
}

/** A lock time of this or more is in seconds; below, it is a block height. */
const LOCKTIME_THRESHOLD = 500_000_000;
const OP_RETURN = 0x6a;

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
  const scriptHex = bytesToHex(script);
  if (script[0] === OP_RETURN) return { type: 'OP_RETURN', scriptHex };
  const found = addressOfScript(script, network);
  return found === undefined ? { type: 'unknown', scriptHex } : { type: found.kind, address: found.address, scriptHex };
}

function outputView({ amount }: Output, { type, address, scriptHex }: Destination): Fields {
  return {
    value: amount,
    script_pubkey: scriptHex,
    ...(address !== undefined && { address }),
    ...(type !== 'unknown' && { address_type: type }),
  };
}
