import { createRequire } from 'node:module';
import { onTestFinished } from 'vitest';
import { type KmsPackage, kmsRootKey } from '../../packages/server/src/vault/root-key/providers/aws-kms.ts';
import { describeRootKeyProvider } from '../../packages/server/test/vault/root-key/provider-suite.ts';
import { KmsServer } from './kms-server.ts';

const load = () => createRequire(import.meta.url)('@aws-sdk/client-kms') as KmsPackage;
const WRONG = 'AKIATHEKEYOFASTRANGER';

describeRootKeyProvider('AWS KMS (official client, protocol server)', async () => {
  const server = new KmsServer();
  const endpoint = await server.listen();
  onTestFinished(() => server.close());
  const open = (keyId: string, accessKeyId = server.accessKeyId) =>
    kmsRootKey({
      keyId,
      load,
      client: { endpoint, region: 'eu-central-1', credentials: { accessKeyId, secretAccessKey: `${accessKeyId}-secret` } },
    });
  const until = (state: KmsServer['state']) => async () => {
    server.state = state;
    return async () => {
      server.state = 'serving';
    };
  };
  const [present, next] = [server.createKey(), server.createKey()];
  return {
    node: () => open(present),
    withWrongCredentials: () => open(present, WRONG),
    wrongSecret: WRONG,
    next: () => ({ target: open(next), after: open(next) }),
    lose: until('disabled'),
    stall: until('silent'),
  };
});
