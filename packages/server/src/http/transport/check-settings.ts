import { ConfigError } from '../../config/config-error.ts';
import { consolePort } from '../../config/console-port.ts';
import type { Config } from '../../config/settings.ts';
import { readTlsFiles } from './tls-files.ts';

/** Throws ConfigError for settings that exclude each other, and for certificates that cannot be used. */
export function checkTransportSettings(config: Config): void {
  const { adminListen, port, proxyProtocol, trustedProxies } = config;
  if (adminListen !== undefined && [port, consolePort(config)].includes(adminListen.port))
    throw new ConfigError(
      `--admin-listen has the port of the service (${adminListen.port}).`,
      'Choose another port for /metrics, /healthz and /readyz.',
    );
  if (proxyProtocol && trustedProxies.length === 0)
    throw new ConfigError(
      '--proxy-protocol has no effect without --trusted-proxies.',
      'Name the addresses of the proxies with --trusted-proxies, or omit --proxy-protocol.',
    );
  if (config.tlsClientBinding && config.tlsClientAuth !== 'required')
    throw new ConfigError(
      '--tls-client-binding needs --tls-client-auth required.',
      'Otherwise a client without a certificate could use every credential. Set both, or neither.',
    );
  if (config.unsealHttps && (config.unsealSocket === undefined || config.tlsCert === undefined || config.isolate === 'on'))
    throw new ConfigError(
      '--unseal-https needs --unseal-socket and --tls-cert, and is not available with --isolate on.',
      'Shares are read from encrypted connections only. Set both, or give shares at the socket.',
    );
  readTlsFiles(config);
}
