import type { Database } from '../../../kernel/act.ts';
import type { SealedValues } from '../../../kernel/secrets/sealed-values.ts';
import type { Admission } from '../admission.ts';
import type { ApiDomains } from '../domains.ts';
import type { ApiParts, ApiSettings } from '../settings.ts';

/** What a family of routes may ask for. */
export interface RouteParts extends ApiParts, ApiDomains {
  readonly db: Database;
  readonly settings: ApiSettings;
  readonly admission: Admission;
  /** What the domains keep sealed in the database. */
  readonly sealed: readonly SealedValues[];
}
