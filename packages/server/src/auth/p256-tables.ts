import { hash } from 'node:crypto';
import { loadAddon, OftenUsed, type VerifyMessage } from '@countersign/native';
import { p256 } from '@noble/curves/nist.js';

/** Checks a DER signature, which is given as 64 bytes (r, s) too. */
export type P256Check = (message: Uint8Array, signature: Uint8Array, compact: Uint8Array) => boolean;

/** A table takes 150 KB, and as much time of another thread as several hundred checks. */
const rules = { capacity: 256, usesBefore: 128, idleUses: 32_768 };

/**
 * A check that gets a table of the key's multiples once the key is used often, and then takes half the time. `plain` checks without one.
 * Where the addon is absent, that is all there is.
 * SECURITY: a signature that does not verify takes the time of both ways, whatever key it is for. So the time of a refusal does not tell
 * which keys are in use.
 */
export type MakeP256Check = (publicKey: Uint8Array, plain: P256Check) => P256Check;

/** Makes checks with the addon of this installation. */
export const p256Check: MakeP256Check = createP256Check(loadAddon(process.env).addon?.p256Verifier);

/** `makeTable` gives the check of one key with its table. */
export function createP256Check(makeTable: ((publicKey: Uint8Array) => Promise<VerifyMessage>) | undefined): MakeP256Check {
  if (makeTable === undefined) return (_, plain) => plain;
  const tables = new OftenUsed<VerifyMessage>(rules);
  let decoy: VerifyMessage | undefined;
  let preparing: Promise<void> | undefined;

  /** INVARIANT: no key has a table before the decoy has one. Rejects if the addon gives a wrong answer: then no key gets one. */
  const prepare = async () => {
    const made = await makeTable(BASE_POINT);
    if (!passesSelfTest(made)) throw new Error('the table of a P-256 key gives a wrong answer');
    decoy = made;
  };

  return (publicKey, plain) => {
    const key = tables.key(async () => {
      preparing ??= prepare();
      await preparing;
      return makeTable(publicKey);
    });
    return (message, signature, compact) => {
      const { table } = key;
      if (table === undefined ? plain(message, signature, compact) : table(message, compact)) {
        key.use();
        return true;
      }
      if (table === undefined) decoy?.(message, compact);
      else plain(message, signature, compact);
      return false;
    };
  };
}

const { BASE, Fn } = p256.Point;

/** A valid key that nobody would register. */
const BASE_POINT = BASE.toBytes(true);

/** A known answer: private key 1 has the generator as its public key, and nonce 1 gives r = x(G), s = digest + r. */
function passesSelfTest(verifies: VerifyMessage): boolean {
  const message = Buffer.from('countersign');
  const r = Fn.create(BASE.x);
  const s = Fn.add(Fn.create(BigInt(`0x${hash('sha256', message)}`)), r);
  const signature = (sValue: bigint) => Uint8Array.from([...Fn.toBytes(r), ...Fn.toBytes(sValue)]);
  return verifies(message, signature(s)) && !verifies(message, signature(Fn.add(s, Fn.ONE)));
}
