create or replace function act_refusal(
  p_actor text, p_actor_kind text, p_actor_role text, p_subjects text[], p_envelopes text[], p_key text
) returns text language sql stable
  return case
    when act_family() not in ('gpuaas_worker', 'gpuaas_relay', 'gpuaas_mailer', 'gpuaas_billing') then null
    when p_actor_kind <> 'system' or p_actor_role <> 'system' then 'acts in its own name, not in that of a caller'
    when act_family() = 'gpuaas_relay' and p_actor <> 'outbox-relay'
      or act_family() = 'gpuaas_mailer' and p_actor <> 'email-worker'
      or act_family() = 'gpuaas_billing' and p_actor <> 'billing-worker'
      or act_family() = 'gpuaas_worker' and p_actor in ('outbox-relay', 'email-worker', 'billing-worker', 'api', 'identity',
        'service-accounts', 'bootstrap', 'reset-factors') then 'acts under its own name, not as ' || p_actor
    when p_key is not null then 'stores no answers'
    when exists (select from unnest(p_subjects) s where not event_of_family(act_family(), s))
      then 'leaves only events of its own'
    when exists (select from unnest(p_envelopes) e where strpos(e, '"actor_id"') > 0) then 'names no person in an event'
  end;
drop trigger erase_notifications on users;
drop function erase_notifications();
drop table notification_mails, contact_addresses, notification_preferences, notifications;
revoke all on all tables in schema public from gpuaas_notifier;
revoke all on all functions in schema public from gpuaas_notifier;
revoke usage on schema public from gpuaas_notifier;
