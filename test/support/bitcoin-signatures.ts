import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js';
import { ripemd160 } from '@noble/hashes/legacy.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { OutScript, p2pkh, p2sh, p2wpkh, Script, SigHash, Transaction } from '@scure/btc-signer';

/** An output that a transaction spends. */
export interface SpentCoin {
  readonly satoshis: bigint;
  readonly script: Uint8Array;
}

const isSame = (one: Uint8Array, other: Uint8Array) => Buffer.compare(one, other) === 0;
const hash160 = (bytes: Uint8Array) => ripemd160(sha256(bytes));

/** What is wrong with the signatures of a transaction. Every input spends an output of a single key. */
export function problemOfSignature(bytes: Uint8Array, spent: readonly SpentCoin[]): string | undefined {
  const transaction = Transaction.fromRaw(bytes, {
    allowUnknownOutputs: true,
    allowUnknownInputs: true,
    disableScriptCheck: true,
  });
  for (let index = 0; index < transaction.inputsLength; index++) {
    const { finalScriptSig = new Uint8Array(), finalScriptWitness: witness = [] } = transaction.getInput(index);
    if (!isSigned(transaction, index, spent, finalScriptSig, witness)) return `input ${index} has no valid signature`;
  }
  return undefined;
}

function isSigned(
  transaction: Transaction,
  index: number,
  spent: readonly SpentCoin[],
  scriptSig: Uint8Array,
  witness: readonly Uint8Array[],
): boolean {
  const { script, satoshis } = spent[index] as SpentCoin;
  const [signature = new Uint8Array(), second = new Uint8Array(), ...more] = witness;
  if (more.length > 0) return false;
  const kind = OutScript.decode(script);
  const isEcdsa = (code: Uint8Array, key: Uint8Array) => {
    if (signature.at(-1) !== SigHash.ALL) return false;
    const digest = transaction.preimageWitnessV0(index, code, SigHash.ALL, satoshis);
    return secp256k1.verify(signature.subarray(0, -1), digest, key, { prehash: false, format: 'der', lowS: true });
  };
  switch (kind.type) {
    case 'wpkh':
      return scriptSig.length === 0 && isSame(hash160(second), kind.hash) && isEcdsa(p2pkh(second).script, second);
    case 'sh': {
      const inner = p2wpkh(second);
      const isNested = isSame(p2sh(inner).script, script) && isSame(scriptSig, Script.encode([inner.script]));
      return isNested && isEcdsa(p2pkh(second).script, second);
    }
    case 'wsh': {
      const [key, operator] = Script.decode(second);
      const isOwn = isSame(sha256(second), kind.hash) && operator === 'CHECKSIG' && key instanceof Uint8Array;
      return scriptSig.length === 0 && isOwn && isEcdsa(second, key);
    }
    case 'tr': {
      if (scriptSig.length > 0 || witness.length !== 1 || signature.length !== 64) return false;
      const [scripts, amounts] = [spent.map((coin) => coin.script), spent.map((coin) => coin.satoshis)];
      const digest = transaction.preimageWitnessV1(index, scripts, SigHash.DEFAULT, amounts);
      return schnorr.verify(signature, digest, kind.pubkey);
    }
    default:
      return false;
  }
}
