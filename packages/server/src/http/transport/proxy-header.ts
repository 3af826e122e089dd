import type { IpAddress } from '../../network/ip-address.ts';
import { parseIpAddress } from '../../network/ip-address.ts';

/** The header of a proxy at the beginning of a connection. See https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt */
export interface ProxyHeader {
  /** Its length in bytes. The rest belongs to the client. */
  readonly length: number;
  /** `local`: the proxy itself connects, such as for a health check. Undefined if the proxy does not know the client's address. */
  readonly client: IpAddress | 'local' | undefined;
}

/** The first bytes are not a valid header. */
export class ProxyHeaderError extends Error {
  override readonly name = 'ProxyHeaderError';
}

/** Section 2.1: the longest line of version 1. */
const MAX_LINE = 107;
/** Section 2.2: extensions follow the addresses. Those of common proxies have a few hundred bytes. */
const MAX_BLOCK = 4_096;
const SIGNATURE = Buffer.from('\r\n\r\n\0\r\nQUIT\n', 'latin1');

/** Reads a header of version 1 or 2. Undefined if more bytes are needed. Throws ProxyHeaderError if the bytes do not begin with one. */
export function readProxyHeader(bytes: Buffer): ProxyHeader | undefined {
  const isBinary = bytes[0] === SIGNATURE[0];
  const expected = isBinary ? SIGNATURE : Buffer.from('PROXY ');
  const begin = bytes.subarray(0, expected.length);
  if (!begin.equals(expected.subarray(0, begin.length))) throw new ProxyHeaderError('the connection has no PROXY header');
  if (begin.length < expected.length) return undefined;
  return isBinary ? readBinary(bytes) : readLine(bytes);
}

function readLine(bytes: Buffer): ProxyHeader | undefined {
  const end = bytes.subarray(0, MAX_LINE).indexOf('\r\n');
  if (end === -1) {
    if (bytes.length >= MAX_LINE) throw new ProxyHeaderError('the PROXY header is too long');
    return undefined;
  }
  const line = bytes.toString('latin1', 0, end);
  const length = end + 2;
  // Section 2.1: the rest of such a line is ignored.
  if (/^PROXY UNKNOWN( |$)/.test(line)) return { length, client: undefined };
  const [, family, source = '', destination = '', ...ports] =
    /^PROXY TCP([46]) ([0-9a-fA-F.:]+) ([0-9a-fA-F.:]+) (\d{1,5}) (\d{1,5})$/.exec(line) ?? [];
  const client = parseIpAddress(source);
  const isValid = client !== undefined && parseIpAddress(destination) !== undefined && isNotation(source, family);
  if (!isValid || ports.some((port) => Number(port) > 65_535)) throw new ProxyHeaderError('the PROXY header is not valid');
  return { length, client };
}

const isNotation = (text: string, family: string | undefined) => text.includes(':') === (family === '6');

/** Section 2.2: signature, version and command, family and protocol, length, then addresses. */
function readBinary(bytes: Buffer): ProxyHeader | undefined {
  const [versionAndCommand, familyAndProtocol] = bytes.subarray(12, 14);
  if (versionAndCommand === undefined || familyAndProtocol === undefined || bytes.length < 16) return undefined;
  if (versionAndCommand >> 4 !== 2) throw new ProxyHeaderError('the PROXY header has an unknown version');
  const command = versionAndCommand & 0x0f;
  if (command > 1) throw new ProxyHeaderError('the PROXY header has an unknown command');
  const blockLength = bytes.readUInt16BE(14);
  if (blockLength > MAX_BLOCK) throw new ProxyHeaderError('the PROXY header is too long');
  const length = 16 + blockLength;
  if (bytes.length < length) return undefined;
  const block = bytes.subarray(16, length);
  return { length, client: command === 0 ? 'local' : clientIn(familyAndProtocol, block) };
}

/** The source address of a connection over TCP. Other protocols have none that is an address. */
function clientIn(familyAndProtocol: number, block: Buffer): IpAddress | undefined {
  if (familyAndProtocol === 0x11) {
    if (block.length < 12) throw new ProxyHeaderError('the PROXY header is too short');
    return { family: 4, bits: BigInt(block.readUInt32BE(0)) };
  }
  if (familyAndProtocol === 0x21) {
    if (block.length < 36) throw new ProxyHeaderError('the PROXY header is too short');
    const groups = Array.from({ length: 8 }, (_, at) => block.readUInt16BE(at * 2).toString(16));
    return parseIpAddress(groups.join(':'));
  }
  return undefined;
}
