-- Packages of the node agent beside bundles: for hosts that have no agent yet. Bundles run on all architectures, packages on one.
alter table agent_releases
  add column kind text not null default 'bundle' check (kind in ('bundle', 'tarball', 'deb')),
  add column arch text check (arch in ('x64', 'arm64')),
  add constraint agent_releases_arch check ((kind = 'bundle') = (arch is null));
-- The line that installs an agent names one package for each architecture.
create unique index agent_releases_package on agent_releases (version, kind, arch)
  where withdrawn_at is null and kind <> 'bundle';
