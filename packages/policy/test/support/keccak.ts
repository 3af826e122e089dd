const MASK = (1n << 64n) - 1n;

/** Rotation offsets and round constants are derived as FIPS 202 section 3.2 defines them. */
const rotations = rotationOffsets();
const constants = roundConstants();

/** Keccak-256 with the original padding, as Ethereum uses it. Slow and plain: for tests only. */
export function keccak256(message: Uint8Array): Uint8Array {
  const rate = 136;
  const padded = new Uint8Array(Math.ceil((message.length + 1) / rate) * rate);
  padded.set(message);
  padded[message.length] = 0x01;
  padded[padded.length - 1] = (padded[padded.length - 1] as number) | 0x80;
  const state = new Array<bigint>(25).fill(0n);
  for (let block = 0; block < padded.length; block += rate) {
    const view = new DataView(padded.buffer, block, rate);
    for (let lane = 0; lane < rate / 8; lane += 1) state[lane] = (state[lane] as bigint) ^ view.getBigUint64(lane * 8, true);
    permute(state);
  }
  const output = new DataView(new ArrayBuffer(32));
  for (let lane = 0; lane < 4; lane += 1) output.setBigUint64(lane * 8, state[lane] as bigint, true);
  return new Uint8Array(output.buffer);
}

function permute(state: bigint[]): void {
  for (const constant of constants) {
    const columns = [0, 1, 2, 3, 4].map((x) => [0, 5, 10, 15, 20].reduce((sum, y) => sum ^ (state[x + y] as bigint), 0n));
    for (let i = 0; i < 25; i += 1) {
      const theta = (columns[(i + 4) % 5] as bigint) ^ rotate(columns[(i + 1) % 5] as bigint, 1);
      state[i] = (state[i] as bigint) ^ theta;
    }
    const moved = new Array<bigint>(25).fill(0n);
    for (let x = 0; x < 5; x += 1) {
      for (let y = 0; y < 5; y += 1) {
        moved[y + 5 * ((2 * x + 3 * y) % 5)] = rotate(state[x + 5 * y] as bigint, rotations[x + 5 * y] as number);
      }
    }
    for (let i = 0; i < 25; i += 1) {
      const row = i - (i % 5);
      state[i] = (moved[i] as bigint) ^ (~(moved[row + ((i + 1) % 5)] as bigint) & MASK & (moved[row + ((i + 2) % 5)] as bigint));
    }
    state[0] = (state[0] as bigint) ^ constant;
  }
}

function rotate(value: bigint, count: number): bigint {
  return ((value << BigInt(count)) | (value >> BigInt(64 - count))) & MASK;
}

function rotationOffsets(): readonly number[] {
  const offsets = new Array<number>(25).fill(0);
  let [x, y] = [1, 0];
  for (let t = 0; t < 24; t += 1) {
    offsets[x + 5 * y] = (((t + 1) * (t + 2)) / 2) % 64;
    [x, y] = [y, (2 * x + 3 * y) % 5];
  }
  return offsets;
}

function roundConstants(): readonly bigint[] {
  let register = 1;
  const bit = () => {
    const out = register & 1;
    register <<= 1;
    if (register & 0x100) register ^= 0x171;
    return out;
  };
  return Array.from({ length: 24 }, () => {
    let constant = 0n;
    for (let j = 0; j <= 6; j += 1) if (bit() === 1) constant |= 1n << BigInt(2 ** j - 1);
    return constant;
  });
}
