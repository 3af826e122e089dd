import type { RawSignature } from '@countersign/chains';
import { type Addon, loadAddon, loadSystemSigner } from '@countersign/native';
import { javascriptSecp256k1 } from './javascript.ts';
import { loadNativeSecp256k1, withSystemSigner, withTables } from './native.ts';
import type { Secp256k1 } from './secp256k1.ts';
import { loadWasmSecp256k1 } from './wasm.ts';

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

type Engine = Secp256k1['engine'];

/** Which code signs: libsecp256k1 of the system, of the npm package or as WebAssembly, or JavaScript. */
export type Signer = 'system' | 'package' | 'wasm' | 'javascript';

/** The tested engine, with a warning if it is JavaScript, and the reason if there are no tables. */
export interface LoadedSecp256k1 {
  readonly k1: Secp256k1;
  readonly signer: Signer;
  readonly warning?: string;
  readonly withoutTables?: string;
}

/** From the fastest to the slowest. */
const loaders: Readonly<Record<Engine, () => Secp256k1>> = {
  native: loadNativeSecp256k1,
  wasm: loadWasmSecp256k1,
  javascript: () => javascriptSecp256k1,
};
const signers: Readonly<Record<Engine, Signer>> = { native: 'package', wasm: 'wasm', javascript: 'javascript' };

const CONSEQUENCE = 'signatures are the same, but slower and not constant-time';

/** Loads the fastest engine that loads and passes its self-test, or the requested one. `others` replaces loaders in tests. */
export function loadSecp256k1(requested?: Engine, others: Partial<typeof loaders> = {}): LoadedSecp256k1 {
  const { k1, reasons } = loadEngine(requested, { ...loaders, ...others });
  const { engine } = k1;
  if (engine === 'javascript') return { k1, signer: 'javascript', warning: explain(requested, reasons) };
  if (requested === 'wasm') return { k1, signer: 'wasm' };
  const system = withTestedSystemSigner(k1);
  return { ...addTables(system ?? k1), signer: system === undefined ? signers[engine] : 'system' };
}

function loadEngine(requested: Engine | undefined, available: typeof loaders): { k1: Secp256k1; reasons: readonly string[] } {
  const reasons: string[] = [];
  for (const engine of requested === undefined ? (Object.keys(available) as Engine[]) : [requested]) {
    try {
      const k1 = available[engine]();
      selfTest(k1);
      return { k1, reasons };
    } catch (error) {
      if (engine === requested) throw error;
      const [reason] = (error instanceof Error ? error.message : String(error)).split('\n');
      reasons.push(`${engine}: ${reason}`);
    }
  }
  throw new Error(`no secp256k1 engine works (${reasons.join('; ')})`);
}

const explain = (requested: Engine | undefined, reasons: readonly string[]) =>
  requested === undefined
    ? `libsecp256k1 is not in use (${reasons.join('; ')}): ${CONSEQUENCE}`
    : `the JavaScript secp256k1 engine was requested: ${CONSEQUENCE}`;

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

function addTables(k1: Secp256k1): Pick<LoadedSecp256k1, 'k1' | 'withoutTables'> {
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
