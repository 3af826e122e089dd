/** Half the order of a curve, rounded down: the greatest low s. */
export const halfOrders = Object.freeze({
  CURVE_SECP256K1: Buffer.from('7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0', 'hex'),
  CURVE_P256: Buffer.from('7fffffff800000007fffffffffffffffde737d56d38bcf4279dce5617e3192a8', 'hex'),
});

/** Whether the s of a 64-byte signature is at most half the order. */
export function hasLowS(signature: Uint8Array, halfOrder: Uint8Array): boolean {
  for (let i = 0; i < 32; i++) {
    const difference = (signature[32 + i] as number) - (halfOrder[i] as number);
    if (difference !== 0) return difference < 0;
  }
  return true;
}
