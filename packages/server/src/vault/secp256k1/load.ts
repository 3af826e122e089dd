import type { RawSignature } from '@countersign/chains';
import { type Addon, loadAddon, loadSystemSigner } from '@countersign/native';
import { javascriptSecp256k1 } from './javascript.ts';
import { loadNativeSecp256k1, withSystemSigner, withTables } from './native.ts';
import type { Secp256k1 } from './secp256k1.ts';

/** More uses than a key needs to get a table. */
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

/** Throws unless the engine signs and verifies correctly. */
export function selfTest(k1: Secp256k1): void {
  const privateKey = new Uint8Array(32).fill(1, 31);
  const signature = k1.signEcdsa(vector.digest, privateKey);
  const altered = { ...signature, bytes: Uint8Array.from(signature.bytes, (byte, i) => (i === 40 ? byte ^ 1 : byte)) };
  const right =
    Buffer.compare(k1.publicKey(privateKey), vector.publicKey) === 0 &&
    Buffer.compare(signature.bytes, vector.signature) === 0 &&
    k1.verifyEcdsa(signature, vector.digest, vector.publicKey) &&
    !k1.verifyEcdsa(altered, vector.digest, vector.publicKey);
  if (!right || !passesWithTables(k1, signature, altered))
    throw new Error(`the ${k1.engine} secp256k1 engine fails its self-test`);
}

/** Tests verification without and with a table: the key gets its table after enough uses. */
function passesWithTables(k1: Secp256k1, signature: RawSignature, altered: RawSignature): boolean {
  const verifier = k1.openVerifier?.(vector.publicKey);
  if (verifier === undefined) return true;
  let passes = true;
  for (let use = 0; use < TESTED_USES; use++) {
    passes &&=
      verifier.verify([signature, signature], [vector.digest, vector.digest]) && !verifier.verify([altered], [vector.digest]);
  }
  verifier.release();
  return passes;
}

/** Addons that passed the self-test with tables in this process. The next vault skips the test. */
const tested = new WeakSet<Addon>();

/** The tested engine, with a warning if it is not the native one, and the reason if the native one has no tables. */
export interface LoadedSecp256k1 {
  readonly k1: Secp256k1;
  /** The library of the native engine. */
  readonly signer?: 'system' | 'package';
  readonly warning?: string;
  readonly withoutTables?: string;
}

const CONSEQUENCE = 'signatures are the same, but slower and not constant-time';

/** Loads the native engine. Falls back to JavaScript if it does not load, fails its self-test or JavaScript was requested. */
export function loadSecp256k1(engine?: Secp256k1['engine'], loadNative = loadNativeSecp256k1): LoadedSecp256k1 {
  if (engine === 'javascript') return fallBack(`the JavaScript secp256k1 engine was requested: ${CONSEQUENCE}`);
  try {
    const k1 = loadNative();
    selfTest(k1);
    const system = withTestedSystemSigner(k1);
    return { ...addTables(system ?? k1), signer: system === undefined ? 'package' : 'system' };
  } catch (error) {
    if (engine === 'native') throw error;
    const [reason] = (error instanceof Error ? error.message : String(error)).split('\n');
    return fallBack(`the native secp256k1 addon is not in use (${reason}): ${CONSEQUENCE}`);
  }
}

/** The engine with the system's libsecp256k1 as its signer. Undefined if it is not installed or fails the self-test. */
function withTestedSystemSigner(k1: Secp256k1): Secp256k1 | undefined {
  const system = loadSystemSigner(process.env);
  if (system === undefined) return undefined;
  const engine = withSystemSigner(k1, system);
  try {
    selfTest(engine);
    return engine;
  } catch {
    return undefined;
  }
}

function addTables(k1: Secp256k1): LoadedSecp256k1 {
  const { addon, absence } = loadAddon(process.env);
  if (addon === undefined) return { k1, withoutTables: absence };
  const faster = withTables(k1, addon);
  try {
    if (!tested.has(addon)) selfTest(faster);
    tested.add(addon);
    return { k1: faster };
  } catch {
    return { k1, withoutTables: 'it fails its self-test' };
  }
}

function fallBack(warning: string): LoadedSecp256k1 {
  selfTest(javascriptSecp256k1);
  return { k1: javascriptSecp256k1, warning };
}
