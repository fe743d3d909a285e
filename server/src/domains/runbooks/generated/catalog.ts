// Emitted from docs/runbooks by "npm run gen".
import type { RunbookPage } from '@gpuaas/contract';

export const catalog: readonly RunbookPage[] = [
  {
    "id": "accrual-lags",
    "title": "AccrualLags",
    "category": "billing",
    "severity": "warning",
    "owner": "billing",
    "signals": [
      "AccrualLags"
    ],
    "summary": "Hosts hand in evidence of usage, and it is not charged.",
    "page": "/docs/runbooks/accrual-lags",
    "text": "# AccrualLags\n\n**Correlation id.** `gpuaas ops events list --organization ORGANIZATION --columns created_at,event_type,correlation_id` lists what was decided about an\naccount (its id). `gpuaas ops trace ID` shows everything that belongs to one of them.\n\n## What it means\n\nHosts hand in evidence of usage, and it is not charged. Balances do not fall although something runs.\n`gpuaas_billing_accrual_lag_seconds` says how long the oldest evidence has been waiting.\n\nCharging is apart from everything else, so that nothing waits for it; it waits when its worker or its database does.\n\n## See it\n\n`gpuaas ops health` names missing workers; `gpuaas_billing_accrual_lag_seconds` grows, and the dashboard *Billing* draws it.\n\n## Find the cause\n\nVariables: see the [list](README.md#what-the-commands-need). `BILLING` is the health address of a billing-worker.\n\n1. Is a worker there and well?\n\n   ```bash\n   curl -s $BILLING/readyz\n   curl -s $BILLING/metrics | grep -E '^gpuaas_billing'\n   ```\n\n2. Why does a round fail? The log names the statement.\n\n   ```bash\n   jq -c 'select(.service == \"billing-worker\" and .level == \"error\")' $DATA/gpuaas.log | tail -3\n   ```\n\n3. Which meters wait? No API lists them:\n\n   ```bash\n   psql \"$ADMIN\" -c \"select resource_id, organization_id, accrued_to, evidence_to, ended from usage_meters\n     where accrued_to < evidence_to order by accrued_to limit 10\"\n   ```\n\n4. Does a transaction hold an account? A round waits for other writers of the ledger of the same organization.\n   No API shows sessions of PostgreSQL:\n\n   ```bash\n   psql \"$ADMIN\" -c \"select pid, usename, now() - xact_start as open_for, left(query, 80) from pg_stat_activity\n     where wait_event_type = 'Lock' or state = 'idle in transaction' order by xact_start limit 5\"\n   ```\n\n## Mend it\n\n- **No worker runs**: start one ([ProcessMissing](process-missing.md)). Two or more share the work.\n- **A round fails**: the message says on what. A round is one transaction, so nothing was charged halfway; it is tried again every\n  half a minute at most.\n- **A meter is in another currency than its account**: it is left out and stays on the list of step 3. The price of its SKU is\n  missing in the currency of the organization; this is a fault of ours, report it.\n- **A transaction has been open for minutes**: end it (no API ends sessions of PostgreSQL): `psql \"$ADMIN\" -c \"select pg_terminate_backend(<pid>)\"`.\n\n## Afterwards\n\n`gpuaas_billing_meters_waiting` falls to about 0 and `gpuaas_billing_windows_charged_total` grows. After an outage of an hour a worker\ncharges 60 windows of each meter in a round.\n"
  },
  {
    "id": "agents-after-an-outage",
    "title": "Agents after an outage of the control plane",
    "category": "nodes",
    "severity": "critical",
    "owner": "nodes",
    "signals": [
      "control_plane_recovery"
    ],
    "summary": "The control plane was away for longer than a few minutes, was moved to other servers, or was restored from a backup.",
    "page": "/docs/runbooks/agents-after-an-outage",
    "text": "# Agents after an outage of the control plane\n\n**Correlation id.** `gpuaas ops audit search --target-id NODE --columns created_at,action,correlation_id` lists what was done to a host (NODE is its id).\n`gpuaas ops trace ID` shows everything that one of these requests caused, and `gpuaas ops logs --correlation ID` what hosts logged about it.\n\n## What it means\n\nHosts go on without us: what is rented out runs until its deadline, and samples, evidence of usage and logs wait on their disks. When the control plane is\nback, agents come back by themselves, with growing pauses of at most a minute. No host is called lost for the time in which nobody listened.\n\n## See it\n\n`gpuaas ops node list --state offline`, `gpuaas ops node list --state active` with `last_report_at`, and the dashboard *Fleet*.\n\n## Find the cause\n\n1. Are all processes there? `gpuaas ops doctor` names those that are not.\n2. How many agents are back? `gpuaas_node_connections` of each api.\n3. What do those say that are not? On a host: `node-agent doctor`, and `journalctl -u gpuaas-node-agent`.\n\n## Mend it\n\n- **Nobody comes back**: the name or address for nodes leads somewhere else, or the certificate of the api is of another authority. Agents trust\n  the authority that they enrolled with: after a move it has to be the same (`GPUAAS_AUTHORITY_URL`, or step-ca with its keys).\n- **Certificates ended meanwhile** (an outage longer than `node.certificate_hours`): make a token for each host, `gpuaas ops node enrol NODE --recover`,\n  and paste the line there. Leases and machines are kept.\n- **Restored from a backup**: each host has an alert of the source `drift` until it has reported and was compared; see\n  [back up and restore](../guides/backup-and-restore.md). Machines that are on a host and in no row are quarantined, not removed.\n- **Tasks wait**: see [NodeTasksWaiting](node-tasks-waiting.md). Those that nobody fetched in time have expired, and their workflows took back what\n  they had done.\n\n## Afterwards\n\n`gpuaas ops node list --state offline` is empty, `gpuaas ops alerts --source drift` too, and `gpuaas ops stuck` shows nothing.\n"
  },
  {
    "id": "allocations-stuck",
    "title": "AllocationsStuck",
    "category": "provisioning",
    "severity": "warning",
    "owner": "allocations",
    "signals": [
      "AllocationsStuck"
    ],
    "summary": "Allocations have been in one phase for longer than 99 of 100 recent ones needed, and longer than `allocation.stuck_floor_seconds`.",
    "page": "/docs/runbooks/allocations-stuck",
    "text": "# AllocationsStuck\n\n**Correlation id.** `gpuaas ops audit search --target-id ALLOCATION --columns created_at,action,correlation_id` lists what was asked for. `gpuaas ops trace ID`\nshows everything that the request caused, on the host too.\n\n## What it means\n\nAllocations have been in one phase for longer than 99 of 100 recent ones needed, and longer than\n`allocation.stuck_floor_seconds`. A tenant waits for GPUs, or for their release.\n\nWhat is usual comes from the timelines of the last `allocation.stuck_history_days`. A slow mirror makes everybody slow, and\nlater usual: the floor keeps a quick fleet from crying over seconds.\n\n## See it\n\n`gpuaas ops stuck`, and the page Operate, Workflows of the console.\n\n## Find the cause\n\n```bash\ngpuaas ops stuck\ngpuaas ops node get NODE\ngpuaas ops node tasks NODE\n```\n\nMany on one host: it is the host. Many in one phase on different hosts: it is what that phase needs, an image or a mirror of\npackages. All of them, before any phase of a host: workers or the bus, see [OutboxStalled](outbox-stalled.md) and\n[EventConsumerBehind](event-consumer-behind.md).\n\n## Mend it\n\n- **The task is `queued`**: the host does not fetch. After ten seconds there is a workflow that waits for it and can be called off. If\n  the host is `offline`, its allocations are dealt with when it returns, or\n  when you quarantine it.\n- **The task is `dispatched` and old**: the agent works on it, or died with it. It reports after a restart, and a task that\n  nobody reports expires by itself; the workflow then goes its way.\n- **The task has ended and nothing followed**: look at its workflow; the id of the run begins with that of the allocation.\n\n  ```bash\n  gpuaas ops workflow list --run-id ALLOCATION\n  gpuaas ops workflow get allocation.provision RUN -o json -q '{doing, until, actions, attempts}'\n  ```\n\n  `doing` says what it waits for, and `actions` what can be done about it; [the guide](../guides/workflows.md) has the rest.\n  A `pausing` one can be tried now, one that is `waiting` can be called off, and a `stuck` one waits for you.\n\nNothing has to be corrected by hand: a phase that fails is undone by its workflow, and its price does not count before an\nallocation is active.\n\n## Afterwards\n\n`gpuaas ops stuck` is empty, or each line has moved to another phase.\n"
  },
  {
    "id": "app-launches-stand-still",
    "title": "AppLaunchesStandStill",
    "category": "apps",
    "severity": "warning",
    "owner": "app-instances",
    "signals": [
      "AppLaunchesStandStill"
    ],
    "summary": "An app instance is `launching` and has not moved on.",
    "page": "/docs/runbooks/app-launches-stand-still",
    "text": "# AppLaunchesStandStill\n\n**Correlation id.** The page that a failed request gets shows it, and `gpuaas ops audit search --target-id INSTANCE --columns created_at,action,correlation_id`\nlists those of an instance. `gpuaas ops trace ID` shows everything that the request caused.\n\n## What it means\n\nAn app instance is `launching` and has not moved on. `gpuaas_app_launching_oldest_seconds` says for how long.\n\n## See it\n\n`gpuaas app instances --state launching`; `gpuaas_app_launching_oldest_seconds` grows.\n\n## Find the cause\n\n1. Does the guard run? `gpuaas_app_instances_guarded_total` grows by `probe`, `stalled` and `retry`. One worker holds the lease.\n2. `gpuaas app get ID`: `phase` says what it is at. `image`: the registry is slow or away. `ordered`: the host has not taken the task\n   ([NodeTasksWaiting](node-tasks-waiting.md)). `starting`: the container runs and does not answer where its manifest says.\n3. `gpuaas app timeline ID` and `gpuaas app logs ID`.\n\n## Mend it\n\n- The worker is missing: [ProcessMissing](process-missing.md).\n- Hosts do not answer: [NodeLost](node-lost.md).\n- A registry is slow: a launch fails after `apps.oci_stall_seconds` without progress and is tried again within `apps.oci_recovery_seconds`. Raise\n  the first for large images.\n- An app that is slow to start says so in its manifest: `lifecycle.start_timeout_seconds`.\n\n## Afterwards\n\n`gpuaas_app_launching_oldest_seconds` falls below the stall time; `gpuaas app instances --state launching` is short.\n"
  },
  {
    "id": "app-use-not-reported",
    "title": "AppUseNotReported",
    "category": "apps",
    "severity": "warning",
    "owner": "app-instances",
    "signals": [
      "AppUseNotReported"
    ],
    "summary": "A copy of the app-proxy counts requests to apps and cannot hand the numbers in.",
    "page": "/docs/runbooks/app-use-not-reported",
    "text": "# AppUseNotReported\n\n**Correlation id.** The page that a failed request gets shows it, and `gpuaas ops audit search --target-id INSTANCE --columns created_at,action,correlation_id`\nlists those of an instance. `gpuaas ops trace ID` shows everything that the request caused.\n\n## What it means\n\nA copy of the app-proxy counts requests to apps and cannot hand the numbers in. `gpuaas_app_proxy_uses_waiting` says how many hours of routes wait.\nApps are reached as before. Their use does not grow in `gpuaas app use`, and apps with `idle_stop_minutes` may be stopped although they are used.\n\n## See it\n\n`gpuaas_app_proxy_uses_waiting` stays above zero, on the dashboard *Apps*.\n\n## Find the cause\n\n1. The log of the copy names the reason: `app-use` has failed, with the answer of the api.\n2. [AppsNotReached](apps-not-reached.md) at the same time: the api does not answer on its internal listener at all.\n\n## Mend it\n\n- The api does not answer: [HttpSlow](http-slow.md), [ProcessDown](process-down.md).\n- The api refuses: api and app-proxy have different versions. Bring them to the same one.\n- Do not restart the copy before: it hands in its sums as soon as the api takes them, and nothing is lost.\n\n`gpuaas_app_proxy_uses_dropped_total` above 0 is something else: an app gave numbers that are no counts, and only its own hour was left out.\n\n## Afterwards\n\n`gpuaas_app_proxy_uses_waiting` is 0, and `gpuaas app use` of an app that is in use grows.\n"
  },
  {
    "id": "app-verification-stands-still",
    "title": "AppVerificationStandsStill",
    "category": "apps",
    "severity": "warning",
    "owner": "apps",
    "signals": [
      "AppVerificationStandsStill"
    ],
    "summary": "Versions of apps are `unverified` although they are due, or their registry has given no usable answer for half an hour.",
    "page": "/docs/runbooks/app-verification-stands-still",
    "text": "# AppVerificationStandsStill\n\n**Correlation id.** The page that a failed request gets shows it, and `gpuaas ops audit search --target-id INSTANCE --columns created_at,action,correlation_id`\nlists those of an instance. `gpuaas ops trace ID` shows everything that the request caused.\n\n## What it means\n\nVersions of apps are `unverified` although they are due, or their registry has given no usable answer for half an hour. Nobody\ncan promote them to prod. Nothing that runs is affected, and no version becomes verified by waiting.\n\n## See it\n\n`gpuaas ops app list --trust unverified`; `gpuaas_app_verifications_troubled` is above zero.\n\n## Find the cause\n\n1. `gpuaas_app_verification_overdue_seconds` grows: the verifier does not run. One app-runtime-worker holds the lease.\n2. `gpuaas_app_verifications_troubled` is above zero: `gpuaas ops app list --trust unverified` shows the versions, and `verification.trouble` of\n   each names the registry and what happened: it cannot be reached, did not answer in time, answered 403, or gave other bytes than the\n   digest names.\n3. `gpuaas_app_verifications_total` says by `answer` what the looks gave.\n\n## Mend it\n\n- The worker is missing: [ProcessMissing](process-missing.md).\n- A registry answers 401 or 403: give the app-runtime-worker a login for it in `GPUAAS_REGISTRY_LOGINS`.\n- A registry gives other bytes than were asked for: do not retry. Take it from the sources (`gpuaas ops app source remove`) until its operator\n  has explained that.\n- A registry is away: wait. Each version is looked at again, at the latest after `apps.verification_retry_most_seconds`; its publisher may ask at\n  once with `gpuaas app version verify`.\n\n## Afterwards\n\nBoth gauges fall to zero.\n"
  },
  {
    "id": "app-version-harmful",
    "title": "A version of an app does harm",
    "category": "apps",
    "severity": "critical",
    "owner": "apps",
    "signals": [
      "app_version_revoked"
    ],
    "summary": "A version of an app that others launch steals, mines, calls home, or carries a known hole.",
    "page": "/docs/runbooks/app-version-harmful",
    "text": "# A version of an app does harm\n\n**Correlation id.** The page that a failed request gets shows it, and `gpuaas ops audit search --target-id INSTANCE --columns created_at,action,correlation_id`\nlists those of an instance. `gpuaas ops trace ID` shows everything that the request caused.\n\n## What it means\n\nIt was verified: its signature and list of parts fit its sources. That says who made it, not that it is good. Instances that run go on until it is revoked with `--effect stop`.\n\n## See it\n\n`gpuaas ops app list` shows each version with its trust and its channel.\n\n## Find the cause\n\n```bash\ngpuaas ops app affected VERSION\ngpuaas app version show VERSION -o json -q .verification\n```\n\nThe first says which instances run it, of how many organizations; the second whose key signed it. More versions by that key may be bad: look at\neach of the same publisher.\n\n## Mend it\n\n1. Revoke it for good. New instances are refused at once; `stop` ends those that run, `let_run` leaves them.\n\n   ```bash\n   gpuaas ops app revoke VERSION --reason 'it calls home' --effect stop --yes\n   ```\n\n2. The key of the publisher was stolen: its publisher removes it with `gpuaas app key remove KEY`; versions that it signed are judged anew.\n3. The registry is not to be trusted: `gpuaas ops app source remove SOURCE`.\n4. Write to the organizations that the first command counted.\n\n## Afterwards\n\n`gpuaas ops app affected VERSION` counts no instance that runs, and the audit log has the digest and the reason.\n"
  },
  {
    "id": "apps-not-reached",
    "title": "AppsNotReached",
    "category": "apps",
    "severity": "critical",
    "owner": "app-instances",
    "signals": [
      "AppsNotReached"
    ],
    "summary": "Requests to apps fail before they reach the app.",
    "page": "/docs/runbooks/apps-not-reached",
    "text": "# AppsNotReached\n\n**Correlation id.** The page that a failed request gets shows it, and `gpuaas ops audit search --target-id INSTANCE --columns created_at,action,correlation_id`\nlists those of an instance. `gpuaas ops trace ID` shows everything that the request caused.\n\n## What it means\n\nRequests to apps fail before they reach the app. `gpuaas_app_proxy_requests_total` names the part in `failed_part` and the reason in `outcome`.\nThe page that callers see names both, with a correlation id.\n\n## See it\n\n`gpuaas_app_proxy_requests_total` by `failed_part`, on the dashboard *Apps*; open an app yourself with `gpuaas app open INSTANCE`.\n\n## Find the cause\n\n1. `failed_part=\"proxy\"`: `unavailable` means that the api does not answer the app-proxy on its internal listener.\n2. `failed_part=\"node\"`: `no_tunnel` means that the host keeps no tunnel to this copy. `gpuaas_app_proxy_tunnels` counts those that there are. `unknown_workload` means that\n   the host does not have the container.\n\n## Mend it\n\n- The api does not answer: [HttpSlow](http-slow.md), [ProcessDown](process-down.md). Open connections last for 30 seconds without it.\n- Tunnels are missing: heartbeats name `GPUAAS_APP_TUNNEL_URLS` of the api. Each copy of the app-proxy has its address there, and nodes reach it. From a node:\n  `openssl s_client -connect HOST:8449` has to show a certificate of `process-app-proxy`.\n- One host alone: its agent is away ([NodeLost](node-lost.md)), or its certificate was revoked.\n\n## Afterwards\n\nRequests with `failed_part=\"none\"` are above 95 %; open an app yourself.\n"
  },
  {
    "id": "audit-refusals-dropped",
    "title": "AuditRefusalsDropped",
    "category": "api",
    "severity": "warning",
    "owner": "audit",
    "signals": [
      "AuditRefusalsDropped"
    ],
    "summary": "Requests are being refused (403, 404, 429) faster than they can be written to the audit log.",
    "page": "/docs/runbooks/audit-refusals-dropped",
    "text": "# AuditRefusalsDropped\n\n**Correlation id.** The caller has it: `correlation_id` of the answer, and `gpuaas` prints it with each failure. The log of the api has the same one in each line. `gpuaas ops trace ID`\nshows everything that this request caused.\n\n## What it means\n\nRequests are being refused (403, 404, 429) faster than they can be written to the audit log. Some refusals\nwere not written down.\n\nA refused request runs no transaction of its own, so the edge writes it down beside the answer. At most 500 wait; beyond\nthat they are counted and dropped, as a flood of refusals must not become a flood of writes. Rows of changes are never\ndropped: a change without one does not commit.\n\n## See it\n\n`gpuaas_audit_refusals_dropped_total` grows.\n\n## Find the cause\n\nVariables: see the [list](README.md#what-the-commands-need).\n\nWho is being refused, and for what?\n\n```bash\ngpuaas ops audit search --action authz.deny --columns created_at,actor_id,target_id,correlation_id -o csv --limit 1000 | cut -d, -f2 | sort | uniq -c | sort -rn | head\ngpuaas ops audit search --action rate_limit.block --columns created_at,actor_id,correlation_id\n```\n\n- **One actor, many ids, 404**: a caller is guessing ids. They learn nothing: a foreign object answers as an absent one.\n- **Many actors, `insufficient_permissions`**: a client was released that asks for what its users may not do.\n- **The same few refusals as always**: writing is slow, see [HttpSlow](http-slow.md).\n\n## Mend it\n\nBlock the address in front of the api, or withdraw the person's access at the identity provider. A refusal by rate\nlimit is written once per caller and minute, for nodes as for people, so a flood under 429 is not the cause.\n\n## Afterwards\n\n`gpuaas_audit_refusals_dropped_total` stops growing.\n"
  },
  {
    "id": "audit-unsealed",
    "title": "The audit log is not sealed",
    "category": "history",
    "severity": "warning",
    "owner": "audit",
    "signals": [
      "audit_unsealed"
    ],
    "summary": "Rows of the audit log are written and not yet part of their chain.",
    "page": "/docs/runbooks/audit-unsealed",
    "text": "# The audit log is not sealed\n\n**Correlation id.** Lines of the log that belong to a request carry it: `jq -c 'select(.level == \"error\") | {time, service, msg, correlation_id}' $DATA/gpuaas.log | tail`.\n`gpuaas ops trace ID` shows what that request caused.\n\n## What it means\n\nRows are sealed within a second of their commit, by the outbox-relay. Until then a row could be changed without `gpuaas ops audit verify` noticing. No row is missing.\n\n## See it\n\n`gpuaas ops health` has `audit_unsealed`; `gpuaas ops audit verify` counts `unsealed` rows.\n\n## Find the cause\n\n1. Does an outbox-relay run, and does it hold its lease? [ProcessMissing](process-missing.md), [LeaseNotHeld](lease-not-held.md).\n2. Does an old transaction hold it back? Sealing waits for the oldest one, as publishing does: [OutboxStalled](outbox-stalled.md), step 3.\n3. Was the database restored? Then rows wait until the new server has counted as far; that is [as it should be](../guides/backup-and-restore.md).\n4. What does it say?\n\n   ```bash\n   jq -c 'select(.reconciler == \"audit-sealing\") | {time, msg, err: .err.message}' $DATA/gpuaas.log | tail -3\n   ```\n\n## Mend it\n\nMend what the step names. Sealing goes on by itself, oldest rows first.\n\n## Afterwards\n\n`gpuaas ops audit verify` says `intact` and `unsealed` 0.\n"
  },
  {
    "id": "auto-top-ups-stuck",
    "title": "AutoTopUpsStuck",
    "category": "payments",
    "severity": "warning",
    "owner": "payments",
    "signals": [
      "AutoTopUpsStuck"
    ],
    "summary": "Automatic top-ups were begun more than 15 minutes ago, and the provider has not charged them.",
    "page": "/docs/runbooks/auto-top-ups-stuck",
    "text": "# AutoTopUpsStuck\n\n**Correlation id.** `gpuaas ops audit search --target-id PAYMENT --columns created_at,action,correlation_id` lists what happened to a payment. `gpuaas ops trace ID`\nshows everything that belongs to one of these.\n\n## What it means\n\nAutomatic top-ups were begun more than 15 minutes ago, and the provider has not charged them. Balances of these organizations\nmay run out. `gpuaas_auto_top_ups_stuck` counts them.\n\nAn outage of the provider, or a key that lacks a right.\n\n## See it\n\n`gpuaas ops billing payments --state open`; `gpuaas_auto_top_ups_stuck` is above zero.\n\n## Find the cause\n\nVariables: see the [list](README.md#what-the-commands-need).\n\n1. Which ones?\n\n   ```bash\n   gpuaas ops billing payments --state open\n   ```\n\n2. What does the billing-worker say? Its log has `reconciler=auto-top-ups` and the reason.\n\n## Mend it\n\n1. *The provider cannot be reached*: wait, or mend the way to it. Nothing is charged twice: each attempt has one id at the provider.\n2. *The provider refuses the key*: put one with the right to write payment intents into `GPUAAS_STRIPE_SECRET_KEY`.\n\n## Afterwards\n\n`gpuaas_auto_top_ups_stuck` falls to 0. An attempt that is older than 20 hours is given up and counts as a failure.\n"
  },
  {
    "id": "billing-worker-away",
    "title": "Charging stands still",
    "category": "billing",
    "severity": "critical",
    "owner": "billing",
    "signals": [
      "billing_worker",
      "billing_worker_failure"
    ],
    "summary": "No billing-worker works: none runs, or each of its rounds fails.",
    "page": "/docs/runbooks/billing-worker-away",
    "text": "# Charging stands still\n\n**Correlation id.** `gpuaas ops events list --organization ORGANIZATION --columns created_at,event_type,correlation_id` lists what was decided about an\naccount (its id). `gpuaas ops trace ID` shows everything that belongs to one of them.\n\n## What it means\n\nNothing is charged, no balance is warned about, no invoice is issued, payments are not compared. Nothing is lost: hosts hand in evidence, it is kept\nin the database, and a worker that comes back charges all of it. A tenant whose balance is spent goes on for the time of the outage.\n\n## See it\n\n`gpuaas ops health` has `billing_worker`; `gpuaas_billing_accrual_lag_seconds` is missing or grows, on the dashboard *Billing*.\n\n## Find the cause\n\n1. Does one run? `gpuaas_build_info{process=\"billing-worker\"}`. If not: [ProcessMissing](process-missing.md).\n2. Does it hold its lease? [LeaseNotHeld](lease-not-held.md).\n3. What does it say?\n\n   ```bash\n   jq -c 'select(.service == \"billing-worker\" and .level != \"info\")' $DATA/gpuaas.log | tail -5\n   ```\n\n4. Which of its jobs? Charging: [AccrualLags](accrual-lags.md). Releases: [ReleasesOverdue](releases-overdue.md). Payments:\n   [PaymentChecksLag](payment-checks-lag.md). Documents: [DocumentsDoNotFit](documents-do-not-fit.md).\n\n## Mend it\n\n- Start one; two share the work, and only the holder of the lease acts.\n- A setting is missing: the worker names it and ends. See [configuration](../reference/configuration.md).\n- The payment provider is away: charging goes on without it.\n\n## Afterwards\n\n`gpuaas_billing_meters_waiting` falls to about 0, and `gpuaas billing verify` finds the ledger of an organization whole.\n"
  },
  {
    "id": "breaker-tripped",
    "title": "BreakerTripped",
    "category": "fleet",
    "severity": "critical",
    "owner": "attention",
    "signals": [
      "BreakerTripped",
      "alert:breaker"
    ],
    "summary": "Automation wanted to take more hosts of one pool (one SKU in one region) within the window than its policy allows.",
    "page": "/docs/runbooks/breaker-tripped",
    "text": "# BreakerTripped\n\n**Correlation id.** `gpuaas ops audit search --target-id NODE --columns created_at,action,correlation_id` lists what was done to a host (NODE is its id).\n`gpuaas ops trace ID` shows everything that one of these requests caused, and `gpuaas ops logs --correlation ID` what hosts logged about it.\n\n## What it means\n\nAutomation wanted to take more hosts of one pool (one SKU in one region) within the window than its policy\nallows. It is stopped for that pool: what it finds is shown and not acted on. GPUs that it holds back are still sold.\n\nA program that judges hosts may be wrong about all of them at once. The breaker bounds what that costs until a person has\nlooked.\n\n## See it\n\n`gpuaas ops breaker list --tripped true`, and the banner of the page Health.\n\n## Find the cause\n\n```bash\ngpuaas ops breaker list --tripped true\ngpuaas ops alerts --source health\n```\n\nDo the hosts say the same? One message on many hosts within minutes is seldom many broken GPUs: look for an agent or driver\nthat was updated, power, cooling, or an image on which launches fail.\n\n## Mend it\n\n- **The faults are real**: quarantine the hosts that are named, one by one or by your own script. People are not limited.\n- **The detector is wrong**: mend it first (withdraw the release, roll the driver back). What was found heals with the next\n  reports.\n- Then reset: `gpuaas ops breaker reset BREAKER --reason …`. It asks for a recent sign-in. Hosts that were taken within the\n  window still count; when more have to be taken at once, raise `automation.breaker_percent` first.\n\n## Afterwards\n\n`gpuaas ops breaker list --tripped true` is empty and stays so, and the alert ends.\n"
  },
  {
    "id": "capacity-held-back",
    "title": "CapacityHeldBack",
    "category": "fleet",
    "severity": "warning",
    "owner": "attention",
    "signals": [
      "CapacityHeldBack",
      "alerts_blocking",
      "alerts_informing",
      "alert:health",
      "alert:attestation",
      "alert:drift",
      "alert:operator"
    ],
    "summary": "For more than a quarter of an hour an alert that blocks sale is open: slots that are free are not sold.",
    "page": "/docs/runbooks/capacity-held-back",
    "text": "# CapacityHeldBack\n\n**Correlation id.** `gpuaas ops audit search --target-id NODE --columns created_at,action,correlation_id` lists what was done to a host (NODE is its id).\n`gpuaas ops trace ID` shows everything that one of these requests caused, and `gpuaas ops logs --correlation ID` what hosts logged about it.\n\n## What it means\n\nFor more than a quarter of an hour an alert that blocks sale is open: slots that are free are not sold. Nothing\nthat runs was ended by it.\n\nEvery source says what it sees in one table, and a slot is sold only while nothing is held against it. A source replaces what\nit said before, so a healed alert goes by itself; an alert that stays needs an operator.\n\n## See it\n\n`gpuaas ops alerts --effect blocks_sale`, and the page Health of the console.\n\n## Find the cause\n\n```bash\ngpuaas ops alerts --effect blocks_sale\ngpuaas ops node get NODE -o json -q '{alerts, conditions, sellable_slots, actions}'\n```\n\n## Mend it\n\n- **`health`**: the host reports a fault. Xid and memory errors mean the GPU: release what runs on it with its owner, reset\n  or change it. It clears itself with the first report that is well again.\n- **`presence`**: the host is silent, see [NodeLost](node-lost.md). Tenants see an alert and keep their machines.\n- **`drift`**: the host holds something that should not be there. Look at it, remove it, probe the host, clear the slots.\n- **`operator`**: an operator raised it. `gpuaas ops alert clear ALERT --reason …` when it is settled.\n\n## Afterwards\n\n`gpuaas ops alerts --effect blocks_sale` is empty, `sellable_slots` of the host counts its free slots, and the alert ends.\n"
  },
  {
    "id": "clock-skew",
    "title": "A clock is off",
    "category": "nodes",
    "severity": "warning",
    "owner": "nodes",
    "signals": [
      "clock_skew"
    ],
    "summary": "The clock of a host or of a server differs from the others by seconds or more.",
    "page": "/docs/runbooks/clock-skew",
    "text": "# A clock is off\n\n**Correlation id.** `gpuaas ops audit search --target-id NODE --columns created_at,action,correlation_id` lists what was done to a host (NODE is its id).\n`gpuaas ops trace ID` shows everything that one of these requests caused, and `gpuaas ops logs --correlation ID` what hosts logged about it.\n\n## What it means\n\nSignatures, certificates, leases and evidence of usage have times. A few seconds do no harm; from a minute on certificates are refused, samples are thrown away, and a host ends its leases at another moment than ours.\n\n## See it\n\n`gpuaas ops health` has `clock_skew` of the worst host. `gpuaas ops doctor` compares your own clock with that of the api too.\n\n## Find the cause\n\n```bash\ngpuaas ops node list -o json -q '.[] | .name'\ngpuaas ops node get NODE -o json -q .conditions\n```\n\nThe condition of the clock says how far the host is off. All hosts alike: it is the server of the api. On a machine: `timedatectl show -p NTPSynchronized`.\n\n## Mend it\n\nLet the machine follow a time server (`chrony` or `systemd-timesyncd`). Set a clock that is hours off in small steps, or drain the host first: leases end by it.\n\n## Afterwards\n\n`clock_skew` falls below two seconds with the next report.\n"
  },
  {
    "id": "counts-not-charged",
    "title": "CountsNotCharged",
    "category": "billing",
    "severity": "warning",
    "owner": "billing",
    "signals": [
      "CountsNotCharged"
    ],
    "summary": "Stored files, or units that apps counted, are not charged.",
    "page": "/docs/runbooks/counts-not-charged",
    "text": "# CountsNotCharged\n\n**Correlation id.** `gpuaas ops events list --organization ORGANIZATION --columns created_at,event_type,correlation_id` lists what was decided about an\naccount (its id). `gpuaas ops trace ID` shows everything that belongs to one of them.\n\n## What it means\n\nStored files, or units that apps counted, are not charged. `gpuaas_billing_storage_lag_seconds` and\n`gpuaas_billing_app_units_lag_seconds` say for how long the oldest of them has been waiting beyond its window.\n\nCharging is apart from everything else, so that nothing waits for it; it waits when its worker or its database does.\n\n## See it\n\n`gpuaas ops health` names missing workers; one of the two numbers grows, and the dashboard *Billing* draws the others of the worker.\n\n## Find the cause\n\nVariables: see the [list](README.md#what-the-commands-need). `BILLING` is the health address of a billing-worker.\n\n1. Is a worker there and well, and does it charge?\n\n   ```bash\n   curl -s $BILLING/readyz\n   curl -s $BILLING/metrics | grep -E '^gpuaas_billing_(storage|app)'\n   ```\n\n2. Why does a round fail? The log names the statement (`billing-storage`, `billing-app-units`).\n\n   ```bash\n   jq -c 'select(.service == \"billing-worker\" and .level == \"error\")' $DATA/gpuaas.log | tail -3\n   ```\n\n3. Which projects and instances wait? No API lists them:\n\n   ```bash\n   psql \"$ADMIN\" -c \"select resource_id, organization_id, accrued_to from usage_meters where meter = 'storage' order by accrued_to limit 5\"\n   psql \"$ADMIN\" -c \"select app_instance_id, hour, last_at from app_use where not counted order by last_at limit 5\"\n   ```\n\n## Mend it\n\n- **No worker runs**: start one ([ProcessMissing](process-missing.md)).\n- **A round fails**: a round is one transaction, so nothing was charged halfway; it is tried again by itself. The message says on what it fails.\n- **One project waits and the others do not**: a transaction holds its bucket, an upload that does not end for example. End the transaction that has\n  been open for minutes (no API ends sessions of PostgreSQL): `psql \"$ADMIN\" -c \"select pg_terminate_backend(<pid>)\"`. [AccrualLags](accrual-lags.md)\n  shows how to find it.\n\n## Afterwards\n\nBoth numbers fall to 0, and `gpuaas_billing_storage_windows_charged_total` or `gpuaas_billing_app_windows_charged_total` grows.\n"
  },
  {
    "id": "dlq-depth",
    "title": "DlqDepth",
    "category": "events",
    "severity": "warning",
    "owner": "outbox",
    "signals": [
      "DlqDepth",
      "dead_letters"
    ],
    "summary": "Some events were given up and wait for a decision.",
    "page": "/docs/runbooks/dlq-depth",
    "text": "# DlqDepth\n\n**Correlation id.** Each event has it: `gpuaas ops events list --columns created_at,event_type,correlation_id`, and for events that were given up\n`gpuaas ops dlq list --columns stream_seq,event_type,correlation_id`. `gpuaas ops trace ID` shows what came before.\n\n## What it means\n\nSome events were given up and wait for a decision. What should have followed from them did not happen: for\n`tenancy.project.removal_requested`, a project stays in `removing`.\n\nA consumer that meets an event it cannot handle would hold up all later events of the same key. After a bounded number of\ntries it writes a dead letter, in the same database as everything else, and goes on. See\n[the outbox](../../server/src/domains/outbox/README.md).\n\n## See it\n\n`gpuaas ops dlq list --state open`, and the page Events of the console.\n\n## Find the cause\n\n```bash\ngpuaas ops dlq list --state open --columns stream_seq,event_type,origin,consumer,attempts,reason,correlation_id\n```\n\n- `origin: consume`: a consumer failed on it as often as `events.consume_max_attempts` allows. `reason` is the last failure;\n  the whole of it is in the log of that consumer, by `correlation_id`.\n- `origin: publish`: the bus refused the event itself (too large, no such stream), as often as\n  `events.publish_max_attempts` allows. The same list without the others: `gpuaas ops outbox list`.\n\n- The reason begins with \"The outbox holds no\": a message was on the bus that no process committed. After an upgrade from a version\n  that published without positions, rewind the outbox and discard these letters. At any other time a process or a program that has the\n  credentials of the bus publishes by itself: no consumer acted on it. Change the credentials of the bus, find the program by the\n  connections of the bus, and discard the letters. A requeue answers `event_not_committed`.\n\nOne cause usually has many letters. How many of each kind:\n\n```bash\ngpuaas ops dlq list --state open --limit 1000 --columns consumer,event_type -o csv | sort | uniq -c | sort -rn\n```\n\n## Mend it\n\n1. Mend the cause first: a release, a dependency that was away, a row that was wrong. A letter that is sent again before\n   that comes back after the same number of tries.\n2. Send it again. The effect happens once per consumer, so consumers that had it already do nothing:\n\n   ```bash\n   gpuaas ops dlq requeue SEQ --reason 'the consumer is mended'\n   ```\n\n3. Or decide that it must not happen any more: `gpuaas ops dlq discard SEQ --reason …`. The reason you give is kept in the audit log\n   for ever.\n\n## Afterwards\n\nThe answer says `requeued`; a second later `gpuaas_outbox_published_total` has grown, and the list above no longer has the\nevent. A requeued event that fails again becomes a new letter.\n"
  },
  {
    "id": "documents-do-not-fit",
    "title": "DocumentsDoNotFit",
    "category": "billing",
    "severity": "critical",
    "owner": "invoicing",
    "signals": [
      "DocumentsDoNotFit"
    ],
    "summary": "An invoice, a credit note, a receipt or a statement cannot be made again from the ledger byte for byte.",
    "page": "/docs/runbooks/documents-do-not-fit",
    "text": "# DocumentsDoNotFit\n\n**Correlation id.** `gpuaas ops events list --organization ORGANIZATION --columns created_at,event_type,correlation_id` lists what was decided about an\naccount (its id). `gpuaas ops trace ID` shows everything that belongs to one of them.\n\n## What it means\n\nAn invoice, a credit note, a receipt or a statement cannot be made again from the ledger byte for byte.\n`gpuaas_billing_documents_unfit` counts them, and the log of the billing-worker names each one with what does not fit.\n\nDocuments are append-only and made from entries that are append-only. Only time (an entry that was written late), another renderer or a\nperson with more rights than any process can make them differ.\n\n## See it\n\n`gpuaas_billing_documents_unfit` is above zero.\n\n## Find the cause\n\nVariables: see the [list](README.md#what-the-commands-need).\n\n1. Which documents, and what differs?\n\n   ```bash\n   jq -c 'select(.msg | test(\"does not fit the ledger\"))' $DATA/gpuaas.log | tail -3\n   ```\n\n2. Did entries come after the month was closed? Their time lies in the period, their link in the chain was made after the document.\n   No API compares the two:\n\n   ```bash\n   psql \"$ADMIN\" -c \"select s.number, s.created_at, s.first_at, d.number as document, d.issued_at from billing_documents d\n     join ledger_seals s on s.organization_id = d.organization_id and s.created_at > d.issued_at\n       and s.first_at < d.period_to where d.id = '<id>'\"\n   ```\n\n3. Is the ledger itself whole? `gpuaas billing verify` of that organization says so; see [LedgerUnbalanced](ledger-unbalanced.md).\n\n## Mend it\n\n1. A late entry: a transaction was open for longer than `billing.month_close_minutes`. Raise the policy. Take an invoice back\n   (`gpuaas ops billing void-invoice`); what it asked for comes with the next one. A statement stays, and the next one has the entry in\n   its opening balance: tell the customer.\n2. \"The content gives another PDF\": the renderer was changed without its name. Put the version back that the document names, or correct\n   the name in `pdf.ts`.\n3. Anything else means that rows were changed with triggers disabled: act as for [LedgerUnbalanced](ledger-unbalanced.md).\n\n## Afterwards\n\nThe worker looks at all documents in turn, 50 every ten minutes; the log is silent about the document, and the number falls.\n"
  },
  {
    "id": "event-consumer-behind",
    "title": "EventConsumerBehind",
    "category": "events",
    "severity": "warning",
    "owner": "outbox",
    "signals": [
      "EventConsumerBehind",
      "lag_of_*"
    ],
    "summary": "A consumer has had more than a hundred events waiting for a quarter of an hour.",
    "page": "/docs/runbooks/event-consumer-behind",
    "text": "# EventConsumerBehind\n\n**Correlation id.** Each event has it: `gpuaas ops events list --columns created_at,event_type,correlation_id`, and for events that were given up\n`gpuaas ops dlq list --columns stream_seq,event_type,correlation_id`. `gpuaas ops trace ID` shows what came before.\n\n## What it means\n\nA consumer has had more than a hundred events waiting for a quarter of an hour. What follows from events is late.\n\nEvents of one key are handled one after the other, also while one is being tried again. That is what keeps a project from\nbeing deleted before it was created, and it means that a slow head holds up its own queue and nobody else's.\n\n## See it\n\n`gpuaas ops health` has a finding `lag_of_…` for each consumer; `gpuaas_events_consumer_lag` is drawn on the dashboard *Events & DLQ*.\n\n## Find the cause\n\nVariables: see the [list](README.md#what-the-commands-need).\n\n1. Does it work at all? `/readyz` of the process, and its log:\n\n   ```bash\n   jq -c 'select(.service == \"provisioning-worker\" and .level != \"info\")' $DATA/gpuaas.log | tail\n   ```\n\n2. One key, or all of them? With the bus in Postgres; no API shows its queues by key:\n\n   ```bash\n   psql \"$BUS\" -c \"select name, singleton_key as key, state, retry_count, count(*), min(created_on) from bus.job\n     where state < 'completed' group by 1, 2, 3, 4 order by 5 desc limit 10\"\n   ```\n\n   With NATS the server's own monitoring says it, by stream and consumer; the metric here is the sum per consumer.\n\n## Mend it\n\n- **One key with a high `retry_count`**: its first event fails, and the others of that key wait behind it, in order. It\n  becomes a dead letter by itself after `events.consume_max_attempts`; then see [DlqDepth](dlq-depth.md).\n- **All keys, and the process is busy**: start another instance of it. Instances of one name share the work in Postgres; on\n  NATS one of them leads and the others stand by, so give that one more room.\n- **All keys, and the process is idle**: it lost its way to the bus. Restart it; what is unacknowledged comes again.\n\n## Afterwards\n\n`gpuaas_events_consumer_lag` falls.\n"
  },
  {
    "id": "history-not-archived",
    "title": "HistoryNotArchived",
    "category": "history",
    "severity": "warning",
    "owner": "history",
    "signals": [
      "HistoryNotArchived"
    ],
    "summary": "History that is older than its retention was to be archived, and its archive has been under way for hours.",
    "page": "/docs/runbooks/history-not-archived",
    "text": "# HistoryNotArchived\n\n**Correlation id.** Lines of the log that belong to a request carry it: `jq -c 'select(.level == \"error\") | {time, service, msg, correlation_id}' $DATA/gpuaas.log | tail`.\n`gpuaas ops trace ID` shows what that request caused.\n\n## What it means\n\nHistory that is older than its retention was to be archived, and its archive has been under way for hours. The rows\nare in the database until it is finished: nothing is lost, and the database grows.\n\nAn archive is written to the object store, noted with its digest, and only then are its rows removed. Each step is repeated\nuntil it has succeeded.\n\n## See it\n\n`gpuaas ops archive list` shows an archive without `archived_at` or `removed_at`.\n\n## Find the cause\n\n```bash\ngpuaas ops archive list --limit 5\njq -c 'select(.reconciler == \"history-archiving\") | {time, msg, err: .err.message}' $DATA/gpuaas.log | tail\n```\n\n`archived_at` is null while the object is not written; `removed_at` is null while rows are still there.\n\n## Mend it\n\n| you see | do |\n|---|---|\n| an error of the object store | mend it: the outbox-relay needs `GPUAAS_OBJECTS_FOLDER`, or the settings of a bucket, like the api |\n| `lock timeout` | a long transaction holds the table: end it; the job tries again |\n| `has rows that are not sealed` | the sealing stands still: see the log of `audit-sealing` |\n\n## Afterwards\n\n`gpuaas ops archive list` shows `removed_at`, and `gpuaas ops archive verify` ends well.\n"
  },
  {
    "id": "history-without-month",
    "title": "HistoryWithoutMonth",
    "category": "history",
    "severity": "warning",
    "owner": "history",
    "signals": [
      "HistoryWithoutMonth"
    ],
    "summary": "Rows of a table that lies in months were written into its rest, because their month did not exist.",
    "page": "/docs/runbooks/history-without-month",
    "text": "# HistoryWithoutMonth\n\n**Correlation id.** Lines of the log that belong to a request carry it: `jq -c 'select(.level == \"error\") | {time, service, msg, correlation_id}' $DATA/gpuaas.log | tail`.\n`gpuaas ops trace ID` shows what that request caused.\n\n## What it means\n\nRows of a table that lies in months were written into its rest, because their month did not exist. Nothing was\nrefused and nothing is lost; reads find them. A rest that grows makes the table slower, and its rows leave later.\n\nThe outbox-relay makes the months of the next two months every hour. A row goes into the rest when they are missing, so that no\nwrite is ever refused for want of a month.\n\n## See it\n\n`gpuaas ops history status` shows `unplaced_rows` above 0.\n\n## Find the cause\n\n```bash\ngpuaas ops history status\njq -c 'select(.reconciler == \"history-archiving\" or .reconciler == \"billing-months\") | {time, msg, err: .err.message}' $DATA/gpuaas.log | tail\n```\n\n## Mend it\n\n| you see | do |\n|---|---|\n| `LeaseNotHeld` as well | [that one first](lease-not-held.md): the job runs under the lease of the outbox-relay |\n| errors of `history-archiving` | mend what they name; the job tries again by itself |\n| a clock that is months ahead | mend the clock of the machine; its rows stay in the rest |\n\nMonths of tomorrow can be made by hand; no API makes them: `psql \"$ADMIN\" -c 'select ledger_months_ahead(now())'`. A month that has rows in the rest\nalready is not made.\n\n## Afterwards\n\n`gpuaas_history_unplaced_rows` is 0 a day after the last such row.\n"
  },
  {
    "id": "http-error-rate",
    "title": "HttpErrorRate",
    "category": "api",
    "severity": "critical",
    "owner": "health",
    "signals": [
      "HttpErrorRate",
      "database_connections"
    ],
    "summary": "More than one request in a hundred is answered with 500 or above.",
    "page": "/docs/runbooks/http-error-rate",
    "text": "# HttpErrorRate\n\n**Correlation id.** The caller has it: `correlation_id` of the answer, and `gpuaas` prints it with each failure. The log of the api has the same one in each line. `gpuaas ops trace ID`\nshows everything that this request caused.\n\n## What it means\n\nMore than one request in a hundred is answered with 500 or above.\n\nRefusals are values and answered as 4xx. What remains at 500 was thrown: an outage, or a mistake. Callers may repeat: a write\nwith the same `Idempotency-Key` happens once, also when its first answer got lost.\n\n## See it\n\nThe dashboard *API RED*, panel of errors; `gpuaas ops health` has the connections of the database.\n\n## Find the cause\n\nVariables: see the [list](README.md#what-the-commands-need).\n\n```promql\ntopk(5, sum by (route, method) (rate(gpuaas_http_request_duration_seconds_count{status_class=\"5xx\"}[5m])))\n```\n\n```bash\ncurl -s $API/readyz\njq -c 'select(.service == \"api\" and .level == \"error\") | {time, route, correlation_id, message: .err.message}' \\\n  $DATA/gpuaas.log | tail\n```\n\n- **503 `service_unavailable`** on all routes: the database is away, or takes no more connections.\n- **500 `internal_error`** on one route: a fault of ours. The log line has the stack, and the caller has its\n  `correlation_id`.\n\n## Mend it\n\n- **Database away**: bring it back. The api needs no restart; its connections come back by themselves.\n- **Too many connections** (no API shows sessions of PostgreSQL): `psql \"$ADMIN\" -c \"select usename, application_name, state, count(*) from pg_stat_activity\n  group by 1, 2, 3 order by 4 desc\"`. Lower `GPUAAS_DATABASE_POOL_SIZE`, or raise `max_connections`.\n- **One route since a release**: start the release before it.\n\n## Afterwards\n\nThe rate falls below one in a hundred; `/readyz` says ready.\n"
  },
  {
    "id": "http-slow",
    "title": "HttpSlow",
    "category": "api",
    "severity": "warning",
    "owner": "health",
    "signals": [
      "HttpSlow",
      "database_answer"
    ],
    "summary": "One request in a hundred to a route takes longer than a second.",
    "page": "/docs/runbooks/http-slow",
    "text": "# HttpSlow\n\n**Correlation id.** The caller has it: `correlation_id` of the answer, and `gpuaas` prints it with each failure. The log of the api has the same one in each line. `gpuaas ops trace ID`\nshows everything that this request caused.\n\n## What it means\n\nOne request in a hundred to a route takes longer than a second.\n\nA request is a few statements in one or two round trips. When it is slow, it waits: for a connection of the pool, for a\nrow that another write holds, or for a processor.\n\n## See it\n\nThe dashboard *API RED*, panel \"p99 by route\"; `gpuaas ops health` says how long the database takes to answer.\n\n## Find the cause\n\nVariables: see the [list](README.md#what-the-commands-need).\n\n1. One route or all? The panel \"p99 by route\" of the dashboard API RED.\n2. All: is the process itself busy? `nodejs_eventloop_lag_p99_seconds` of the api above 0.1 says so. Is the database? No API shows sessions of PostgreSQL:\n\n   ```bash\n   psql \"$ADMIN\" -c \"select pid, usename, state, wait_event_type, wait_event, now() - query_start as since, left(query, 60)\n     from pg_stat_activity where state <> 'idle' order by query_start limit 10\"\n   ```\n\n3. One: does a transaction wait for a lock? No API shows locks of PostgreSQL:\n\n   ```bash\n   psql \"$ADMIN\" -c \"select pid, pg_blocking_pids(pid) as behind, now() - query_start as since, left(query, 60)\n     from pg_stat_activity where cardinality(pg_blocking_pids(pid)) > 0\"\n   ```\n\n## Mend it\n\n- **Event loop busy**: start another api; they share nothing but the database and the cache.\n- **Behind one session that does nothing** (`idle in transaction`): end it; no API ends sessions of PostgreSQL, `select pg_terminate_backend(<pid>)`.\n- **One statement is slow**: statements have names; `explain (analyze, buffers)` it with the values from the log, and mend the\n  index in a migration.\n- **One caller is loud**: give it a smaller budget. It holds at once, in every process:\n\n  ```bash\n  gpuaas ops policy set rate_limit.api_requests_per_minute 30 --level user --subject ACTOR --reason 'loud since this morning'\n  ```\n\n## Afterwards\n\nThe quantile falls below a second within ten minutes.\n"
  },
  {
    "id": "images-missing",
    "title": "Slices fail for want of an image",
    "category": "fleet",
    "severity": "warning",
    "owner": "inventory",
    "signals": [
      "os_image_not_cached",
      "image_missing"
    ],
    "summary": "Slices of one image do not start: hosts lack the image, or have another one than was announced.",
    "page": "/docs/runbooks/images-missing",
    "text": "# Slices fail for want of an image\n\n**Correlation id.** `gpuaas ops audit search --target-id ALLOCATION --columns created_at,action,correlation_id` lists what was asked for. `gpuaas ops trace ID`\nshows everything that the request caused, on the host too.\n\n## What it means\n\nA slice starts from an image that lies on its host under its digest. Placement prefers hosts that have it and never lets a host fetch one while a tenant waits. A host with another digest does not count as having it.\n\n## See it\n\n`gpuaas ops image list` shows each image with its digest; `gpuaas ops node images NODE` shows what a host has.\n\n## Find the cause\n\n```bash\ngpuaas ops placement ALLOCATION -o json -q .document\ngpuaas ops node images NODE\ngpuaas ops node tasks NODE --state failed\n```\n\nThe first says for each host why it did not suit; the third has the failure of a start.\n\n## Mend it\n\n- **A host lacks it**: put the file there as [slices on real hosts](../guides/slices-on-real-hosts.md) says. The agent reports it by itself; where it\n  does not: `gpuaas ops node image-set NODE IMAGE --digest DIGEST`.\n- **Another digest**: the file was changed on the host. Remove it, `gpuaas ops node image-forget NODE IMAGE`, and put the announced one there.\n- **The image itself is bad**: `gpuaas ops image retire IMAGE`; what runs from it goes on.\n\n## Afterwards\n\n`gpuaas ops node images NODE` shows the digest of `gpuaas ops image list`, and a launch becomes active.\n"
  },
  {
    "id": "jump-host-refusing",
    "title": "JumpHostRefusing",
    "category": "terminals",
    "severity": "warning",
    "owner": "ssh",
    "signals": [
      "JumpHostRefusing"
    ],
    "summary": "The SSH jump host of the terminal gateways turns people away.",
    "page": "/docs/runbooks/jump-host-refusing",
    "text": "# JumpHostRefusing\n\n**Correlation id.** `gpuaas ops audit search --target-id ALLOCATION --columns created_at,action,correlation_id` lists who asked for a terminal. Lines of the gateway\ncarry the same one; `gpuaas ops trace ID` shows everything that the request caused.\n\n## What it means\n\nThe SSH jump host of the terminal gateways turns people away. `gpuaas_jump_door_refusals_total` says why: `outage` when the api\ndoes not answer it, `connections` when one of its limits of connections is reached.\n\n## See it\n\n`gpuaas_jump_door_refusals_total` grows, on the dashboard *Terminals*; `gpuaas ssh-jump` shows the address of the jump host.\n\n## Find the cause\n\n1. Which copy, and which reason?\n\n   ```\n   sum by (instance, reason) (increase(gpuaas_jump_door_refusals_total[10m]))\n   ```\n\n2. How many connections does a copy hold (`gpuaas_jump_connections`), and how many of them lead to a machine (`gpuaas_jump_channels`)?\n   Many connections without channels are clients that sign in and do nothing, or try keys.\n\n## Mend it\n\n- `outage`: the gateway cannot ask the api. See [TerminalApiSilent](terminal-api-silent.md).\n- `connections` with few machines behind them: connections come from many addresses and never sign in. Each has 20 seconds. Refuse these\n  networks in front of the gateways; terminals and `gpuaas ssh` use another port and go on.\n- `connections` with many machines behind them: start another copy of the gateway behind the same address.\n- Behind a balancer all connections come from its address. Name it in `GPUAAS_TRUSTED_PROXIES`, or let it keep the address of the caller:\n  the limits of one address would count for everybody together.\n\n## Afterwards\n\nThe counter stands still, and `ssh -J` reaches a machine.\n"
  },
  {
    "id": "lease-not-held",
    "title": "LeaseNotHeld",
    "category": "processes",
    "severity": "critical",
    "owner": "health",
    "signals": [
      "LeaseNotHeld"
    ],
    "summary": "Processes run, and none of them holds the lease of their background work for a minute.",
    "page": "/docs/runbooks/lease-not-held",
    "text": "# LeaseNotHeld\n\n**Correlation id.** Lines of the log that belong to a request carry it: `jq -c 'select(.level == \"error\") | {time, service, msg, correlation_id}' $DATA/gpuaas.log | tail`.\n`gpuaas ops trace ID` shows what that request caused.\n\n## What it means\n\nProcesses run, and none of them holds the lease of their background work for a minute. Without `provisioning-worker`\nallocations do not expire, the queue stands still and silent nodes are not noticed; without `billing-worker` nothing is charged;\nwithout `outbox-relay` old events and partitions are not looked after.\n\nReconcilers, guards and sweepers run in one process at a time. Its holder renews the lease every second and a half; another\nprocess takes it when the holder's connection ends, or ten seconds after the last renewal. A write of leased work commits only\nunder the current fence, so a holder that stalled cannot act after its lease.\n\n## See it\n\n`gpuaas_lease_held` is 0 on every process of that name.\n\n## Find the cause\n\nThe row says which process held the lease last, and until when. No API shows leases:\n\n```bash\npsql \"$DB\" -c 'select name, fence, holder, renewed_at, expires_at, clock_timestamp() as now from leases'\njq -c 'select(.lease) | {time, service, lease, msg, because, err: .err.message}' $DATA/gpuaas.log | tail\n```\n\n## Mend it\n\n| you see | do |\n|---|---|\n| `the lease could not be looked at` in the log | the process cannot open a connection of its own: raise `max_connections`, or mend the network |\n| a holder that exists no more and `expires_at` in the past | restart one process of that name |\n| `fence` grows every few seconds | the holder loses the lease again and again: its machine is overloaded, or the clock of the database jumps |\n\n## Afterwards\n\n`gpuaas_lease_held` is 1 for one process of each lease.\n"
  },
  {
    "id": "ledger-unbalanced",
    "title": "LedgerUnbalanced",
    "category": "billing",
    "severity": "critical",
    "owner": "billing",
    "signals": [
      "LedgerUnbalanced"
    ],
    "summary": "The balance of an account is not the sum of its entries.",
    "page": "/docs/runbooks/ledger-unbalanced",
    "text": "# LedgerUnbalanced\n\n**Correlation id.** `gpuaas ops events list --organization ORGANIZATION --columns created_at,event_type,correlation_id` lists what was decided about an\naccount (its id). `gpuaas ops trace ID` shows everything that belongs to one of them.\n\n## What it means\n\nThe balance of an account is not the sum of its entries. `gpuaas_billing_accounts_unbalanced` counts such accounts, and the\nlog of the billing-worker names them.\n\nThe trigger that writes an entry also adds to the balance, in one transaction, and nothing else may write either. A difference means\nthat the triggers were bypassed: a restore of single tables, a repair by hand, or an attack.\n\n## See it\n\n`gpuaas_billing_accounts_unbalanced` is above zero; `gpuaas billing verify` recomputes the chain of one organization.\n\n## Find the cause\n\nVariables: see the [list](README.md#what-the-commands-need).\n\n1. Which accounts, and by how much? No API adds the entries of all accounts up:\n\n   ```bash\n   jq -c 'select(.msg | test(\"is not the sum of its ledger\"))' $DATA/gpuaas.log | tail -3\n   psql \"$ADMIN\" -c \"select b.organization_id, b.balance_minor, sum(l.amounts[1]) as sum, b.entries, count(*) as found\n     from billing_accounts b left join ledger_entries l using (organization_id) group by 1, 2, 4\n     having b.balance_minor <> coalesce(sum(l.amounts[1]), 0) or b.entries <> count(l.id)\"\n   ```\n\n2. Where does the chain break? The links say what the balance was after each statement. `gpuaas billing verify` names the first link\n   that does not fit; no API lists them for an operator:\n\n   ```bash\n   psql \"$ADMIN\" -c \"select number, created_at, amount_minor, balance_minor, cardinality(entry_ids) as entries\n     from ledger_seals where organization_id = '<id>' order by number desc limit 20\"\n   ```\n\n3. Who was there? Only a superuser, or the owner with triggers switched off, can do this. Look at the log of PostgreSQL for that time,\n   and at its backups.\n\n## Mend it\n\n1. Restore the database beside this one from a backup of before, and compare the entries of the account.\n2. Put back what was removed or changed with the help of the database administrator, and only then trust the balance again. Do not\n   change the balance to fit.\n\n## Afterwards\n\nThe next comparison, within ten minutes, sets `gpuaas_billing_accounts_unbalanced` to 0.\n"
  },
  {
    "id": "maas-drift",
    "title": "MaasDrift",
    "category": "maas",
    "severity": "warning",
    "owner": "maas",
    "signals": [
      "MaasDrift"
    ],
    "summary": "What MAAS says of a machine, what its node is and what is rented on it contradict each other, and no job works on it.",
    "page": "/docs/runbooks/maas-drift",
    "text": "# MaasDrift\n\n**Correlation id.** `gpuaas ops audit search --target-id NODE --columns created_at,action,correlation_id` lists what was done to a host (NODE is its id).\n`gpuaas ops trace ID` shows everything that one of these requests caused, and `gpuaas ops logs --correlation ID` what hosts logged about it.\n\n## What it means\n\nWhat MAAS says of a machine, what its node is and what is rented on it contradict each other, and no job works on it. We\nchange none of the three by ourselves: only a person knows which of them is right.\n\nPeople use MAAS directly, BMCs fail, and two installations may share a region.\n\n## See it\n\n`gpuaas ops maas machine list SITE` shows `drift` of each machine.\n\n## Find the cause\n\n```bash\ngpuaas ops maas machine list SITE -o json -q '.[] | select(.drift != []) | {system_id, maas, node, allocations, drift}'\n```\n\n## Mend it\n\n- **unknown_deployment**: it is deployed under our key, and no node is made of it. If nobody needs it:\n  `gpuaas ops maas decommission SITE MACHINE --reason …` erases it and gives it back.\n- **machine_missing, machine_not_deployed, machine_failed**: a person changed it in MAAS. Quarantine the node, release what is rented,\n  then decommission the machine and onboard it again. Do not deploy it by hand: a host without the token of its deployment cannot enrol.\n- **power_off**: switch it on in MAAS, or with `gpuaas ops maas power SITE MACHINE --power on --reason …` when nothing is rented there.\n- **another_node**: MAAS has it noted for another node, perhaps of another installation that uses the same key. Give each installation a\n  key of its own.\n\n## Afterwards\n\n`drift` is empty, and the alert ends.\n"
  },
  {
    "id": "maas-jobs-failed",
    "title": "MaasJobsFailed",
    "category": "maas",
    "severity": "warning",
    "owner": "maas",
    "signals": [
      "MaasJobsFailed"
    ],
    "summary": "A job at MAAS failed within the last day: a machine could not be made a node, imaged, erased or switched.",
    "page": "/docs/runbooks/maas-jobs-failed",
    "text": "# MaasJobsFailed\n\n**Correlation id.** `gpuaas ops audit search --target-id NODE --columns created_at,action,correlation_id` lists what was done to a host (NODE is its id).\n`gpuaas ops trace ID` shows everything that one of these requests caused, and `gpuaas ops logs --correlation ID` what hosts logged about it.\n\n## What it means\n\nA job at MAAS failed within the last day: a machine could not be made a node, imaged, erased or switched. What was taken was\ngiven back, erased if anything was written. Slots that waited for a proof of imaging stay blocked.\n\nBare metal fails more often than software. A job never leaves a machine deployed without a node, and never returns a slot without proof.\n\n## See it\n\n`gpuaas ops maas job list --state failed`.\n\n## Find the cause\n\n```bash\ngpuaas ops maas job list --state failed -o json -q '.[] | {id, kind, hostname, phase, problem}'\n```\n\n`problem` has the words of MAAS. The events of the machine in MAAS say more.\n\n## Mend it\n\n- **failed commissioning, failed testing**: the hardware. Mend it and onboard the machine again.\n- **failed deployment**: look at the installation log in MAAS; often a disk or the network.\n- **failed disk erasing**: replace the disk before the machine is used by anybody else.\n- **awaiting enrolled**: the host was deployed and its agent did not come. Its console and `/var/log/cloud-init-output.log` say why; often\n  it cannot reach the address for nodes.\n- **the run is stuck**: MAAS refuses to take the machine back. `gpuaas ops workflow list --state stuck`, mend it in MAAS, retry the run.\n\n## Afterwards\n\nA new job of the machine succeeds. The alert ends a day after the last failure.\n"
  },
  {
    "id": "maas-site-away",
    "title": "MaasSiteAway",
    "category": "maas",
    "severity": "warning",
    "owner": "maas",
    "signals": [
      "MaasSiteAway"
    ],
    "summary": "A MAAS site has not answered for ten minutes, or refuses our key.",
    "page": "/docs/runbooks/maas-site-away",
    "text": "# MaasSiteAway\n\n**Correlation id.** `gpuaas ops audit search --target-id NODE --columns created_at,action,correlation_id` lists what was done to a host (NODE is its id).\n`gpuaas ops trace ID` shows everything that one of these requests caused, and `gpuaas ops logs --correlation ID` what hosts logged about it.\n\n## What it means\n\nA MAAS site has not answered for ten minutes, or refuses our key. Hosts that are deployed go on and are sold as before.\nNothing new is deployed there, erased or switched; jobs wait and fail after their time.\n\nThe provisioning-worker looks at each site every ten seconds. MAAS sends nothing by itself.\n\n## See it\n\n`gpuaas ops maas site list` shows `problem` and `failing_since`.\n\n## Find the cause\n\n```bash\ngpuaas ops maas site list -o json -q '.[] | {id, name, url, problem, failing_since}'\n```\n\n`problem` says it: no answer in time, a status such as 503, something else than MAAS at the address, or a key that is not taken.\n\n## Mend it\n\n- **No answer, or 5xx**: the region controller is down or overloaded. `systemctl status maas-regiond` there.\n- **The key is not taken**: it was deleted in MAAS. Make another one and hand it over: `gpuaas ops maas site update SITE --key-file FILE`.\n- **Something else answers, or the certificate is not trusted**: check the address and `--ca-file`.\n\n## Afterwards\n\n`problem` is null, and the alert ends.\n"
  },
  {
    "id": "machines-not-started",
    "title": "MachinesNotStarted",
    "category": "provisioning",
    "severity": "warning",
    "owner": "allocations",
    "signals": [
      "MachinesNotStarted"
    ],
    "summary": "A machine was stopped because the balance of its organization was spent.",
    "page": "/docs/runbooks/machines-not-started",
    "text": "# MachinesNotStarted\n\n**Correlation id.** `gpuaas ops audit search --target-id ALLOCATION --columns created_at,action,correlation_id` lists what was asked for. `gpuaas ops trace ID`\nshows everything that the request caused, on the host too.\n\n## What it means\n\nA machine was stopped because the balance of its organization was spent. The balance lasts again, and the machine has not\nstarted for more than a quarter of an hour. `gpuaas_allocations_stop_oldest_seconds{phase=\"starting\"}` says for how long. Time\nin which a start is tried with the GPUs attached is charged; the time between is not.\n\nA start proves the GPUs anew, as a launch does. A machine whose GPU has failed meanwhile stays off.\n\n## See it\n\n`gpuaas_allocations_stop_oldest_seconds{phase=\"starting\"}` is above 900.\n\n## Find the cause\n\nVariables: see the [list](README.md#what-the-commands-need).\n\n1. Which machines, and on which hosts? No API lists machines by the phase of their stop:\n\n   ```bash\n   psql \"$ADMIN\" -c \"select id, organization_id, node_id, stop_phase, stop_since from allocations\n     where stop_phase in ('stopping', 'starting') and state = 'active' order by stop_since limit 20\"\n   ```\n\n2. What did the host answer? Each attempt is a task. A failed one is followed by another after one minute, then two; after three the machine stays stopped,\n   and its `failure` says `start_failed`.\n\n   ```bash\n   gpuaas ops node tasks NODE --q ALLOCATION\n   ```\n\n## Mend it\n\n- **The tasks wait**: the host does not fetch them, see [NodeLost](node-lost.md) and [NodeTasksWaiting](node-tasks-waiting.md).\n- **They fail with a code of a GPU or of the driver**: the host is not what was rented. Inform the tenant; a release and a launch elsewhere end it.\n- **No provisioning-worker runs**: start one ([ProcessMissing](process-missing.md)).\n\n## Afterwards\n\n`gpuaas_allocations_stop_oldest_seconds{phase=\"starting\"}` is 0.\n"
  },
  {
    "id": "mails-do-not-leave",
    "title": "MailsDoNotLeave",
    "category": "notifications",
    "severity": "warning",
    "owner": "notifications",
    "signals": [
      "MailsDoNotLeave"
    ],
    "summary": "Mails of notifications wait for more than an hour.",
    "page": "/docs/runbooks/mails-do-not-leave",
    "text": "# MailsDoNotLeave\n\n**Correlation id.** Each event has it: `gpuaas ops events list --columns created_at,event_type,correlation_id`, and for events that were given up\n`gpuaas ops dlq list --columns stream_seq,event_type,correlation_id`. `gpuaas ops trace ID` shows what came before.\n\n## What it means\n\nMails of notifications wait for more than an hour. `gpuaas_mails_oldest_age_seconds` says how long the oldest has.\n\n## See it\n\n`gpuaas_mails_oldest_age_seconds` grows, on the dashboard *Notifications*.\n\n## Find the cause\n\n1. Does an email-worker run, and what does it say?\n\n   ```bash\n   jq -c 'select(.service == \"email-worker\" and .level != \"info\")' $DATA/gpuaas.log | tail -5\n   ```\n\n2. Why do they wait? The reason of the last try is in the table. No API shows it:\n\n   ```sql\n   select reason, count(*), min(created_at) from notification_mails where outcome = 'waiting' group by 1 order by 2 desc;\n   ```\n\n## Mend it\n\n- A reason of the mail server (4xx, no connection): mend it, or `GPUAAS_SMTP_URL`. Mails are tried again by themselves.\n- `this address got … notifications within an hour`: one person gets very many. Raise `mail.max_per_recipient_per_hour` if it is right.\n- No email-worker: start one. See [ProcessMissing](process-missing.md).\n\n## Afterwards\n\n`gpuaas_mails_oldest_age_seconds` falls, and `gpuaas_mails_settled_total{outcome=\"accepted\"}` grows.\n"
  },
  {
    "id": "node-certificate-expiring",
    "title": "NodeCertificateExpiring",
    "category": "nodes",
    "severity": "warning",
    "owner": "nodes",
    "signals": [
      "NodeCertificateExpiring",
      "certificates_expiring"
    ],
    "summary": "Hosts hold no certificate that is good for four more hours.",
    "page": "/docs/runbooks/node-certificate-expiring",
    "text": "# NodeCertificateExpiring\n\n**Correlation id.** `gpuaas ops audit search --target-id NODE --columns created_at,action,correlation_id` lists what was done to a host (NODE is its id).\n`gpuaas ops trace ID` shows everything that one of these requests caused, and `gpuaas ops logs --correlation ID` what hosts logged about it.\n\n## What it means\n\nHosts hold no certificate that is good for four more hours. Certificates live `node.certificate_hours`, and agents\nrenew them when a third of that is left, so something keeps them from it.\n\nCertificates are short so that a stolen one is worth little. The price is that renewal has to work.\n\n## See it\n\n`gpuaas ops health` counts them (`certificates_expiring`); `gpuaas ops node get NODE` shows `certificate`.\n\n## Find the cause\n\n```bash\ngpuaas ops node list --state active -o json -q '.[] | \"\\(.name) \\(.id)\"' | while read -r name id; do echo \"$name $(gpuaas ops node get \"$id\" -o json -q .certificate)\"; done\n```\n\nDoes any host renew? `gpuaas_node_requests_total{kind=\"certificate\"}` of the api counts them, by kind of answer.\n\n## Mend it\n\n- **One host, and it is offline**: [NodeLost](node-lost.md) first. If its certificate has ended meanwhile, make a token with\n  `POST …/nodes/$NODE/enrolment-token {\"purpose\":\"recover\"}` and paste the line there.\n- **One host that reports**: its agent's log says why it does not renew; a wrong clock or a full disk are the usual reasons.\n- **Nobody renews, answers are 5xx**: the authority does not answer. With step-ca, look at it and at its provisioner; with our\n  own, at the database. You have until the certificates end, and connections that are open go on until then.\n\n## Afterwards\n\nThe end of `certificate` of the hosts moves a day ahead, and the alert ends.\n"
  },
  {
    "id": "node-does-not-enrol",
    "title": "A host does not enrol",
    "category": "nodes",
    "severity": "warning",
    "owner": "nodes",
    "signals": [
      "silent_nodes",
      "node_token_invalid",
      "node_certificate_invalid"
    ],
    "summary": "A host that an operator announced does not become a node, or is active and has never reported.",
    "page": "/docs/runbooks/node-does-not-enrol",
    "text": "# A host does not enrol\n\n**Correlation id.** `gpuaas ops audit search --target-id NODE --columns created_at,action,correlation_id` lists what was done to a host (NODE is its id).\n`gpuaas ops trace ID` shows everything that one of these requests caused, and `gpuaas ops logs --correlation ID` what hosts logged about it.\n\n## What it means\n\nThe agent on the host cannot take the first step: find us, trust us, show its token, get its certificate. Nothing is rented there and nobody waits for it.\n\n## See it\n\n`gpuaas ops node list --state bootstrap_issued` and `--state enrolling`; `gpuaas ops health` counts nodes that never reported (`silent_nodes`).\n\n## Find the cause\n\nAsk the host. `node-agent doctor` works before it is enrolled and goes through the way to us step by step; `journalctl -u gpuaas-node-agent` has\n`enrolment did not succeed yet` with the reason of each attempt.\n\n| the agent says | then |\n|---|---|\n| 404 | the address is that of something else: a console, a balancer, the port for people instead of the port for nodes |\n| the connection ends before a certificate is seen | a proxy on the way ends TLS, or nothing listens on the port for nodes |\n| the certificate is of an unknown authority | the line is of another installation, or a proxy shows its own certificate |\n| 401 `node_token_invalid` | the token is used, has expired, or is meant for another node |\n| 401 `node_certificate_invalid` | the host was a node before: its certificate has ended or was revoked |\n| 503 | the authority or the database is away: see [HttpErrorRate](http-error-rate.md) |\n| the certificate is not yet valid | the clock of the host is wrong: see [A clock is off](clock-skew.md) |\n\n## Mend it\n\n- **Token**: make another one. It makes earlier ones void.\n\n  ```bash\n  gpuaas ops node enrol NODE\n  gpuaas ops node enrol NODE --recover\n  ```\n\n  The second is for a host that lost its certificate; its leases are kept.\n- **Address or proxy**: nodes call `GPUAAS_NODE_URL` of the api directly, with certificates on both sides. Let TCP through, end no TLS on the way.\n- **Another authority**: paste the line of this installation. Do not switch the check off: there is no such switch.\n\n## Afterwards\n\n`gpuaas ops node list --state active` has the host, and `last_report_at` moves. [Bring a host into service](../guides/enrol-a-node.md) goes on from there.\n"
  },
  {
    "id": "node-logs-dropped",
    "title": "NodeLogsDropped",
    "category": "logs",
    "severity": "warning",
    "owner": "logs",
    "signals": [
      "NodeLogsDropped"
    ],
    "summary": "Agents have given lines up because their room on disk was full.",
    "page": "/docs/runbooks/node-logs-dropped",
    "text": "# NodeLogsDropped\n\n**Correlation id.** `gpuaas ops audit search --target-id NODE --columns created_at,action,correlation_id` lists what was done to a host (NODE is its id).\n`gpuaas ops trace ID` shows everything that one of these requests caused, and `gpuaas ops logs --correlation ID` what hosts logged about it.\n\n## What it means\n\nAgents have given lines up because their room on disk was full. What was dropped is lost; the rest is in order.\n\n## See it\n\n`gpuaas_node_log_lines_total{outcome=\"dropped\"}` grows, on the dashboard *Logs of nodes*.\n\n## Find the cause\n\n1. Which nodes log most?\n\n   ```bash\n   gpuaas ops logs --since 10m --limit 2000 -o ndjson | jq -r .node_name | sort | uniq -c | sort -rn | head\n   ```\n\n2. Is one refused for its budget? `gpuaas_node_log_pushes_total{outcome=\"budget\"}` grows.\n3. Was the gateway or the api away? See [NodeLogsNotKept](node-logs-not-kept.md).\n\n## Mend it\n\n- A machine floods its console: its tenant is the one to ask. An agent sends at most 40 lines of a machine every two seconds.\n- An agent repeats an error: mend its cause; the lines name it.\n- Many nodes came back after a long outage: they bring what they kept, and the alert ends by itself.\n- Your nodes log more than the default allows: raise `GPUAAS_NODE_LOG_LINES_PER_MINUTE` of the gateways.\n\n## Afterwards\n\n`increase(gpuaas_node_log_lines_total{outcome=\"dropped\"}[15m])` falls to 0.\n"
  },
  {
    "id": "node-logs-not-forwarded",
    "title": "NodeLogsNotForwarded",
    "category": "logs",
    "severity": "warning",
    "owner": "logs",
    "signals": [
      "NodeLogsNotForwarded"
    ],
    "summary": "Lines that the gateway forwards did not reach Loki: it refused them, or the queue of 20,000 lines was full.",
    "page": "/docs/runbooks/node-logs-not-forwarded",
    "text": "# NodeLogsNotForwarded\n\n**Correlation id.** `gpuaas ops audit search --target-id NODE --columns created_at,action,correlation_id` lists what was done to a host (NODE is its id).\n`gpuaas ops trace ID` shows everything that one of these requests caused, and `gpuaas ops logs --correlation ID` what hosts logged about it.\n\n## What it means\n\nLines that the gateway forwards did not reach Loki: it refused them, or the queue of 20,000 lines was full. They are kept in\nPostgreSQL all the same, for `logs.node_retention_hours`.\n\n## See it\n\n`gpuaas_node_log_forward_waiting_lines` grows, on the dashboard *Logs of nodes*.\n\n## Find the cause\n\n1. What does the gateway say? It logs the first failure of an outage, and each refusal.\n\n   ```bash\n   jq -c 'select(.service == \"node-log-gateway\" and .level == \"warn\")' $DATA/gpuaas.log | tail -5\n   ```\n\n2. `gpuaas_node_log_forward_waiting_lines` grows while Loki is away, and falls when it is back.\n\n## Mend it\n\n- Loki is away: start it. Lines that wait are sent.\n- Loki refuses lines: it says why in its own log. Usual reasons are lines that are too old for it (`reject_old_samples_max_age`), too many\n  streams of a tenant, or a missing `GPUAAS_LOKI_TENANT`. A Loki before 3.0 needs `allow_structured_metadata`.\n- Loki is too slow: give it more room, or run more copies of the gateway.\n\n## Afterwards\n\n`gpuaas_node_log_forwarded_lines_total{outcome=\"sent\"}` grows, and the other outcomes do not.\n"
  },
  {
    "id": "node-logs-not-kept",
    "title": "NodeLogsNotKept",
    "category": "logs",
    "severity": "warning",
    "owner": "logs",
    "signals": [
      "NodeLogsNotKept"
    ],
    "summary": "A node-log-gateway gets pushes of nodes and the api does not take them.",
    "page": "/docs/runbooks/node-logs-not-kept",
    "text": "# NodeLogsNotKept\n\n**Correlation id.** `gpuaas ops audit search --target-id NODE --columns created_at,action,correlation_id` lists what was done to a host (NODE is its id).\n`gpuaas ops trace ID` shows everything that one of these requests caused, and `gpuaas ops logs --correlation ID` what hosts logged about it.\n\n## What it means\n\nA node-log-gateway gets pushes of nodes and the api does not take them. `gpuaas_node_log_api_trouble_seconds` says for how\nlong. Nodes are answered 503 and keep their lines, up to 16 MiB each.\n\n## See it\n\n`gpuaas ops logs --since 5m` shows nothing new; `gpuaas_node_log_api_trouble_seconds` grows.\n\n## Find the cause\n\n1. Does the api run, and does it have `GPUAAS_INTERNAL_PORT`? Its log says \"our own processes may call\" at its start.\n2. What does the api answer? Its internal calls are counted by path and kind of answer.\n\n   ```bash\n   curl -sS $API_HEALTH/metrics | grep 'gpuaas_internal_requests_total.*node-logs'\n   ```\n\n3. Is PostgreSQL slow? `gpuaas_node_log_store_seconds` of the gateway says how long a push takes.\n\n## Mend it\n\n- The api is down: [ProcessMissing](process-missing.md).\n- `4xx` with `insufficient_permissions`: the identity of the gateway has ended or is another process's. Make a new one with\n  `server/src/bin/process-identity --process node-log-gateway` and start the gateway again.\n- PostgreSQL is slow or full: shorten `logs.node_retention_hours`, and see what else it does.\n\n## Afterwards\n\n`gpuaas_node_log_api_trouble_seconds` is 0, and `gpuaas_node_log_lines_total{outcome=\"accepted\"}` grows. Nodes bring what they kept.\n"
  },
  {
    "id": "node-lost",
    "title": "NodeLost",
    "category": "nodes",
    "severity": "warning",
    "owner": "nodes",
    "signals": [
      "NodeLost",
      "lost_nodes",
      "alert:presence"
    ],
    "summary": "A host is `offline` for more than five minutes: it said nothing for `node.lost_after_seconds`, while others were heard or could have been.",
    "page": "/docs/runbooks/node-lost",
    "text": "# NodeLost\n\n**Correlation id.** `gpuaas ops audit search --target-id NODE --columns created_at,action,correlation_id` lists what was done to a host (NODE is its id).\n`gpuaas ops trace ID` shows everything that one of these requests caused, and `gpuaas ops logs --correlation ID` what hosts logged about it.\n\n## What it means\n\nA host is `offline` for more than five minutes: it said nothing for `node.lost_after_seconds`, while others were\nheard or could have been. It gets no new work. What runs there may well go on, and ends at its deadline by itself.\n\nHosts report every `node.heartbeat_seconds`. Silence counts only while an api process was listening and could write down what was\nheard: after an outage of the control plane every host has a whole period to come back, so this alert is not the echo of\nanother one.\n\n## See it\n\n`gpuaas ops node list --state offline`.\n\n## Find the cause\n\n```bash\ngpuaas ops node list --state offline\ngpuaas ops node get NODE -o json -q '{certificate, reported_at: .report.reported_at, conditions, slots}'\n```\n\nOne host, or many at once? Many of one rack are a switch or a feed; many everywhere are ours: look at\n`gpuaas_node_connections` of the api and at its log.\n\n## Mend it\n\n- **The host is down**: bring it back. The agent starts with it and reports; the host is `active` again within seconds, with\n  what it held.\n- **The host is up, the agent is not**: `systemctl status gpuaas-node-agent` and `node-agent doctor` on the host say why.\n- **The agent runs and is refused**: its certificate has ended or was revoked (`.certificate`). Make a token with\n  `gpuaas ops node enrol NODE --recover` and paste the line there.\n- **It will not come back soon**: `quarantine` it, so that it does not return unseen, and force-release what it held.\n\n## Afterwards\n\nThe host is `active`, `last_report_at` moves, and the alert ends.\n"
  },
  {
    "id": "node-quarantined",
    "title": "NodeQuarantined",
    "category": "nodes",
    "severity": "warning",
    "owner": "nodes",
    "signals": [
      "NodeQuarantined"
    ],
    "summary": "A host is quarantined for more than a quarter of an hour.",
    "page": "/docs/runbooks/node-quarantined",
    "text": "# NodeQuarantined\n\n**Correlation id.** `gpuaas ops audit search --target-id NODE --columns created_at,action,correlation_id` lists what was done to a host (NODE is its id).\n`gpuaas ops trace ID` shows everything that one of these requests caused, and `gpuaas ops logs --correlation ID` what hosts logged about it.\n\n## What it means\n\nA host is quarantined for more than a quarter of an hour. It gets no new work; what runs there goes on.\n\nA host that cannot prove that it is sound is not trusted with the next tenant. Nothing ends a quarantine but a person who has\nlooked, so one that nobody looks at lasts; hence the alert.\n\n## See it\n\n`gpuaas ops node list --state quarantined`.\n\n## Find the cause\n\n```bash\ngpuaas ops node list --state quarantined\ngpuaas ops node get NODE -o json -q '{state_reason, conditions, certificate, report, topology_blockers: .topology.blockers}'\ngpuaas ops audit search --target-id NODE\n```\n\nThe reason and the audit log say who did it: an operator, or a check of ours. `conditions` has what the host says about\nitself (GPUs, disk, clock) and what we think of it: `Reporting`, `Certified`, `Schedulable`.\n\n## Mend it\n\n- **It failed a check** (Xid error, wrong driver, missing GPU): mend the host, then ask it again and read the answers.\n\n  ```bash\n  gpuaas ops node probe NODE\n  gpuaas ops node discover NODE\n  ```\n\n  Hardware that changed is taken over with `gpuaas ops slots approve NODE`.\n- **`Certified` is false**: `gpuaas ops node enrol NODE --recover`, and paste the line on the host.\n- **One GPU is bad, the rest is fine**: quarantine that slot, and clear the host.\n- **It is well again**: `gpuaas ops node clear NODE --reason 'driver reinstalled, probe is clean'`. If it was cordoned, it\n  stays cordoned.\n- **It will not be well**: release what runs there, then `retire` and remove it.\n\n## Afterwards\n\nThe host is `active`, its conditions are true, `GET /api/v1/catalog/{sku}` counts its slots again, and the alert ends.\n"
  },
  {
    "id": "node-tasks-waiting",
    "title": "NodeTasksWaiting",
    "category": "nodes",
    "severity": "warning",
    "owner": "nodes",
    "signals": [
      "NodeTasksWaiting",
      "task_age"
    ],
    "summary": "A task has waited for minutes for its host to fetch it.",
    "page": "/docs/runbooks/node-tasks-waiting",
    "text": "# NodeTasksWaiting\n\n**Correlation id.** `gpuaas ops audit search --target-id NODE --columns created_at,action,correlation_id` lists what was done to a host (NODE is its id).\n`gpuaas ops trace ID` shows everything that one of these requests caused, and `gpuaas ops logs --correlation ID` what hosts logged about it.\n\n## What it means\n\nA task has waited for minutes for its host to fetch it. A host that waits is handed a task at once, so this one is\nnot waiting.\n\nTasks are rows that hosts come for. Nothing is lost by waiting, but a tenant waits for most of them.\n\n## See it\n\n`gpuaas ops health` has `task_age`; `gpuaas ops node tasks NODE --state queued` lists those of one host.\n\n## Find the cause\n\nVariables: see the [list](README.md#what-the-commands-need).\nNo API lists the tasks of all hosts:\n\n```bash\npsql \"$ADMIN\" -c \"select t.node_id, n.name, n.state, t.task_type, count(*), min(t.issued_at) from node_tasks t\n  join nodes n on n.id = t.node_id where t.state = 'queued' group by 1, 2, 3, 4 order by 6 limit 20\"\n```\n\n## Mend it\n\n- **The host is `offline`**: [NodeLost](node-lost.md) is the cause. The task expires (`node.task_ttl_seconds`), its saga undoes\n  what it had begun, and the waiting workflow is notified.\n- **The host is `active` and reports**: its agent has no room, because it runs other tasks, or it refuses ours. Its log says\n  which; `running_tasks` of `GET …/nodes/{id}` lists what it runs.\n- **All hosts at once**: the api does not hand out. Look for \"tasks could not be handed out\" in its log, and at\n  `gpuaas_node_waiting`: none means that no host is connected.\n\n## Afterwards\n\n`gpuaas_node_tasks_oldest_seconds` falls below two minutes, and the alert ends.\n"
  },
  {
    "id": "outbox-stalled",
    "title": "OutboxStalled",
    "category": "events",
    "severity": "critical",
    "owner": "outbox",
    "signals": [
      "OutboxStalled",
      "outbox_age",
      "bus"
    ],
    "summary": "Changes are accepted, but nothing follows from them.",
    "page": "/docs/runbooks/outbox-stalled",
    "text": "# OutboxStalled\n\n**Correlation id.** Each event has it: `gpuaas ops events list --columns created_at,event_type,correlation_id`, and for events that were given up\n`gpuaas ops dlq list --columns stream_seq,event_type,correlation_id`. `gpuaas ops trace ID` shows what came before.\n\n## What it means\n\nChanges are accepted, but nothing follows from them. `gpuaas_outbox_oldest_age_seconds` grows by a second per\nsecond.\n\nPositions are given out when a row is written, not when it commits, so the relay waits for transactions that could still commit\nbelow. That is the price of never skipping an event: [RFD 3](../rfd/0003-outbox-order.md).\n\n## See it\n\n`gpuaas ops health` has `outbox_age` and the oldest event that waits; the dashboard *Events & DLQ* draws it.\n\n## Find the cause\n\nVariables: see the [list](README.md#what-the-commands-need).\n\n1. Is the relay well, and is the bus?\n\n   ```bash\n   curl -s $RELAY/readyz\n   curl -s $RELAY/metrics | grep -E '^gpuaas_outbox'\n   ```\n\n   `bus` not `ok`: the bus is away. `relay` not `ok`: it has published nothing for half a minute.\n\n2. Who leads? Of several relays one holds a lock; the others wait for it. No API shows the lock:\n\n   ```bash\n   psql \"$DB\" -c \"select l.granted, a.pid, a.client_addr, a.backend_start from pg_locks l join pg_stat_activity a using (pid)\n     where l.locktype = 'advisory' and a.application_name = 'gpuaas outbox-relay'\"\n   psql \"$DB\" -c \"select relay, transaction_from, transaction_to, position, updated_at from relay_watermarks\"\n   ```\n\n3. Does an old transaction hold the horizon back? The relay publishes only what is older than the oldest transaction that is still\n   running, anywhere on the database server, in whatever database. No API shows\n   transactions of PostgreSQL:\n\n   ```bash\n   psql \"$ADMIN\" -c \"select pid, datname, usename, application_name, state, now() - xact_start as open_for, left(query, 60)\n     from pg_stat_activity where backend_xid is not null order by xact_start limit 5\"\n   psql \"$ADMIN\" -c \"select gid, database, owner, now() - prepared as open_for from pg_prepared_xacts order by prepared\"\n   ```\n\n## Mend it\n\n- **The bus is away**: bring it back. The relay goes on by itself within five seconds; nothing was lost.\n- **A transaction has been open for minutes**: end it (no API ends sessions of PostgreSQL). `psql \"$ADMIN\" -c \"select pg_terminate_backend(<pid>)\"`, or\n  `rollback prepared '<gid>'` for a prepared one. It is hardly ours: ours are ended by the server after a minute of silence.\n- **The leader hangs** (a granted lock, an old `updated_at`, nothing in step 3): restart that relay. Another one takes over as\n  soon as its connection is gone.\n- **The bus came back empty** (a new JetStream volume): what was published before and not consumed is gone from the bus, not\n  from the outbox. Everything that is kept goes out again, and consumers take no second effect:\n\n  ```bash\n  gpuaas ops outbox rewind --reason 'the bus lost its streams' --yes\n  ```\n\n- **The log says that the mark is ahead of this server's transactions**: the data were restored from a dump, and transactions\n  are counted per server. The message says which two columns to set to zero.\n\n## Afterwards\n\n`gpuaas_outbox_pending` falls to 0 and `gpuaas_outbox_published_total{outcome=\"stored\"}` grows.\n"
  },
  {
    "id": "payment-checks-lag",
    "title": "PaymentChecksLag",
    "category": "payments",
    "severity": "warning",
    "owner": "payments",
    "signals": [
      "PaymentChecksLag"
    ],
    "summary": "Payments wait to be compared with the provider.",
    "page": "/docs/runbooks/payment-checks-lag",
    "text": "# PaymentChecksLag\n\n**Correlation id.** `gpuaas ops audit search --target-id PAYMENT --columns created_at,action,correlation_id` lists what happened to a payment. `gpuaas ops trace ID`\nshows everything that belongs to one of these.\n\n## What it means\n\nPayments wait to be compared with the provider. A payment whose webhook was lost is not credited meanwhile, and refunds\nmay wait too. `gpuaas_payments_check_lag_seconds` says how long the oldest has been due.\n\nThe provider is away, refuses our key, or limits our requests; or no billing-worker runs.\n\n## See it\n\n`gpuaas_payments_check_lag_seconds` grows, on the dashboard *Billing*.\n\n## Find the cause\n\nVariables: see the [list](README.md#what-the-commands-need). `BILLING` is the health address of a billing-worker.\n\n1. Can the worker reach the provider?\n\n   ```bash\n   curl -s $BILLING/readyz\n   curl -s $BILLING/metrics | grep -E '^gpuaas_payments|payment-'\n   jq -c 'select(.service == \"billing-worker\" and (.reconciler // \"\" | startswith(\"payment\")))' $DATA/gpuaas.log | tail -3\n   ```\n\n2. Is the provider well? Look at its status page.\n\n## Mend it\n\n1. The log says `Stripe: ...`: mend the key (`GPUAAS_STRIPE_SECRET_KEY`) or the way out to the provider.\n2. The provider is down: nothing is lost. Comparisons go on when it is back.\n3. One payment fails each time and others go on: its id is in the log; look at it as in\n   [PaymentsDoNotFit](payments-do-not-fit.md).\n\n## Afterwards\n\n`gpuaas_payments_check_lag_seconds` falls below a minute.\n"
  },
  {
    "id": "payments-do-not-fit",
    "title": "PaymentsDoNotFit",
    "category": "payments",
    "severity": "critical",
    "owner": "payments",
    "signals": [
      "PaymentsDoNotFit"
    ],
    "summary": "A payment is `failed_reconcile`: what the provider says about it cannot be set right by an entry in the ledger.",
    "page": "/docs/runbooks/payments-do-not-fit",
    "text": "# PaymentsDoNotFit\n\n**Correlation id.** `gpuaas ops audit search --target-id PAYMENT --columns created_at,action,correlation_id` lists what happened to a payment. `gpuaas ops trace ID`\nshows everything that belongs to one of these.\n\n## What it means\n\nA payment is `failed_reconcile`: what the provider says about it cannot be set right by an entry in the ledger.\n`gpuaas_payments_unfit` counts such payments, and each one sends the event `payments.reconcile_failed` once.\n\nKeys of another account, a payment that a person changed at the provider, or a mistake of ours. Everything that an entry can set\nright is set right without an alert.\n\n## See it\n\n`gpuaas ops billing payments --state failed_reconcile`.\n\n## Find the cause\n\nVariables: see the [list](README.md#what-the-commands-need).\n\n1. Which payments, and why?\n\n   ```bash\n   gpuaas ops billing payments --state failed_reconcile -o json\n   ```\n\n2. What does the provider have? Look the checkout and the payment up on its pages, by the ids of step 1.\n\n3. What was heard of it? No API lists the messages of the provider:\n\n   ```bash\n   psql \"$ADMIN\" -c \"select event_id, type, occurred_at, received_at, outcome from payment_events\n     where session_id = '<id>' order by received_at\"\n   ```\n\n## Mend it\n\n1. *The provider does not know the checkout*: the key belongs to another account, or to its test mode. Put the right key into\n   `GPUAAS_STRIPE_SECRET_KEY`.\n2. *Another currency, or another payment*: mend it at the provider, or refund it there and let the customer pay again.\n3. *More went back than was paid*: compare the refunds at the provider with `payment_refunds`.\n\n## Afterwards\n\nPayments that do not fit are compared every hour. One that fits again leaves `failed_reconcile` by itself, and\n`gpuaas_payments_unfit` falls to 0.\n"
  },
  {
    "id": "process-down",
    "title": "ProcessDown",
    "category": "processes",
    "severity": "warning",
    "owner": "health",
    "signals": [
      "ProcessDown",
      "sealing_keys"
    ],
    "summary": "One instance has not answered on its health port for two minutes.",
    "page": "/docs/runbooks/process-down",
    "text": "# ProcessDown\n\n**Correlation id.** Lines of the log that belong to a request carry it: `jq -c 'select(.level == \"error\") | {time, service, msg, correlation_id}' $DATA/gpuaas.log | tail`.\n`gpuaas ops trace ID` shows what that request caused.\n\n## What it means\n\nOne instance has not answered on its health port for two minutes.\n\nMachines fail, releases restart. Two minutes are longer than a start takes; a process that is away that long is not\nrestarting.\n\n## See it\n\n`up{job=\"gpuaas\"}` is 0 for the instance; `gpuaas ops health` counts the processes that are connected.\n\n## Find the cause\n\n```bash\ncurl -s http://<instance>/healthz      # alive: the event loop turns\ncurl -s http://<instance>/readyz       # ready: it can do its work, shown by doing some\n```\n\nNo answer at all: look for the last lines of its log. A process that cannot start says everything that is wrong with its\nconfiguration at once, with the names of the variables; one whose database is not at its release says which migration is\nmissing.\n\n## Mend it\n\n- **It stopped on its own**: the last line at level `fatal` says why. Start it again; whatever it had in hand is taken up by\n  others or by itself. Events come again, sagas are adopted when their lease has run out (15 seconds).\n- **`cannot start: GPUAAS_...`**: correct the variables it names.\n- **`The database is at migration ...`**: run `npm exec --no -- node server/src/bin/migrate/main.ts` of this release first.\n- **`GPUAAS_SECRETS_KEY lacks the key ...`**: a sealing key was removed that is still needed; see\n  [rotate the secrets key](../guides/rotate-the-secrets-key.md#a-process-that-refuses-to-start).\n- **Alive and not ready**: the answer names the check that fails; mend that, not the process.\n\n## Afterwards\n\n`/readyz` answers 200 with `\"ready\":true`.\n"
  },
  {
    "id": "process-identity-expiring",
    "title": "ProcessIdentityExpiring",
    "category": "processes",
    "severity": "warning",
    "owner": "identity",
    "signals": [
      "ProcessIdentityExpiring"
    ],
    "summary": "A process has not renewed its certificate.",
    "page": "/docs/runbooks/process-identity-expiring",
    "text": "# ProcessIdentityExpiring\n\n**Correlation id.** Lines of the log that belong to a request carry it: `jq -c 'select(.level == \"error\") | {time, service, msg, correlation_id}' $DATA/gpuaas.log | tail`.\n`gpuaas ops trace ID` shows what that request caused.\n\n## What it means\n\nA process has not renewed its certificate. `gpuaas_process_identity_left_seconds` says how long it is still valid; at 0 the api\nand the nodes refuse the process.\n\n## See it\n\n`gpuaas_process_identity_left_seconds` falls below three days.\n\n## Find the cause\n\n1. What does the process say? Its log has a line of the reconciler `process-identity` for each attempt.\n2. Does the api issue certificates? Its `/readyz` names the port `certificates`.\n\n## Mend it\n\n- The authority does not answer: step-ca or PostgreSQL is away. The process tries again every ten minutes.\n- `where` is `in memory` in the line that reports a renewal: the process cannot write its folder (`GPUAAS_IDENTITY_FOLDER`). It goes on with the new\n  certificate, and a restart would find the old one. Make the folder its own.\n- It has ended already: make a new identity with `server/src/bin/process-identity` and start the process again.\n\n## Afterwards\n\n`gpuaas_process_identity_left_seconds` is near 30 days.\n"
  },
  {
    "id": "process-missing",
    "title": "ProcessMissing",
    "category": "processes",
    "severity": "critical",
    "owner": "health",
    "signals": [
      "ProcessMissing",
      "outbox_relay",
      "workers"
    ],
    "summary": "No instance of a kind of process is left, or none of them is scraped.",
    "page": "/docs/runbooks/process-missing",
    "text": "# ProcessMissing\n\n**Correlation id.** Lines of the log that belong to a request carry it: `jq -c 'select(.level == \"error\") | {time, service, msg, correlation_id}' $DATA/gpuaas.log | tail`.\n`gpuaas ops trace ID` shows what that request caused.\n\n## What it means\n\nNo instance of a kind of process is left, or none of them is scraped.\n\n| missing | what callers see |\n|---|---|\n| api | nothing answers |\n| outbox-relay | changes are accepted, nothing follows from them; [OutboxStalled](outbox-stalled.md) cannot tell, as its numbers come from here |\n| provisioning-worker | projects stay in `removing` |\n| billing-worker | nothing is charged; what hosts prove meanwhile is kept and charged later |\n| email-worker | no mail leaves; it waits and is sent later. The inviter still has the token of an invitation |\n| terminal-gateway | terminals of that copy move to the others; without any copy nobody gets a terminal, and shells end after their grace time |\n| node-log-gateway | no lines of nodes arrive; agents keep 16 MiB each and push them later |\n| app-runtime-worker | apps that wait for their allocation are not launched, stalled launches are not tried again; what runs goes on |\n| app-proxy | nobody reaches an app; apps go on running |\n| webhook-worker | nothing is posted to webhooks; events wait on the bus and are posted later |\n| notification-relay | people are not notified of what happens; events wait on the bus and are notified of later |\n\nEither nobody starts it (a deployment scaled to nothing) or it cannot stay up. Nothing that was acknowledged is lost\nmeanwhile: the change and its events are one transaction.\n\n## See it\n\n`gpuaas ops health`, section `processes`; `gpuaas_build_info` lacks the process.\n\n## Find the cause\n\nIs it the process or the scrape? Prometheus shows its targets under Status, Target health. If the instances are there and\nanswer, the scrape job is wrong: one job called `gpuaas`, with every health address.\n\nIf they are not there, see [ProcessDown](process-down.md) for one of them: the cause is likely the same for all (a\nrelease, a variable, the database).\n\n## Mend it\n\nStart one. Order does not matter: a process waits for the servers that it needs, not for other processes, and what was\ncommitted in the meantime is found in the outbox. If a release brought this about, start the release before it; a schema that is newer\nthan a release makes it refuse to start, and `db/migrations` has the way back.\n\n## Afterwards\n\n`gpuaas_build_info{process=\"...\"}` is there again, and `gpuaas_outbox_pending` falls to 0.\n"
  },
  {
    "id": "reconciler-skips",
    "title": "ReconcilerSkips",
    "category": "processes",
    "severity": "warning",
    "owner": "attention",
    "signals": [
      "ReconcilerSkips"
    ],
    "summary": "A reconciler (expiry, idleness, drift, keys, the queue, alerts) fails on the same object again and again.",
    "page": "/docs/runbooks/reconciler-skips",
    "text": "# ReconcilerSkips\n\n**Correlation id.** Lines of the log that belong to a request carry it: `jq -c 'select(.level == \"error\") | {time, service, msg, correlation_id}' $DATA/gpuaas.log | tail`.\n`gpuaas ops trace ID` shows what that request caused.\n\n## What it means\n\nA reconciler (expiry, idleness, drift, keys, the queue, alerts) fails on the same object again and again. The\nothers get their turn; this one is left as it is: an allocation that does not end, a key that stays, a line that is not served.\n\nA round takes each object apart, so that one bad row starves nobody. What fails is tried again with the next round.\n\n## See it\n\n`gpuaas_reconciler_skipped_total` grows, by `reconciler`.\n\n## Find the cause\n\nThe label `reconciler` says which. The log names the object and the error:\n\n```bash\njq -c 'select(.msg == \"one object was skipped; the round goes on\") | {reconciler, allocation, node, sku, region, err: .err.message}' \\\n  $DATA/gpuaas.log | tail\n```\n\n## Mend it\n\nMend the cause: a row that was changed by hand, a migration that is missing, a fault of ours. What must not wait is done by a\nperson: release the allocation, quarantine the host.\n\n## Afterwards\n\n`gpuaas_reconciler_skipped_total` stays where it is, and the alert ends.\n"
  },
  {
    "id": "releases-overdue",
    "title": "ReleasesOverdue",
    "category": "billing",
    "severity": "warning",
    "owner": "billing",
    "signals": [
      "ReleasesOverdue"
    ],
    "summary": "The balance of an organization is spent, the time that was announced for the release has passed by more than five minutes, and its allocations still run.",
    "page": "/docs/runbooks/releases-overdue",
    "text": "# ReleasesOverdue\n\n**Correlation id.** `gpuaas ops events list --organization ORGANIZATION --columns created_at,event_type,correlation_id` lists what was decided about an\naccount (its id). `gpuaas ops trace ID` shows everything that belongs to one of them.\n\n## What it means\n\nThe balance of an organization is spent, the time that was announced for the release has passed by more than five minutes, and\nits allocations still run. `gpuaas_billing_releases_overdue` says how many organizations that concerns.\n\nThe billing-worker decides, and the provisioning-worker acts on its events. Between the two lie the outbox and the bus.\n\n## See it\n\n`gpuaas ops billing accounts --state depleted`; `gpuaas_billing_releases_overdue` counts them.\n\n## Find the cause\n\nVariables: see the [list](README.md#what-the-commands-need). `BILLING` is the health address of a billing-worker.\n\n1. Which organizations, and what do they still run? `gpuaas ops billing accounts --state depleted` has the first half; no API joins the two:\n\n   ```bash\n   psql \"$ADMIN\" -c \"select l.organization_id, l.releases_at, l.release_requested_at, a.id, a.state, a.node_id\n     from account_ladders l join allocations a on a.organization_id = l.organization_id\n     where l.state = 'depleted' and l.releases_at < now() and a.state in ('requested', 'provisioning', 'active') limit 20\"\n   ```\n\n2. Did the worker ask? `release_requested_at` is empty when it did not. Its log says why.\n\n   ```bash\n   curl -s $BILLING/readyz\n   jq -c 'select(.service == \"billing-worker\" and .level == \"error\")' $DATA/gpuaas.log | tail -3\n   ```\n\n3. Did the requests arrive? They are events `provisioning.force_release_requested` and can become dead letters.\n\n   ```bash\n   gpuaas ops dlq list --state open --subject dlq.provisioning.force_release_requested\n   ```\n\n## Mend it\n\n- **No billing-worker runs**: start one ([ProcessMissing](process-missing.md)).\n- **The events wait**: see [OutboxStalled](outbox-stalled.md) and [EventConsumerBehind](event-consumer-behind.md). The worker asks again\n  every five minutes, and a second request does nothing to an allocation that is leaving.\n- **The release was begun and does not end**: see [AllocationsStuck](allocations-stuck.md).\n- **It must not happen**: give the organization credit (`gpuaas ops billing grant`), or set `billing.enforce_balance` to false for it. Both\n  call the release off within seconds.\n\n## Afterwards\n\n`gpuaas_billing_releases_overdue` is 0.\n"
  },
  {
    "id": "releases-wait-for-guest",
    "title": "ReleasesWaitForGuest",
    "category": "fleet",
    "severity": "warning",
    "owner": "allocations",
    "signals": [
      "ReleasesWaitForGuest"
    ],
    "summary": "A slice is being released and its machine has not ended, although the time to shut down (`allocation.release_grace_seconds`) and `allocation.shutdown_alert_seconds` more have passed.",
    "page": "/docs/runbooks/releases-wait-for-guest",
    "text": "# ReleasesWaitForGuest\n\n**Correlation id.** `gpuaas ops audit search --target-id ALLOCATION --columns created_at,action,correlation_id` lists what was done to an allocation (ALLOCATION\nis its id). `gpuaas ops trace ID` shows everything that one of these requests caused, and `gpuaas ops logs --correlation ID` what hosts logged about it.\n\n## What it means\n\nA slice is being released and its machine has not ended, although the time to shut down\n(`allocation.release_grace_seconds`) and `allocation.shutdown_alert_seconds` more have passed. Nobody pays for it any more, and its slots\ncannot be cleaned.\n\nA release escalates in time: the machine is asked to shut down, destroyed when its time is over, and its slots are quarantined when it\ncannot be destroyed or its GPUs cannot be taken back (`provisioning.releasing.escalated`). A machine that neither works nor ends\nusually waits for a device that does not answer.\n\n## See it\n\n`gpuaas ops stuck` lists the allocation as `releasing`, with its phase, its host and how long it waits.\n\n## Find the cause\n\n```bash\ngpuaas ops stuck -o json -q '.[] | select(.state == \"releasing\") | {allocation_id, phase, seconds, node_id}'\ngpuaas ops node tasks NODE\n```\n\n- The last phase is `shutdown`: the agent still waits, or died while it did. `gpuaas ops node get NODE` says whether it reports.\n- The last phase is `destroy`: libvirt was asked to end the machine and it is still there. On the host, `virsh list --all` shows it, and\n  `ps -o pid,stat,wchan -C qemu-system-x86_64` shows in state `D` what the kernel does not let go.\n\n## Mend it\n\n1. **The agent does not report**: start it again (`systemctl restart gpuaas-node-agent`). It takes the release up where it was.\n2. **The machine hangs in the kernel**: the agent gives up within half a minute and reports `guest_hung`. The slots are then quarantined,\n   operators are notified, and the release is `release_failed`. Drain the other slices of the host, restart it, and release the\n   allocation again: the disk is erased and proven, and the slots stay quarantined.\n3. **Clear the slots** when `wipe_proof_task_id` names the task and a health probe has passed since:\n\n   ```bash\n   gpuaas ops slots clear NODE SLOT --reason 'host restarted, wipe proven'\n   ```\n\n## Afterwards\n\n`gpuaas_releases_waiting_for_guest` is 0. The timeline of the allocation says how its machine ended.\n"
  },
  {
    "id": "slot-cleanup-blocked",
    "title": "SlotCleanupBlocked",
    "category": "fleet",
    "severity": "warning",
    "owner": "inventory",
    "signals": [
      "SlotCleanupBlocked"
    ],
    "summary": "A slot was used and could not be cleaned.",
    "page": "/docs/runbooks/slot-cleanup-blocked",
    "text": "# SlotCleanupBlocked\n\n**Correlation id.** `gpuaas ops audit search --target-id NODE --columns created_at,action,correlation_id` lists what was done to a host (NODE is its id).\n`gpuaas ops trace ID` shows everything that one of these requests caused, and `gpuaas ops logs --correlation ID` what hosts logged about it.\n\n## What it means\n\nA slot was used and could not be cleaned. It is given to nobody, because what the last tenant left may still be\non its disk or in its GPU.\n\nA slot comes back only with proof that the machine is absent, the disk wiped and the devices unbound. Without one of these it\nis blocked: an empty slot costs an hour of rent, a dirty one costs trust.\n\n## See it\n\n`gpuaas ops slots list NODE` shows slots as `cleanup_blocked`; `gpuaas ops fleet-health` counts them.\n\n## Find the cause\n\n```bash\ngpuaas ops node list -o json -q '.[] | select(.slots.cleanup_blocked) | {id, name, state, slots}'\ngpuaas ops slots list NODE -o json -q '.[] | select(.state == \"cleanup_blocked\") | {id, slot_index, state_reason, wipe_owed_since, wipe_proof_task_id, allocation_id, nvme_device}'\ngpuaas ops node tasks NODE --state failed\n```\n\n`state_reason` says what could not be proven: a disk that is mounted, a disk that does not read empty. A machine that could not be\nended, and devices that could not be taken back, quarantine the slots instead\n([ReleasesWaitForGuest](releases-wait-for-guest.md)). On the host, `lsblk` shows whether the disk is mounted, and the log of the agent has the task by its id.\n\n## Mend it\n\n1. Is the machine of the allocation really gone? If the allocation is still there (`release_failed`), settle that first: its\n   release can be tried again, and `force-cleanup` ends it when you have seen that nothing runs.\n2. Mend the cause on the host: unmount, reset the GPU, replace the disk.\n3. **Let the host prove the wipe.** A blocked slot owes a proof (`wipe_owed_since`), also after it was quarantined. The proof is the\n   result of a task, signed by the host: release the allocation again while it is `release_failed`, and the slots come back by\n   themselves, or stay quarantined where they were; or put the slots into quarantine and image the whole host\n   (`gpuaas ops node reimage NODE --image IMAGE`). `wipe_proof_task_id` then names the\n   task, and `clear` returns the slot to sale.\n\n   ```bash\n   gpuaas ops slots clear NODE SLOT --reason 'imaged again'\n   ```\n\n   The answer is `wipe_unproven` while no proof is stored, and `probe_required` until a health probe has passed that was asked for after the slot was blocked:\n   `gpuaas ops node probe NODE` asks for one. There is no other way back: a blocked or quarantined slot cannot be\n   disabled and enabled instead.\n4. **No proof can be had, and you answer for it**: you replaced the disk, or wiped it by hand. `clear-unproven` needs a recent sign-in of\n   a person and a reason (`force-cleanup` with `runtime_verified_absent` decides the same for a whole allocation). Who decided, when\n   and why stays on the slot (`wipe_waived`) until its next wipe is proven, and in the audit log (`slot.clear_unproven`).\n\n   ```bash\n   gpuaas ops slots clear-unproven NODE SLOT --reason 'disk replaced, new one is blank'\n   ```\n5. **Not sure, or broken**: `…/quarantine` keeps it apart for as long as you like, and says why. A host whose blocked slots\n   are in quarantine can be imaged again or removed.\n\nNever change rows by hand: a slot that is called clean and is not gives one tenant the data of another.\n\n## Afterwards\n\n`resource-slots` shows the slot as `available` or `quarantined`, with your reason, and\n`gpuaas_slots{state=\"cleanup_blocked\"}` has fallen.\n"
  },
  {
    "id": "support-triage",
    "title": "A person needs help",
    "category": "access",
    "severity": "info",
    "owner": "identity",
    "signals": [
      "cli_failure",
      "cli_version",
      "support"
    ],
    "summary": "A person reports that a command, a page or a program does not work.",
    "page": "/docs/runbooks/support-triage",
    "text": "# A person needs help\n\n**Correlation id.** The caller has it: `correlation_id` of the answer, and `gpuaas` prints it with each failure. The log of the api has the same one in each line. `gpuaas ops trace ID`\nshows everything that this request caused.\n\n## What it means\n\nMost reports are answered by one id. The command line prints it with each failure, the console shows it on each problem, and programs get it as `correlation_id`.\n\n## See it\n\nAsk for four things: the correlation id, the command with `--explain` (it prints no token), its exit code, and `gpuaas version`.\n\n## Find the cause\n\n```bash\ngpuaas ops trace ID\ngpuaas ops logs --correlation ID\ngpuaas ops user get USER\n```\n\n| exit code | ask | then |\n|---|---|---|\n| 2 | what was typed | the message names the option; the [command line](../reference/cli.md) has them all |\n| 3 | in which project | another project, or it was removed: `gpuaas ops audit search --target-id OBJECT` |\n| 4, 5 | who, and in which organization | [A person may do too much, or too little](wrong-role.md) |\n| 6 | what they saw before | another person was faster: read again, then repeat |\n| 7 | which SKU and region | `gpuaas ops queue`, [CapacityHeldBack](capacity-held-back.md) |\n| 8 | balance or limit | `gpuaas ops billing accounts --q NAME`, `gpuaas ops policy settings` |\n| 9 | what it waited for | `gpuaas ops stuck`, [AllocationsStuck](allocations-stuck.md) |\n| 10 | when | [HttpErrorRate](http-error-rate.md), [ProcessDown](process-down.md) |\n\n[Errors](../reference/errors.md) has every code, with who has to act.\n\n## Mend it\n\nThe table leads to the runbook of the cause. Never ask for a password, a token or a private key, and never accept one.\n\n## Afterwards\n\nWrite to the person what it was. If the message of the command did not say it, the message is the fault: report it.\n"
  },
  {
    "id": "telemetry-missing",
    "title": "TelemetryMissing",
    "category": "fleet",
    "severity": "warning",
    "owner": "telemetry",
    "signals": [
      "TelemetryMissing"
    ],
    "summary": "Nodes report, but no measurement of them is stored: `gpuaas_telemetry_samples_total{outcome=\"stored\"}` stands still.",
    "page": "/docs/runbooks/telemetry-missing",
    "text": "# TelemetryMissing\n\n**Correlation id.** `gpuaas ops audit search --target-id NODE --columns created_at,action,correlation_id` lists what was done to a host (NODE is its id).\n`gpuaas ops trace ID` shows everything that one of these requests caused, and `gpuaas ops logs --correlation ID` what hosts logged about it.\n\n## What it means\n\nNodes report, but no measurement of them is stored: `gpuaas_telemetry_samples_total{outcome=\"stored\"}` stands still. Metrics\npages, `gpuaas top` and the exporters show nothing new. Nothing is lost yet: agents keep their samples for more than a day.\n\n## See it\n\n`gpuaas ops top` shows nothing new.\n\n## Find the cause\n\n1. Does the api refuse the calls?\n\n   ```bash\n   jq -c 'select(.service == \"api\" and .level == \"error\" and (.msg | test(\"call of a node\")))' $DATA/gpuaas.log | tail -5\n   ```\n\n2. Are all samples refused ([TelemetryRefused](telemetry-refused.md))?\n3. What does an agent say? On a host: `journalctl -u gpuaas-node-agent | grep 'samples could not be handed in'`.\n\n## Mend it\n\n- The database does not answer: [ProcessMissing](process-missing.md) and the log of the api say so. Samples come by themselves afterwards.\n- The agents are older than measurements: update them ([releases](../guides/enrol-a-node.md)).\n- `the host could not be measured`: the driver hangs. See the conditions of the node, and drain it.\n\n## Afterwards\n\n`gpuaas ops top -o json` shows values of the last minute.\n"
  },
  {
    "id": "telemetry-refused",
    "title": "TelemetryRefused",
    "category": "fleet",
    "severity": "warning",
    "owner": "telemetry",
    "signals": [
      "TelemetryRefused"
    ],
    "summary": "More than a fifth of all measurements of nodes are refused, for half an hour.",
    "page": "/docs/runbooks/telemetry-refused",
    "text": "# TelemetryRefused\n\n**Correlation id.** `gpuaas ops audit search --target-id NODE --columns created_at,action,correlation_id` lists what was done to a host (NODE is its id).\n`gpuaas ops trace ID` shows everything that one of these requests caused, and `gpuaas ops logs --correlation ID` what hosts logged about it.\n\n## What it means\n\nMore than a fifth of all measurements of nodes are refused, for half an hour.\n\n## See it\n\n`gpuaas_telemetry_samples_total{outcome=\"refused\"}` grows.\n\n## Find the cause\n\n1. Which nodes show nothing?\n\n   ```bash\n   gpuaas ops top -o json | jq -r '.[] | select(.latest == null) | \"\\(.name) \\(.unavailable)\"'\n   ```\n\n2. Is the clock of the api right? An agent counts the api's time on; samples from more than a minute ahead are refused, and those that\n   are older than `telemetry.fine_hours`.\n3. Does a node send samples of guests for slices that it does not hold? Compare its leases with the allocations on its page.\n\n## Mend it\n\n- The clock of the api jumped: set it right. Agents learn the time with their next heartbeat.\n- Many nodes came back after more than `telemetry.fine_hours`: their old samples are refused once, and the alert ends by itself.\n- A node reports for allocations of others: quarantine it. Its agent is not ours, or its state folder is another host's.\n\n## Afterwards\n\n`rate(gpuaas_telemetry_samples_total{outcome=\"refused\"}[10m])` falls to nearly zero.\n"
  },
  {
    "id": "tenant-sees-another",
    "title": "A tenant says that they saw data of another",
    "category": "access",
    "severity": "critical",
    "owner": "tenancy",
    "signals": [
      "tenant_isolation"
    ],
    "summary": "Someone reports that they could see, reach or change something of another organization.",
    "page": "/docs/runbooks/tenant-sees-another",
    "text": "# A tenant says that they saw data of another\n\n**Correlation id.** The caller has it: `correlation_id` of the answer, and `gpuaas` prints it with each failure. The log of the api has the same one in each line. `gpuaas ops trace ID`\nshows everything that this request caused.\n\n## What it means\n\nFour walls stand between tenants: the mount, a predicate in each statement, row-level security, grants. A report is either a misunderstanding, such as a project that was shared, or the worst kind of fault. Treat it as the second until it is shown to be the first.\n\n## See it\n\nAsk for the correlation id of the request, the time, and what was seen. A screenshot of the console has the id on its page of the request.\n\n## Find the cause\n\n```bash\ngpuaas ops trace ID\ngpuaas ops audit search --actor-id USER --columns created_at,action,result,target_type,target_id,correlation_id\ngpuaas ops user get USER\n```\n\n- Is the person a member of the other organization, or were they when it happened? Then it is no fault: see [A person may do too much](wrong-role.md).\n- Was it on a machine, not in the API? Look who had its slots before: `gpuaas ops slots list NODE` names the proof of the last wipe\n  (`wipe_proof_task_id`), and `wipe_waived` names who decided without a proof.\n- Was it in an app? Who may open it is decided by its project: `gpuaas app get INSTANCE`.\n\n## Mend it\n\n1. **A machine**: quarantine the host, `gpuaas ops node quarantine NODE --reason …`, and leave its disks as they are.\n2. **The API**: stop what serves the route at the balancer in front of the api. Keep the log of the api and the time.\n3. **An account**: `gpuaas ops user disable USER --reason … --yes`, when the account itself may be stolen.\n4. Verify that the audit log is as it was written: `gpuaas ops audit verify`.\n5. Say it to both tenants, with the time and what could be seen. [SECURITY.md](../../SECURITY.md) says how a fault of ours is handled.\n\n## Afterwards\n\nA test of the walls repeats what was reported and fails before the correction. Both tenants know how it ended.\n"
  },
  {
    "id": "terminal-api-silent",
    "title": "TerminalApiSilent",
    "category": "terminals",
    "severity": "critical",
    "owner": "terminal",
    "signals": [
      "TerminalApiSilent"
    ],
    "summary": "A terminal gateway asks the api and gets no answer.",
    "page": "/docs/runbooks/terminal-api-silent",
    "text": "# TerminalApiSilent\n\n**Correlation id.** `gpuaas ops audit search --target-id ALLOCATION --columns created_at,action,correlation_id` lists who asked for a terminal. Lines of the gateway\ncarry the same one; `gpuaas ops trace ID` shows everything that the request caused.\n\n## What it means\n\nA terminal gateway asks the api and gets no answer. `gpuaas_terminal_api_silence_seconds` says for how long. New terminals\nare closed with 4500; open ones go on for `GPUAAS_TERMINAL_API_OUTAGE_SECONDS` (900) and then end.\n\n## See it\n\n`gpuaas_terminal_api_silence_seconds` grows, on the dashboard *Terminals*.\n\n## Find the cause\n\n1. Does the api run, and does it have `GPUAAS_INTERNAL_PORT`? Its log says \"our own processes may call\" at its start.\n2. What does the gateway say?\n\n   ```bash\n   jq -c 'select(.service == \"terminal-gateway\" and .level != \"info\")' $DATA/gpuaas.log | tail -5\n   ```\n\n## Mend it\n\n- The api is down: [ProcessMissing](process-missing.md).\n- `the peer does not show the certificate of the control plane`: `GPUAAS_INTERNAL_URL` leads to another program.\n- A name that does not fit the certificate: put the name of `GPUAAS_INTERNAL_URL` into `GPUAAS_INTERNAL_NAMES` of the api.\n- `insufficient_permissions`, or a broken handshake: the identity of the gateway has ended, or comes from another authority. Make a new\n  one with `server/src/bin/process-identity` and start the gateway again.\n\n## Afterwards\n\n`gpuaas_terminal_api_silence_seconds` stays below 30, and `/readyz` of the gateway answers 200.\n"
  },
  {
    "id": "terminal-recorder-failing",
    "title": "TerminalRecorderFailing",
    "category": "terminals",
    "severity": "critical",
    "owner": "terminal",
    "signals": [
      "TerminalRecorderFailing"
    ],
    "summary": "Output of recorded terminals does not reach the object store.",
    "page": "/docs/runbooks/terminal-recorder-failing",
    "text": "# TerminalRecorderFailing\n\n**Correlation id.** `gpuaas ops audit search --target-id ALLOCATION --columns created_at,action,correlation_id` lists who asked for a terminal. Lines of the gateway\ncarry the same one; `gpuaas ops trace ID` shows everything that the request caused.\n\n## What it means\n\nOutput of recorded terminals does not reach the object store. `gpuaas_terminal_recorder_lag_seconds` says how long the oldest\nof it waits; `gpuaas_terminal_recorder_failures_total` counts sessions that ended for it. People see the close code 4507. Sessions\nthat are not recorded go on.\n\n## See it\n\n`gpuaas_terminal_recorder_failures_total` grows, on the dashboard *Terminals*; `gpuaas ops recording list` shows the last ones.\n\n## Find the cause\n\n1. By which reason? `recording_full` is the policy `terminal.recording_max_mib` and no fault; `recorder_failed` is one.\n2. What does the api say about the route `/internal/v1/terminal/record`?\n\n   ```bash\n   jq -c 'select(.service == \"api\" and .level == \"error\")' $DATA/gpuaas.log | tail -5\n   ```\n\n3. Is there room in the object store, and does it answer? `/readyz` of the api names the store when it cannot be used.\n\n## Mend it\n\n- The store is full or away: make room, or bring it back. Waiting sessions go on by themselves within\n  `terminal.recorder_patience_seconds`; those that ended are opened again by their people.\n- The api is slow or away: [HttpSlow](http-slow.md), [TerminalApiSilent](terminal-api-silent.md).\n- It will take long, and work must go on: set `terminal.recording` to `metadata` for the organization, if its rules allow that. The change\n  is in the audit log, and sessions from then on are not recorded.\n\n## Afterwards\n\n`gpuaas_terminal_recorder_lag_seconds` stays below 5. `gpuaas ops recording list` shows new recordings as `recording` or `complete`, and\n`gpuaas ops recording verify` finds the last of them intact.\n"
  },
  {
    "id": "terminals-slow-to-open",
    "title": "TerminalsSlowToOpen",
    "category": "terminals",
    "severity": "warning",
    "owner": "terminal",
    "signals": [
      "TerminalsSlowToOpen"
    ],
    "summary": "Clients wait long between their request and their shell.",
    "page": "/docs/runbooks/terminals-slow-to-open",
    "text": "# TerminalsSlowToOpen\n\n**Correlation id.** `gpuaas ops audit search --target-id ALLOCATION --columns created_at,action,correlation_id` lists who asked for a terminal. Lines of the gateway\ncarry the same one; `gpuaas ops trace ID` shows everything that the request caused.\n\n## What it means\n\nClients wait long between their request and their shell. `gpuaas_terminal_connect_seconds` says how long.\n\n## See it\n\n`gpuaas_terminal_connect_seconds` on the dashboard *Terminals*; `gpuaas ops terminal-sessions --live true` shows who is in.\n\n## Find the cause\n\n1. Is it the api? `gpuaas_terminal_api_question_seconds` by question: `attach` and `arrive` take milliseconds; `home` and `watch`\n   wait on purpose, up to 20 s.\n2. Is it nodes that do not come? A client waits for its agent for a minute and is then closed with 4504:\n   `gpuaas_terminal_closes_total{code=\"4504\"}`.\n3. Do agents come and are refused? `gpuaas_terminal_refusals_total` by reason: `arrival`, `certificate`, `node_budget`.\n\n## Mend it\n\n- The api is slow: [HttpSlow](http-slow.md).\n- Nodes do not come: tasks wait for them ([NodeTasksWaiting](node-tasks-waiting.md)), or they cannot reach\n  `GPUAAS_TERMINAL_NODE_URL`. From a node: `openssl s_client -connect HOST:8446` has to show a certificate of `process-terminal-gateway`.\n- `certificate`: something else than an agent or a gateway comes to the port of nodes.\n\n## Afterwards\n\n`gpuaas_terminal_connect_seconds` falls; open a terminal yourself.\n"
  },
  {
    "id": "unlisted-proxy",
    "title": "Forwarded headers of a proxy are ignored",
    "category": "api",
    "severity": "warning",
    "owner": "health",
    "signals": [
      "unlisted_proxy"
    ],
    "summary": "A proxy in front of the api is not in GPUAAS_TRUSTED_PROXIES.",
    "page": "/docs/runbooks/unlisted-proxy",
    "text": "# Forwarded headers of a proxy are ignored\n\n**Correlation id.** The caller has it: `correlation_id` of the answer, and `gpuaas` prints it with each failure. The log of the api has the same one in each line. `gpuaas ops trace ID`\nshows everything that this request caused.\n\n## What it means\n\nAll people behind the proxy count as one caller: they share one rate limit, and the audit log has the address of the proxy. Or a stranger sends such headers, and ignoring them is right.\n\n## See it\n\n`gpuaas ops health` names the address in `unlisted_proxy`.\n\n## Find the cause\n\nIs it an address of yours? Look at your balancers. If it is not, a caller tries to appear as another one.\n\n## Mend it\n\nYours: add it to `GPUAAS_TRUSTED_PROXIES` of the api, and of the gateways that stand behind the same balancer; restart them. Not yours: nothing has to be done.\n\n## Afterwards\n\nThe finding is `ok` after an hour without such a header, and new rows of `gpuaas ops audit search` have addresses of people.\n"
  },
  {
    "id": "webhooks-late",
    "title": "WebhooksLate",
    "category": "notifications",
    "severity": "warning",
    "owner": "webhooks",
    "signals": [
      "WebhooksLate"
    ],
    "summary": "Deliveries of webhooks are due and are not posted.",
    "page": "/docs/runbooks/webhooks-late",
    "text": "# WebhooksLate\n\n**Correlation id.** Each event has it: `gpuaas ops events list --columns created_at,event_type,correlation_id`, and for events that were given up\n`gpuaas ops dlq list --columns stream_seq,event_type,correlation_id`. `gpuaas ops trace ID` shows what came before.\n\n## What it means\n\nDeliveries of webhooks are due and are not posted. `gpuaas_webhooks_late_seconds` says for how long.\n\n## See it\n\n`gpuaas_webhooks_late_seconds` grows, on the dashboard *Notifications*.\n\n## Find the cause\n\n1. Does a webhook-worker run, and what does it say?\n\n   ```bash\n   jq -c 'select(.service == \"webhook-worker\" and .level != \"info\")' $DATA/gpuaas.log | tail -5\n   ```\n\n2. Is it one webhook with very many events? No API counts the deliveries of all of them:\n\n   ```sql\n   select webhook_id, count(*) from webhook_deliveries where outcome = 'waiting' and due_at <= now() group by 1 order by 2 desc limit 5;\n   ```\n\n## Mend it\n\n- None runs: start one. See [ProcessMissing](process-missing.md).\n- One webhook has many: a worker posts at most 2 at the same time for a webhook and 4 for an organization, so the others are not\n  late because of it. Ask its owner for a faster receiver, or for fewer event types.\n- Receivers of many organizations answer slowly: lower `webhooks.timeout_seconds`, or start a second webhook-worker; they share the\n  work, and the limits hold for each of them.\n- `sealed with the key`: it lacks a sealing key. Give it the keys for `webhooks` of the keyring of the api.\n\n## Afterwards\n\n`gpuaas_webhooks_late_seconds` falls to about 0, and `gpuaas_webhook_tries_total` grows.\n"
  },
  {
    "id": "webhooks-refused",
    "title": "WebhooksRefused",
    "category": "payments",
    "severity": "warning",
    "owner": "payments",
    "signals": [
      "WebhooksRefused"
    ],
    "summary": "Webhooks that claim to come from the payment provider are refused.",
    "page": "/docs/runbooks/webhooks-refused",
    "text": "# WebhooksRefused\n\n**Correlation id.** `gpuaas ops audit search --target-id PAYMENT --columns created_at,action,correlation_id` lists what happened to a payment. `gpuaas ops trace ID`\nshows everything that belongs to one of these.\n\n## What it means\n\nWebhooks that claim to come from the payment provider are refused. Payments are credited a minute late, by asking, instead of\nat once.\n\nA secret that was rotated at the provider and not here, a clock that is off, or an attacker.\n\n## See it\n\n`gpuaas_payments_webhooks_total{outcome=\"refused\"}` grows, on the dashboard *Billing*.\n\n## Find the cause\n\nVariables: see the [list](README.md#what-the-commands-need).\n\n1. Why are they refused?\n\n   ```bash\n   jq -c 'select(.msg == \"a webhook was refused\") | .why' $DATA/gpuaas.log | sort | uniq -c\n   ```\n\n2. Does the provider see failures of its webhook? Its pages list deliveries with our answers.\n\n3. Is the clock right?\n\n   ```bash\n   timedatectl show -p NTPSynchronized\n   ```\n\n## Mend it\n\n1. *The signature is wrong*, and the provider lists failures: put the secret of this webhook into `GPUAAS_STRIPE_WEBHOOK_SECRET`. Each\n   webhook of the provider has a secret of its own.\n2. *Signed too long ago, or from the future*: set the clock.\n3. The provider lists no failures: the sender is not the provider. They change nothing. Block the address if they are many.\n\n## Afterwards\n\n`gpuaas_payments_webhooks_total{outcome=\"refused\"}` stands still, and `outcome=\"applied\"` grows with the next payment.\n"
  },
  {
    "id": "workflows-stuck",
    "title": "A workflow is stuck",
    "category": "provisioning",
    "severity": "warning",
    "owner": "workflows",
    "signals": [
      "stuck_workflows"
    ],
    "summary": "A workflow could not take back what it had done, and waits for an operator.",
    "page": "/docs/runbooks/workflows-stuck",
    "text": "# A workflow is stuck\n\n**Correlation id.** `gpuaas ops audit search --target-id ALLOCATION --columns created_at,action,correlation_id` lists what was asked for. `gpuaas ops trace ID`\nshows everything that the request caused, on the host too.\n\n## What it means\n\nA step failed for good, its undo failed as often as it may, and the workflow stopped with what it holds: slots, a task, a machine at MAAS.\nNothing of it is given to another tenant. A tenant may wait, and has no charge for what never became active.\n\n## See it\n\n`gpuaas ops workflow list --state stuck`; the page Health of the console counts them.\n\n## Find the cause\n\n```bash\ngpuaas ops workflow get WORKFLOW RUN -o json -q '{step, reason, doing, actions, attempts}'\ngpuaas ops trace ID\n```\n\n`reason` and the last attempt say what failed; [what is taken back when a step fails](../compensation.md) says what the undo of that step does. A\nrelease that failed keeps its slots fenced: see [SlotCleanupBlocked](slot-cleanup-blocked.md).\n\n## Mend it\n\n1. Mend what the reason names: the host ([NodeLost](node-lost.md)), MAAS ([MaasJobsFailed](maas-jobs-failed.md)), a dependency.\n2. Have the undo tried anew:\n\n   ```bash\n   gpuaas ops workflow retry WORKFLOW RUN --reason 'the host is back' --yes\n   ```\n\n3. The host will never be back: quarantine it, and settle the allocation once you have seen that nothing of it runs:\n\n   ```bash\n   gpuaas ops force-cleanup ALLOCATION --runtime-verified-absent --reason 'host was reinstalled' --yes\n   ```\n\n## Afterwards\n\n`gpuaas ops workflow list --state stuck` is empty. The audit log has who retried, when and why.\n"
  },
  {
    "id": "wrong-role",
    "title": "A person may do too much, or too little",
    "category": "access",
    "severity": "warning",
    "owner": "tenancy",
    "signals": [
      "insufficient_permissions",
      "admin_required"
    ],
    "summary": "A person was given a wrong role, lost one that they need, or left and still gets in.",
    "page": "/docs/runbooks/wrong-role",
    "text": "# A person may do too much, or too little\n\n**Correlation id.** The caller has it: `correlation_id` of the answer, and `gpuaas` prints it with each failure. The log of the api has the same one in each line. `gpuaas ops trace ID`\nshows everything that this request caused.\n\n## What it means\n\nRoles of organizations and projects are given by their owners and admins, roles of the platform by superadmins. Rights are derived when they are used: a change holds with the next request, tokens and open consoles included.\n\n## See it\n\n`gpuaas ops user get USER` shows roles and organizations; `gpuaas ops role list` shows who has a role of the platform;\n`gpuaas ops audit search --action authz.deny --actor-id USER` shows what was refused.\n\n## Find the cause\n\nWho gave it, and when?\n\n```bash\ngpuaas ops audit search --target-id USER --columns created_at,action,actor_id,correlation_id\ngpuaas ops audit search --actor-id USER --columns created_at,action,result,target_type,target_id\n```\n\n[Who may do what](../authorisation.md) has every operation with every role: is the refusal right after all?\n\n## Mend it\n\n- **Too much on the platform**: `gpuaas ops role revoke USER ROLE --reason … --yes`.\n- **Too much in an organization**: its owner runs `gpuaas member set USER --role viewer --organization ORGANIZATION`, or `gpuaas member rm USER --organization ORGANIZATION --yes`.\n  Operators have no right to change members of a tenant; they can disable the person.\n- **The account is in wrong hands**: `gpuaas ops user disable USER --reason … --yes` ends sessions and tokens and takes SSH keys off machines.\n- **Too little, and the owner has left**: another owner has to give the role. With no owner left, the person who is entitled is invited by an admin; this\n  has no shortcut for operators.\n\n## Afterwards\n\n`gpuaas ops user get USER` shows what is right. What the person did meanwhile is in the second list above; undo what should not have been done.\n"
  }
];
