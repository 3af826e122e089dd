import { equalBytes } from '@noble/curves/utils.js';
import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import fc from 'fast-check';
import { parseIdl } from '../../src/solana/index.ts';
import type { ContractInterface } from '../../src/transaction.ts';
import { transaction } from './arbitrary-transaction.ts';
import { attempt } from './attempt.ts';
import { key } from './message-builder.ts';
import { mutated } from './mutate.ts';
import { oracleView } from './oracle.ts';
import { parse, sign, vectors } from './support.ts';

const idl = {
  instructions: [
    {
      name: 'a',
      discriminator: [1],
      accounts: [{ name: 'x', optional: true }],
      args: [{ name: 'v', type: { vec: { option: 'u16' } } }],
    },
    {
      name: 'b',
      discriminator: [2],
      accounts: [],
      args: [
        { name: 'e', type: { defined: { name: 'E' } } },
        { name: 's', type: 'string' },
      ],
    },
  ],
  types: [
    { name: 'E', type: { kind: 'enum', variants: [{ name: 'N' }, { name: 'F', fields: [{ name: 'k', type: 'pubkey' }] }] } },
  ],
};
const interfaces: readonly ContractInterface[] = [{ kind: 'solana', address: key(250), json: JSON.stringify(idl) }];
const idlText = new TextEncoder().encode(JSON.stringify(idl));

function checkTransaction(bytes: Uint8Array): void {
  const parsed = attempt(() => parse(bytesToHex(bytes), interfaces));
  if (parsed === undefined) return;
  const oracle = oracleView(bytes);
  if (!equalBytes(oracle.reencoded, parsed.wire.messageBytes)) throw new Error('an accepted message does not encode to itself');
  const signed = sign(parsed);
  if (!signed.endsWith(bytesToHex(parsed.wire.messageBytes))) throw new Error('signing changed the message');
  if (attempt(() => parse(signed)) !== undefined) throw new Error('a signed transaction was taken again');
}

/**
 * Throws mutated and random input at the Solana reader and fails if it hangs, throws anything but a ChainError, or accepts
 * a message that a second implementation does not write back byte for byte. The same seed gives the same inputs.
 */
export function fuzz(runs: number, seed: number): void {
  const parameters = { numRuns: runs, seed };
  const valid = vectors.transactions.map(({ unsignedTransaction }) => hexToBytes(unsignedTransaction));
  fc.assert(fc.property(fc.uint8Array({ maxLength: 400 }), checkTransaction), parameters);
  fc.assert(fc.property(mutated(valid), checkTransaction), parameters);
  fc.assert(
    fc.property(
      transaction.chain((bytes) => mutated([bytes])),
      checkTransaction,
    ),
    parameters,
  );
  fc.assert(
    fc.property(mutated([idlText]), (text) => void attempt(() => parseIdl(new TextDecoder().decode(text)))),
    parameters,
  );
  fc.assert(
    fc.property(fc.json(), (text) => void attempt(() => parseIdl(text))),
    parameters,
  );
}
