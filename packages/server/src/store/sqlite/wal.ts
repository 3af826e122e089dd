import { readFileSync } from 'node:fs';
import { endianness } from 'node:os';

/**
 * Compares the write-ahead log of a database with what its last writer committed.
 * The `-shm` file holds the index of the log. Every commit updates it after the log itself is on disk, so it never names more than was
 * durable. It survives a killed process until the database is opened again. Formats: https://www.sqlite.org/walformat.html
 */
export interface WalReport {
  /** Frames that the last writer committed. */
  readonly committed: number;
  /** Committed frames that the database file already contains. */
  readonly checkpointed: number;
  /** Intact frames at the start of the log. */
  readonly whole: number;
}

const WAL_HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;
const INDEX_HEADER_BYTES = 48;
const INDEX_VERSION = 3_007_000;
/** Checksums in big-endian order have an odd magic number. */
const BIG_ENDIAN_MAGIC = 0x377f0683;
const LITTLE_ENDIAN_MAGIC = 0x377f0682;

/**
 * Reports missing frames of the log. Returns undefined if the log is complete, or if this is unknown: there is no index, or another
 * process is writing the files.
 * Call it before opening the database, which rebuilds the index from the remaining log.
 */
export function missingOfWal(file: string): WalReport | undefined {
  const index = readIndex(file);
  if (index === undefined || index.committed === 0) return undefined;
  const wal = readIfThere(`${file}-wal`);
  const whole = wal === undefined ? 0 : wholeFrames(wal, index);
  // The log restarted after the index was written: a power loss can leave an old index.
  if (whole === 'NEWER') return undefined;
  const gone = wal === undefined || wal.length === 0;
  // Without a log, only the database file counts. A truncated log shows older versions of pages.
  if (gone ? index.checkpointed >= index.committed : whole >= index.committed) return undefined;
  const again = readIndex(file);
  if (again === undefined || !again.bytes.equals(index.bytes)) return undefined;
  return { committed: index.committed, checkpointed: index.checkpointed, whole };
}

interface Index {
  readonly bytes: Buffer;
  readonly committed: number;
  readonly checkpointed: number;
  /** In the byte order of the log header. */
  readonly salts: Buffer;
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The header is stored twice. If the copies differ, another process is writing it. */
function readIndex(file: string): Index | undefined {
  const shm = readIfThere(`${file}-shm`);
  if (shm === undefined || shm.length < 2 * INDEX_HEADER_BYTES + 4) return undefined;
  const bytes = shm.subarray(0, 2 * INDEX_HEADER_BYTES + 4);
  const header = bytes.subarray(0, INDEX_HEADER_BYTES);
  if (!header.equals(bytes.subarray(INDEX_HEADER_BYTES, 2 * INDEX_HEADER_BYTES))) return undefined;
  const native = (at: number, from = header) => (endianness() === 'LE' ? from.readUInt32LE(at) : from.readUInt32BE(at));
  const [one, two] = checksum(header.subarray(0, INDEX_HEADER_BYTES - 8), [0, 0], endianness() === 'LE');
  const isValid = native(0) === INDEX_VERSION && native(40) === one && native(44) === two;
  if (!isValid) return undefined;
  return {
    bytes,
    committed: native(16),
    salts: header.subarray(32, 40),
    checkpointed: native(2 * INDEX_HEADER_BYTES, bytes),
  };
}

/** Number of intact frames among those that the index names. `NEWER` if the log restarted after the index was written. */
function wholeFrames(wal: Buffer, { committed, salts }: Index): number | 'NEWER' {
  if (wal.length < WAL_HEADER_BYTES) return 0;
  const magic = wal.readUInt32BE(0);
  const isLittle = magic === LITTLE_ENDIAN_MAGIC;
  if (!isLittle && magic !== BIG_ENDIAN_MAGIC) return 0;
  let sums = checksum(wal.subarray(0, 24), [0, 0], isLittle);
  if (wal.readUInt32BE(24) !== sums[0] || wal.readUInt32BE(28) !== sums[1]) return 0;
  const own = wal.subarray(16, 24);
  // The first salt counts the restarts of the log.
  if (!own.equals(salts)) return ((own.readUInt32BE(0) - salts.readUInt32BE(0)) | 0) > 0 ? 'NEWER' : 0;
  const size = FRAME_HEADER_BYTES + wal.readUInt32BE(8);
  for (let frame = 0; frame < committed; frame++) {
    const at = WAL_HEADER_BYTES + frame * size;
    if (at + size > wal.length || !wal.subarray(at + 8, at + 16).equals(salts)) return frame;
    sums = checksum(wal.subarray(at, at + 8), sums, isLittle);
    sums = checksum(wal.subarray(at + FRAME_HEADER_BYTES, at + size), sums, isLittle);
    if (wal.readUInt32BE(at + 16) !== sums[0] || wal.readUInt32BE(at + 20) !== sums[1]) return frame;
  }
  return committed;
}

type Sums = readonly [number, number];

/** SQLite's WAL checksum over pairs of 32-bit words. */
function checksum(bytes: Buffer, [first, second]: Sums, isLittle: boolean): Sums {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let [one, two] = [first, second];
  for (let at = 0; at < bytes.length; at += 8) {
    one = (one + view.getUint32(at, isLittle) + two) >>> 0;
    two = (two + view.getUint32(at + 4, isLittle) + one) >>> 0;
  }
  return [one, two];
}
