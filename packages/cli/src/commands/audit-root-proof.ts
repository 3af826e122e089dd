import type { Command } from 'commander';
import type { Context } from '../context.ts';
import { jsonText } from '../terminal.ts';

const example = `
For installations with several shards. The proof leads from the log of the shard to the root log, whose key is the only one that an auditor
needs: "audit verify --root-key". It is public, and this command needs no credentials.

Example:
  $ countersign audit root-proof first-quarter.jsonl --root-url https://root.example.com --log-url https://keys.example.com/shards/1 > root-proof.json`;

interface RootProofFlags {
  readonly rootUrl: string;
  readonly logUrl: string;
}

/** `audit root-proof`: fetches the proof that leads from an audit file to the root log. */
export function addAuditRootProof(parent: Command, context: Context): void {
  parent
    .command('root-proof')
    .argument('<file>', 'the audit file')
    .summary('Fetch the proof that leads from an audit file to the root log of shards')
    .requiredOption('--root-url <url>', 'address of the root log')
    .requiredOption('--log-url <url>', 'address of the shard, or of the router with /shards/<number>')
    .addHelpText('after', example)
    .action(async (file: string, flags: RootProofFlags) => {
      const { fetchRootProof } = await import('../audit/root-proof.ts');
      context.stdout.write(`${jsonText(await fetchRootProof(file, flags))}\n`);
    });
}
