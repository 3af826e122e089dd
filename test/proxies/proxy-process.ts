import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { makeDataDirectory } from '../support/data-directory.ts';
import { installDebianPackages } from '../support/debian-packages.ts';

/** A proxy that runs until `stop`. */
export interface RunningProxy {
  stop(): Promise<void>;
}

const programs = {
  nginx: { path: '/usr/sbin/nginx', packages: ['nginx-light', 'libnginx-mod-stream'] },
  haproxy: { path: '/usr/sbin/haproxy', packages: ['haproxy'] },
};

/** Starts nginx or HAProxy with a configuration, and waits until it listens on a port. */
export async function startProxy(
  name: keyof typeof programs,
  config: (folder: string) => string,
  port: number,
): Promise<RunningProxy> {
  const { path, packages } = programs[name];
  if (!existsSync(path))
    installDebianPackages(packages, `The tests of proxies need ${name}`, `install ${packages.join(' and ')}`);
  const folder = makeDataDirectory(`proxy-${name}`);
  mkdirSync(join(folder, 'temp'));
  const file = join(folder, `${name}.conf`);
  writeFileSync(file, config(folder));
  const words = name === 'nginx' ? ['-p', folder, '-c', file, '-g', 'daemon off;'] : ['-db', '-f', file];
  const child = spawn(path, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  await listening(child, port, () => output);
  return {
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.kill('SIGTERM');
      }),
  };
}

async function listening(child: ChildProcess, port: number, output: () => string): Promise<void> {
  for (;;) {
    if (child.exitCode !== null) throw new Error(`The proxy did not start: ${output()}`);
    const isOpen = await new Promise<boolean>((resolve) => {
      const socket = connect(port, '127.0.0.1');
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
      socket.once('connect', () => socket.destroy());
    });
    if (isOpen) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}
