import { ServiceError } from '@countersign/contract';

/** A refusal that is about whoever asks and not about the activity: a vote that meets it is refused, and the activity goes on waiting. */
export class CallerRefused extends ServiceError {}
