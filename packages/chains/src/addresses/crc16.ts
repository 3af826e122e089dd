const POLYNOMIAL = 0x1021;

/** CRC-16/XMODEM (polynomial 0x1021, start 0, no reflection), the checksum of Stellar and TON addresses. */
export function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000 ? ((crc << 1) ^ POLYNOMIAL) & 0xffff : crc << 1;
  }
  return crc;
}
