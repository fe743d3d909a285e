import { adapterTable } from '../gates/adapter-table.ts';
import { biome } from '../gates/biome.ts';
import { contract } from '../gates/contract.ts';
import { deadCode } from '../gates/dead-code.ts';
import { generated } from '../gates/generated.ts';
import { licences } from '../gates/licences.ts';
import { oxlint } from '../gates/oxlint.ts';
import { pins } from '../gates/pins.ts';
import { reReview } from '../gates/re-review.ts';
import { sbom } from '../gates/sbom.ts';
import { secrets } from '../gates/secrets.ts';
import { security } from '../gates/security.ts';
import { types } from '../gates/types.ts';
import type { Gate } from '../lib/gate.ts';

/** What is checked before any test runs: the quick and telling ones first. */
export const staticGates: readonly Gate[] = [
  pins,
  types,
  biome,
  oxlint,
  security,
  generated,
  licences,
  deadCode,
  secrets,
  contract,
  adapterTable,
  sbom,
  reReview,
];
