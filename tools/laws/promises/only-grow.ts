import { billingOnlyGrows } from './billing.ts';

/** Rows of these are neither changed nor removed. */
export const onlyGrow: Readonly<Record<string, string>> = {
  ...billingOnlyGrows,
  audit_logs: 'who did what stays as it was written',
  audit_seals: 'a link of an audit chain stays as it was sealed',
  history_links: 'where an archive ends in a chain stays as it was noted',
  allocation_timeline: 'what happened to an allocation stays as it was told',
  app_instance_timeline: 'what happened to an app instance stays as it was noted',
  installation_epochs: 'when an installation went back in time stays as it was noted',
  placement_decisions: 'why an allocation got its place stays as it was decided',
  readiness_attestations: 'what a host attested stays as it was signed',
  terminal_recording_chunks: 'a chunk of a recording stays as it was stored',
  sku_prices: 'a price that a tenant was charged stays as it was',
};
