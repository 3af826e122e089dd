// Loaded with `node --require`: makes the native addons of a server faulty. FAULTY_ADDON names the fault.
const load = process.dlopen;
const fault = process.env.FAULTY_ADDON;

/** Signatures before the wrong one. The self-tests of the vault sign less often. */
const GOOD_SIGNATURES = 40;
let signatures = 0;

function flipOnce(bytes) {
  if (++signatures === GOOD_SIGNATURES) bytes[40] ^= 1;
}

/** The addons that a fault removes. */
const missing = { 'without-signers': /secp256k1|countersign_native|system_signer/, 'without-sqlite': /sqlite/ }[fault];
if (fault === 'without-sqlite') process.getBuiltinModule = () => undefined;

process.dlopen = (module, file, ...flags) => {
  if (missing?.test(file)) throw new Error(`${file} was removed`);
  load(module, file, ...flags);
  const addon = module.exports;
  if (fault === 'wrong-answers' && file.includes('countersign_native')) {
    module.exports = {
      ...addon,
      secp256k1Checker: () => () => true,
      p256Verifier: async () => () => true,
      sha256: (_, digest) => digest.fill(7),
      hmacSha256Each: (_inner, _outer, _messages, _lengths, digests) => digests.fill(7),
    };
  }
  if (fault !== 'wrong-signature') return;
  if (addon.secp256k1Sign !== undefined) {
    const sign = addon.secp256k1Sign;
    module.exports = {
      ...addon,
      secp256k1Sign(digest, privateKey, signature) {
        const result = sign(digest, privateKey, signature);
        flipOnce(signature);
        return result;
      },
    };
  }
  if (addon.Secp256k1 !== undefined) {
    // The methods of the class are read-only.
    module.exports = {
      Secp256k1: class extends addon.Secp256k1 {
        ecdsaSign(output, ...rest) {
          const result = super.ecdsaSign(output, ...rest);
          flipOnce(output.signature);
          return result;
        }
      },
    };
  }
};
