import { ServiceError } from '@countersign/contract';

/** An error caused by the caller, not by the activity. If a vote fails with it, the activity stays pending. */
export class CallerRefused extends ServiceError {}
