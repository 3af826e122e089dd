import type { RawSignature } from '@countersign/chains';
import { type Addon, loadAddon } from '@countersign/native';
import { javascriptSecp256k1 } from './javascript.ts';
import { loadNativeSecp256k1 } from './native.ts';
import type { Secp256k1 } from './secp256k1.ts';
import { withTables } from './tables.ts';

/** More uses than a key has before it gets a table. */
const TESTED_USES = 70;

/** RFC 6979 with SHA-256 of "Satoshi Nakamoto" and the private key 1: a vector that many implementations test. */
const vector = Object.freeze({
  digest: Buffer.from('a0dc65ffca799873cbea0ac274015b9526505daaaed385155425f7337704883e', 'hex'),
  publicKey: Buffer.from('0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798', 'hex'),
  signature: Buffer.from(
    '934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d8' +
      '2442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5',
    'hex',
  ),
});

/** Throws unless the engine signs, verifies and refuses correctly. */
export function selfTest(k1: Secp256k1): void {
  const privateKey = new Uint8Array(32).fill(1, 31);
  const signature = k1.signEcdsa(vector.digest, privateKey);
  const altered = { ...signature, bytes: Uint8Array.from(signature.bytes, (byte, i) => (i === 40 ? byte ^ 1 : byte)) };
  const right =
    Buffer.compare(k1.publicKey(privateKey), vector.publicKey) === 0 &&
    Buffer.compare(signature.bytes, vector.signature) === 0 &&
    k1.verifyEcdsa(signature, vector.digest, vector.publicKey) &&
    !k1.verifyEcdsa(altered, vector.digest, vector.publicKey);
  if (!right || !passesWithTables(k1, altered)) throw new Error(`the ${k1.engine} secp256k1 engine fails its self-test`);
}

/** Uses the key often enough for its table, so that the checks without and with one are both tested. */
function passesWithTables(k1: Secp256k1, altered: RawSignature): boolean {
  const key = k1.openEcdsa?.(vector.publicKey);
  if (key === undefined) return true;
  const signatures = key.sign([vector.digest, vector.digest], new Uint8Array(32).fill(1, 31));
  let right = signatures.every(({ bytes }) => Buffer.compare(bytes, vector.signature) === 0);
  for (let use = 0; use < TESTED_USES; use++) {
    right &&= key.verify(signatures, [vector.digest, vector.digest]) && !key.verify([altered], [vector.digest]);
  }
  key.release();
  return right;
}

/** The addons that have passed with tables in this process: the same code needs no second test for the next vault. */
const passed = new WeakSet<Addon>();

/** The tested engine, with a warning if it is not the native one, and the reason if the native one goes without tables. */
export interface LoadedSecp256k1 {
  readonly k1: Secp256k1;
  readonly warning?: string;
  readonly withoutTables?: string;
}

const CONSEQUENCE = 'signatures are the same, but slower and not constant-time';

/** Loads the native engine. Falls back to JavaScript if the native one does not load, fails its test or is not wanted. */
export function loadSecp256k1(engine?: Secp256k1['engine'], loadNative = loadNativeSecp256k1): LoadedSecp256k1 {
  if (engine === 'javascript') return fallBack(`the JavaScript secp256k1 engine was requested: ${CONSEQUENCE}`);
  try {
    const k1 = loadNative();
    selfTest(k1);
    return addTables(k1);
  } catch (error) {
    if (engine === 'native') throw error;
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n');
    return fallBack(`the native secp256k1 addon is not in use (${reason}): ${CONSEQUENCE}`);
  }
}

function addTables(k1: Secp256k1): LoadedSecp256k1 {
  const { addon, absence } = loadAddon(process.env);
  if (addon === undefined) return { k1, withoutTables: absence };
  const faster = withTables(k1, addon);
  try {
    if (!passed.has(addon)) selfTest(faster);
    passed.add(addon);
    return { k1: faster };
  } catch {
    return { k1, withoutTables: 'it fails its self-test' };
  }
}

function fallBack(warning: string): LoadedSecp256k1 {
  selfTest(javascriptSecp256k1);
  return { k1: javascriptSecp256k1, warning };
}
