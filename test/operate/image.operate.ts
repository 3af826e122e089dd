import { type ExecFileSyncOptions, execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeDataDirectory } from '../support/data-directory.ts';
import { installedFile } from '../support/debian-packages.ts';
import { deployFolder, freePort, type Program, startProgram, untilReady } from './program.ts';

const root = join(deployFolder, '..');

/** The last stage of the image, from the Node.js and the libraries of this machine. The first stage needs a registry of images. */
describe('the image', () => {
  let buildah: string;
  let storage: string[];
  let container: string;
  let mounted: string;
  let program: Program | undefined;

  const run = (...words: string[]) =>
    execFileSync(buildah, [...storage, ...words], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();

  beforeAll(() => {
    buildah = installedFile(['/usr/bin/buildah'], ['buildah'], 'The test of the image needs buildah');
    const directory = makeDataDirectory('image');
    storage = ['--root', join(directory, 'storage'), '--runroot', join(directory, 'run'), '--storage-driver', 'vfs'];
    const packed = join(directory, 'packed');
    const app = join(directory, 'app');
    for (const folder of [packed, app]) mkdirSync(folder);
    const quiet: ExecFileSyncOptions = { stdio: ['ignore', 'ignore', 'pipe'] };
    const pack = ['pack', '--ignore-scripts', '--workspace', 'packages/cli', '--workspace', 'packages/native'];
    execFileSync('npm', [...pack, '--pack-destination', packed], { cwd: root, ...quiet });
    const tarballs = readdirSync(packed).map((name) => join(packed, name));
    execFileSync('npm', ['init', '--yes'], { cwd: app, ...quiet });
    // Without scripts: the addon is optional, and compiling it takes a minute.
    execFileSync('npm', ['install', '--omit=dev', '--ignore-scripts', ...tarballs], { cwd: app, ...quiet });
    const context = join(directory, 'context');
    mkdirSync(context);
    execFileSync('sh', [join(deployFolder, 'image/make-rootfs.sh'), join(context, 'rootfs'), app]);
    const text = readFileSync(join(deployFolder, 'image/Containerfile'), 'utf8');
    const last = text
      .slice(text.lastIndexOf('FROM '))
      .replaceAll('COPY --from=build ', 'COPY ')
      .replaceAll(' /rootfs', ' rootfs');
    writeFileSync(join(context, 'Containerfile'), last);
    run('build', '--isolation', 'chroot', '--tag', 'countersign', context);
    container = run('from', 'countersign');
    mounted = run('mount', container);
  });
  afterAll(async () => {
    await program?.stop();
    if (container !== undefined) run('rm', container);
  });

  test('has no shell and no package manager, and belongs to root except for its data', () => {
    // Programs for x64 name their loader in /lib64, those for arm64 in /lib.
    const ofLoader = process.arch === 'x64' ? ['lib64'] : [];
    expect(readdirSync(mounted).sort()).toEqual(['etc', 'lib', ...ofLoader, 'opt', 'tmp', 'usr', 'var']);
    for (const folder of ofLoader) expect(readdirSync(join(mounted, folder))).toEqual(['ld-linux-x86-64.so.2']);
    expect(readdirSync(join(mounted, 'usr/bin'))).toEqual(['node']);
    const config = JSON.parse(run('inspect', container)).OCIv1.config;
    expect(config).toMatchObject({ User: '65532:65532', WorkingDir: '/var/lib/countersign', StopSignal: 'SIGTERM' });
  });

  test('serves as a user without rights, and writes only into its data directory', async () => {
    const port = await freePort();
    const words = ['--host', '127.0.0.1', '--port', String(port)];
    const entry = ['/usr/bin/node', '/opt/countersign/node_modules/countersign/bin/countersign.js', 'serve', ...words];
    const marker = join(mounted, 'etc/passwd');
    program = startProgram(buildah, [
      ...storage,
      'run',
      '--isolation',
      'chroot',
      '--user',
      '65532:65532',
      container,
      '--',
      ...entry,
    ]);
    await untilReady(`http://127.0.0.1:${port}`, program);
    // buildah itself writes a few files about the host.
    const changed = execFileSync('find', [mounted, '-newer', marker, '-type', 'f', '-not', '-path', '*/var/lib/countersign/*'], {
      encoding: 'utf8',
    })
      .split('\n')
      .filter((path) => path !== '' && !/\/(etc\/(hosts|hostname|resolv\.conf)|run\/\.containerenv)$/.test(path));
    expect(changed).toEqual([]);
  });
});
