import { z } from 'zod';
import type { Setting } from './setting.ts';
import { flag, list, whole } from './setting-values.ts';

/** The settings of a root key provider. */
interface ProviderSettings {
  readonly settings: Readonly<Record<string, Setting>>;
  /** The settings that select it as the target of a rotation, as `COUNTERSIGN_NEW_…`. Empty for the default target. */
  readonly rotateTo: readonly string[];
}

/**
 * The settings of every root key provider. The first configured one is used, or `file` by default. `vault/root-key/providers/providers.ts` does not
 * compile without an entry for each.
 */
export const rootKeySettings = {
  combined: {
    settings: {
      rootKeyProviders: {
        schema: list,
        describe: 'Two providers of root keys that must both open, such as tpm,passphrase',
        form: 'list',
      },
    },
    rotateTo: ['rootKeyProviders'],
  },
  passphrase: {
    settings: {
      rootPassphrase: {
        schema: z.string().min(12, 'must have at least 12 characters'),
        describe: 'Passphrase that the root key is derived from, instead of a key file',
        secret: true,
      },
    },
    rotateTo: ['rootPassphrase'],
  },
  pkcs11: {
    settings: {
      pkcs11Uri: {
        schema: z.string().min(1),
        describe:
          'PKCS #11 token with the root key, instead of a key file: its label, or a URI (RFC 7512) such as pkcs11:token=countersign;object=root',
      },
      pkcs11Module: { schema: z.string().min(1), describe: 'Library of the PKCS #11 token, if the URI has no module-path' },
      pkcs11PinFile: {
        schema: z.string().min(1),
        describe: 'File with the PIN of the PKCS #11 token, if the URI has no pin-source',
      },
    },
    rotateTo: ['pkcs11Uri', 'pkcs11Module', 'pkcs11PinFile'],
  },
  shares: {
    settings: {
      unsealSocket: {
        schema: z.string().min(1),
        describe:
          "Path of the local socket where operators give their shares of the root key, with 'countersign unseal'; with it, the service starts sealed",
      },
      unsealHttps: {
        schema: flag,
        default: 'false',
        describe:
          "Take shares also over HTTPS while the service is sealed, with 'countersign unseal --url'. Needs --tls-cert, and is not available with --isolate on",
      },
      shareThreshold: { schema: whole(2, 255), describe: 'How many shares open a new root key' },
      shareRecipients: {
        schema: list,
        describe:
          'age recipients of the operators who get a share of a new root key, or files with their PGP public keys, comma-separated',
        form: 'list',
      },
      shareDirectory: { schema: z.string().min(1), describe: 'Folder for the encrypted shares of a new root key' },
    },
    rotateTo: ['unsealSocket', 'shareThreshold', 'shareRecipients', 'shareDirectory'],
  },
  tpm: {
    settings: {
      tpmKeyFile: {
        schema: z.string().min(1),
        describe: 'File with a root key that the TPM 2.0 of this machine sealed, instead of a plain key file. Needs tpm2-tools',
      },
      tpmPcrs: {
        schema: z.string().regex(/^sha(1|256|384|512):\d{1,2}(,\d{1,2})*$/, 'must be a bank and numbers, such as sha256:0,7'),
        describe: 'PCRs whose present values the key in a new --tpm-key-file is sealed to, such as sha256:0,7; none by default',
      },
    },
    rotateTo: ['tpmKeyFile', 'tpmPcrs'],
  },
  transit: {
    settings: {
      transitUrl: {
        schema: z.string().min(1),
        describe:
          'Key of the transit engine of Vault or OpenBao that is the root key, instead of a key file, such as https://vault.example.com:8200/v1/transit/keys/countersign',
      },
      transitTokenFile: {
        schema: z.string().min(1),
        describe: 'File with the token for the transit engine. It is read for each request',
      },
      transitCaFile: {
        schema: z.string().min(1),
        describe: 'Certificates (PEM) of the authority of the transit engine, instead of the public ones',
      },
    },
    rotateTo: ['transitUrl', 'transitTokenFile', 'transitCaFile'],
  },
  awsKms: {
    settings: {
      awsKmsKey: {
        schema: z.string().min(1),
        describe:
          'Symmetric key of AWS KMS that is the root key, instead of a key file: its id, ARN or alias. Region and credentials come from the environment of the AWS client',
      },
    },
    rotateTo: ['awsKmsKey'],
  },
  file: {
    settings: {
      rootKeyFile: { schema: z.string().min(1), describe: 'Root key file; <data-dir>/root.key by default' },
    },
    rotateTo: [],
  },
} as const satisfies Record<string, ProviderSettings>;

export type RootKeyProviderName = keyof typeof rootKeySettings;

type Table = typeof rootKeySettings;
type Intersect<U> = (U extends unknown ? (member: U) => void : never) extends (all: infer All) => void ? All : never;

/** The settings of all providers together. */
export const allRootKeySettings = Object.assign(
  {},
  ...Object.values(rootKeySettings).map(({ settings }) => settings),
) as Intersect<Table[RootKeyProviderName]['settings']>;
