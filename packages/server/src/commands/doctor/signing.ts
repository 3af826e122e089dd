import type { VaultFacts } from '../../vault/vault.ts';
import type { Finding } from './finding.ts';

const signers: Readonly<Record<VaultFacts['signer'], string>> = {
  system: 'libsecp256k1 of the system',
  package: 'libsecp256k1 of the npm package',
  wasm: 'libsecp256k1 as WebAssembly',
  javascript: 'JavaScript',
};

const FIX = 'Install a C++ compiler, make, python3 and the headers of Node.js, and run npm rebuild @countersign/native.';

/** One line on the code that signs and verifies, for the start of the service. */
export function describeSigning({ signer, withoutTables }: VaultFacts): string {
  return `secp256k1: signing with ${signers[signer]}, ${
    withoutTables === undefined
      ? 'fast signature verification is enabled'
      : `without the native addon (${withoutTables}): signature verification takes about twice as long`
  }`;
}

/** Names native parts that are missing, and what to install. */
export function checkSigning({ signer, withoutTables }: VaultFacts): readonly Finding[] {
  const detail = `signing with ${signers[signer]}`;
  const slower: Readonly<Partial<Record<VaultFacts['signer'], Finding>>> = {
    wasm: {
      check: 'signing',
      ok: true,
      warning: true,
      detail: `${detail}: secp256k1 signatures take two to three times as long as with the addon`,
      fix: FIX,
    },
    javascript: {
      check: 'signing',
      ok: false,
      detail: `${detail}, because libsecp256k1 does not load: secp256k1 signatures are about ten times slower`,
      fix: 'Install the packages again, with tiny-secp256k1 among them.',
    },
  };
  return [
    slower[signer] ?? { check: 'signing', ok: true, detail },
    withoutTables === undefined
      ? { check: 'addon', ok: true, detail: 'fast signature verification is enabled' }
      : {
          check: 'addon',
          ok: true,
          warning: true,
          detail: `the addon is not in use (${withoutTables}): signature verification takes about twice as long`,
          fix: FIX,
        },
  ];
}
