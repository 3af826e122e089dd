import type { Config } from '../../../config/settings.ts';
import type { Store } from '../../../store/store.ts';
import type { RootKeyProvider } from '../root-key.ts';
import type { Custody } from './shares/custody.ts';

/** An entry of the table of root key providers. */
export interface ProviderEntry {
  /** Whether the configuration selects it. */
  isConfigured(config: Config): boolean;
  /** The provider of the present root key. The first run creates the key. `custody` is for shares, in the processes of a service. */
  open(config: Config, store: Store['vault'], custody?: Custody): RootKeyProvider;
  /** The target of a rotation. `settings` are those of the new key. */
  rotate(config: Config, store: Store['vault'], settings: Readonly<Record<string, string>>): RootKeyProvider;
  /** Throws ConfigError if the present root key is missing. Creates nothing. */
  check(config: Config): void;
  /** The file that contains the key in plain, if there is one. */
  keyFile?(config: Config): string;
  /** What the operator must do after a rotation to this provider. */
  readonly afterRotation: string;
}
