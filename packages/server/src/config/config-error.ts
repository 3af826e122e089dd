import { OperatorError } from '@countersign/contract/operator-error';

/** A setting is invalid. The message names the setting and the expected value. */
export class ConfigError extends OperatorError {
  override readonly name = 'ConfigError';
}
