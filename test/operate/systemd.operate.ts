import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { installedFile } from '../support/debian-packages.ts';
import { deployFolder } from './program.ts';

test('the unit is exposed to the system by 2.0 of 10 at most', () => {
  const analyze = installedFile(['/usr/bin/systemd-analyze'], ['systemd'], 'The test of the unit needs systemd');
  const unit = join(deployFolder, 'systemd/countersign.service');
  const text = execFileSync(analyze, ['security', '--offline=true', '--no-pager', unit], { encoding: 'utf8' });
  const [, level] = /Overall exposure level for countersign\.service: ([\d.]+)/.exec(text) ?? [];
  expect(Number(level)).toBeLessThanOrEqual(2);
});
