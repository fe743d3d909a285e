-- Leases: each kind of background work runs in one process at a time. Every change of the holder raises the fence, and a
-- write of leased work commits only under the fence that is current.

create table leases (
  name text primary key check (name ~ '^[a-z][a-z-]{1,62}$'),
  fence bigint not null check (fence > 0),
  holder text not null check (length(holder) between 1 and 200),
  -- Whether the holder has the advisory lock of the lease on its connection: then a free lock says that the holder is gone.
  guarded boolean not null,
  taken_at timestamptz not null default clock_timestamp(),
  renewed_at timestamptz not null default clock_timestamp(),
  expires_at timestamptz not null
);

-- Takes a lease that is free: nobody has had it, it has expired, or the caller got the advisory lock of a holder that had it.
-- Waits for commits of the former holder that are under way. Answers the new fence, or null while another process holds it.
create function lease_take(p_name text, p_holder text, p_guarded boolean, p_seconds integer) returns bigint
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  taken bigint;
begin
  insert into leases (name, fence, holder, guarded, expires_at)
    values (p_name, 1, p_holder, p_guarded, clock_timestamp() + make_interval(secs => p_seconds))
    on conflict (name) do nothing returning fence into taken;
  if taken is not null then return taken; end if;
  perform from leases l where l.name = p_name and (p_guarded and l.guarded or l.expires_at <= clock_timestamp());
  if not found then return null; end if;
  perform from leases l where l.name = p_name for update;
  update leases l set fence = l.fence + 1, holder = p_holder, guarded = p_guarded, taken_at = clock_timestamp(),
      renewed_at = clock_timestamp(), expires_at = clock_timestamp() + make_interval(secs => p_seconds)
    where l.name = p_name and (p_guarded and l.guarded or l.expires_at <= clock_timestamp()) returning l.fence into taken;
  return taken;
end
$$;

-- Keeps a lease. False when another process has taken it.
create function lease_renew(p_name text, p_fence bigint, p_guarded boolean, p_seconds integer) returns boolean
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  update leases l set guarded = p_guarded, renewed_at = clock_timestamp(),
      expires_at = clock_timestamp() + make_interval(secs => p_seconds)
    where l.name = p_name and l.fence = p_fence;
  return found;
end
$$;

-- Gives a lease back, so that the next process need not wait until it expires.
create function lease_leave(p_name text, p_fence bigint) returns void
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  update leases l set expires_at = clock_timestamp() where l.name = p_name and l.fence = p_fence;
end
$$;

-- Called just before the commit of leased work. The lock lets renewals pass and holds back the next holder until the commit.
create function lease_hold(p_name text, p_fence bigint) returns void
  language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
begin
  perform from leases l where l.name = p_name and l.fence = p_fence and l.expires_at > clock_timestamp() for key share;
  if not found then
    raise exception 'the lease % is not held under fence % any more', p_name, p_fence using errcode = 'GP012';
  end if;
end
$$;

grant select on leases to gpuaas_api, gpuaas_worker, gpuaas_relay, gpuaas_billing;
grant execute on function lease_take(text, text, boolean, integer), lease_renew(text, bigint, boolean, integer),
  lease_leave(text, bigint), lease_hold(text, bigint) to gpuaas_worker, gpuaas_relay, gpuaas_billing;
