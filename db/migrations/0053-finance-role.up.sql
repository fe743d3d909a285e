-- An organization has people who see to its money and not to what runs.

alter table tenant_memberships drop constraint tenant_memberships_role_check;
alter table tenant_memberships add constraint tenant_memberships_role_check
  check (role in ('owner', 'admin', 'member', 'viewer', 'finance'));
alter table invitations drop constraint invitations_role_check;
alter table invitations add constraint invitations_role_check
  check (role in ('owner', 'admin', 'member', 'viewer', 'finance'));
