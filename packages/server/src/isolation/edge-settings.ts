import type { HandshakeSettings } from '../admission/index.ts';
import type { UsedTls } from '../http/transport/tls.ts';

/** What an edge needs to know. None of it is secret. */
export interface EdgeSettings {
  readonly requestTimeoutSeconds: number;
  readonly keepAliveSeconds: number;
  readonly maxUntakenAnswerBytes: number;
  /** The port of the separate address for operators. */
  readonly adminPort?: number;
  /** The limits of TLS handshakes. All others apply in the core. */
  readonly handshakes: HandshakeSettings;
  readonly webhookNetworks: readonly string[];
  readonly pushNetworks: readonly string[];
  /** Proxies whose connections begin with a PROXY header. Absent without that protocol. */
  readonly proxies?: readonly string[];
  /** Certificates, read by the parent. SECURITY: the key is that of the address alone. */
  readonly tls?: UsedTls;
}
