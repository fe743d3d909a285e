import type { Mounted } from '../../kernel/act.ts';
import * as departments from './departments/departments-routes.ts';
import * as invitations from './invitations/invitations-routes.ts';
import * as me from './me-routes.ts';
import * as members from './members-routes.ts';
import * as operators from './operators-routes.ts';
import * as organizations from './organizations-routes.ts';
import * as projectMembers from './project-members-routes.ts';
import * as projects from './projects-routes.ts';

const routes = [
  organizations.create,
  organizations.list,
  organizations.get,
  organizations.update,
  organizations.remove,
  departments.list,
  departments.create,
  departments.update,
  members.list,
  members.update,
  members.remove,
  members.leave,
  projectMembers.list,
  projectMembers.set,
  projectMembers.remove,
  invitations.create,
  invitations.list,
  invitations.revoke,
  invitations.accept,
  me.get,
  me.update,
  me.getDefault,
  me.setDefault,
  projects.create,
  projects.list,
  projects.get,
  projects.update,
  projects.archive,
  projects.restore,
  projects.remove,
  operators.list,
  operators.get,
];
/** What the routes need, each a part of it. */
type TenancyRouteParts = Parameters<typeof organizations.create>[0] &
  Parameters<typeof invitations.create>[0] &
  Parameters<typeof me.get>[0];

export const tenancyRoutes = (parts: TenancyRouteParts): Mounted[] => routes.map((bind) => bind(parts));
