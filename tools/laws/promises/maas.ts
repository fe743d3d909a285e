import type { Promised } from './list.ts';

const uuid = '01900000-0000-7000-8000-00000000c1c1';
const when = '2026-01-01T00:00:00Z';
const aSite = {
  ...{ name: 'hall-1', url: 'https://maas.example', ca_pem: null, pool: null, osystem: 'ubuntu', series: 'noble' },
  ...{ erase: 'full', max_parallel: 1, problem: null, problem_since: null },
};
const aMachine = { system_id: 'abc123', power: 'on' };
const aJob = { kind: 'power_on', state: 'queued', reason: 'a test' };

/** Promises of machines that MAAS looks after. */
export const maasUniqueness: Readonly<Record<string, Promised>> = {
  maas_sites_name_key: { promise: 'a site is known by its name', table: 'maas_sites', row: aSite },
  maas_machines_pkey: {
    promise: 'a machine of a site is one row, however often it is seen',
    table: 'maas_machines',
    row: { ...aMachine, site_id: uuid, node_id: null },
  },
  maas_machines_node_id_key: {
    promise: 'a node is made of one machine',
    table: 'maas_machines',
    row: { ...aMachine, node_id: uuid },
  },
  maas_jobs_one: {
    promise: 'one thing at a time is done to a machine',
    table: 'maas_jobs',
    row: { ...aJob, site_id: uuid, system_id: 'abc123', wait_token: null, answer_token: null },
  },
  maas_jobs_wait_token_key: {
    promise: 'an answer reaches one job',
    table: 'maas_jobs',
    row: { ...aJob, wait_token: 'a token', answer_token: null },
  },
  maas_jobs_answer_token_key: {
    promise: 'a run that waits for an imaged host waits for one job',
    table: 'maas_jobs',
    row: { ...aJob, answer_token: 'a token', wait_token: null },
  },
};
export const maasChecks: Readonly<Record<string, Promised>> = {
  maas_sites_problem: {
    promise: 'a site that does not answer says since when',
    table: 'maas_sites',
    row: { ...aSite, problem: 'away' },
  },
  maas_jobs_ended: {
    promise: 'a job that has ended says when, and no other does',
    table: 'maas_jobs',
    row: { ...aJob, ended_at: when },
  },
  maas_jobs_onboard: {
    promise: 'a job that makes a node says its name and what it is sold as',
    table: 'maas_jobs',
    row: { ...aJob, kind: 'onboard', node_name: null, sku: null, ended_at: null },
  },
};
