import type { ErrorCode } from '@countersign/contract';
import type { Caller } from '../../../support/caller.ts';
import type { TestService } from '../../../support/service.ts';

/** A request to send. */
export interface Trial {
  readonly params: object;
  /** Who sends it, if not the root user. */
  readonly caller?: Caller;
}

/** What a case can use. */
export interface Stage {
  /** The root user of a sub-organization that no other case sees. */
  readonly root: Caller;
  readonly rootUserId: string;
  /** The root user of the first organization, which all cases share. */
  readonly first: Caller;
  readonly service: TestService;
}

/** Shows one activity type at work and refused. Each call makes a new trial. */
export interface CatalogueCase {
  /** Why no request of this type succeeds. */
  readonly never?: string;
  /** A request that succeeds. */
  succeeds?(stage: Stage): Promise<Trial> | Trial;
  /** A well-formed request that is refused, and the refusal. */
  refused(stage: Stage): Promise<Refused> | Refused;
}

export interface Refused extends Trial {
  readonly code: ErrorCode;
  /** The fields that the answer names. */
  readonly fields?: readonly string[];
}

/** Cases by activity type. */
export type CatalogueCases = Readonly<Record<string, CatalogueCase>>;
