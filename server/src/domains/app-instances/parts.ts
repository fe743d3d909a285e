import type { Database } from '../../kernel/act.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Ids } from '../../kernel/id.ts';
import type { Tasks } from '../nodes/index.ts';
import type { Policies } from '../policy/index.ts';

/** Where the proxy of apps is reached. */
export interface AppsPlace {
  /** The address below which each route has its name: https://apps.example.net. */
  readonly url: string;
  /** Where people sign in: the console. */
  readonly consoleUrl: string;
}
/** What launching, watching and ending instances have in common. */
export interface InstanceParts {
  readonly db: Database;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly policies: Pick<Policies, 'number'>;
  readonly tasks: Pick<Tasks, 'queueTask'>;
  /** Undefined where no proxy runs: then routes have no address. */
  readonly place: AppsPlace | undefined;
}
