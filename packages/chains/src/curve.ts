/** The curves a key may live on, by their wire names. */
export const curves = ['CURVE_SECP256K1', 'CURVE_ED25519', 'CURVE_P256'] as const;

export type Curve = (typeof curves)[number];
