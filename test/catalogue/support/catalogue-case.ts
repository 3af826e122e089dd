import type { ErrorCode } from '@countersign/contract';
import type { Caller } from '../../support/caller.ts';
import type { TestService } from '../../support/service.ts';

/** A request to send. */
export interface Trial {
  readonly params: object;
  /** Who sends it, where it is not the root user. */
  readonly caller?: Caller;
}

/** What a case may work with. */
export interface Stage {
  /** The root user of a sub-organization that no other case sees. */
  readonly root: Caller;
  readonly rootUserId: string;
  /** The root user of the first organization, which all cases share. */
  readonly first: Caller;
  readonly service: TestService;
}

/** How one activity type is shown to work, and to refuse. Each trial is new at every call. */
export interface CatalogueCase {
  /** Why no request of this type is carried out. */
  readonly never?: string;
  /** A request that is carried out. */
  succeeds?(stage: Stage): Promise<Trial> | Trial;
  /** A well-formed request that is refused, and how. */
  refused(stage: Stage): Promise<Refused> | Refused;
}

export interface Refused extends Trial {
  readonly code: ErrorCode;
  /** The fields that the answer blames. */
  readonly fields?: readonly string[];
}

/** Cases by activity type. */
export type CatalogueCases = Readonly<Record<string, CatalogueCase>>;
