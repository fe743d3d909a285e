import type { Promised } from './list.ts';

const uuid = '01900000-0000-7000-8000-00000000c1c1';

/** Promises of app instances and their routes. */
export const appInstanceChecks: Readonly<Record<string, Promised>> = {
  app_instances_ended: {
    promise: 'an instance that was released says when, and no other one does',
    table: 'app_instances',
    row: { state: 'released', ended_at: null },
  },
  app_instances_container: {
    promise: 'an instance that launches, runs or stops has a container',
    table: 'app_instances',
    row: { state: 'running', workload_id: null, ended_at: null },
  },
  app_instances_previous: {
    promise: 'a version to go back to has its number and its parameters',
    table: 'app_instances',
    row: { previous_version_id: uuid, previous_version: null, previous_parameters: null },
  },
  app_instances_return: {
    promise: 'a version is only tried out where there is one to go back to',
    table: 'app_instances',
    row: { version_change: 'trying', previous_version_id: null, previous_version: null, previous_parameters: null },
  },
};

export const appInstanceUniqueness: Readonly<Record<string, Promised>> = {
  app_instances_tenant: {
    promise: 'an instance is in one project, so that its routes can be held to the same one',
    table: 'app_instances',
    row: { id: uuid, organization_id: uuid, project_id: uuid },
    aside: 'app_instances_pkey',
  },
  app_use_once: {
    promise:
      'a copy of the app-proxy has one row for a route, an hour and a version, so a report that comes twice counts once',
    table: 'app_use',
    row: { route_id: uuid, hour: '2026-06-01T00:00:00Z', copy_id: uuid, app_version_id: uuid },
  },
  app_routes_label: {
    promise: 'a name leads to one route',
    table: 'app_routes',
    row: { label: 'web-1' },
  },
  app_routes_endpoint: {
    promise: 'an endpoint of an instance has one route',
    table: 'app_routes',
    row: { app_instance_id: uuid, endpoint_name: 'web' },
  },
};
