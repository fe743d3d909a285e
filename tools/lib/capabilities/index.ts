import { appsAndMoney } from './apps-and-money.ts';
import { contracts } from './contracts.ts';
import { flows } from './flows.ts';
import { gaps } from './gaps.ts';
import { layers } from './layers.ts';
import { operation } from './operation.ts';
import { own } from './own.ts';
import { ownMoney } from './own-money.ts';
import { review } from './review.ts';
import type { Capability, CapabilityGroup } from './row.ts';
import { security } from './security.ts';

/** All rows. Left out: how another team organised its work (GOV-13, GOV-17, ERN-04, ACT-16, DOC-10). */
export const capabilityGroups: readonly CapabilityGroup[] = [
  ...review,
  ...gaps,
  ...layers,
  ...flows,
  ...contracts,
  ...security,
  ...appsAndMoney,
  ...operation,
  ...own,
  ...ownMoney,
];

export const capabilityRows: readonly Capability[] = capabilityGroups.flatMap((group) => group.rows);
