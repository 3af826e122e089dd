import { createSocket } from 'node:dgram';
import { connect as connectPlain, isIP, isIPv6, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { connect as connectSecure } from 'node:tls';
import { type AuditSink, withinTime } from './audit-sink.ts';

/** Where messages of syslog go. */
export type SyslogTarget =
  | { readonly transport: 'tcp' | 'tls' | 'udp'; readonly host: string; readonly port: number; readonly ca?: string }
  | { readonly transport: 'unix'; readonly path: string };

/** Facility 13 (log audit), severity 6 (informational), RFC 5424, 6.2.1. */
const PRIORITY = 13 * 8 + 6;

/** A message of RFC 5424 with the record as its content. */
export function syslogMessage(record: string, nowMs = Date.now(), host = hostname()): string {
  const name = host.replace(/[^!-~]/g, '').slice(0, 255) || '-';
  return `<${PRIORITY}>1 ${new Date(nowMs).toISOString()} ${name} countersign ${process.pid} audit - ${record}`;
}

/** Sends records to a syslog server. */
export function syslogSink(target: SyslogTarget): AuditSink {
  return target.transport === 'udp' ? datagramSink(target) : streamSink(target);
}

/**
 * Over a stream: TCP, TLS (RFC 5425) or a local stream socket, with the length before each message (RFC 6587, 3.4.1).
 * A record counts as taken when the operating system has it: syslog has no acknowledgements.
 */
function streamSink(target: Exclude<SyslogTarget, { transport: 'udp' }>): AuditSink {
  let open: Socket | undefined;

  async function connection(): Promise<Socket> {
    if (open?.writable === true) return open;
    const socket = connect(target);
    socket.setKeepAlive(true, 10_000);
    // A server that ends the connection takes no more messages.
    socket.on('end', () => socket.destroy());
    socket.resume();
    open = socket;
    await new Promise<void>((resolve, reject) => {
      socket.once(target.transport === 'tls' ? 'secureConnect' : 'connect', resolve);
      socket.once('error', reject);
      socket.once('close', () => reject(new Error('the connection was closed')));
    });
    // Errors from now on close the socket. The next write reports them.
    socket.on('error', () => undefined);
    return socket;
  }

  async function send(lines: readonly string[]): Promise<void> {
    const socket = await connection();
    const messages = lines.map((line) => {
      const message = syslogMessage(line);
      return `${Buffer.byteLength(message)} ${message}`;
    });
    await new Promise<void>((resolve, reject) => {
      socket.write(messages.join(''), (error) => (error ? reject(error) : resolve()));
    });
  }

  const end = () => open?.destroy();
  return {
    write: (lines) => withinTime(send(lines), end),
    async close() {
      const socket = open;
      if (socket?.writable === true) await new Promise<void>((resolve) => socket.end(resolve));
      end();
    },
  };
}

function connect(target: Exclude<SyslogTarget, { transport: 'udp' }>): Socket {
  if (target.transport === 'unix') return connectPlain({ path: target.path });
  const { host, port, ca } = target;
  if (target.transport === 'tcp') return connectPlain({ host, port });
  return connectSecure({
    host,
    port,
    ...(isIP(host) === 0 && { servername: host }),
    minVersion: 'TLSv1.2',
    ...(ca !== undefined && { ca }),
  });
}

/** One datagram for each message (RFC 5426). A lost one is not noticed. */
function datagramSink({ host, port }: { readonly host: string; readonly port: number }): AuditSink {
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4');
  socket.on('error', () => undefined);
  socket.unref();
  const sendOne = (line: string) =>
    new Promise<void>((resolve, reject) => {
      socket.send(syslogMessage(line), port, host, (error) => (error ? reject(error) : resolve()));
    });
  return {
    write: (lines) =>
      withinTime(
        Promise.all(lines.map(sendOne)).then(() => undefined),
        () => undefined,
      ),
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}
