// Emitted from the contract by `npm run gen`; changes are lost.
import type { CallOptions, EventStream, Paged } from '../operation.ts';
import type * as T from './types.ts';

/** Every operation of the API, by what it is about. */
export interface Api {
  readonly activity: {
    /**
     * Who did what in the project, newest first
     *
     * `GET /api/v1/activity`
     *
     * Refusals: cursor_invalid, project_not_found.
     */
    list(input?: { readonly actors?: "people" | "all" | undefined; readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.Activity>;
    /**
     * Everything that one request caused in this project, in time order
     *
     * `GET /api/v1/correlations/{correlation_id}`
     *
     * Refusals: project_not_found.
     */
    correlationGet(input: { readonly correlation_id: string }, options?: CallOptions): Promise<T.Correlation>;
  };
  readonly adminFleet: {
    /**
     * Agent releases of this installation, newest first
     *
     * `GET /api/v1/admin/agent-releases`
     *
     * Refusals: cursor_invalid.
     */
    agentReleaseList(input?: { readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.AgentRelease>;
    /**
     * Upload an agent release: a bundle for updates, or a package for new hosts; hosts fetch it by its digest
     *
     * `POST /api/v1/admin/agent-releases`
     *
     * Refusals: agent_release_already_exists, agent_release_invalid, step_up_required.
     */
    agentReleaseAdd(input: { readonly arch?: "x64" | "arm64" | undefined; readonly digest: string; readonly kind?: "bundle" | "tarball" | "deb" | undefined; readonly size_bytes: number; readonly version: string; readonly bundle: Blob }, options?: CallOptions): Promise<T.AgentRelease>;
    /**
     * Withdraw an agent release: no further host gets it
     *
     * `POST /api/v1/admin/agent-releases/{release_id}/withdraw`
     *
     * Refusals: agent_release_not_found, step_up_required.
     */
    agentReleaseWithdraw(input: { readonly release_id: string; readonly reason: string }, options?: CallOptions): Promise<T.AgentRelease>;
    /**
     * The SSH keys of the platform: host keys of the jump host, and keys that sign certificates
     *
     * `GET /api/v1/admin/ssh-platform-keys`
     */
    sshPlatformKeyList(options?: CallOptions): Promise<{
  readonly data: readonly T.SshPlatformKey[];
}>;
    /**
     * Make the next key of a kind: clients and machines learn it before it is used
     *
     * `POST /api/v1/admin/ssh-platform-keys/{kind}/announce`
     *
     * Refusals: illegal_transition, step_up_required, terminal_unsupported.
     */
    sshPlatformKeyAnnounce(input: { readonly kind: "jump_host" | "user_authority"; readonly reason: string }, options?: CallOptions): Promise<T.SshPlatformKey>;
    /**
     * Use the announced key from now on, and retire the one before
     *
     * `POST /api/v1/admin/ssh-platform-keys/{kind}/switch`
     *
     * Refusals: illegal_transition, step_up_required, terminal_unsupported.
     */
    sshPlatformKeySwitch(input: { readonly kind: "jump_host" | "user_authority"; readonly reason: string }, options?: CallOptions): Promise<T.SshPlatformKey>;
    /**
     * Task-signing keys, newest first
     *
     * `GET /api/v1/admin/task-signers`
     */
    taskSignerList(options?: CallOptions): Promise<{
  readonly data: readonly T.TaskSigner[];
}>;
    /**
     * Announce a new key; it signs after every node has had time to learn it
     *
     * `POST /api/v1/admin/task-signers`
     *
     * Refusals: illegal_transition, step_up_required.
     */
    taskSignerRotate(input: { readonly reason: string }, options?: CallOptions): Promise<T.TaskSigner>;
    /**
     * End the grace period of a replaced key
     *
     * `POST /api/v1/admin/task-signers/{signer_id}/retire`
     *
     * Refusals: illegal_transition, step_up_required, task_signer_not_found.
     */
    taskSignerRetire(input: { readonly signer_id: string; readonly reason: string }, options?: CallOptions): Promise<T.TaskSigner>;
    /**
     * Revoke a key: nodes refuse tasks that it signed; an active one gets a successor at once
     *
     * `POST /api/v1/admin/task-signers/{signer_id}/revoke`
     *
     * Refusals: illegal_transition, step_up_required, task_signer_not_found.
     */
    taskSignerRevoke(input: { readonly signer_id: string; readonly reason: string }, options?: CallOptions): Promise<T.TaskSigner>;
  };
  readonly adminAlerts: {
    /**
     * Alerts of every source and target, newest first
     *
     * `GET /api/v1/admin/alerts`
     *
     * Refusals: cursor_invalid.
     */
    list(input?: { readonly cursor?: string | undefined; readonly effect?: "blocks_sale" | "blocks_transition" | "informs" | undefined; readonly limit?: number | undefined; readonly node?: string | undefined; readonly source?: "health" | "presence" | "drift" | "attestation" | "operator" | "breaker" | undefined }, options?: CallOptions): Paged<T.Alert>;
    /**
     * Raise an alert about a host or a slot, with its effect; it stays until it is cleared
     *
     * `POST /api/v1/admin/alerts`
     *
     * Refusals: node_not_found, slot_not_found.
     */
    raise(input: { readonly effect: "blocks_sale" | "blocks_transition" | "informs"; readonly message: string; readonly node_id: string; readonly slot_id?: string | undefined; readonly tenant_message?: string | undefined }, options?: CallOptions): Promise<T.Alert>;
    /**
     * Clear an alert that an operator raised; alerts of programs clear themselves
     *
     * `DELETE /api/v1/admin/alerts/{alert_id}`
     *
     * Refusals: alert_not_found, illegal_transition.
     */
    clear(input: { readonly alert_id: string; readonly reason: string }, options?: CallOptions): Promise<T.Alert>;
    /**
     * Breakers of automation: for each pool how much was taken in the window, and what is held back
     *
     * `GET /api/v1/admin/breakers`
     *
     * Refusals: cursor_invalid.
     */
    breakerList(input?: { readonly cursor?: string | undefined; readonly limit?: number | undefined; readonly tripped?: "true" | "false" | undefined }, options?: CallOptions): Paged<T.Breaker>;
    /**
     * Reset the breaker of a pool; hosts that were taken within the window still count
     *
     * `POST /api/v1/admin/breakers/{breaker_id}/reset`
     *
     * Refusals: breaker_not_found, illegal_transition, step_up_required.
     */
    breakerReset(input: { readonly breaker_id: string; readonly reason: string }, options?: CallOptions): Promise<T.Breaker>;
  };
  readonly adminAllocations: {
    /**
     * Allocations of all tenants, latest first
     *
     * `GET /api/v1/admin/allocations`
     *
     * Refusals: cursor_invalid.
     */
    list(input?: { readonly cursor?: string | undefined; readonly ended?: "true" | "false" | undefined; readonly limit?: number | undefined; readonly node?: string | undefined; readonly organization?: string | undefined; readonly state?: "requested" | "provisioning" | "active" | "releasing" | "released" | "failed" | "release_failed" | undefined }, options?: CallOptions): Paged<T.AdminAllocation>;
    /**
     * The queue, in the order in which capacity would be given
     *
     * `GET /api/v1/admin/allocations/queue`
     */
    queue(input?: { readonly region?: string | undefined; readonly sku?: string | undefined }, options?: CallOptions): Promise<{
  readonly data: readonly T.QueueEntry[];
}>;
    /**
     * Allocations that take longer in a phase than 99 of 100 recent ones, longest first; at most 200
     *
     * `GET /api/v1/admin/allocations/stuck`
     */
    stuckList(options?: CallOptions): Promise<{
  readonly data: readonly T.StuckAllocation[];
}>;
    /**
     * Settle an allocation whose release failed: its slots come back only if an operator looked and a fresh probe passed
     *
     * `POST /api/v1/admin/allocations/{allocation_id}/force-cleanup`
     *
     * Refusals: allocation_not_found, illegal_transition, probe_required, step_up_required.
     */
    forceCleanup(input: { readonly allocation_id: string; readonly reason: string; readonly runtime_verified_absent: boolean }, options?: CallOptions): Promise<T.AdminAllocation>;
    /**
     * Release an allocation without waiting for its guest; as often as the policy allows
     *
     * `POST /api/v1/admin/allocations/{allocation_id}/force-release`
     *
     * Refusals: allocation_already_releasing, allocation_not_found, illegal_transition, step_up_required.
     */
    forceRelease(input: { readonly allocation_id: string; readonly reason: string }, options?: CallOptions): Promise<T.AdminAllocation>;
    /**
     * Why an allocation was placed there, with hosts by name
     *
     * `GET /api/v1/admin/allocations/{allocation_id}/placement`
     *
     * Refusals: allocation_not_found.
     */
    placement(input: { readonly allocation_id: string }, options?: CallOptions): Promise<T.FullDecision>;
  };
  readonly adminApps: {
    /**
     * The registries that images of verified apps may come from; verification asks no others
     *
     * `GET /api/v1/admin/app-sources`
     *
     * Refusals: cursor_invalid.
     */
    sourceList(input?: { readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.AppSource>;
    /**
     * Let images of verified apps come from a registry, or from a part of it
     *
     * `POST /api/v1/admin/app-sources`
     *
     * Refusals: app_source_exists, step_up_required.
     */
    sourceCreate(input: { readonly registry: string; readonly repository?: string | undefined }, options?: CallOptions): Promise<T.AppSource>;
    /**
     * Take a source back: nothing from there is verified any more; what was verified stays so
     *
     * `DELETE /api/v1/admin/app-sources/{app_source_id}`
     *
     * Refusals: app_source_not_found, step_up_required.
     */
    sourceDelete(input: { readonly app_source_id: string }, options?: CallOptions): Promise<T.AppSource>;
    /**
     * The trust board: versions of all apps, newest first
     *
     * `GET /api/v1/admin/app-versions`
     *
     * Refusals: cursor_invalid.
     */
    versionList(input?: { readonly cursor?: string | undefined; readonly lifecycle_state?: "published" | "promoted" | "deprecated" | "retired" | undefined; readonly limit?: number | undefined; readonly organization_id?: string | undefined; readonly trust_state?: "unverified" | "verified" | "failed_verification" | "revoked" | undefined }, options?: CallOptions): Paged<T.AppVersion>;
    /**
     * Whom a revocation of this version would affect: the instances that run it, and how many there are in all
     *
     * `GET /api/v1/admin/app-versions/{app_version_id}/affected`
     *
     * Refusals: app_version_not_found.
     */
    versionAffected(input: { readonly app_version_id: string }, options?: CallOptions): Promise<{
  /** Instances that run it at this moment, the oldest first. */
readonly affected: readonly {
  readonly app_instance_id: string;
  readonly organization_id: string;
  readonly project_id: string;
}[];
  readonly instances: number;
  readonly organizations: number;
  readonly projects: number;
}>;
    /**
     * Revoke the trust in a version for good: nobody launches it any more; the effect says what becomes of what runs
     *
     * `POST /api/v1/admin/app-versions/{app_version_id}/revoke`
     *
     * Refusals: app_version_not_found, illegal_transition, step_up_required.
     */
    versionRevoke(input: { readonly app_version_id: string; readonly effect: "stop" | "let_run"; readonly reason: string }, options?: CallOptions): Promise<{
  /** Instances that run it at this moment, the oldest first. */
readonly affected: readonly {
  readonly app_instance_id: string;
  readonly organization_id: string;
  readonly project_id: string;
}[];
  readonly version: T.AppVersion;
}>;
  };
  readonly adminAudit: {
    /**
     * The audit log of all tenants, newest first
     *
     * `GET /api/v1/admin/audit-logs`
     *
     * Refusals: cursor_invalid.
     */
    list(input?: { readonly action?: string | undefined; readonly actor_id?: string | undefined; readonly actors?: "people" | "all" | undefined; readonly correlation_id?: string | undefined; readonly cursor?: string | undefined; readonly from?: string | undefined; readonly limit?: number | undefined; readonly organization_id?: string | undefined; readonly result?: "success" | "failure" | undefined; readonly target_id?: string | undefined; readonly target_type?: string | undefined; readonly until?: string | undefined }, options?: CallOptions): Paged<T.AuditEntry>;
    /**
     * Verify one chain: an organization's, or the platform's own
     *
     * `GET /api/v1/admin/audit-logs/verify`
     */
    verify(input?: { readonly organization_id?: string | undefined }, options?: CallOptions): Promise<T.AuditVerdict>;
    /**
     * Everything that one request caused anywhere, in time order
     *
     * `GET /api/v1/admin/correlations/{correlation_id}`
     */
    correlationGet(input: { readonly correlation_id: string }, options?: CallOptions): Promise<T.Correlation>;
  };
  readonly adminBilling: {
    /**
     * Every account with its balance, newest organization first
     *
     * `GET /api/v1/admin/billing/accounts`
     *
     * Refusals: cursor_invalid.
     */
    accountList(input?: { readonly cursor?: string | undefined; readonly limit?: number | undefined; readonly q?: string | undefined; readonly state?: "healthy" | "low_balance" | "auto_release_pending" | "depleted" | undefined }, options?: CallOptions): Paged<T.BillingAccount>;
    /**
     * Correct a line of the ledger, or give credit; above a limit, ask a second person to approve it
     *
     * `POST /api/v1/admin/billing/accounts/{organization_id}/adjustments`
     *
     * Refusals: adjustment_invalid, currency_mismatch, ledger_line_not_found, organization_not_found, step_up_required.
     */
    adjustmentCreate(input: { readonly organization_id: string; readonly amount_minor: string; readonly corrects?: string | undefined; readonly credit_expires_at?: string | undefined; readonly currency: string; readonly reason: string }, options?: CallOptions): Promise<T.Adjustment>;
    /**
     * The credit that an organization was given, newest first
     *
     * `GET /api/v1/admin/billing/accounts/{organization_id}/grants`
     *
     * Refusals: cursor_invalid, organization_not_found.
     */
    creditList(input: { readonly organization_id: string; readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.Credit>;
    /**
     * Give an organization credit
     *
     * `POST /api/v1/admin/billing/accounts/{organization_id}/grants`
     *
     * Refusals: amount_out_of_bounds, currency_mismatch, organization_not_found, period_invalid, second_person_required, step_up_required.
     */
    grantCreate(input: { readonly organization_id: string; readonly amount_minor: string; readonly currency: string; readonly expires_at?: string | undefined; readonly reason: string }, options?: CallOptions): Promise<T.CreditGrant>;
    /**
     * The ledger of an organization, newest day first
     *
     * `GET /api/v1/admin/billing/accounts/{organization_id}/ledger`
     *
     * Refusals: cursor_invalid, organization_not_found.
     */
    ledgerList(input: { readonly organization_id: string; readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.LedgerLine>;
    /**
     * The negotiated prices of an organization, newest first
     *
     * `GET /api/v1/admin/billing/accounts/{organization_id}/prices`
     *
     * Refusals: cursor_invalid, organization_not_found.
     */
    priceBookList(input: { readonly organization_id: string; readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.NegotiatedPrice>;
    /**
     * Set a negotiated price from a time on; what runs keeps its price
     *
     * `POST /api/v1/admin/billing/accounts/{organization_id}/prices`
     *
     * Refusals: currency_mismatch, organization_not_found, period_invalid, price_already_exists, price_backdated, region_not_found, sku_not_found, step_up_required.
     */
    priceBookAdd(input: { readonly organization_id: string; readonly currency: string; readonly effective_from?: string | undefined; readonly effective_to?: string | undefined; readonly reason: string; readonly region?: string | undefined; readonly sku: string; readonly unit_price_minor: string }, options?: CallOptions): Promise<T.NegotiatedPrice>;
    /**
     * End a negotiated price: later launches pay the list price
     *
     * `POST /api/v1/admin/billing/accounts/{organization_id}/prices/{price_id}/end`
     *
     * Refusals: organization_not_found, period_invalid, price_backdated, price_not_found, step_up_required.
     */
    priceBookEnd(input: { readonly organization_id: string; readonly price_id: string; readonly effective_to?: string | undefined }, options?: CallOptions): Promise<T.NegotiatedPrice>;
    /**
     * Corrections that finance asked for, newest first
     *
     * `GET /api/v1/admin/billing/adjustments`
     *
     * Refusals: cursor_invalid.
     */
    adjustmentList(input?: { readonly cursor?: string | undefined; readonly limit?: number | undefined; readonly organization_id?: string | undefined; readonly state?: "waiting" | "entered" | "rejected" | "expired" | undefined }, options?: CallOptions): Paged<T.Adjustment>;
    /**
     * Approve a correction that another person asked for, and enter it
     *
     * `POST /api/v1/admin/billing/adjustments/{adjustment_id}/approve`
     *
     * Refusals: adjustment_decided, adjustment_invalid, adjustment_not_found, second_person_required, step_up_required.
     */
    adjustmentApprove(input: { readonly adjustment_id: string; readonly note?: string | undefined }, options?: CallOptions): Promise<T.Adjustment>;
    /**
     * Reject a correction, or withdraw one that you asked for
     *
     * `POST /api/v1/admin/billing/adjustments/{adjustment_id}/reject`
     *
     * Refusals: adjustment_decided, adjustment_not_found, step_up_required.
     */
    adjustmentReject(input: { readonly adjustment_id: string; readonly note: string }, options?: CallOptions): Promise<T.Adjustment>;
    /**
     * Every invoice, newest first
     *
     * `GET /api/v1/admin/billing/invoices`
     *
     * Refusals: cursor_invalid.
     */
    invoiceList(input?: { readonly cursor?: string | undefined; readonly limit?: number | undefined; readonly organization_id?: string | undefined; readonly state?: "draft" | "final" | "past_due" | "paid" | "void" | undefined }, options?: CallOptions): Paged<T.Invoice>;
    /**
     * Make a draft final: it gets its number and its date
     *
     * `POST /api/v1/admin/billing/invoices/{invoice_id}/finalise`
     *
     * Refusals: illegal_transition, invoice_not_found, step_up_required.
     */
    invoiceFinalise(input: { readonly invoice_id: string }, options?: CallOptions): Promise<T.Invoice>;
    /**
     * Note that an invoice was paid in full outside of the payment provider
     *
     * `POST /api/v1/admin/billing/invoices/{invoice_id}/pay`
     *
     * Refusals: illegal_transition, invoice_not_found, step_up_required.
     */
    invoicePay(input: { readonly invoice_id: string; readonly reason: string }, options?: CallOptions): Promise<T.Invoice>;
    /**
     * Take an invoice back: a final one gets a credit note, a draft is discarded
     *
     * `POST /api/v1/admin/billing/invoices/{invoice_id}/void`
     *
     * Refusals: illegal_transition, invoice_not_found, step_up_required.
     */
    invoiceVoid(input: { readonly invoice_id: string; readonly reason: string }, options?: CallOptions): Promise<T.Invoice>;
    /**
     * What all organizations were charged, by day, SKU and currency
     *
     * `GET /api/v1/admin/billing/revenue`
     *
     * Refusals: period_invalid.
     */
    revenueGet(input?: { readonly from?: string | undefined; readonly to?: string | undefined }, options?: CallOptions): Promise<{
  /** A day in UTC. */
readonly from: string;
  readonly made_at: string;
  /** Oldest day first; at most 10,000. */
readonly rows: readonly T.RevenueRow[];
  /** A day in UTC. */
readonly to: string;
  /** The sums of the whole time, one for each currency. */
readonly totals: readonly T.RevenueTotal[];
}>;
    /**
     * The company that stands on invoices as seller
     *
     * `GET /api/v1/admin/billing/seller`
     */
    sellerGet(options?: CallOptions): Promise<T.Seller>;
    /**
     * Set the seller. From then on tax is charged by its country
     *
     * `PUT /api/v1/admin/billing/seller`
     *
     * Refusals: step_up_required, tax_id_invalid.
     */
    sellerSet(input: { readonly address_lines: readonly string[]; readonly city: string; readonly country: string; readonly legal_name: string; readonly postal_code?: string | null | undefined; readonly tax_id?: string | null | undefined }, options?: CallOptions): Promise<T.Seller>;
    /**
     * All prices of stored files, past and future; newest entry first
     *
     * `GET /api/v1/admin/billing/storage-prices`
     *
     * Refusals: cursor_invalid.
     */
    storagePriceList(input?: { readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.StoragePrice>;
    /**
     * Set the price of stored files from a time on; earlier prices stay
     *
     * `POST /api/v1/admin/billing/storage-prices`
     *
     * Refusals: price_already_exists, price_backdated, step_up_required.
     */
    storagePriceAdd(input: { readonly currency: string; readonly effective_from?: string | undefined; readonly rate_micro: string; readonly reason: string }, options?: CallOptions): Promise<T.StoragePrice>;
  };
  readonly adminSkus: {
    /**
     * Load the default catalog; existing entries stay unchanged
     *
     * `POST /api/v1/admin/catalog/defaults`
     *
     * Refusals: step_up_required.
     */
    catalogDefaults(input?: { readonly reason?: string | undefined }, options?: CallOptions): Promise<{
  readonly added: {
  /** Not active: each needs the digest of an image that was built. */
readonly os_images: readonly string[];
  readonly prices: number;
  readonly regions: readonly string[];
  readonly skus: readonly string[];
};
}>;
    /**
     * All SKUs, retired ones included
     *
     * `GET /api/v1/admin/skus`
     *
     * Refusals: cursor_invalid.
     */
    list(input?: { readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.Sku>;
    /**
     * Add a SKU; it can be rented once it has a price
     *
     * `POST /api/v1/admin/skus`
     *
     * Refusals: sku_already_exists, sku_invalid, step_up_required.
     */
    create(input: { readonly allowed_gpu_counts?: readonly number[] | undefined; readonly billing_unit?: "gpu_hour" | "node_hour" | undefined; readonly capacity_shape: "baremetal" | "gpu_slice"; readonly display_name: string; readonly gpu_memory_mib: number; readonly gpu_model: string; readonly gpus_total: number; readonly resource_profile?: T.ResourceProfile | undefined; readonly sku: string; readonly vendor: string }, options?: CallOptions): Promise<T.Sku>;
    /**
     * One SKU
     *
     * `GET /api/v1/admin/skus/{sku}`
     *
     * Refusals: sku_not_found.
     */
    get(input: { readonly sku: string }, options?: CallOptions): Promise<T.Sku>;
    /**
     * Change a SKU for new allocations; existing ones keep what they were promised
     *
     * `PATCH /api/v1/admin/skus/{sku}`
     *
     * Refusals: sku_invalid, sku_not_found, step_up_required.
     */
    update(input: { readonly sku: string; readonly active?: boolean | undefined; readonly allowed_gpu_counts?: readonly number[] | undefined; readonly display_name?: string | undefined; readonly gpu_memory_mib?: number | undefined; readonly gpu_model?: string | undefined; readonly resource_profile?: T.ResourceProfile | undefined; readonly vendor?: string | undefined }, options?: CallOptions): Promise<T.Sku>;
    /**
     * All prices, past and future; newest entry first
     *
     * `GET /api/v1/admin/skus/{sku}/prices`
     *
     * Refusals: cursor_invalid, sku_not_found.
     */
    priceList(input: { readonly sku: string; readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.SkuPrice>;
    /**
     * Set a price from a time on; earlier prices stay
     *
     * `POST /api/v1/admin/skus/{sku}/prices`
     *
     * Refusals: price_already_exists, price_backdated, region_not_found, sku_not_found, step_up_required.
     */
    priceAdd(input: { readonly sku: string; readonly effective_from?: string | undefined; readonly reason: string; readonly region?: string | undefined; readonly unit_price: {
  readonly amount_minor: string;
  readonly currency: string;
} }, options?: CallOptions): Promise<T.SkuPrice>;
    /**
     * Retire a SKU; existing allocations continue
     *
     * `POST /api/v1/admin/skus/{sku}/retire`
     *
     * Refusals: sku_not_found, step_up_required.
     */
    retire(input: { readonly sku: string; readonly reason: string }, options?: CallOptions): Promise<T.Sku>;
  };
  readonly adminOps: {
    /**
     * All dead letters, newest first
     *
     * `GET /api/v1/admin/dlq/messages`
     *
     * Refusals: cursor_invalid.
     */
    dlqList(input?: { readonly cursor?: string | undefined; readonly limit?: number | undefined; readonly state?: "open" | "requeued" | "discarded" | undefined; readonly subject_prefix?: string | undefined }, options?: CallOptions): Paged<T.DeadLetter>;
    /**
     * One dead letter with its event
     *
     * `GET /api/v1/admin/dlq/messages/{stream_seq}`
     *
     * Refusals: event_not_found.
     */
    dlqGet(input: { readonly stream_seq: string }, options?: CallOptions): Promise<T.DeadLetterDetail>;
    /**
     * Discard a dead letter
     *
     * `POST /api/v1/admin/dlq/messages/{stream_seq}/discard`
     *
     * Refusals: event_already_settled, event_not_found, step_up_required.
     */
    dlqDiscard(input: { readonly stream_seq: string; readonly reason: string }, options?: CallOptions): Promise<T.DeadLetter>;
    /**
     * Deliver a dead letter again; consumers that processed it already ignore it
     *
     * `POST /api/v1/admin/dlq/messages/{stream_seq}/requeue`
     *
     * Refusals: event_already_settled, event_not_committed, event_not_found.
     */
    dlqRequeue(input: { readonly stream_seq: string; readonly reason: string }, options?: CallOptions): Promise<T.DeadLetter>;
    /**
     * The kept events, newest first
     *
     * `GET /api/v1/admin/events`
     *
     * Refusals: cursor_invalid.
     */
    eventList(input?: { readonly about?: string | undefined; readonly cursor?: string | undefined; readonly limit?: number | undefined; readonly organization_id?: string | undefined; readonly type?: string | undefined }, options?: CallOptions): Paged<T.LoggedEvent>;
    /**
     * Watch the events of all tenants live
     *
     * `GET /api/v1/admin/events/stream`
     *
     * Refusals: cursor_invalid, too_many_streams.
     */
    eventStream(input?: { readonly about?: string | undefined; readonly after?: string | undefined; readonly follow?: boolean | undefined; readonly notifications?: boolean | undefined; readonly types?: string | undefined }, options?: CallOptions): EventStream;
    /**
     * The state of the fleet in numbers
     *
     * `GET /api/v1/admin/fleet/health`
     */
    fleetHealth(options?: CallOptions): Promise<T.FleetHealth>;
    /**
     * The health of the platform: processes, database, events and fleet
     *
     * `GET /api/v1/admin/health`
     */
    platformHealthGet(options?: CallOptions): Promise<T.PlatformHealth>;
    /**
     * Tables that grow with history: their sizes, and how long their rows are kept
     *
     * `GET /api/v1/admin/history`
     */
    historyGet(options?: CallOptions): Promise<{
  readonly data: readonly T.HistoryTable[];
}>;
    /**
     * What was archived, newest first
     *
     * `GET /api/v1/admin/history/archives`
     *
     * Refusals: cursor_invalid.
     */
    historyArchiveList(input?: { readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.HistoryArchive>;
    /**
     * Read an archive and check its digest, its rows and its place in the audit chains
     *
     * `GET /api/v1/admin/history/archives/{archive_id}/verify`
     *
     * Refusals: archive_not_found.
     */
    historyArchiveVerify(input: { readonly archive_id: string }, options?: CallOptions): Promise<T.ArchiveVerdict>;
    /**
     * Events that the bus refused
     *
     * `GET /api/v1/admin/outbox/failed`
     *
     * Refusals: cursor_invalid.
     */
    outboxFailedList(input?: { readonly cursor?: string | undefined; readonly limit?: number | undefined; readonly state?: "open" | "requeued" | "discarded" | undefined }, options?: CallOptions): Paged<T.DeadLetter>;
    /**
     * Publish every kept event again, after the bus lost some; no effect happens twice
     *
     * `POST /api/v1/admin/outbox/rewind`
     *
     * Refusals: step_up_required.
     */
    outboxRewind(input: { readonly reason: string }, options?: CallOptions): Promise<{
  /** How many events will be published again. */
readonly events: number;
}>;
    /**
     * Discard a refused event
     *
     * `POST /api/v1/admin/outbox/{event_id}/discard`
     *
     * Refusals: event_already_settled, event_not_found, step_up_required.
     */
    outboxDiscard(input: { readonly event_id: string; readonly reason: string }, options?: CallOptions): Promise<T.DeadLetter>;
    /**
     * Publish a refused event again
     *
     * `POST /api/v1/admin/outbox/{event_id}/requeue`
     *
     * Refusals: event_already_settled, event_not_committed, event_not_found.
     */
    outboxRequeue(input: { readonly event_id: string; readonly reason: string }, options?: CallOptions): Promise<T.DeadLetter>;
    /**
     * The runbooks: what to do about each alert and each kind of incident
     *
     * `GET /api/v1/admin/runbooks`
     */
    runbookList(input?: { readonly category?: string | undefined; readonly q?: string | undefined; readonly signal?: string | undefined }, options?: CallOptions): Promise<{
  readonly data: readonly T.Runbook[];
}>;
    /**
     * One runbook with its text, by its id or by a signal that leads to it
     *
     * `GET /api/v1/admin/runbooks/{runbook_id}`
     *
     * Refusals: runbook_not_found.
     */
    runbookGet(input: { readonly runbook_id: string }, options?: CallOptions): Promise<T.RunbookPage>;
    /**
     * How many stored values each key has sealed: a key with none can be removed
     *
     * `GET /api/v1/admin/secrets`
     */
    secretsGet(options?: CallOptions): Promise<{
  readonly data: readonly T.SealedCount[];
}>;
  };
  readonly adminMetrics: {
    /**
     * The last values of every node
     *
     * `GET /api/v1/admin/fleet/metrics`
     *
     * Refusals: cursor_invalid.
     */
    fleet(input?: { readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.NodeNow>;
    /**
     * The last values of every node, in the Prometheus format
     *
     * `GET /api/v1/admin/fleet/metrics/prometheus`
     */
    fleetExport(options?: CallOptions): Promise<string>;
    /**
     * What a node has measured, over a range of time
     *
     * `GET /api/v1/admin/nodes/{node_id}/metrics`
     *
     * Refusals: metrics_range_invalid, node_not_found.
     */
    node(input: { readonly node_id: string; readonly from?: string | undefined; readonly resolution?: 10 | 300 | undefined; readonly to?: string | undefined }, options?: CallOptions): Promise<T.NodeMetrics>;
  };
  readonly adminMaas: {
    /**
     * What was asked of machines of MAAS, latest first
     *
     * `GET /api/v1/admin/maas-jobs`
     *
     * Refusals: cursor_invalid.
     */
    jobList(input?: { readonly cursor?: string | undefined; readonly limit?: number | undefined; readonly site_id?: string | undefined; readonly state?: "queued" | "running" | "succeeded" | "failed" | undefined }, options?: CallOptions): Paged<T.MaasJob>;
    /**
     * One job: its step, and why it was taken back
     *
     * `GET /api/v1/admin/maas-jobs/{job_id}`
     *
     * Refusals: maas_job_not_found.
     */
    jobGet(input: { readonly job_id: string }, options?: CallOptions): Promise<T.MaasJob>;
    /**
     * The MAAS sites, oldest first
     *
     * `GET /api/v1/admin/maas-sites`
     *
     * Refusals: cursor_invalid.
     */
    siteList(input?: { readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.MaasSite>;
    /**
     * Add a MAAS site; its machines are listed as soon as it answers
     *
     * `POST /api/v1/admin/maas-sites`
     *
     * Refusals: maas_site_already_exists, maas_url_refused, region_not_found, step_up_required.
     */
    siteCreate(input: { readonly api_key: string; readonly ca_pem?: string | null | undefined; readonly erase?: "secure" | "full" | "quick" | undefined; readonly max_parallel?: number | undefined; readonly name: string; readonly osystem?: string | undefined; readonly pool?: string | null | undefined; readonly region: string; readonly series?: string | undefined; readonly url: string }, options?: CallOptions): Promise<T.MaasSite>;
    /**
     * Forget a MAAS site of which no machine is a node
     *
     * `DELETE /api/v1/admin/maas-sites/{site_id}`
     *
     * Refusals: maas_site_in_use, maas_site_not_found, step_up_required.
     */
    siteRemove(input: { readonly site_id: string; readonly reason: string }, options?: CallOptions): Promise<T.MaasSite>;
    /**
     * One MAAS site, and whether it answers
     *
     * `GET /api/v1/admin/maas-sites/{site_id}`
     *
     * Refusals: maas_site_not_found.
     */
    siteGet(input: { readonly site_id: string }, options?: CallOptions): Promise<T.MaasSite>;
    /**
     * Change the address, the key or the settings of a MAAS site
     *
     * `PATCH /api/v1/admin/maas-sites/{site_id}`
     *
     * Refusals: maas_site_in_use, maas_site_not_found, maas_url_refused, step_up_required, version_conflict.
     */
    siteUpdate(input: { readonly site_id: string; readonly api_key?: string | undefined; readonly ca_pem?: string | null | undefined; readonly erase?: "secure" | "full" | "quick" | undefined; readonly max_parallel?: number | undefined; readonly osystem?: string | undefined; readonly pool?: string | null | undefined; readonly revision?: number | undefined; readonly series?: string | undefined; readonly url?: string | undefined }, options?: CallOptions): Promise<T.MaasSite>;
    /**
     * The machines of a MAAS site: what MAAS says, what the node is, what is rented, and where they contradict
     *
     * `GET /api/v1/admin/maas-sites/{site_id}/machines`
     *
     * Refusals: cursor_invalid, maas_site_not_found.
     */
    machineList(input: { readonly site_id: string; readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.MaasMachine>;
    /**
     * One machine of a MAAS site in its three layers
     *
     * `GET /api/v1/admin/maas-sites/{site_id}/machines/{system_id}`
     *
     * Refusals: maas_machine_not_found.
     */
    machineGet(input: { readonly site_id: string; readonly system_id: string }, options?: CallOptions): Promise<T.MaasMachine>;
    /**
     * Have MAAS look at the hardware of a machine that is no node
     *
     * `POST /api/v1/admin/maas-sites/{site_id}/machines/{system_id}/commission`
     *
     * Refusals: maas_machine_busy, maas_machine_not_found, maas_machine_unsuited, maas_site_not_found.
     */
    machineCommission(input: { readonly site_id: string; readonly system_id: string; readonly reason: string }, options?: CallOptions): Promise<T.MaasJob>;
    /**
     * Erase a machine, give it back to MAAS and remove its node, which is retired or quarantined and holds nothing
     *
     * `POST /api/v1/admin/maas-sites/{site_id}/machines/{system_id}/decommission`
     *
     * Refusals: maas_machine_busy, maas_machine_not_found, maas_machine_unsuited, maas_site_not_found, step_up_required.
     */
    machineDecommission(input: { readonly site_id: string; readonly system_id: string; readonly reason: string }, options?: CallOptions): Promise<T.MaasJob>;
    /**
     * Switch the power of a machine on which nothing is rented
     *
     * `POST /api/v1/admin/maas-sites/{site_id}/machines/{system_id}/power`
     *
     * Refusals: maas_machine_busy, maas_machine_not_found, maas_machine_unsuited, maas_site_not_found.
     */
    machinePower(input: { readonly site_id: string; readonly system_id: string; readonly power: "on" | "off"; readonly reason: string }, options?: CallOptions): Promise<T.MaasJob>;
    /**
     * Make nodes of machines: commission, deploy with the agent, enrol; what fails is taken back
     *
     * `POST /api/v1/admin/maas-sites/{site_id}/onboardings`
     *
     * Refusals: maas_machine_busy, maas_machine_not_found, maas_machine_unsuited, maas_site_not_found, node_already_exists, sku_not_found, step_up_required.
     */
    onboard(input: { readonly site_id: string; readonly machines: readonly {
  /** The name of the node; its host name when left out. */
readonly name?: string;
  readonly sku: string;
  /** The id that MAAS gave the machine. */
readonly system_id: string;
}[]; readonly reason: string }, options?: CallOptions): Promise<{
  readonly jobs: readonly T.MaasJob[];
}>;
  };
  readonly adminLogs: {
    /**
     * Lines of nodes and of consoles, newest first
     *
     * `GET /api/v1/admin/node-logs`
     *
     * Refusals: cursor_invalid, log_range_invalid.
     */
    nodeList(input?: { readonly allocation_id?: string | undefined; readonly contains?: string | undefined; readonly correlation_id?: string | undefined; readonly cursor?: string | undefined; readonly level?: "debug" | "info" | "warn" | "error" | undefined; readonly limit?: number | undefined; readonly node_id?: string | undefined; readonly since?: string | undefined; readonly stream?: "agent" | "console" | undefined; readonly until?: string | undefined }, options?: CallOptions): Paged<T.LogLine>;
    /**
     * Follow lines of nodes and of consoles as they arrive
     *
     * `GET /api/v1/admin/node-logs/stream`
     *
     * Refusals: too_many_streams.
     */
    nodeStream(input?: { readonly after?: string | undefined; readonly allocation_id?: string | undefined; readonly contains?: string | undefined; readonly correlation_id?: string | undefined; readonly follow?: boolean | undefined; readonly level?: "debug" | "info" | "warn" | "error" | undefined; readonly node_id?: string | undefined; readonly stream?: "agent" | "console" | undefined }, options?: CallOptions): EventStream<{
  readonly allocation_id: string | null;
  /** When the host wrote it, in the time of the control plane. */
readonly at: string;
  readonly correlation_id: string | null;
  /** Grows with the order in which lines arrived. */
readonly id: string;
  readonly level: "debug" | "info" | "warn" | "error";
  /** Secrets were replaced before it was kept. */
readonly line: string;
  readonly node_id: string;
  readonly node_name: string;
  /** agent: what the agent of the node says. console: what a machine wrote on its serial console. */
readonly stream: "agent" | "console";
  readonly task_id: string | null;
}>;
  };
  readonly adminNodes: {
    /**
     * The nodes, oldest first or by name
     *
     * `GET /api/v1/admin/nodes`
     *
     * Refusals: cursor_invalid.
     */
    list(input?: { readonly cursor?: string | undefined; readonly limit?: number | undefined; readonly q?: string | undefined; readonly region?: string | undefined; readonly schedulable?: "true" | "false" | undefined; readonly sku?: string | undefined; readonly sort?: "created" | "name" | undefined; readonly state?: "bootstrap_issued" | "enrolling" | "active" | "offline" | "quarantined" | "draining" | "retired" | "removing" | "deleted" | undefined }, options?: CallOptions): Paged<T.FleetNode>;
    /**
     * Add a host; the answer contains what it needs to enrol, shown once
     *
     * `POST /api/v1/admin/nodes`
     *
     * Refusals: node_already_exists, region_not_found, sku_invalid, sku_not_found, step_up_required.
     */
    create(input: { readonly address?: string | undefined; readonly gpus_total?: number | undefined; readonly labels?: Readonly<Record<string, string>> | undefined; readonly name: string; readonly onboarding_mode?: "manual" | "maas" | undefined; readonly region: string; readonly sku: string }, options?: CallOptions): Promise<T.NodeEnrolmentOffer>;
    /**
     * Remove a host for good; one that never enrolled is removed at once
     *
     * `DELETE /api/v1/admin/nodes/{node_id}`
     *
     * Refusals: illegal_transition, node_in_use, node_not_found, step_up_required, version_conflict.
     */
    remove(input: { readonly node_id: string; readonly reason: string; readonly version?: number | undefined }, options?: CallOptions): Promise<T.FleetNode>;
    /**
     * One node: health, hardware and identity
     *
     * `GET /api/v1/admin/nodes/{node_id}`
     *
     * Refusals: node_not_found.
     */
    get(input: { readonly node_id: string }, options?: CallOptions): Promise<T.NodeDetail>;
    /**
     * Change the labels or the address of a host
     *
     * `PATCH /api/v1/admin/nodes/{node_id}`
     *
     * Refusals: node_not_found, step_up_required, version_conflict.
     */
    update(input: { readonly node_id: string; readonly address?: string | null | undefined; readonly labels?: Readonly<Record<string, string>> | undefined; readonly version?: number | undefined }, options?: CallOptions): Promise<T.FleetNode>;
    /**
     * Update the agent of a host to a release; one that does not report in time is rolled back automatically
     *
     * `POST /api/v1/admin/nodes/{node_id}/agent-update`
     *
     * Refusals: agent_release_not_found, node_not_found, node_offline, step_up_required.
     */
    agentUpdate(input: { readonly node_id: string; readonly release_id: string }, options?: CallOptions): Promise<{
  readonly task_id: string;
}>;
    /**
     * Clear a quarantined host, after a health probe has passed that is newer than the cause
     *
     * `POST /api/v1/admin/nodes/{node_id}/clear`
     *
     * Refusals: illegal_transition, node_not_found, probe_required, version_conflict.
     */
    clear(input: { readonly node_id: string; readonly reason: string; readonly version?: number | undefined }, options?: CallOptions): Promise<T.FleetNode>;
    /**
     * Cordon a host: no new work; running work continues
     *
     * `POST /api/v1/admin/nodes/{node_id}/cordon`
     *
     * Refusals: illegal_transition, node_not_found, version_conflict.
     */
    cordon(input: { readonly node_id: string; readonly reason: string; readonly version?: number | undefined }, options?: CallOptions): Promise<T.FleetNode>;
    /**
     * Drain a host: no new work, and allocations get notice until a deadline
     *
     * `POST /api/v1/admin/nodes/{node_id}/drain`
     *
     * Refusals: illegal_transition, node_not_found, version_conflict.
     */
    drain(input: { readonly node_id: string; readonly notice_minutes?: number | undefined; readonly reason: string; readonly version?: number | undefined }, options?: CallOptions): Promise<T.FleetNode>;
    /**
     * Issue another enrolment token, for a host that did not enrol in time or lost its certificate; earlier tokens become void
     *
     * `POST /api/v1/admin/nodes/{node_id}/enrolment-token`
     *
     * Refusals: illegal_transition, node_not_found, step_up_required, version_conflict.
     */
    enrolmentToken(input: { readonly node_id: string; readonly purpose: "enrol" | "recover"; readonly version?: number | undefined }, options?: CallOptions): Promise<T.NodeEnrolmentOffer>;
    /**
     * Probe the health of a host; the result is with its tasks
     *
     * `POST /api/v1/admin/nodes/{node_id}/health-probe`
     *
     * Refusals: node_not_found, node_offline.
     */
    healthProbe(input: { readonly node_id: string }, options?: CallOptions): Promise<{
  readonly task_id: string;
}>;
    /**
     * Allow new work on an active host whose slots were approved
     *
     * `POST /api/v1/admin/nodes/{node_id}/publish`
     *
     * Refusals: illegal_transition, node_not_found, node_not_ready, step_up_required, version_conflict.
     */
    publish(input: { readonly node_id: string; readonly reason?: string | undefined; readonly version?: number | undefined }, options?: CallOptions): Promise<T.FleetNode>;
    /**
     * Quarantine a host: it gets no new work until an operator clears it
     *
     * `POST /api/v1/admin/nodes/{node_id}/quarantine`
     *
     * Refusals: illegal_transition, node_not_found, version_conflict.
     */
    quarantine(input: { readonly node_id: string; readonly reason: string; readonly version?: number | undefined }, options?: CallOptions): Promise<T.FleetNode>;
    /**
     * Return a retired host to service after a fresh health probe has passed; it stays cordoned
     *
     * `POST /api/v1/admin/nodes/{node_id}/readmit`
     *
     * Refusals: illegal_transition, node_not_found, probe_required, version_conflict.
     */
    readmit(input: { readonly node_id: string; readonly reason: string; readonly version?: number | undefined }, options?: CallOptions): Promise<T.FleetNode>;
    /**
     * Reimage a quarantined or retired host that holds nothing; without proof it is quarantined
     *
     * `POST /api/v1/admin/nodes/{node_id}/reimage`
     *
     * Refusals: illegal_transition, node_in_use, node_not_found, os_image_not_found, step_up_required, version_conflict.
     */
    reimage(input: { readonly node_id: string; readonly image: string; readonly reason: string; readonly version?: number | undefined }, options?: CallOptions): Promise<T.FleetNode>;
    /**
     * The slots of a host and their allocations
     *
     * `GET /api/v1/admin/nodes/{node_id}/resource-slots`
     *
     * Refusals: node_not_found.
     */
    resourceSlotList(input: { readonly node_id: string }, options?: CallOptions): Promise<{
  readonly data: readonly T.ResourceSlot[];
}>;
    /**
     * Cancel a drain
     *
     * `POST /api/v1/admin/nodes/{node_id}/resume`
     *
     * Refusals: illegal_transition, node_not_found, version_conflict.
     */
    resume(input: { readonly node_id: string; readonly reason?: string | undefined; readonly version?: number | undefined }, options?: CallOptions): Promise<T.FleetNode>;
    /**
     * Retire an empty host
     *
     * `POST /api/v1/admin/nodes/{node_id}/retire`
     *
     * Refusals: illegal_transition, node_in_use, node_not_found, step_up_required, version_conflict.
     */
    retire(input: { readonly node_id: string; readonly reason: string; readonly version?: number | undefined }, options?: CallOptions): Promise<T.FleetNode>;
    /**
     * Revoke every certificate of a host: it is cut off within seconds, until it recovers with a new token
     *
     * `POST /api/v1/admin/nodes/{node_id}/revoke`
     *
     * Refusals: node_not_found, step_up_required.
     */
    revoke(input: { readonly node_id: string; readonly reason: string }, options?: CallOptions): Promise<{
  /** How many certificates were still valid. */
readonly revoked: number;
}>;
    /**
     * Approve slots from the last discovery; changed hardware is accepted where no allocation uses it
     *
     * `POST /api/v1/admin/nodes/{node_id}/slots/approve`
     *
     * Refusals: node_not_found, slot_in_use, slots_blocked, topology_missing.
     */
    slotsApprove(input: { readonly node_id: string; readonly slot_indexes?: readonly number[] | undefined }, options?: CallOptions): Promise<{
  readonly changed: number;
  readonly created: number;
  readonly enabled: number;
  /** Slots that the last discovery no longer found. */
readonly missing: readonly number[];
  readonly slots: readonly T.ResourceSlot[];
}>;
    /**
     * Clear a blocked or quarantined slot, after a health probe has passed and the wipe it owes is proven
     *
     * `POST /api/v1/admin/nodes/{node_id}/slots/{slot_id}/clear`
     *
     * Refusals: illegal_transition, node_not_found, probe_required, slot_in_use, slot_not_found, wipe_unproven.
     */
    slotClear(input: { readonly node_id: string; readonly slot_id: string; readonly reason: string }, options?: CallOptions): Promise<T.ResourceSlot>;
    /**
     * Return a slot to sale without proof of its wipe; the decision is shown on the slot
     *
     * `POST /api/v1/admin/nodes/{node_id}/slots/{slot_id}/clear-unproven`
     *
     * Refusals: illegal_transition, node_not_found, probe_required, slot_in_use, slot_not_found, step_up_required.
     */
    slotClearUnproven(input: { readonly node_id: string; readonly slot_id: string; readonly reason: string }, options?: CallOptions): Promise<T.ResourceSlot>;
    /**
     * Disable a slot: it is no longer sold
     *
     * `POST /api/v1/admin/nodes/{node_id}/slots/{slot_id}/disable`
     *
     * Refusals: illegal_transition, node_not_found, slot_in_use, slot_not_found.
     */
    slotDisable(input: { readonly node_id: string; readonly slot_id: string; readonly reason: string }, options?: CallOptions): Promise<T.ResourceSlot>;
    /**
     * Enable a disabled slot
     *
     * `POST /api/v1/admin/nodes/{node_id}/slots/{slot_id}/enable`
     *
     * Refusals: illegal_transition, node_not_found, slot_in_use, slot_not_found.
     */
    slotEnable(input: { readonly node_id: string; readonly slot_id: string; readonly reason: string }, options?: CallOptions): Promise<T.ResourceSlot>;
    /**
     * Quarantine a slot: it is not sold until an operator clears it
     *
     * `POST /api/v1/admin/nodes/{node_id}/slots/{slot_id}/quarantine`
     *
     * Refusals: illegal_transition, node_not_found, slot_in_use, slot_not_found.
     */
    slotQuarantine(input: { readonly node_id: string; readonly slot_id: string; readonly reason: string }, options?: CallOptions): Promise<T.ResourceSlot>;
    /**
     * The tasks of a host, newest first
     *
     * `GET /api/v1/admin/nodes/{node_id}/tasks`
     *
     * Refusals: cursor_invalid, node_not_found.
     */
    taskList(input: { readonly node_id: string; readonly cursor?: string | undefined; readonly limit?: number | undefined; readonly q?: string | undefined; readonly state?: "queued" | "dispatched" | "succeeded" | "failed" | "expired" | "cancelled" | undefined }, options?: CallOptions): Paged<T.FleetTask>;
    /**
     * Discover the hardware of a host; the result is in its topology
     *
     * `POST /api/v1/admin/nodes/{node_id}/topology/discover`
     *
     * Refusals: node_not_found, node_offline.
     */
    topologyDiscover(input: { readonly node_id: string }, options?: CallOptions): Promise<{
  readonly task_id: string;
}>;
    /**
     * Uncordon a host: new work is allowed again
     *
     * `POST /api/v1/admin/nodes/{node_id}/uncordon`
     *
     * Refusals: illegal_transition, node_not_found, node_not_ready, version_conflict.
     */
    uncordon(input: { readonly node_id: string; readonly reason?: string | undefined; readonly version?: number | undefined }, options?: CallOptions): Promise<T.FleetNode>;
  };
  readonly adminOsImages: {
    /**
     * The images of a node, and whether they match those that are offered
     *
     * `GET /api/v1/admin/nodes/{node_id}/images`
     *
     * Refusals: node_not_found.
     */
    nodeList(input: { readonly node_id: string }, options?: CallOptions): Promise<{
  readonly data: readonly T.NodeImage[];
}>;
    /**
     * Record that a node no longer has an image
     *
     * `DELETE /api/v1/admin/nodes/{node_id}/images/{os_image}`
     *
     * Refusals: node_not_found, os_image_not_found, step_up_required.
     */
    nodeForget(input: { readonly node_id: string; readonly os_image: string }, options?: CallOptions): Promise<T.NodeImage>;
    /**
     * Record that a node has an image, checked against this digest
     *
     * `PUT /api/v1/admin/nodes/{node_id}/images/{os_image}`
     *
     * Refusals: node_not_found, os_image_not_found, step_up_required.
     */
    nodeSet(input: { readonly node_id: string; readonly os_image: string; readonly digest: string }, options?: CallOptions): Promise<T.NodeImage>;
    /**
     * All images, and on how many nodes each is
     *
     * `GET /api/v1/admin/os-images`
     *
     * Refusals: cursor_invalid.
     */
    list(input?: { readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.OsImage>;
    /**
     * Add an image; it is offered once it is active
     *
     * `POST /api/v1/admin/os-images`
     *
     * Refusals: os_image_already_exists, sku_not_found, step_up_required.
     */
    create(input: { readonly digest: string; readonly display_name: string; readonly driver_strategy: "preinstalled" | "cloud_init"; readonly size_bytes: number; readonly skus: readonly string[]; readonly slug: string }, options?: CallOptions): Promise<T.OsImage>;
    /**
     * Change an image. It can be active only while every host that takes work has exactly this digest
     *
     * `PATCH /api/v1/admin/os-images/{os_image}`
     *
     * Refusals: os_image_not_cached, os_image_not_found, sku_not_found, step_up_required.
     */
    update(input: { readonly os_image: string; readonly active?: boolean | undefined; readonly digest?: string | undefined; readonly display_name?: string | undefined; readonly driver_strategy?: "preinstalled" | "cloud_init" | undefined; readonly size_bytes?: number | undefined; readonly skus?: readonly string[] | undefined }, options?: CallOptions): Promise<T.OsImage>;
    /**
     * Retire an image; running machines continue
     *
     * `POST /api/v1/admin/os-images/{os_image}/retire`
     *
     * Refusals: os_image_not_found, step_up_required.
     */
    retire(input: { readonly os_image: string; readonly reason: string }, options?: CallOptions): Promise<T.OsImage>;
  };
  readonly adminOrganizations: {
    /**
     * Every organization, newest first
     *
     * `GET /api/v1/admin/organizations`
     *
     * Refusals: cursor_invalid.
     */
    list(input?: { readonly cursor?: string | undefined; readonly limit?: number | undefined; readonly q?: string | undefined }, options?: CallOptions): Paged<T.AdminOrganization>;
    /**
     * One organization with its projects, members and policies
     *
     * `GET /api/v1/admin/organizations/{organization_id}`
     *
     * Refusals: organization_not_found.
     */
    get(input: { readonly organization_id: string }, options?: CallOptions): Promise<T.AdminOrganizationDetail>;
  };
  readonly adminPayments: {
    /**
     * Every payment, newest first
     *
     * `GET /api/v1/admin/payments/sessions`
     *
     * Refusals: cursor_invalid.
     */
    list(input?: { readonly cursor?: string | undefined; readonly limit?: number | undefined; readonly organization_id?: string | undefined; readonly state?: "open" | "paid" | "expired" | "disputed" | "charged_back" | "failed_reconcile" | undefined }, options?: CallOptions): Paged<T.AdminPayment>;
    /**
     * Refund a payment, or a part of it: to the payer, or as credit once the time for that is over
     *
     * `POST /api/v1/admin/payments/sessions/{payment_id}/refunds`
     *
     * Refusals: currency_mismatch, illegal_transition, insufficient_balance, payment_not_found, refund_exceeds_payment, refund_window_exceeded, second_person_required, step_up_required.
     */
    refund(input: { readonly payment_id: string; readonly amount_minor: string; readonly currency: string; readonly reason: string; readonly to?: "payer" | "credit" | undefined }, options?: CallOptions): Promise<T.PaymentRefund>;
  };
  readonly adminUsers: {
    /**
     * Platform roles: who has one, since when and from whom
     *
     * `GET /api/v1/admin/platform-roles`
     *
     * Refusals: cursor_invalid.
     */
    platformRoleList(input?: { readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.PlatformRoleHolder>;
    /**
     * Everyone who has signed in, newest first
     *
     * `GET /api/v1/admin/users`
     *
     * Refusals: cursor_invalid.
     */
    list(input?: { readonly cursor?: string | undefined; readonly ids?: string | undefined; readonly limit?: number | undefined; readonly q?: string | undefined; readonly state?: "active" | "disabled" | "erased" | undefined }, options?: CallOptions): Paged<T.AdminUser>;
    /**
     * Erase a person: names, memberships, keys, tokens, sessions; the id stays, so that the audit log still verifies
     *
     * `DELETE /api/v1/admin/users/{user_id}`
     *
     * Refusals: last_operator, last_owner, step_up_required, user_erased, user_has_allocations, user_not_found.
     */
    delete(input: { readonly user_id: string; readonly reason: string }, options?: CallOptions): Promise<T.AdminUser>;
    /**
     * One person, with organizations and credentials
     *
     * `GET /api/v1/admin/users/{user_id}`
     *
     * Refusals: user_not_found.
     */
    get(input: { readonly user_id: string }, options?: CallOptions): Promise<T.AdminUserDetail>;
    /**
     * Disable a person: ends every session, revokes every personal token, and refuses new sign-ins
     *
     * `POST /api/v1/admin/users/{user_id}/disable`
     *
     * Refusals: last_operator, step_up_required, user_erased, user_not_found.
     */
    disable(input: { readonly user_id: string; readonly reason: string }, options?: CallOptions): Promise<T.AdminUser>;
    /**
     * Enable a person again; ended sessions and revoked tokens stay so
     *
     * `POST /api/v1/admin/users/{user_id}/enable`
     *
     * Refusals: step_up_required, user_erased, user_not_found.
     */
    enable(input: { readonly user_id: string; readonly reason: string }, options?: CallOptions): Promise<T.AdminUser>;
    /**
     * Remove the second factors of a person who lost them, and end all their sessions
     *
     * `POST /api/v1/admin/users/{user_id}/factors/reset`
     *
     * Refusals: factors_elsewhere, step_up_required, user_erased, user_not_found.
     */
    factorsReset(input: { readonly user_id: string; readonly reason: string }, options?: CallOptions): Promise<T.FactorsReset>;
    /**
     * Revoke a platform role; the last superadmin keeps it
     *
     * `DELETE /api/v1/admin/users/{user_id}/roles/{role}`
     *
     * Refusals: last_operator, platform_role_not_found, step_up_required, user_not_found.
     */
    platformRoleRevoke(input: { readonly role: "platform_superadmin" | "platform_ops" | "platform_finance" | "platform_support"; readonly user_id: string; readonly reason: string }, options?: CallOptions): Promise<T.AdminUser>;
    /**
     * Give a person a platform role
     *
     * `PUT /api/v1/admin/users/{user_id}/roles/{role}`
     *
     * Refusals: step_up_required, user_erased, user_not_found.
     */
    platformRoleGrant(input: { readonly role: "platform_superadmin" | "platform_ops" | "platform_finance" | "platform_support"; readonly user_id: string; readonly reason: string }, options?: CallOptions): Promise<T.AdminUser>;
  };
  readonly adminPolicies: {
    /**
     * Every policy with its definition and all its settings
     *
     * `GET /api/v1/admin/policies`
     */
    settingList(options?: CallOptions): Promise<{
  readonly definitions: readonly T.PolicyDefinition[];
  readonly settings: readonly T.PolicySetting[];
}>;
    /**
     * Remove a setting; the next level applies
     *
     * `DELETE /api/v1/admin/policies/{policy_key}`
     *
     * Refusals: policy_level_invalid, policy_not_found, step_up_required.
     */
    unset(input: { readonly policy_key: string; readonly level: "user" | "project" | "organization" | "plan" | "global"; readonly reason: string; readonly subject_id?: string | undefined }, options?: CallOptions): Promise<T.PolicySetting>;
    /**
     * Set a policy at one level
     *
     * `PUT /api/v1/admin/policies/{policy_key}`
     *
     * Refusals: policy_level_invalid, policy_not_found, policy_out_of_bounds, second_factor_missing, step_up_required, version_conflict.
     */
    set(input: { readonly policy_key: string; readonly expected_value?: (number | boolean | string) | null | undefined; readonly hard?: boolean | undefined; readonly level: "user" | "project" | "organization" | "plan" | "global"; readonly reason: string; readonly subject_id?: string | undefined; readonly value: number | boolean | string }, options?: CallOptions): Promise<T.PolicySetting>;
  };
  readonly adminRegions: {
    /**
     * All regions, closed ones included
     *
     * `GET /api/v1/admin/regions`
     *
     * Refusals: cursor_invalid.
     */
    list(input?: { readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.Region>;
    /**
     * Open a region
     *
     * `POST /api/v1/admin/regions`
     *
     * Refusals: region_already_exists, step_up_required.
     */
    create(input: { readonly name: string; readonly slug: string }, options?: CallOptions): Promise<T.Region>;
    /**
     * Rename a region, close it for new work, or open it again
     *
     * `PATCH /api/v1/admin/regions/{region}`
     *
     * Refusals: region_not_found, step_up_required.
     */
    update(input: { readonly region: string; readonly active?: boolean | undefined; readonly name?: string | undefined }, options?: CallOptions): Promise<T.Region>;
  };
  readonly adminRecordings: {
    /**
     * Recorded terminal sessions of all tenants, latest first
     *
     * `GET /api/v1/admin/terminal-recordings`
     *
     * Refusals: cursor_invalid.
     */
    list(input?: { readonly allocation?: string | undefined; readonly cursor?: string | undefined; readonly from?: string | undefined; readonly limit?: number | undefined; readonly organization?: string | undefined; readonly to?: string | undefined; readonly user?: string | undefined }, options?: CallOptions): Paged<T.TerminalRecordingInfo>;
    /**
     * One recording of any tenant
     *
     * `GET /api/v1/admin/terminal-recordings/{terminal_recording_id}`
     *
     * Refusals: terminal_recording_not_found.
     */
    get(input: { readonly terminal_recording_id: string }, options?: CallOptions): Promise<T.TerminalRecordingInfo>;
    /**
     * A page of an opened recording of any tenant as asciicast
     *
     * `GET /api/v1/admin/terminal-recordings/{terminal_recording_id}/cast`
     *
     * Refusals: recording_damaged, recording_removed, recording_view_invalid, terminal_recording_not_found.
     */
    cast(input: { readonly terminal_recording_id: string; readonly at?: string | undefined; readonly format?: "v2" | "v3" | undefined; readonly view: string }, options?: CallOptions): Promise<T.RecordingCast>;
    /**
     * Recompute the digests of a recording of any tenant and name the first chunk that was changed
     *
     * `GET /api/v1/admin/terminal-recordings/{terminal_recording_id}/verify`
     *
     * Refusals: recording_removed, terminal_recording_not_found.
     */
    verify(input: { readonly terminal_recording_id: string }, options?: CallOptions): Promise<T.RecordingVerdict>;
    /**
     * Open a recording of any tenant, with a reason; the audit log of the tenant notes it
     *
     * `POST /api/v1/admin/terminal-recordings/{terminal_recording_id}/views`
     *
     * Refusals: recording_removed, step_up_required, terminal_recording_not_found.
     */
    open(input: { readonly terminal_recording_id: string; readonly purpose: "watch" | "download"; readonly reason: string }, options?: CallOptions): Promise<T.RecordingView>;
  };
  readonly adminTerminals: {
    /**
     * Terminal sessions of all tenants, latest first
     *
     * `GET /api/v1/admin/terminal-sessions`
     *
     * Refusals: cursor_invalid.
     */
    sessionList(input?: { readonly allocation?: string | undefined; readonly cursor?: string | undefined; readonly limit?: number | undefined; readonly live?: boolean | undefined; readonly node?: string | undefined; readonly organization?: string | undefined; readonly user?: string | undefined }, options?: CallOptions): Paged<T.AdminTerminalSession>;
    /**
     * End a terminal session of any tenant, with a reason
     *
     * `POST /api/v1/admin/terminal-sessions/{terminal_session_id}/end`
     *
     * Refusals: step_up_required, terminal_session_ended, terminal_session_not_found.
     */
    sessionEnd(input: { readonly terminal_session_id: string; readonly reason: string }, options?: CallOptions): Promise<T.AdminTerminalSession>;
  };
  readonly adminSessions: {
    /**
     * The sessions of a person, newest first
     *
     * `GET /api/v1/admin/users/{user_id}/sessions`
     *
     * Refusals: cursor_invalid, user_not_found.
     */
    userList(input: { readonly user_id: string; readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.AccountSession>;
    /**
     * End every session of a person, also those that were not used yet
     *
     * `POST /api/v1/admin/users/{user_id}/sessions/revoke-all`
     *
     * Refusals: step_up_required, user_not_found.
     */
    userRevokeAll(input: { readonly user_id: string; readonly reason?: string | undefined }, options?: CallOptions): Promise<T.SessionsRevoked>;
    /**
     * End one session of a person
     *
     * `DELETE /api/v1/admin/users/{user_id}/sessions/{session_id}`
     *
     * Refusals: session_not_found, step_up_required.
     */
    userRevoke(input: { readonly session_id: string; readonly user_id: string; readonly reason?: string | undefined }, options?: CallOptions): Promise<T.AccountSession>;
  };
  readonly adminWorkflows: {
    /**
     * Workflow runs, latest first; at most the requested number
     *
     * `GET /api/v1/admin/workflows`
     */
    list(input?: { readonly before?: string | undefined; readonly limit?: number | undefined; readonly run_id?: string | undefined; readonly state?: "running" | "done" | "undone" | "cancelled" | "stuck" | undefined; readonly workflow?: string | undefined }, options?: CallOptions): Promise<{
  readonly data: readonly T.Workflow[];
}>;
    /**
     * One run with its plan and all attempts
     *
     * `GET /api/v1/admin/workflows/{workflow}/{run_id}`
     *
     * Refusals: workflow_not_found.
     */
    get(input: { readonly run_id: string; readonly workflow: string }, options?: CallOptions): Promise<T.WorkflowDetail>;
    /**
     * Cancel a run: it stops between two steps, rolls back, and ends as cancelled
     *
     * `POST /api/v1/admin/workflows/{workflow}/{run_id}/cancel`
     *
     * Refusals: illegal_transition, workflow_not_found.
     */
    cancel(input: { readonly run_id: string; readonly workflow: string; readonly reason: string }, options?: CallOptions): Promise<T.WorkflowDetail>;
    /**
     * Retry the paused step now; for a stuck run, retry the failed rollback
     *
     * `POST /api/v1/admin/workflows/{workflow}/{run_id}/retry`
     *
     * Refusals: illegal_transition, workflow_not_found.
     */
    retry(input: { readonly run_id: string; readonly workflow: string; readonly reason: string }, options?: CallOptions): Promise<T.WorkflowDetail>;
  };
  readonly allocationGroups: {
    /**
     * The groups of a project, latest first
     *
     * `GET /api/v1/allocation-groups`
     *
     * Refusals: cursor_invalid, project_not_found.
     */
    list(input?: { readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.AllocationGroup>;
    /**
     * Create several allocations at once: all of them are reserved, or none
     *
     * `POST /api/v1/allocation-groups`
     *
     * Refusals: allocation_concurrency_limit, budget_exceeded, currency_mismatch, duration_invalid, gpu_count_invalid, insufficient_balance, invoice_past_due, max_spend_too_low, organization_gpu_limit, os_image_not_found, project_not_found, region_not_found, sku_not_found, sku_unavailable, ssh_key_not_found.
     */
    create(input: { readonly members: readonly {
  readonly gpus: number;
  readonly idle?: {
  readonly action: "warn" | "release";
  /** All GPUs idle for this long. */
readonly minutes: number;
};
  /** An image of the catalog; default: the first that suits the SKU. */
readonly image?: string;
  /** Released this long after it became active. */
readonly max_duration_seconds?: number;
  /** Released before it costs more than this. Its host keeps the deadline, too. */
readonly max_spend?: {
  /** Whole minor units: 2500 is 25 dollars. */
readonly amount_minor: string;
  readonly currency: string;
};
  readonly name?: string;
  readonly region: string;
  /** A SKU of the catalog. */
readonly sku: string;
  /** Your own SSH keys and those of the project. */
readonly ssh_key_ids?: readonly string[];
  /** Your own labels, for search. */
readonly tags?: Readonly<Record<string, string>>;
}[]; readonly name: string }, options?: CallOptions): Promise<T.AllocationGroupDetail>;
    /**
     * One group with its allocations
     *
     * `GET /api/v1/allocation-groups/{allocation_group_id}`
     *
     * Refusals: allocation_group_not_found.
     */
    get(input: { readonly allocation_group_id: string }, options?: CallOptions): Promise<T.AllocationGroupDetail>;
    /**
     * Release the whole group; repeated, it releases what is still held
     *
     * `POST /api/v1/allocation-groups/{allocation_group_id}/release`
     *
     * Refusals: allocation_group_not_found.
     */
    release(input: { readonly allocation_group_id: string }, options?: CallOptions): Promise<T.AllocationGroupDetail>;
  };
  readonly allocations: {
    /**
     * The allocations of a project, searched, filtered and ordered
     *
     * `GET /api/v1/allocations`
     *
     * Refusals: cursor_invalid, project_not_found.
     */
    list(input?: { readonly cursor?: string | undefined; readonly group?: string | undefined; readonly limit?: number | undefined; readonly order?: "newest" | "oldest" | undefined; readonly q?: string | undefined; readonly requested_by?: string | undefined; readonly sku?: string | undefined; readonly state?: "requested" | "provisioning" | "active" | "releasing" | "released" | "failed" | "release_failed" | undefined; readonly tag?: string | undefined }, options?: CallOptions): Paged<T.Allocation>;
    /**
     * Create an allocation: reserved at once, queued if requested, or refused with reasons
     *
     * `POST /api/v1/allocations`
     *
     * Refusals: allocation_concurrency_limit, budget_exceeded, currency_mismatch, duration_invalid, gpu_count_invalid, insufficient_balance, invoice_past_due, max_spend_too_low, organization_gpu_limit, os_image_not_found, project_not_found, quote_expired, quote_mismatch, quote_not_found, quote_used, region_not_found, sku_not_found, sku_unavailable, ssh_key_not_found.
     */
    create(input: { readonly gpus: number; readonly idle?: {
  readonly action: "warn" | "release";
  /** All GPUs idle for this long. */
readonly minutes: number;
} | undefined; readonly image?: string | undefined; readonly max_duration_seconds?: number | undefined; readonly max_spend?: {
  /** Whole minor units: 2500 is 25 dollars. */
readonly amount_minor: string;
  readonly currency: string;
} | undefined; readonly name?: string | undefined; readonly queue?: {
  /** When no capacity is free, wait this long in the queue instead of being refused. */
readonly max_wait_seconds: number;
} | undefined; readonly quote_id?: string | undefined; readonly region: string; readonly sku: string; readonly ssh_key_ids?: readonly string[] | undefined; readonly tags?: Readonly<Record<string, string>> | undefined }, options?: CallOptions): Promise<T.Allocation>;
    /**
     * How many allocations of a project match, in all and by state
     *
     * `GET /api/v1/allocations/counts`
     *
     * Refusals: project_not_found.
     */
    counts(input?: { readonly group?: string | undefined; readonly q?: string | undefined; readonly requested_by?: string | undefined; readonly sku?: string | undefined; readonly state?: "requested" | "provisioning" | "active" | "releasing" | "released" | "failed" | "release_failed" | undefined; readonly tag?: string | undefined }, options?: CallOptions): Promise<T.AllocationCountsAnswer>;
    /**
     * Check capacity and price, with the reasons; reserves nothing
     *
     * `POST /api/v1/allocations/plan`
     *
     * Refusals: currency_mismatch, duration_invalid, gpu_count_invalid, max_spend_too_low, os_image_not_found, project_not_found, region_not_found, sku_not_found, ssh_key_not_found.
     */
    plan(input: { readonly gpus: number; readonly idle?: {
  readonly action: "warn" | "release";
  /** All GPUs idle for this long. */
readonly minutes: number;
} | undefined; readonly image?: string | undefined; readonly max_duration_seconds?: number | undefined; readonly max_spend?: {
  /** Whole minor units: 2500 is 25 dollars. */
readonly amount_minor: string;
  readonly currency: string;
} | undefined; readonly name?: string | undefined; readonly region: string; readonly sku: string; readonly ssh_key_ids?: readonly string[] | undefined; readonly tags?: Readonly<Record<string, string>> | undefined }, options?: CallOptions): Promise<T.AllocationPlan>;
    /**
     * One allocation, with the report of its node and the possible actions
     *
     * `GET /api/v1/allocations/{allocation_id}`
     *
     * Refusals: allocation_not_found.
     */
    get(input: { readonly allocation_id: string }, options?: CallOptions): Promise<T.AllocationDetail>;
    /**
     * Rename, tag, or change the idle guard
     *
     * `PATCH /api/v1/allocations/{allocation_id}`
     *
     * Refusals: allocation_not_found, budget_tag_locked, illegal_transition, version_conflict.
     */
    update(input: { readonly allocation_id: string; readonly idle?: {
  readonly action: "warn" | "release";
  /** All GPUs idle for this long. */
readonly minutes: number;
} | null | undefined; readonly name?: string | undefined; readonly tags?: Readonly<Record<string, string>> | undefined; readonly version?: number | undefined }, options?: CallOptions): Promise<T.Allocation>;
    /**
     * Who else may work in an allocation, and who might, latest first
     *
     * `GET /api/v1/allocations/{allocation_id}/access-grants`
     *
     * Refusals: allocation_not_found, cursor_invalid.
     */
    accessGrantList(input: { readonly allocation_id: string; readonly active?: boolean | undefined; readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.AccessGrant>;
    /**
     * Let another member work in an allocation until a time
     *
     * `POST /api/v1/allocations/{allocation_id}/access-grants`
     *
     * Refusals: access_grant_exists, access_grant_limit, allocation_not_found, illegal_transition, member_not_found, ownership_required, ssh_key_not_found.
     */
    accessGrantCreate(input: { readonly allocation_id: string; readonly expires_at: string; readonly reason?: string | undefined; readonly ssh_key_id?: string | undefined; readonly user_id: string }, options?: CallOptions): Promise<T.AccessGrant>;
    /**
     * End a grant: its sessions and its keys on the machine go within seconds
     *
     * `DELETE /api/v1/allocations/{allocation_id}/access-grants/{access_grant_id}`
     *
     * Refusals: access_grant_not_found, allocation_not_found, ownership_required.
     */
    accessGrantRevoke(input: { readonly access_grant_id: string; readonly allocation_id: string }, options?: CallOptions): Promise<T.AccessGrant>;
    /**
     * Change when a grant ends
     *
     * `PATCH /api/v1/allocations/{allocation_id}/access-grants/{access_grant_id}`
     *
     * Refusals: access_grant_not_found, allocation_not_found, illegal_transition, ownership_required.
     */
    accessGrantUpdate(input: { readonly access_grant_id: string; readonly allocation_id: string; readonly expires_at: string }, options?: CallOptions): Promise<T.AccessGrant>;
    /**
     * The attestations of an allocation, with the signed results
     *
     * `GET /api/v1/allocations/{allocation_id}/attestations`
     *
     * Refusals: allocation_not_found, cursor_invalid.
     */
    attestations(input: { readonly allocation_id: string; readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.AttestationReceipt>;
    /**
     * Extend an allocation
     *
     * `POST /api/v1/allocations/{allocation_id}/extend`
     *
     * Refusals: allocation_not_active, allocation_not_found, budget_exceeded, duration_invalid.
     */
    extend(input: { readonly allocation_id: string; readonly seconds: number }, options?: CallOptions): Promise<T.Allocation>;
    /**
     * Why an allocation was placed, or is not placed yet
     *
     * `GET /api/v1/allocations/{allocation_id}/placement`
     *
     * Refusals: allocation_not_found.
     */
    placement(input: { readonly allocation_id: string }, options?: CallOptions): Promise<T.PlacementDecision>;
    /**
     * Release an allocation. What was not provisioned yet ends at once; the rest when its node has proven that nothing is left
     *
     * `POST /api/v1/allocations/{allocation_id}/release`
     *
     * Refusals: allocation_already_releasing, allocation_not_found, illegal_transition.
     */
    release(input: { readonly allocation_id: string; readonly reason?: string | undefined }, options?: CallOptions): Promise<T.Allocation>;
    /**
     * Reboot the machine; it stays the same allocation
     *
     * `POST /api/v1/allocations/{allocation_id}/restart`
     *
     * Refusals: allocation_not_active, allocation_not_found.
     */
    restart(input: { readonly allocation_id: string }, options?: CallOptions): Promise<T.Allocation>;
    /**
     * Replace the SSH keys of an allocation
     *
     * `PUT /api/v1/allocations/{allocation_id}/ssh-keys`
     *
     * Refusals: allocation_not_found, illegal_transition, ssh_key_not_found.
     */
    setSshKeys(input: { readonly allocation_id: string; readonly ssh_key_ids: readonly string[] }, options?: CallOptions): Promise<T.AllocationDetail>;
    /**
     * The timeline of an allocation, in order
     *
     * `GET /api/v1/allocations/{allocation_id}/timeline`
     *
     * Refusals: allocation_not_found, cursor_invalid.
     */
    timeline(input: { readonly allocation_id: string; readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.TimelineItem>;
  };
  readonly logs: {
    /**
     * What the machine of an allocation wrote on its console, newest first
     *
     * `GET /api/v1/allocations/{allocation_id}/logs`
     *
     * Refusals: allocation_not_found, cursor_invalid, log_range_invalid.
     */
    allocationList(input: { readonly allocation_id: string; readonly contains?: string | undefined; readonly cursor?: string | undefined; readonly limit?: number | undefined; readonly since?: string | undefined; readonly until?: string | undefined }, options?: CallOptions): Promise<T.ConsoleLog>;
    /**
     * Follow the console of the machine of an allocation
     *
     * `GET /api/v1/allocations/{allocation_id}/logs/stream`
     *
     * Refusals: allocation_not_found, too_many_streams.
     */
    allocationStream(input: { readonly allocation_id: string; readonly after?: string | undefined; readonly contains?: string | undefined; readonly follow?: boolean | undefined }, options?: CallOptions): EventStream<{
  /** When the host wrote it, in the time of the control plane. */
readonly at: string;
  /** Grows with the order in which lines arrived. */
readonly id: string;
  /** Secrets were replaced before it was kept. */
readonly line: string;
}>;
  };
  readonly metrics: {
    /**
     * What was measured in an allocation, over a range of time
     *
     * `GET /api/v1/allocations/{allocation_id}/metrics`
     *
     * Refusals: allocation_not_found, metrics_range_invalid.
     */
    allocation(input: { readonly allocation_id: string; readonly from?: string | undefined; readonly resolution?: 10 | 300 | undefined; readonly to?: string | undefined }, options?: CallOptions): Promise<T.AllocationMetrics>;
    /**
     * The last values of the active allocations of a project
     *
     * `GET /api/v1/metrics`
     *
     * Refusals: cursor_invalid, project_not_found.
     */
    now(input?: { readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.AllocationNow>;
    /**
     * The last values of the active allocations of a project, in the Prometheus format
     *
     * `GET /api/v1/metrics/prometheus`
     *
     * Refusals: project_not_found.
     */
    export(options?: CallOptions): Promise<string>;
  };
  readonly terminals: {
    /**
     * The certificates that were signed for an allocation, latest first
     *
     * `GET /api/v1/allocations/{allocation_id}/ssh-certificates`
     *
     * Refusals: allocation_not_found, cursor_invalid.
     */
    sshCertificateList(input: { readonly allocation_id: string; readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.SshCertificate>;
    /**
     * Sign a public key: a certificate that opens one allocation for some minutes
     *
     * `POST /api/v1/allocations/{allocation_id}/ssh-certificates`
     *
     * Refusals: allocation_not_active, allocation_not_found, ownership_required, ssh_key_invalid, terminal_recording_required, terminal_unsupported.
     */
    sshCertificateSign(input: { readonly allocation_id: string; readonly public_key: string; readonly seconds?: number | undefined }, options?: CallOptions): Promise<T.SignedSshCertificate>;
    /**
     * Revoke a certificate: the jump host refuses it, and what it opened there ends within seconds
     *
     * `DELETE /api/v1/allocations/{allocation_id}/ssh-certificates/{ssh_certificate_id}`
     *
     * Refusals: allocation_not_found, ownership_required, ssh_certificate_not_found.
     */
    sshCertificateRevoke(input: { readonly allocation_id: string; readonly ssh_certificate_id: string }, options?: CallOptions): Promise<T.SshCertificate>;
    /**
     * The terminal sessions of an allocation, latest first
     *
     * `GET /api/v1/allocations/{allocation_id}/terminal-sessions`
     *
     * Refusals: allocation_not_found, cursor_invalid.
     */
    sessionList(input: { readonly allocation_id: string; readonly cursor?: string | undefined; readonly limit?: number | undefined; readonly live?: boolean | undefined }, options?: CallOptions): Paged<T.TerminalSession>;
    /**
     * Get a token for a terminal: a new shell, or a session that exists
     *
     * `POST /api/v1/allocations/{allocation_id}/terminal-token`
     *
     * Refusals: allocation_not_active, allocation_not_found, ownership_required, terminal_port_refused, terminal_recording_required, terminal_session_ended, terminal_session_in_use, terminal_session_limit, terminal_session_not_found, terminal_unsupported.
     */
    tokenMint(input: { readonly allocation_id: string; readonly columns: number; readonly kind?: "shell" | "ssh" | "forward" | undefined; readonly mode: "open" | "join" | "take_over" | "watch"; readonly name?: string | undefined; readonly port?: number | undefined; readonly rows: number; readonly session_id?: string | undefined }, options?: CallOptions): Promise<T.TerminalToken>;
    /**
     * Where the SSH jump host is, and its host keys: nothing is trusted on first use
     *
     * `GET /api/v1/ssh/jump-host`
     *
     * Refusals: terminal_unsupported.
     */
    jumpHostGet(options?: CallOptions): Promise<T.JumpHost>;
    /**
     * End a terminal session and its shell
     *
     * `DELETE /api/v1/terminal-sessions/{terminal_session_id}`
     *
     * Refusals: ownership_required, terminal_session_ended, terminal_session_not_found.
     */
    sessionEnd(input: { readonly terminal_session_id: string }, options?: CallOptions): Promise<T.TerminalSession>;
  };
  readonly storage: {
    /**
     * The storage tokens of an allocation, latest first
     *
     * `GET /api/v1/allocations/{allocation_id}/storage-tokens`
     *
     * Refusals: allocation_not_found, cursor_invalid.
     */
    tokenList(input: { readonly allocation_id: string; readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.StorageToken>;
    /**
     * Make a token with which the machine of an allocation uses the files of its project, until the allocation ends
     *
     * `POST /api/v1/allocations/{allocation_id}/storage-tokens`
     *
     * Refusals: allocation_not_active, allocation_not_found, storage_limit_reached.
     */
    tokenCreate(input: { readonly allocation_id: string; readonly level: "read" | "write" }, options?: CallOptions): Promise<T.NewStorageToken>;
    /**
     * Revoke a storage token of an allocation; it is refused from the next request on
     *
     * `DELETE /api/v1/allocations/{allocation_id}/storage-tokens/{storage_token_id}`
     *
     * Refusals: allocation_not_found, storage_token_not_found.
     */
    tokenRevoke(input: { readonly allocation_id: string; readonly storage_token_id: string }, options?: CallOptions): Promise<T.StorageToken>;
    /**
     * What the project stores, its quota, and what storing costs
     *
     * `GET /api/v1/storage`
     *
     * Refusals: project_not_found.
     */
    get(options?: CallOptions): Promise<T.StorageUsage>;
    /**
     * Copy a file within the project; no bytes are sent
     *
     * `POST /api/v1/storage/copies`
     *
     * Refusals: project_not_found, storage_access_denied, storage_is_folder, storage_limit_reached, storage_object_not_found, storage_path_invalid, storage_path_occupied, storage_quota_exceeded, storage_read_only.
     */
    objectCopy(input: { readonly from: string; readonly owner_project_id?: string | undefined; readonly replace?: boolean | undefined; readonly to: string }, options?: CallOptions): Promise<T.StorageObject>;
    /**
     * An address that a file can be fetched from, for a short time and with ranges
     *
     * `GET /api/v1/storage/download`
     *
     * Refusals: project_not_found, storage_is_folder, storage_object_not_found, storage_path_invalid.
     */
    downloadGet(input: { readonly owner_project_id?: string | undefined; readonly path: string }, options?: CallOptions): Promise<T.StorageAddress>;
    /**
     * Create a folder, and the folders above it that are missing
     *
     * `POST /api/v1/storage/folders`
     *
     * Refusals: project_not_found, storage_access_denied, storage_limit_reached, storage_object_not_found, storage_path_invalid, storage_path_occupied.
     */
    folderCreate(input: { readonly owner_project_id?: string | undefined; readonly path: string }, options?: CallOptions): Promise<T.StorageObject>;
    /**
     * Grants that the project gave, or that it and you received; latest first
     *
     * `GET /api/v1/storage/grants`
     *
     * Refusals: cursor_invalid, project_not_found.
     */
    grantList(input?: { readonly cursor?: string | undefined; readonly limit?: number | undefined; readonly side?: "given" | "received" | undefined }, options?: CallOptions): Paged<T.StorageGrant>;
    /**
     * Let a person, a service account or another project of the organization use a namespace
     *
     * `POST /api/v1/storage/grants`
     *
     * Refusals: project_not_found, storage_access_denied, storage_grant_exists, storage_grantee_not_found, storage_limit_reached, storage_object_not_found, storage_path_invalid.
     */
    grantCreate(input: { readonly expires_at?: string | undefined; readonly grantee_id: string; readonly grantee_kind: "user" | "service_account" | "project"; readonly level: "read" | "write" | "manage"; readonly path: string }, options?: CallOptions): Promise<T.StorageGrant>;
    /**
     * Revoke a grant; addresses that were given out for it end after storage.address_seconds
     *
     * `DELETE /api/v1/storage/grants/{storage_grant_id}`
     *
     * Refusals: project_not_found, storage_access_denied, storage_grant_not_found.
     */
    grantRevoke(input: { readonly storage_grant_id: string }, options?: CallOptions): Promise<T.StorageGrant>;
    /**
     * The links to files of the project that have not ended, latest first
     *
     * `GET /api/v1/storage/links`
     *
     * Refusals: cursor_invalid, project_not_found.
     */
    linkList(input?: { readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.StorageLink>;
    /**
     * Make a link that opens one file without a sign-in, for a while
     *
     * `POST /api/v1/storage/links`
     *
     * Refusals: project_not_found, storage_access_denied, storage_is_folder, storage_limit_reached, storage_object_not_found, storage_path_invalid.
     */
    linkCreate(input: { readonly hours: number; readonly path: string }, options?: CallOptions): Promise<T.NewStorageLink>;
    /**
     * Revoke a link; it opens nothing any more
     *
     * `DELETE /api/v1/storage/links/{storage_link_id}`
     *
     * Refusals: project_not_found, storage_access_denied, storage_link_not_found.
     */
    linkRevoke(input: { readonly storage_link_id: string }, options?: CallOptions): Promise<T.StorageLink>;
    /**
     * Rename or move a file or a folder within a namespace
     *
     * `POST /api/v1/storage/moves`
     *
     * Refusals: project_not_found, storage_access_denied, storage_object_not_found, storage_path_invalid, storage_path_occupied, storage_too_many_entries.
     */
    objectMove(input: { readonly from: string; readonly owner_project_id?: string | undefined; readonly replace?: boolean | undefined; readonly to: string }, options?: CallOptions): Promise<T.StorageObject>;
    /**
     * The namespaces of the project that the caller may read
     *
     * `GET /api/v1/storage/namespaces`
     *
     * Refusals: cursor_invalid, project_not_found.
     */
    namespaceList(input?: { readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.StorageNamespace>;
    /**
     * Create a namespace; an upload creates the one that it needs
     *
     * `POST /api/v1/storage/namespaces`
     *
     * Refusals: project_not_found, storage_limit_reached, storage_object_not_found, storage_path_invalid, storage_path_occupied.
     */
    namespaceCreate(input: { readonly kind: "shared" | "users" | "workloads" | "datasets" | "checkpoints" | "artifacts"; readonly name?: string | undefined }, options?: CallOptions): Promise<T.StorageNamespace>;
    /**
     * Move a file, or a folder with everything in it, to the trash
     *
     * `DELETE /api/v1/storage/object`
     *
     * Refusals: project_not_found, storage_access_denied, storage_folder_not_empty, storage_object_not_found, storage_path_invalid, storage_too_many_entries.
     */
    objectDelete(input: { readonly owner_project_id?: string | undefined; readonly path: string; readonly recursive?: boolean | undefined }, options?: CallOptions): Promise<T.StorageDeletion>;
    /**
     * One file or folder
     *
     * `GET /api/v1/storage/object`
     *
     * Refusals: project_not_found, storage_object_not_found, storage_path_invalid.
     */
    objectGet(input: { readonly owner_project_id?: string | undefined; readonly path: string }, options?: CallOptions): Promise<T.StorageObject>;
    /**
     * What lies in a folder, by name
     *
     * `GET /api/v1/storage/objects`
     *
     * Refusals: cursor_invalid, project_not_found, storage_object_not_found, storage_path_invalid.
     */
    objectList(input: { readonly cursor?: string | undefined; readonly limit?: number | undefined; readonly owner_project_id?: string | undefined; readonly path: string; readonly recursive?: boolean | undefined }, options?: CallOptions): Paged<T.StorageObject>;
    /**
     * The trash: files that were deleted or replaced and can be restored, latest first
     *
     * `GET /api/v1/storage/trash`
     *
     * Refusals: cursor_invalid, project_not_found.
     */
    trashList(input?: { readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.StorageObject>;
    /**
     * Remove a file from the trash for good; its bytes follow within minutes
     *
     * `DELETE /api/v1/storage/trash/{storage_object_id}`
     *
     * Refusals: project_not_found, storage_access_denied, storage_object_not_found.
     */
    trashPurge(input: { readonly storage_object_id: string }, options?: CallOptions): Promise<T.StorageObject>;
    /**
     * Restore a file from the trash to its path
     *
     * `POST /api/v1/storage/trash/{storage_object_id}/restore`
     *
     * Refusals: project_not_found, storage_access_denied, storage_object_not_found, storage_path_occupied.
     */
    trashRestore(input: { readonly storage_object_id: string }, options?: CallOptions): Promise<T.StorageObject>;
    /**
     * Begin an upload: its size counts towards the quota from now on, and the file appears when the upload is finished
     *
     * `POST /api/v1/storage/uploads`
     *
     * Refusals: project_not_found, storage_access_denied, storage_limit_reached, storage_object_not_found, storage_path_invalid, storage_path_occupied, storage_quota_exceeded, storage_read_only.
     */
    uploadCreate(input: { readonly content_type?: string | undefined; readonly owner_project_id?: string | undefined; readonly path: string; readonly replace?: boolean | undefined; readonly size_bytes: number }, options?: CallOptions): Promise<T.StorageUpload>;
    /**
     * Give up an upload: what has arrived of it is removed
     *
     * `DELETE /api/v1/storage/uploads/{storage_upload_id}`
     *
     * Refusals: project_not_found, storage_access_denied, storage_upload_not_found.
     */
    uploadAbort(input: { readonly storage_upload_id: string }, options?: CallOptions): Promise<T.StorageUploadGone>;
    /**
     * An upload that is under way, with the parts that have arrived
     *
     * `GET /api/v1/storage/uploads/{storage_upload_id}`
     *
     * Refusals: project_not_found, storage_upload_not_found.
     */
    uploadGet(input: { readonly storage_upload_id: string }, options?: CallOptions): Promise<T.StorageUpload>;
    /**
     * Finish an upload: when all of its parts have arrived, it becomes a file
     *
     * `POST /api/v1/storage/uploads/{storage_upload_id}/finish`
     *
     * Refusals: project_not_found, storage_access_denied, storage_checksum_mismatch, storage_path_occupied, storage_upload_incomplete, storage_upload_not_found.
     */
    uploadFinish(input: { readonly storage_upload_id: string; readonly checksum?: string | undefined }, options?: CallOptions): Promise<T.StorageObject>;
    /**
     * An address to which one part is sent: it takes exactly these bytes, for a short time
     *
     * `GET /api/v1/storage/uploads/{storage_upload_id}/part`
     *
     * Refusals: project_not_found, storage_access_denied, storage_read_only, storage_upload_not_found.
     */
    uploadPart(input: { readonly storage_upload_id: string; readonly number: number; readonly sha256: string }, options?: CallOptions): Promise<T.StorageAddress>;
  };
  readonly appInstances: {
    /**
     * The app instances of a project, newest first
     *
     * `GET /api/v1/app-instances`
     *
     * Refusals: cursor_invalid, project_not_found.
     */
    list(input?: { readonly allocation?: string | undefined; readonly cursor?: string | undefined; readonly limit?: number | undefined; readonly state?: "requested" | "launching" | "running" | "stopping" | "stopped" | "failed" | "releasing" | "released" | undefined }, options?: CallOptions): Paged<T.AppInstance>;
    /**
     * Launch an app, on an allocation of the project or together with a new one
     *
     * `POST /api/v1/app-instances`
     *
     * Refusals: allocation_concurrency_limit, allocation_not_active, allocation_not_found, app_instance_limit, app_not_launchable, app_not_supported, app_parameters_invalid, app_version_not_found, budget_exceeded, currency_mismatch, duration_invalid, gpu_count_invalid, insufficient_balance, invoice_past_due, max_spend_too_low, organization_gpu_limit, os_image_not_found, ownership_required, project_not_found, region_not_found, sku_not_found, sku_unavailable, ssh_key_not_found.
     */
    create(input: { readonly allocation?: {
  readonly gpus: number;
  readonly idle?: {
  readonly action: "warn" | "release";
  /** All GPUs idle for this long. */
readonly minutes: number;
};
  /** An image of the catalog; default: the first that suits the SKU. */
readonly image?: string;
  /** Released this long after it became active. */
readonly max_duration_seconds?: number;
  /** Released before it costs more than this. Its host keeps the deadline, too. */
readonly max_spend?: {
  /** Whole minor units: 2500 is 25 dollars. */
readonly amount_minor: string;
  readonly currency: string;
};
  readonly name?: string;
  readonly region: string;
  /** A SKU of the catalog. */
readonly sku: string;
  /** Your own SSH keys and those of the project. */
readonly ssh_key_ids?: readonly string[];
  /** Your own labels, for search. */
readonly tags?: Readonly<Record<string, string>>;
} | undefined; readonly allocation_id?: string | undefined; readonly app: string; readonly name?: string | undefined; readonly parameters?: Readonly<Record<string, string | number | boolean>> | undefined; readonly version?: string | undefined }, options?: CallOptions): Promise<T.AppInstance>;
    /**
     * One app instance, with its routes
     *
     * `GET /api/v1/app-instances/{app_instance_id}`
     *
     * Refusals: app_instance_not_found.
     */
    get(input: { readonly app_instance_id: string }, options?: CallOptions): Promise<T.AppInstance>;
    /**
     * The lines that the host last gave for an app instance
     *
     * `GET /api/v1/app-instances/{app_instance_id}/logs`
     *
     * Refusals: app_instance_not_found.
     */
    logs(input: { readonly app_instance_id: string }, options?: CallOptions): Promise<T.AppInstanceLogs>;
    /**
     * Ask the host for the last lines of an app instance; read them with GET
     *
     * `POST /api/v1/app-instances/{app_instance_id}/logs`
     *
     * Refusals: app_instance_not_found, app_instance_not_on_host.
     */
    logsRequest(input: { readonly app_instance_id: string; readonly tail_lines?: number | undefined }, options?: CallOptions): Promise<T.AppInstanceLogs>;
    /**
     * End an app instance with its volumes, and its allocation where both were launched together
     *
     * `POST /api/v1/app-instances/{app_instance_id}/release`
     *
     * Refusals: allocation_already_releasing, app_instance_not_found, illegal_transition.
     */
    release(input: { readonly app_instance_id: string }, options?: CallOptions): Promise<T.AppInstance>;
    /**
     * Move an app instance back to the version that it had before its last upgrade, with the parameters that it had then
     *
     * `POST /api/v1/app-instances/{app_instance_id}/rollback`
     *
     * Refusals: allocation_not_active, app_instance_changing, app_instance_not_found, app_no_previous_version, app_not_launchable, app_not_supported, app_parameters_invalid, illegal_transition, ownership_required.
     */
    rollback(input: { readonly app_instance_id: string }, options?: CallOptions): Promise<T.AppInstance>;
    /**
     * Start an app instance again that was stopped or has failed
     *
     * `POST /api/v1/app-instances/{app_instance_id}/start`
     *
     * Refusals: allocation_not_active, app_instance_not_found, app_not_launchable, app_not_supported, app_parameters_invalid, illegal_transition.
     */
    start(input: { readonly app_instance_id: string }, options?: CallOptions): Promise<T.AppInstance>;
    /**
     * Stop an app instance; its volumes and its allocation stay
     *
     * `POST /api/v1/app-instances/{app_instance_id}/stop`
     *
     * Refusals: app_instance_not_found, illegal_transition.
     */
    stop(input: { readonly app_instance_id: string }, options?: CallOptions): Promise<T.AppInstance>;
    /**
     * What happened to an app instance, oldest first
     *
     * `GET /api/v1/app-instances/{app_instance_id}/timeline`
     *
     * Refusals: app_instance_not_found, cursor_invalid.
     */
    timeline(input: { readonly app_instance_id: string; readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.AppInstanceMoment>;
    /**
     * Move an app instance to another version of its app; the old one comes back if that does not become ready
     *
     * `POST /api/v1/app-instances/{app_instance_id}/upgrade`
     *
     * Refusals: allocation_not_active, app_instance_changing, app_instance_not_found, app_not_launchable, app_not_supported, app_parameters_invalid, app_version_not_found, illegal_transition, ownership_required.
     */
    upgrade(input: { readonly app_instance_id: string; readonly parameters?: Readonly<Record<string, string | number | boolean>> | undefined; readonly version: string }, options?: CallOptions): Promise<T.AppInstance>;
    /**
     * What an app instance was used for, by hour and endpoint, newest first: requests, bytes, units and their cost
     *
     * `GET /api/v1/app-instances/{app_instance_id}/use`
     *
     * Refusals: app_instance_not_found, cursor_invalid.
     */
    use(input: { readonly app_instance_id: string; readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.AppUseHour>;
    /**
     * A one-time code with which your browser signs in at the address of an app
     *
     * `POST /api/v1/app-sign-ins`
     *
     * Refusals: app_route_not_found.
     */
    signInCreate(input: { readonly label: string; readonly state: string; readonly to?: string | undefined }, options?: CallOptions): Promise<T.AppSignIn>;
    /**
     * What the apps of a project were used for in the last days, by app: requests, bytes, units and their cost
     *
     * `GET /api/v1/app-use`
     *
     * Refusals: cursor_invalid, project_not_found.
     */
    useList(input?: { readonly cursor?: string | undefined; readonly days?: number | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.AppUse>;
  };
  readonly apps: {
    /**
     * One version of an app, with its manifest and evidence, for its publisher
     *
     * `GET /api/v1/app-versions/{app_version_id}`
     *
     * Refusals: app_version_not_found.
     */
    versionGet(input: { readonly app_version_id: string }, options?: CallOptions): Promise<T.AppVersion>;
    /**
     * Deprecate a version that has a successor: it can still be launched, and no instance is upgraded to it any more
     *
     * `POST /api/v1/app-versions/{app_version_id}/deprecate`
     *
     * Refusals: app_version_not_found, illegal_transition, version_conflict.
     */
    versionDeprecate(input: { readonly app_version_id: string; readonly revision?: number | undefined }, options?: CallOptions): Promise<T.AppVersion>;
    /**
     * Move a version to its next channel: dev, test, staging, prod. In prod it is for everybody who finds the app
     *
     * `POST /api/v1/app-versions/{app_version_id}/promote`
     *
     * Refusals: app_version_not_found, app_version_untrusted, illegal_transition, version_conflict.
     */
    versionPromote(input: { readonly app_version_id: string; readonly revision?: number | undefined }, options?: CallOptions): Promise<T.AppVersion>;
    /**
     * Retire a version for good: nobody launches it any more; what runs goes on
     *
     * `POST /api/v1/app-versions/{app_version_id}/retire`
     *
     * Refusals: app_version_not_found, illegal_transition, version_conflict.
     */
    versionRetire(input: { readonly app_version_id: string; readonly revision?: number | undefined }, options?: CallOptions): Promise<T.AppVersion>;
    /**
     * Have a version verified again now, for example after it was signed or its SBOM was added
     *
     * `POST /api/v1/app-versions/{app_version_id}/verify`
     *
     * Refusals: app_version_not_found, illegal_transition.
     */
    versionVerify(input: { readonly app_version_id: string }, options?: CallOptions): Promise<T.AppVersion>;
    /**
     * One app, for its publisher
     *
     * `GET /api/v1/apps/{app_id}`
     *
     * Refusals: app_not_found.
     */
    get(input: { readonly app_id: string }, options?: CallOptions): Promise<T.App>;
    /**
     * Rename an app, or change who finds it
     *
     * `PATCH /api/v1/apps/{app_id}`
     *
     * Refusals: app_not_found.
     */
    update(input: { readonly app_id: string; readonly name?: string | undefined; readonly summary?: string | undefined; readonly visibility?: "project" | "organization" | "platform" | undefined }, options?: CallOptions): Promise<T.App>;
    /**
     * Who may use an app besides those who find it anyway
     *
     * `GET /api/v1/apps/{app_id}/entitlements`
     *
     * Refusals: app_not_found, cursor_invalid.
     */
    entitlementList(input: { readonly app_id: string; readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.AppEntitlement>;
    /**
     * Let another organization, or one project of it, find and launch an app that is not for everybody
     *
     * `POST /api/v1/apps/{app_id}/entitlements`
     *
     * Refusals: app_already_entitled, app_not_found, organization_not_found.
     */
    entitlementCreate(input: { readonly app_id: string; readonly organization_id: string; readonly project_id?: string | undefined }, options?: CallOptions): Promise<T.AppEntitlement>;
    /**
     * Revoke an entitlement: new instances are refused, what runs goes on
     *
     * `DELETE /api/v1/apps/{app_id}/entitlements/{app_entitlement_id}`
     *
     * Refusals: app_entitlement_not_found, app_not_found.
     */
    entitlementDelete(input: { readonly app_entitlement_id: string; readonly app_id: string }, options?: CallOptions): Promise<T.AppEntitlement>;
    /**
     * A login that works for minutes, to push images of this app to the registry of the installation
     *
     * `POST /api/v1/apps/{app_id}/push-credentials`
     *
     * Refusals: app_not_found, app_registry_absent.
     */
    pushCredentialCreate(input: { readonly app_id: string }, options?: CallOptions): Promise<T.AppPushCredential>;
    /**
     * The versions of an app, newest first, for its publisher
     *
     * `GET /api/v1/apps/{app_id}/versions`
     *
     * Refusals: app_not_found, cursor_invalid.
     */
    versionList(input: { readonly app_id: string; readonly cursor?: string | undefined; readonly lifecycle_state?: "published" | "promoted" | "deprecated" | "retired" | undefined; readonly limit?: number | undefined; readonly trust_state?: "unverified" | "verified" | "failed_verification" | "revoked" | undefined }, options?: CallOptions): Paged<T.AppVersion>;
    /**
     * Publish a version of an app: its manifest, with the image by digest
     *
     * `POST /api/v1/apps/{app_id}/versions`
     *
     * Refusals: app_limit_reached, app_manifest_invalid, app_not_found, app_version_exists.
     */
    versionPublish(input: { readonly app_id: string; readonly manifest: T.AppManifest }, options?: CallOptions): Promise<T.AppVersion>;
    /**
     * The apps that your project may find: its own, those of the organization, of everybody, and those it is entitled to
     *
     * `GET /api/v1/catalog/apps`
     *
     * Refusals: cursor_invalid, project_not_found.
     */
    catalogList(input?: { readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.CatalogApp>;
    /**
     * The versions of an app that your project may see, newest first, and whether it may launch them
     *
     * `GET /api/v1/catalog/apps/{app_id}/versions`
     *
     * Refusals: app_not_found, cursor_invalid, project_not_found.
     */
    catalogVersionList(input: { readonly app_id: string; readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.CatalogVersion>;
    /**
     * The public keys that a project has pinned
     *
     * `GET /api/v1/projects/{project_id}/app-signing-keys`
     *
     * Refusals: cursor_invalid, project_not_found.
     */
    signingKeyList(input: { readonly project_id: string; readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.AppSigningKey>;
    /**
     * Pin a public key: images of this project are verified against the keys that it has pinned
     *
     * `POST /api/v1/projects/{project_id}/app-signing-keys`
     *
     * Refusals: app_limit_reached, app_signing_key_exists, app_signing_key_invalid, project_not_found.
     */
    signingKeyCreate(input: { readonly project_id: string; readonly name: string; readonly public_key: string }, options?: CallOptions): Promise<T.AppSigningKey>;
    /**
     * Withdraw a public key: it verifies no more versions; those that it verified stay verified
     *
     * `DELETE /api/v1/projects/{project_id}/app-signing-keys/{app_signing_key_id}`
     *
     * Refusals: app_signing_key_not_found, project_not_found.
     */
    signingKeyDelete(input: { readonly app_signing_key_id: string; readonly project_id: string }, options?: CallOptions): Promise<T.AppSigningKey>;
    /**
     * The apps that a project publishes
     *
     * `GET /api/v1/projects/{project_id}/apps`
     *
     * Refusals: cursor_invalid, project_not_found.
     */
    list(input: { readonly project_id: string; readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.App>;
    /**
     * Create an app that this project publishes; versions follow
     *
     * `POST /api/v1/projects/{project_id}/apps`
     *
     * Refusals: app_limit_reached, app_slug_taken, project_not_found.
     */
    create(input: { readonly project_id: string; readonly name: string; readonly slug: string; readonly summary?: string | undefined; readonly visibility?: "project" | "organization" | "platform" | undefined }, options?: CallOptions): Promise<T.App>;
  };
  readonly serviceAccounts: {
    /**
     * The public keys that tokens of service accounts are signed with, as JSON Web Key Set
     *
     * `GET /api/v1/auth/keys`
     */
    signingKeyList(options?: CallOptions): Promise<{
  readonly keys: readonly Readonly<Record<string, string>>[];
}>;
    /**
     * Exchange a signed assertion for a short-lived token, as JSON; OAuth libraries send a form to /oauth/token
     *
     * `POST /api/v1/auth/service-accounts/token`
     *
     * Refusals: assertion_invalid, assertion_replayed.
     */
    token(input: { readonly assertion: string; readonly grant_type: "urn:ietf:params:oauth:grant-type:jwt-bearer"; readonly scope?: string | undefined }, options?: CallOptions): Promise<{
  readonly access_token: string;
  /** Seconds. */
readonly expires_in: number;
  readonly scope: string;
  readonly token_type: "Bearer";
}>;
    /**
     * All service accounts of an organization and of its projects
     *
     * `GET /api/v1/organizations/{organization_id}/service-accounts`
     *
     * Refusals: cursor_invalid, organization_not_found.
     */
    machineIdentityList(input: { readonly organization_id: string; readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.ServiceAccount>;
    /**
     * Create a service account for some projects of an organization, for shared runtimes and outside workers
     *
     * `POST /api/v1/organizations/{organization_id}/service-accounts`
     *
     * Refusals: organization_not_found, project_not_found, service_account_slug_taken, step_up_required.
     */
    machineIdentityCreate(input: { readonly organization_id: string; readonly description?: string | undefined; readonly name: string; readonly project_ids: readonly string[]; readonly scopes: readonly ("organizations:read" | "organizations:write" | "organizations:delete" | "members:read" | "members:write" | "membership:leave" | "profile:read" | "profile:write" | "ssh_keys:read" | "ssh_keys:write" | "projects:read" | "projects:write" | "allocations:read" | "allocations:write" | "apps:read" | "apps:publish" | "apps:admin" | "storage:read" | "storage:write" | "usage:read" | "billing:read" | "billing:write" | "billing:pay" | "billing:admin" | "activity:read" | "audit:read" | "audit:admin" | "sessions:read" | "sessions:write" | "sessions:admin" | "tokens:read" | "tokens:write" | "factors:read" | "factors:write" | "service_accounts:read" | "service_accounts:write" | "webhooks:read" | "webhooks:write" | "policies:read" | "policies:admin" | "fleet:read" | "fleet:admin" | "organizations:admin" | "users:read" | "users:admin" | "roles:admin" | "events:read" | "events:admin")[]; readonly slug: string }, options?: CallOptions): Promise<T.ServiceAccount>;
    /**
     * The service accounts that may act in a project
     *
     * `GET /api/v1/projects/{project_id}/service-accounts`
     *
     * Refusals: cursor_invalid, project_not_found.
     */
    list(input: { readonly project_id: string; readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.ServiceAccount>;
    /**
     * Create a service account for one project
     *
     * `POST /api/v1/projects/{project_id}/service-accounts`
     *
     * Refusals: project_not_found, service_account_slug_taken.
     */
    create(input: { readonly project_id: string; readonly description?: string | undefined; readonly name: string; readonly scopes: readonly ("organizations:read" | "organizations:write" | "organizations:delete" | "members:read" | "members:write" | "membership:leave" | "profile:read" | "profile:write" | "ssh_keys:read" | "ssh_keys:write" | "projects:read" | "projects:write" | "allocations:read" | "allocations:write" | "apps:read" | "apps:publish" | "apps:admin" | "storage:read" | "storage:write" | "usage:read" | "billing:read" | "billing:write" | "billing:pay" | "billing:admin" | "activity:read" | "audit:read" | "audit:admin" | "sessions:read" | "sessions:write" | "sessions:admin" | "tokens:read" | "tokens:write" | "factors:read" | "factors:write" | "service_accounts:read" | "service_accounts:write" | "webhooks:read" | "webhooks:write" | "policies:read" | "policies:admin" | "fleet:read" | "fleet:admin" | "organizations:admin" | "users:read" | "users:admin" | "roles:admin" | "events:read" | "events:admin")[]; readonly slug: string }, options?: CallOptions): Promise<T.ServiceAccount>;
    /**
     * Remove a service account for good
     *
     * `DELETE /api/v1/service-accounts/{service_account_id}`
     *
     * Refusals: illegal_transition, service_account_not_found.
     */
    remove(input: { readonly service_account_id: string }, options?: CallOptions): Promise<T.ServiceAccount>;
    /**
     * One service account
     *
     * `GET /api/v1/service-accounts/{service_account_id}`
     *
     * Refusals: service_account_not_found.
     */
    get(input: { readonly service_account_id: string }, options?: CallOptions): Promise<T.ServiceAccount>;
    /**
     * Rename a service account, change its scopes and projects, or disable and enable it
     *
     * `PATCH /api/v1/service-accounts/{service_account_id}`
     *
     * Refusals: illegal_transition, project_not_found, service_account_not_found, service_account_pinned, step_up_required, version_conflict.
     */
    update(input: { readonly service_account_id: string; readonly description?: string | null | undefined; readonly name?: string | undefined; readonly project_ids?: readonly string[] | undefined; readonly scopes?: readonly ("organizations:read" | "organizations:write" | "organizations:delete" | "members:read" | "members:write" | "membership:leave" | "profile:read" | "profile:write" | "ssh_keys:read" | "ssh_keys:write" | "projects:read" | "projects:write" | "allocations:read" | "allocations:write" | "apps:read" | "apps:publish" | "apps:admin" | "storage:read" | "storage:write" | "usage:read" | "billing:read" | "billing:write" | "billing:pay" | "billing:admin" | "activity:read" | "audit:read" | "audit:admin" | "sessions:read" | "sessions:write" | "sessions:admin" | "tokens:read" | "tokens:write" | "factors:read" | "factors:write" | "service_accounts:read" | "service_accounts:write" | "webhooks:read" | "webhooks:write" | "policies:read" | "policies:admin" | "fleet:read" | "fleet:admin" | "organizations:admin" | "users:read" | "users:admin" | "roles:admin" | "events:read" | "events:admin")[] | undefined; readonly state?: "active" | "disabled" | undefined; readonly version?: number | undefined }, options?: CallOptions): Promise<T.ServiceAccount>;
    /**
     * Disable a service account; its tokens are refused within five seconds
     *
     * `POST /api/v1/service-accounts/{service_account_id}/disable`
     *
     * Refusals: illegal_transition, service_account_not_found, version_conflict.
     */
    disable(input: { readonly service_account_id: string; readonly version?: number | undefined }, options?: CallOptions): Promise<T.ServiceAccount>;
    /**
     * Enable a service account
     *
     * `POST /api/v1/service-accounts/{service_account_id}/enable`
     *
     * Refusals: illegal_transition, service_account_not_found, version_conflict.
     */
    enable(input: { readonly service_account_id: string; readonly version?: number | undefined }, options?: CallOptions): Promise<T.ServiceAccount>;
    /**
     * The keys of a service account, newest first
     *
     * `GET /api/v1/service-accounts/{service_account_id}/keys`
     *
     * Refusals: cursor_invalid, service_account_not_found.
     */
    keyList(input: { readonly service_account_id: string; readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.ServiceAccountKey>;
    /**
     * Add a key to a service account: your own, or one that the server generates and shows once
     *
     * `POST /api/v1/service-accounts/{service_account_id}/keys`
     *
     * Refusals: illegal_transition, service_account_key_invalid, service_account_not_found, step_up_required.
     */
    keyCreate(input: { readonly service_account_id: string; readonly expires_in_days: number; readonly name: string; readonly public_key?: {
  readonly crv: "Ed25519";
  readonly kty: "OKP";
  /** 32 bytes in base64url. */
readonly x: string;
} | {
  readonly crv: "P-256";
  readonly kty: "EC";
  /** 32 bytes in base64url. */
readonly x: string;
  /** 32 bytes in base64url. */
readonly y: string;
} | undefined }, options?: CallOptions): Promise<T.NewServiceAccountKey>;
    /**
     * Revoke a key; tokens that it obtained are refused within five seconds
     *
     * `DELETE /api/v1/service-accounts/{service_account_id}/keys/{key_id}`
     *
     * Refusals: service_account_key_not_found, service_account_not_found.
     */
    keyRevoke(input: { readonly key_id: string; readonly service_account_id: string }, options?: CallOptions): Promise<T.ServiceAccountKey>;
  };
  readonly billing: {
    /**
     * Usage and cost of a project, by person, SKU, meter, allocation or day
     *
     * `GET /api/v1/billing/usage`
     *
     * Refusals: period_invalid, project_not_found.
     */
    projectUsageGet(input?: { readonly allocation_id?: string | undefined; readonly from?: string | undefined; readonly group_by?: "user" | "sku" | "meter" | "allocation" | "day" | "none" | undefined; readonly meter?: "gpu_time" | "storage" | "app_units" | undefined; readonly requested_by?: string | undefined; readonly sku?: string | undefined; readonly to?: string | undefined }, options?: CallOptions): Promise<T.UsageReport>;
    /**
     * Usage and cost of a project over time, in groups, oldest first
     *
     * `GET /api/v1/billing/usage/series`
     *
     * Refusals: cursor_invalid, period_invalid, project_not_found.
     */
    projectUsageList(input?: { readonly allocation_id?: string | undefined; readonly cursor?: string | undefined; readonly from?: string | undefined; readonly group_by?: "none" | "user" | "sku" | "meter" | "allocation" | "app" | undefined; readonly interval?: "hour" | "day" | "month" | undefined; readonly limit?: number | undefined; readonly meter?: "gpu_time" | "storage" | "app_units" | undefined; readonly requested_by?: string | undefined; readonly sku?: string | undefined; readonly to?: string | undefined }, options?: CallOptions): Paged<T.UsagePoint>;
    /**
     * The balance of an organization and how long it lasts
     *
     * `GET /api/v1/organizations/{organization_id}/billing/balance`
     *
     * Refusals: organization_not_found.
     */
    balanceGet(input: { readonly organization_id: string }, options?: CallOptions): Promise<T.BillingBalance>;
    /**
     * The budgets of an organization, and what this month has spent of them
     *
     * `GET /api/v1/organizations/{organization_id}/billing/budgets`
     *
     * Refusals: organization_not_found.
     */
    budgetList(input: { readonly organization_id: string }, options?: CallOptions): Promise<{
  /** At most 1,000. */
readonly data: readonly T.Budget[];
}>;
    /**
     * Create a budget for an organization, a project, a person or a tag
     *
     * `POST /api/v1/organizations/{organization_id}/billing/budgets`
     *
     * Refusals: budget_already_exists, budget_invalid, budget_limit_reached, currency_mismatch, member_not_found, organization_not_found, project_not_found.
     */
    budgetCreate(input: { readonly organization_id: string; readonly currency: string; readonly hard_minor?: string | undefined; readonly name: string; readonly scope: "organization" | "project" | "user" | "tag"; readonly soft_minor?: string | undefined; readonly subject?: string | undefined }, options?: CallOptions): Promise<T.Budget>;
    /**
     * Remove a budget
     *
     * `DELETE /api/v1/organizations/{organization_id}/billing/budgets/{budget_id}`
     *
     * Refusals: budget_not_found, organization_not_found.
     */
    budgetRemove(input: { readonly budget_id: string; readonly organization_id: string }, options?: CallOptions): Promise<T.Budget>;
    /**
     * Rename a budget or change its thresholds; null removes one
     *
     * `PATCH /api/v1/organizations/{organization_id}/billing/budgets/{budget_id}`
     *
     * Refusals: budget_invalid, budget_not_found, organization_not_found, version_conflict.
     */
    budgetUpdate(input: { readonly budget_id: string; readonly organization_id: string; readonly hard_minor?: string | null | undefined; readonly name?: string | undefined; readonly soft_minor?: string | null | undefined; readonly version?: number | undefined }, options?: CallOptions): Promise<T.Budget>;
    /**
     * Credit that the organization was given, what is left of it, and when it expires
     *
     * `GET /api/v1/organizations/{organization_id}/billing/credit`
     *
     * Refusals: cursor_invalid, organization_not_found.
     */
    creditList(input: { readonly organization_id: string; readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.Credit>;
    /**
     * Name, address and tax id that stand on invoices
     *
     * `GET /api/v1/organizations/{organization_id}/billing/details`
     *
     * Refusals: organization_not_found.
     */
    detailsGet(input: { readonly organization_id: string }, options?: CallOptions): Promise<T.BillingDetails>;
    /**
     * Set the details that the next documents get; those that exist keep theirs
     *
     * `PUT /api/v1/organizations/{organization_id}/billing/details`
     *
     * Refusals: organization_not_found, tax_id_invalid.
     */
    detailsSet(input: { readonly organization_id: string; readonly address_lines: readonly string[]; readonly city: string; readonly country: string; readonly customer_type: "business" | "consumer"; readonly invoice_email?: string | null | undefined; readonly legal_name: string; readonly postal_code?: string | null | undefined; readonly tax_id?: string | null | undefined }, options?: CallOptions): Promise<T.BillingDetails>;
    /**
     * Invoices, credit notes, receipts and statements, newest first
     *
     * `GET /api/v1/organizations/{organization_id}/billing/documents`
     *
     * Refusals: cursor_invalid, organization_not_found.
     */
    documentList(input: { readonly organization_id: string; readonly cursor?: string | undefined; readonly kind?: "invoice" | "credit_note" | "receipt" | "statement" | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.BillingDocument>;
    /**
     * One document and everything that it says
     *
     * `GET /api/v1/organizations/{organization_id}/billing/documents/{document_id}`
     *
     * Refusals: document_not_found, organization_not_found.
     */
    documentGet(input: { readonly document_id: string; readonly organization_id: string }, options?: CallOptions): Promise<T.DocumentWithContent>;
    /**
     * One document as PDF, the same bytes each time
     *
     * `GET /api/v1/organizations/{organization_id}/billing/documents/{document_id}/file`
     *
     * Refusals: document_not_found, organization_not_found.
     */
    documentFileGet(input: { readonly document_id: string; readonly organization_id: string }, options?: CallOptions): Promise<T.DocumentFile>;
    /**
     * Recompute a document from the ledger and compare it byte for byte
     *
     * `GET /api/v1/organizations/{organization_id}/billing/documents/{document_id}/verify`
     *
     * Refusals: document_not_found, organization_not_found.
     */
    documentVerify(input: { readonly document_id: string; readonly organization_id: string }, options?: CallOptions): Promise<T.DocumentCheck>;
    /**
     * What the current month will cost, with a band
     *
     * `GET /api/v1/organizations/{organization_id}/billing/forecast`
     *
     * Refusals: organization_not_found.
     */
    forecastGet(input: { readonly organization_id: string }, options?: CallOptions): Promise<T.BillingForecast>;
    /**
     * What was charged while GPUs were reported as idle
     *
     * `GET /api/v1/organizations/{organization_id}/billing/idle`
     *
     * Refusals: organization_not_found, period_invalid.
     */
    idleGet(input: { readonly organization_id: string; readonly from?: string | undefined; readonly to?: string | undefined }, options?: CallOptions): Promise<T.BillingIdle>;
    /**
     * What was last released because the balance was used up, and what it had cost
     *
     * `GET /api/v1/organizations/{organization_id}/billing/last-release`
     *
     * Refusals: organization_not_found.
     */
    lastReleaseGet(input: { readonly organization_id: string }, options?: CallOptions): Promise<T.LastRelease>;
    /**
     * The ledger of an organization, newest day first
     *
     * `GET /api/v1/organizations/{organization_id}/billing/ledger`
     *
     * Refusals: cursor_invalid, organization_not_found.
     */
    ledgerList(input: { readonly organization_id: string; readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.LedgerLine>;
    /**
     * The whole ledger as lines of JSON with its hash chain, to verify without this server
     *
     * `GET /api/v1/organizations/{organization_id}/billing/ledger/export`
     *
     * Refusals: organization_not_found, too_many_streams.
     */
    ledgerExport(input: { readonly organization_id: string }, options?: CallOptions): Promise<string>;
    /**
     * Verify the ledger: its chain, its sum, and the usage behind it
     *
     * `GET /api/v1/organizations/{organization_id}/billing/ledger/verify`
     *
     * Refusals: organization_not_found.
     */
    ledgerVerify(input: { readonly organization_id: string }, options?: CallOptions): Promise<T.LedgerCheck>;
    /**
     * The proof of a usage line: windows, signed evidence, and links of the chain
     *
     * `GET /api/v1/organizations/{organization_id}/billing/ledger/{line_id}/proof`
     *
     * Refusals: cursor_invalid, ledger_line_not_found, organization_not_found.
     */
    proofGet(input: { readonly line_id: string; readonly organization_id: string; readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Promise<T.UsageProof>;
    /**
     * The windows of a usage line, oldest first
     *
     * `GET /api/v1/organizations/{organization_id}/billing/ledger/{line_id}/windows`
     *
     * Refusals: cursor_invalid, ledger_line_not_found, organization_not_found.
     */
    windowList(input: { readonly line_id: string; readonly organization_id: string; readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.UsageWindow>;
    /**
     * Prices that were negotiated with an organization, newest first
     *
     * `GET /api/v1/organizations/{organization_id}/billing/prices`
     *
     * Refusals: cursor_invalid, organization_not_found.
     */
    priceBookList(input: { readonly organization_id: string; readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.NegotiatedPrice>;
    /**
     * Usage and cost of an organization, by project, person, SKU, meter, allocation or day
     *
     * `GET /api/v1/organizations/{organization_id}/billing/usage`
     *
     * Refusals: organization_not_found, period_invalid.
     */
    usageGet(input: { readonly organization_id: string; readonly allocation_id?: string | undefined; readonly from?: string | undefined; readonly group_by?: "project" | "user" | "sku" | "meter" | "allocation" | "day" | "none" | undefined; readonly meter?: "gpu_time" | "storage" | "app_units" | undefined; readonly project_id?: string | undefined; readonly requested_by?: string | undefined; readonly sku?: string | undefined; readonly to?: string | undefined }, options?: CallOptions): Promise<T.UsageReport>;
    /**
     * Usage as a file: a row for each allocation or project that stored something and day, oldest first
     *
     * `GET /api/v1/organizations/{organization_id}/billing/usage/export`
     *
     * Refusals: organization_not_found, period_invalid, too_many_streams.
     */
    usageExport(input: { readonly organization_id: string; readonly allocation_id?: string | undefined; readonly format: "csv" | "focus" | "parquet"; readonly from?: string | undefined; readonly meter?: "gpu_time" | "storage" | "app_units" | undefined; readonly project_id?: string | undefined; readonly requested_by?: string | undefined; readonly sku?: string | undefined; readonly to?: string | undefined }, options?: CallOptions): Promise<string>;
    /**
     * Usage and cost over time, in groups, oldest first
     *
     * `GET /api/v1/organizations/{organization_id}/billing/usage/series`
     *
     * Refusals: cursor_invalid, organization_not_found, period_invalid.
     */
    usageList(input: { readonly organization_id: string; readonly allocation_id?: string | undefined; readonly cursor?: string | undefined; readonly from?: string | undefined; readonly group_by?: "none" | "project" | "user" | "sku" | "meter" | "allocation" | "app" | undefined; readonly interval?: "hour" | "day" | "month" | undefined; readonly limit?: number | undefined; readonly meter?: "gpu_time" | "storage" | "app_units" | undefined; readonly project_id?: string | undefined; readonly requested_by?: string | undefined; readonly sku?: string | undefined; readonly to?: string | undefined }, options?: CallOptions): Paged<T.UsagePoint>;
    /**
     * Quote a launch: its price, locked for a while, and what it does to balance, runway and budgets
     *
     * `POST /api/v1/quotes`
     *
     * Refusals: currency_mismatch, duration_invalid, gpu_count_invalid, max_spend_too_low, os_image_not_found, project_not_found, region_not_found, sku_not_found, ssh_key_not_found.
     */
    quoteCreate(input: { readonly gpus: number; readonly max_duration_seconds?: number | undefined; readonly max_spend?: {
  /** Whole minor units: 2500 is 25 dollars. */
readonly amount_minor: string;
  readonly currency: string;
} | undefined; readonly region: string; readonly sku: string }, options?: CallOptions): Promise<T.Quote>;
  };
  readonly health: {
    /**
     * The name and branding of this installation
     *
     * `GET /api/v1/branding`
     */
    brandingGet(options?: CallOptions): Promise<T.Branding>;
    /**
     * Where and how to sign in
     *
     * `GET /api/v1/sign-in`
     */
    signInGet(options?: CallOptions): Promise<T.SignIn>;
    /**
     * The version of this installation
     *
     * `GET /api/v1/version`
     */
    versionGet(options?: CallOptions): Promise<{
  /** The commit that the package was made from; null where it runs from a clone. */
readonly commit: string | null;
  /** A digest of the description of the API, with the kind of digest before it. */
readonly contract: string;
  readonly product: string;
  readonly version: string;
}>;
  };
  readonly catalog: {
    /**
     * What can be rented: SKUs, prices and free capacity; a few seconds old at most
     *
     * `GET /api/v1/catalog`
     *
     * Refusals: cursor_invalid.
     */
    list(input?: { readonly cursor?: string | undefined; readonly limit?: number | undefined; readonly region?: string | undefined }, options?: CallOptions): Paged<T.CatalogItem>;
    /**
     * One SKU with its price and free capacity
     *
     * `GET /api/v1/catalog/{sku}`
     *
     * Refusals: sku_not_found.
     */
    get(input: { readonly sku: string }, options?: CallOptions): Promise<T.CatalogItem>;
    /**
     * The images for slices
     *
     * `GET /api/v1/os-images`
     *
     * Refusals: cursor_invalid.
     */
    osImageList(input?: { readonly cursor?: string | undefined; readonly limit?: number | undefined; readonly sku?: string | undefined }, options?: CallOptions): Paged<T.PublicImage>;
    /**
     * The regions
     *
     * `GET /api/v1/regions`
     *
     * Refusals: cursor_invalid.
     */
    regionList(input?: { readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.Region>;
  };
  readonly events: {
    /**
     * Watch the events of a project live, and those of the money of its organization for those who may see it
     *
     * `GET /api/v1/events/stream`
     *
     * Refusals: cursor_invalid, project_not_found, too_many_streams.
     */
    stream(input?: { readonly about?: string | undefined; readonly after?: string | undefined; readonly follow?: boolean | undefined; readonly notifications?: boolean | undefined; readonly project_id?: string | undefined; readonly types?: string | undefined }, options?: CallOptions): EventStream;
  };
  readonly members: {
    /**
     * Accept an invitation and join its organization
     *
     * `POST /api/v1/invitations/accept`
     *
     * Refusals: already_member, invitation_invalid.
     */
    invitationAccept(input: { readonly token: string }, options?: CallOptions): Promise<T.Joined>;
    /**
     * Invitations of the organization, newest first
     *
     * `GET /api/v1/organizations/{organization_id}/invitations`
     *
     * Refusals: cursor_invalid, organization_not_found.
     */
    invitationList(input: { readonly organization_id: string; readonly cursor?: string | undefined; readonly limit?: number | undefined; readonly state?: "pending" | "accepted" | "revoked" | "expired" | undefined }, options?: CallOptions): Paged<T.Invitation>;
    /**
     * Invite a person; the token in the answer accepts the invitation
     *
     * `POST /api/v1/organizations/{organization_id}/invitations`
     *
     * Refusals: invitation_limit_reached, invitation_pending, organization_not_found, ownership_required, step_up_required.
     */
    invitationCreate(input: { readonly organization_id: string; readonly email: string; readonly role: "owner" | "admin" | "member" | "viewer" | "finance" }, options?: CallOptions): Promise<T.InvitationCreated>;
    /**
     * Revoke an invitation before it is accepted
     *
     * `DELETE /api/v1/organizations/{organization_id}/invitations/{invitation_id}`
     *
     * Refusals: illegal_transition, invitation_not_found, organization_not_found.
     */
    invitationRevoke(input: { readonly invitation_id: string; readonly organization_id: string }, options?: CallOptions): Promise<T.Invitation>;
    /**
     * Leave an organization and all its projects; the last owner stays
     *
     * `POST /api/v1/organizations/{organization_id}/leave`
     *
     * Refusals: last_owner, member_not_found, organization_not_found.
     */
    leave(input: { readonly organization_id: string }, options?: CallOptions): Promise<T.Member>;
    /**
     * The members of the organization
     *
     * `GET /api/v1/organizations/{organization_id}/members`
     *
     * Refusals: cursor_invalid, organization_not_found.
     */
    list(input: { readonly organization_id: string; readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.Member>;
    /**
     * Remove a member from the organization and from all its projects
     *
     * `DELETE /api/v1/organizations/{organization_id}/members/{user_id}`
     *
     * Refusals: last_owner, member_not_found, organization_not_found, ownership_required.
     */
    remove(input: { readonly organization_id: string; readonly user_id: string }, options?: CallOptions): Promise<T.Member>;
    /**
     * Change the role of a member
     *
     * `PATCH /api/v1/organizations/{organization_id}/members/{user_id}`
     *
     * Refusals: last_owner, member_not_found, organization_not_found, ownership_required, step_up_required.
     */
    update(input: { readonly organization_id: string; readonly user_id: string; readonly role: "owner" | "admin" | "member" | "viewer" | "finance" }, options?: CallOptions): Promise<T.Member>;
    /**
     * The members of the project who have a role of their own there
     *
     * `GET /api/v1/projects/{project_id}/members`
     *
     * Refusals: cursor_invalid, project_not_found.
     */
    projectList(input: { readonly project_id: string; readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.Member>;
    /**
     * Remove the role in the project; the role in the organization stays
     *
     * `DELETE /api/v1/projects/{project_id}/members/{user_id}`
     *
     * Refusals: member_not_found, ownership_required, project_not_found.
     */
    projectRemove(input: { readonly project_id: string; readonly user_id: string }, options?: CallOptions): Promise<T.Member>;
    /**
     * Give a member of the organization a role in the project; the higher of the two roles counts there
     *
     * `PUT /api/v1/projects/{project_id}/members/{user_id}`
     *
     * Refusals: member_not_found, ownership_required, project_not_found, step_up_required.
     */
    projectSet(input: { readonly project_id: string; readonly user_id: string; readonly role: "owner" | "admin" | "member" | "viewer" }, options?: CallOptions): Promise<T.Member>;
  };
  readonly me: {
    /**
     * The caller: identity, organizations and permissions
     *
     * `GET /api/v1/me`
     *
     * Refusals: user_not_found.
     */
    get(options?: CallOptions): Promise<T.Me>;
    /**
     * Set the display name, which members of shared organizations see
     *
     * `PATCH /api/v1/me`
     */
    update(input: { readonly display_name: string | null }, options?: CallOptions): Promise<{
  readonly display_name: string | null;
}>;
    /**
     * The default project of the caller
     *
     * `GET /api/v1/me/default-project`
     */
    defaultProjectGet(options?: CallOptions): Promise<T.DefaultProject>;
    /**
     * Set the default project of the caller
     *
     * `PUT /api/v1/me/default-project`
     *
     * Refusals: project_not_found.
     */
    defaultProjectSet(input: { readonly project_id: string }, options?: CallOptions): Promise<T.DefaultProject>;
  };
  readonly factors: {
    /**
     * The caller's second factors
     *
     * `GET /api/v1/me/factors`
     */
    list(options?: CallOptions): Promise<T.SecondFactors>;
    /**
     * Begin to add an authenticator app; it counts once a code of it confirmed it, within ten minutes
     *
     * `POST /api/v1/me/factors`
     *
     * Refusals: factor_limit, factor_not_found, factors_elsewhere, step_up_required.
     */
    begin(input: { readonly name: string }, options?: CallOptions): Promise<T.NewAuthenticator>;
    /**
     * Remove a factor; with the last one the recovery codes go as well
     *
     * `DELETE /api/v1/me/factors/{factor_id}`
     *
     * Refusals: factor_not_found, factors_elsewhere, last_factor, step_up_required.
     */
    remove(input: { readonly factor_id: string }, options?: CallOptions): Promise<T.SecondFactor>;
    /**
     * Confirm a new factor by a first code; sign-in asks for it from then on
     *
     * `POST /api/v1/me/factors/{factor_id}/confirm`
     *
     * Refusals: factor_attempts_exceeded, factor_code_wrong, factor_not_found, factors_elsewhere, step_up_required.
     */
    confirm(input: { readonly factor_id: string; readonly code: string }, options?: CallOptions): Promise<T.ConfirmedFactor>;
    /**
     * Begin to add a passkey; it counts once the browser has made it, within five minutes
     *
     * `POST /api/v1/me/passkeys`
     *
     * Refusals: factor_limit, factor_not_found, factors_elsewhere, passkeys_unavailable, step_up_required.
     */
    passkeyBegin(input: { readonly name: string }, options?: CallOptions): Promise<T.NewPasskey>;
    /**
     * Add the passkey that the browser made; sign-in asks for it from then on
     *
     * `POST /api/v1/me/passkeys/{factor_id}/confirm`
     *
     * Refusals: factor_attempts_exceeded, factor_not_found, factors_elsewhere, passkey_wrong, passkeys_unavailable, step_up_required.
     */
    passkeyConfirm(input: { readonly factor_id: string; readonly credential: unknown }, options?: CallOptions): Promise<T.ConfirmedFactor>;
    /**
     * Make ten new recovery codes; the old ones stop working
     *
     * `POST /api/v1/me/recovery-codes`
     *
     * Refusals: factor_not_found, factors_elsewhere, step_up_required.
     */
    recoveryCodesRenew(input?: { readonly reason?: string | undefined }, options?: CallOptions): Promise<T.RecoveryCodes>;
  };
  readonly notices: {
    /**
     * Mark notices as read up to a time; the mark never moves back
     *
     * `PUT /api/v1/me/notices-read`
     */
    read(input: { readonly until: string }, options?: CallOptions): Promise<T.NoticesRead>;
    /**
     * Notices of a project, newest first, for as long as events are kept
     *
     * `GET /api/v1/notices`
     *
     * Refusals: cursor_invalid, project_not_found.
     */
    list(input?: { readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.Notice>;
  };
  readonly notifications: {
    /**
     * What you are notified of, and how
     *
     * `GET /api/v1/me/notification-preferences`
     */
    preferencesGet(options?: CallOptions): Promise<T.NotificationPreferences>;
    /**
     * Choose how you are notified of one kind
     *
     * `PUT /api/v1/me/notification-preferences/{kind}`
     *
     * Refusals: notification_required.
     */
    preferenceSet(input: { readonly kind: "allocation_active" | "allocation_queued" | "allocation_failed" | "allocation_unreachable" | "gpu_failed" | "allocation_released" | "allocation_ended" | "allocation_release_failed" | "allocation_idle" | "allocation_attestation_failed" | "drain_notice" | "drain_called_off" | "organization_role_changed" | "project_role_changed" | "sign_in_changed" | "ssh_key_added" | "payment_received" | "payment_failed" | "payment_refunded" | "payment_disputed" | "auto_top_up_failed" | "auto_top_up_unconfirmed" | "balance_low" | "release_announced" | "balance_depleted" | "machines_stopped" | "balance_recovered" | "webhook_disabled" | "payment_unclear" | "node_lost" | "node_quarantined" | "slots_quarantined" | "breaker_tripped" | "dead_letter"; readonly inbox?: boolean | undefined; readonly mail?: "each" | "daily" | "none" | undefined }, options?: CallOptions): Promise<T.NotificationPreference>;
    /**
     * Your notifications, newest first
     *
     * `GET /api/v1/me/notifications`
     *
     * Refusals: cursor_invalid.
     */
    list(input?: { readonly cursor?: string | undefined; readonly limit?: number | undefined; readonly unread?: boolean | undefined }, options?: CallOptions): Paged<T.Notification>;
    /**
     * How many of your notifications are unread
     *
     * `GET /api/v1/me/notifications/count`
     */
    count(options?: CallOptions): Promise<T.NotificationCount>;
    /**
     * Mark notifications as read: those with these ids, or all
     *
     * `POST /api/v1/me/notifications/read`
     */
    read(input?: { readonly ids?: readonly string[] | undefined }, options?: CallOptions): Promise<T.NotificationsRead>;
  };
  readonly sessions: {
    /**
     * The sessions of the caller, newest first
     *
     * `GET /api/v1/me/sessions`
     *
     * Refusals: cursor_invalid.
     */
    list(input?: { readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.AccountSession>;
    /**
     * End every other session of the caller, also those that were not used yet
     *
     * `POST /api/v1/me/sessions/revoke-others`
     *
     * Refusals: step_up_required.
     */
    revokeOthers(input?: { readonly reason?: string | undefined }, options?: CallOptions): Promise<T.SessionsRevoked>;
    /**
     * End one session; its tokens are refused everywhere within five seconds
     *
     * `DELETE /api/v1/me/sessions/{session_id}`
     *
     * Refusals: session_not_found.
     */
    revoke(input: { readonly session_id: string }, options?: CallOptions): Promise<T.AccountSession>;
  };
  readonly sshKeys: {
    /**
     * Your own keys
     *
     * `GET /api/v1/me/ssh-keys`
     *
     * Refusals: cursor_invalid.
     */
    list(input?: { readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.SshKey>;
    /**
     * Add a key of your own
     *
     * `POST /api/v1/me/ssh-keys`
     *
     * Refusals: ssh_key_exists, ssh_key_invalid, ssh_key_limit.
     */
    add(input: { readonly name?: string | undefined; readonly public_key: string }, options?: CallOptions): Promise<T.SshKey>;
    /**
     * Remove a key of your own
     *
     * `DELETE /api/v1/me/ssh-keys/{ssh_key_id}`
     *
     * Refusals: ssh_key_not_found.
     */
    remove(input: { readonly ssh_key_id: string }, options?: CallOptions): Promise<T.SshKey>;
    /**
     * Prove that you hold the private half of a key of yours
     *
     * `POST /api/v1/me/ssh-keys/{ssh_key_id}/prove`
     *
     * Refusals: ssh_key_not_found, ssh_key_proof_invalid.
     */
    prove(input: { readonly ssh_key_id: string; readonly signature: string }, options?: CallOptions): Promise<T.SshKey>;
    /**
     * The keys of the project
     *
     * `GET /api/v1/ssh-keys`
     *
     * Refusals: cursor_invalid, project_not_found.
     */
    projectList(input?: { readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.SshKey>;
    /**
     * Add a key of the project; it opens every allocation of the project
     *
     * `POST /api/v1/ssh-keys`
     *
     * Refusals: project_not_found, ssh_key_exists, ssh_key_invalid, ssh_key_limit.
     */
    projectAdd(input: { readonly name?: string | undefined; readonly public_key: string }, options?: CallOptions): Promise<T.SshKey>;
    /**
     * Remove a key of the project
     *
     * `DELETE /api/v1/ssh-keys/{ssh_key_id}`
     *
     * Refusals: project_not_found, ssh_key_not_found.
     */
    projectRemove(input: { readonly ssh_key_id: string }, options?: CallOptions): Promise<T.SshKey>;
  };
  readonly personalTokens: {
    /**
     * The caller's personal access tokens, newest first
     *
     * `GET /api/v1/me/tokens`
     *
     * Refusals: cursor_invalid.
     */
    list(input?: { readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.PersonalToken>;
    /**
     * Create a personal access token; it may do what both its scopes and its owner may do
     *
     * `POST /api/v1/me/tokens`
     *
     * Refusals: personal_token_expiry_invalid, step_up_required.
     */
    create(input: { readonly expires_in_days: number; readonly name: string; readonly scopes: readonly ("organizations:read" | "organizations:write" | "organizations:delete" | "members:read" | "members:write" | "membership:leave" | "profile:read" | "profile:write" | "ssh_keys:read" | "ssh_keys:write" | "projects:read" | "projects:write" | "allocations:read" | "allocations:write" | "apps:read" | "apps:publish" | "apps:admin" | "storage:read" | "storage:write" | "usage:read" | "billing:read" | "billing:write" | "billing:pay" | "billing:admin" | "activity:read" | "audit:read" | "audit:admin" | "sessions:read" | "sessions:write" | "sessions:admin" | "tokens:read" | "tokens:write" | "factors:read" | "factors:write" | "service_accounts:read" | "service_accounts:write" | "webhooks:read" | "webhooks:write" | "policies:read" | "policies:admin" | "fleet:read" | "fleet:admin" | "organizations:admin" | "users:read" | "users:admin" | "roles:admin" | "events:read" | "events:admin")[] }, options?: CallOptions): Promise<T.NewPersonalToken>;
    /**
     * Revoke a personal access token; it is refused everywhere within five seconds
     *
     * `DELETE /api/v1/me/tokens/{token_id}`
     *
     * Refusals: personal_token_not_found.
     */
    revoke(input: { readonly token_id: string }, options?: CallOptions): Promise<T.PersonalToken>;
  };
  readonly organizations: {
    /**
     * The organizations the caller belongs to
     *
     * `GET /api/v1/organizations`
     *
     * Refusals: cursor_invalid.
     */
    list(input?: { readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.Organization>;
    /**
     * Create an organization; the caller becomes its owner
     *
     * `POST /api/v1/organizations`
     *
     * Refusals: organization_limit_reached, organization_slug_taken.
     */
    create(input: { readonly currency?: string | undefined; readonly name: string; readonly slug: string; readonly type?: "personal" | "enterprise" | undefined }, options?: CallOptions): Promise<T.Organization>;
    /**
     * Delete an organization that has no projects left
     *
     * `DELETE /api/v1/organizations/{organization_id}`
     *
     * Refusals: organization_not_empty, organization_not_found.
     */
    delete(input: { readonly organization_id: string }, options?: CallOptions): Promise<T.Organization>;
    /**
     * One organization
     *
     * `GET /api/v1/organizations/{organization_id}`
     *
     * Refusals: organization_not_found.
     */
    get(input: { readonly organization_id: string }, options?: CallOptions): Promise<T.Organization>;
    /**
     * Rename an organization
     *
     * `PATCH /api/v1/organizations/{organization_id}`
     *
     * Refusals: organization_not_found, version_conflict.
     */
    update(input: { readonly organization_id: string; readonly name: string; readonly version?: number | undefined }, options?: CallOptions): Promise<T.Organization>;
  };
  readonly audit: {
    /**
     * The audit log of the organization, newest first
     *
     * `GET /api/v1/organizations/{organization_id}/audit-logs`
     *
     * Refusals: cursor_invalid, organization_not_found.
     */
    list(input: { readonly organization_id: string; readonly action?: string | undefined; readonly actor_id?: string | undefined; readonly actors?: "people" | "all" | undefined; readonly correlation_id?: string | undefined; readonly cursor?: string | undefined; readonly from?: string | undefined; readonly limit?: number | undefined; readonly result?: "success" | "failure" | undefined; readonly target_id?: string | undefined; readonly target_type?: string | undefined; readonly until?: string | undefined }, options?: CallOptions): Paged<T.AuditEntry>;
    /**
     * The log as text, oldest first, up to 5,000 rows at a time; ask again with after_id set to the last id
     *
     * `GET /api/v1/organizations/{organization_id}/audit-logs/export`
     *
     * Refusals: organization_not_found.
     */
    export(input: { readonly organization_id: string; readonly action?: string | undefined; readonly actor_id?: string | undefined; readonly actors?: "people" | "all" | undefined; readonly after_id?: string | undefined; readonly correlation_id?: string | undefined; readonly format: "ndjson" | "csv"; readonly from?: string | undefined; readonly result?: "success" | "failure" | undefined; readonly target_id?: string | undefined; readonly target_type?: string | undefined; readonly until?: string | undefined }, options?: CallOptions): Promise<string>;
    /**
     * Verify the hash chain of the log and name the first row that does not fit
     *
     * `GET /api/v1/organizations/{organization_id}/audit-logs/verify`
     *
     * Refusals: organization_not_found.
     */
    verify(input: { readonly organization_id: string }, options?: CallOptions): Promise<T.AuditVerdict>;
  };
  readonly departments: {
    /**
     * The departments of an organization
     *
     * `GET /api/v1/organizations/{organization_id}/departments`
     *
     * Refusals: cursor_invalid, organization_not_found.
     */
    list(input: { readonly organization_id: string; readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.Department>;
    /**
     * Create a department
     *
     * `POST /api/v1/organizations/{organization_id}/departments`
     *
     * Refusals: department_slug_taken, organization_not_found.
     */
    create(input: { readonly organization_id: string; readonly name: string; readonly slug: string }, options?: CallOptions): Promise<T.Department>;
    /**
     * Rename a department, disable it or enable it again
     *
     * `PATCH /api/v1/organizations/{organization_id}/departments/{department_id}`
     *
     * Refusals: department_is_default, department_not_found, organization_not_found, version_conflict.
     */
    update(input: { readonly department_id: string; readonly organization_id: string; readonly name?: string | undefined; readonly state?: "active" | "disabled" | undefined; readonly version?: number | undefined }, options?: CallOptions): Promise<T.Department>;
  };
  readonly payments: {
    /**
     * Whether the balance is topped up automatically, and how that went
     *
     * `GET /api/v1/organizations/{organization_id}/payments/auto-top-up`
     *
     * Refusals: organization_not_found.
     */
    autoTopUpGet(input: { readonly organization_id: string }, options?: CallOptions): Promise<T.AutoTopUp>;
    /**
     * Turn automatic top-ups on or off, and set when, how much and how much in a month
     *
     * `PUT /api/v1/organizations/{organization_id}/payments/auto-top-up`
     *
     * Refusals: amount_out_of_bounds, currency_mismatch, organization_not_found, payment_method_not_found, payments_disabled, step_up_required, version_conflict.
     */
    autoTopUpSet(input: { readonly organization_id: string; readonly amount_minor?: string | undefined; readonly currency?: string | undefined; readonly enabled: boolean; readonly monthly_limit_minor?: string | undefined; readonly threshold_minor?: string | undefined; readonly version?: number | undefined }, options?: CallOptions): Promise<T.AutoTopUp>;
    /**
     * The cards that the payment provider keeps for an organization, newest first
     *
     * `GET /api/v1/organizations/{organization_id}/payments/methods`
     *
     * Refusals: organization_not_found.
     */
    methodList(input: { readonly organization_id: string }, options?: CallOptions): Promise<{
  /** At most 100. */
readonly data: readonly T.PaymentMethod[];
}>;
    /**
     * Begin to save a card: the answer says where to enter it
     *
     * `POST /api/v1/organizations/{organization_id}/payments/methods`
     *
     * Refusals: organization_not_found, payment_refused, payments_disabled, step_up_required.
     */
    methodAdd(input: { readonly organization_id: string; readonly return_to?: string | undefined }, options?: CallOptions): Promise<T.PaymentMethodSetup>;
    /**
     * Remove a saved card from the payment provider; one that is gone stays gone
     *
     * `DELETE /api/v1/organizations/{organization_id}/payments/methods/{method_id}`
     *
     * Refusals: organization_not_found, payment_method_in_use, step_up_required.
     */
    methodRemove(input: { readonly method_id: string; readonly organization_id: string }, options?: CallOptions): Promise<{
  readonly id: string;
}>;
    /**
     * Make a saved card the one that automatic top-ups charge
     *
     * `POST /api/v1/organizations/{organization_id}/payments/methods/{method_id}/default`
     *
     * Refusals: organization_not_found, payment_method_not_found, step_up_required.
     */
    methodSetDefault(input: { readonly method_id: string; readonly organization_id: string }, options?: CallOptions): Promise<T.PaymentMethod>;
    /**
     * How an organization can pay, and how much at once
     *
     * `GET /api/v1/organizations/{organization_id}/payments/options`
     *
     * Refusals: organization_not_found.
     */
    optionsGet(input: { readonly organization_id: string }, options?: CallOptions): Promise<T.PaymentOptions>;
    /**
     * The payments of an organization, newest first
     *
     * `GET /api/v1/organizations/{organization_id}/payments/sessions`
     *
     * Refusals: cursor_invalid, organization_not_found.
     */
    sessionList(input: { readonly organization_id: string; readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.PaymentSession>;
    /**
     * Begin a payment: the answer says where to pay
     *
     * `POST /api/v1/organizations/{organization_id}/payments/sessions`
     *
     * Refusals: amount_out_of_bounds, currency_mismatch, deposit_limit_exceeded, organization_not_found, payment_refused, payments_disabled, too_many_payments.
     */
    sessionCreate(input: { readonly organization_id: string; readonly amount_minor: string; readonly currency: string }, options?: CallOptions): Promise<T.PaymentSession>;
    /**
     * One payment
     *
     * `GET /api/v1/organizations/{organization_id}/payments/sessions/{session_id}`
     *
     * Refusals: organization_not_found, payment_not_found.
     */
    sessionGet(input: { readonly organization_id: string; readonly session_id: string }, options?: CallOptions): Promise<T.PaymentSession>;
  };
  readonly projects: {
    /**
     * The projects of an organization
     *
     * `GET /api/v1/organizations/{organization_id}/projects`
     *
     * Refusals: cursor_invalid, organization_not_found.
     */
    list(input: { readonly organization_id: string; readonly cursor?: string | undefined; readonly limit?: number | undefined; readonly state?: "active" | "archived" | "removing" | "deleted" | undefined }, options?: CallOptions): Paged<T.Project>;
    /**
     * Create a project
     *
     * `POST /api/v1/organizations/{organization_id}/projects`
     *
     * Refusals: department_disabled, department_not_found, organization_not_found, project_slug_taken.
     */
    create(input: { readonly organization_id: string; readonly department_id?: string | undefined; readonly name: string; readonly slug: string }, options?: CallOptions): Promise<T.Project>;
    /**
     * Remove a project: its resources are wound down, then it is deleted
     *
     * `DELETE /api/v1/projects/{project_id}`
     *
     * Refusals: illegal_transition, project_not_found.
     */
    remove(input: { readonly project_id: string }, options?: CallOptions): Promise<T.Project>;
    /**
     * One project
     *
     * `GET /api/v1/projects/{project_id}`
     *
     * Refusals: project_not_found.
     */
    get(input: { readonly project_id: string }, options?: CallOptions): Promise<T.Project>;
    /**
     * Rename a project
     *
     * `PATCH /api/v1/projects/{project_id}`
     *
     * Refusals: project_not_found, version_conflict.
     */
    update(input: { readonly project_id: string; readonly name: string; readonly version?: number | undefined }, options?: CallOptions): Promise<T.Project>;
    /**
     * Archive a project
     *
     * `POST /api/v1/projects/{project_id}/archive`
     *
     * Refusals: illegal_transition, project_not_found, version_conflict.
     */
    archive(input: { readonly project_id: string; readonly version?: number | undefined }, options?: CallOptions): Promise<T.Project>;
    /**
     * Restore an archived project
     *
     * `POST /api/v1/projects/{project_id}/restore`
     *
     * Refusals: illegal_transition, project_not_found, version_conflict.
     */
    restore(input: { readonly project_id: string; readonly version?: number | undefined }, options?: CallOptions): Promise<T.Project>;
  };
  readonly recordings: {
    /**
     * Recorded terminal sessions of the organization, latest first
     *
     * `GET /api/v1/organizations/{organization_id}/terminal-recordings`
     *
     * Refusals: cursor_invalid, organization_not_found.
     */
    list(input: { readonly organization_id: string; readonly allocation?: string | undefined; readonly cursor?: string | undefined; readonly from?: string | undefined; readonly limit?: number | undefined; readonly to?: string | undefined; readonly user?: string | undefined }, options?: CallOptions): Paged<T.TerminalRecordingInfo>;
    /**
     * One recording: whose, when, how long, and the digest that seals it
     *
     * `GET /api/v1/terminal-recordings/{terminal_recording_id}`
     *
     * Refusals: terminal_recording_not_found.
     */
    get(input: { readonly terminal_recording_id: string }, options?: CallOptions): Promise<T.TerminalRecordingInfo>;
    /**
     * A page of an opened recording as asciicast
     *
     * `GET /api/v1/terminal-recordings/{terminal_recording_id}/cast`
     *
     * Refusals: recording_damaged, recording_removed, recording_view_invalid, terminal_recording_not_found.
     */
    cast(input: { readonly terminal_recording_id: string; readonly at?: string | undefined; readonly format?: "v2" | "v3" | undefined; readonly view: string }, options?: CallOptions): Promise<T.RecordingCast>;
    /**
     * Recompute the digests of a recording and name the first chunk that was changed
     *
     * `GET /api/v1/terminal-recordings/{terminal_recording_id}/verify`
     *
     * Refusals: recording_removed, terminal_recording_not_found.
     */
    verify(input: { readonly terminal_recording_id: string }, options?: CallOptions): Promise<T.RecordingVerdict>;
    /**
     * Open a recording to watch or download it; the audit log notes who did and why
     *
     * `POST /api/v1/terminal-recordings/{terminal_recording_id}/views`
     *
     * Refusals: recording_removed, terminal_recording_not_found.
     */
    open(input: { readonly terminal_recording_id: string; readonly purpose: "watch" | "download" }, options?: CallOptions): Promise<T.RecordingView>;
  };
  readonly webhooks: {
    /**
     * The webhooks of an organization
     *
     * `GET /api/v1/organizations/{organization_id}/webhooks`
     *
     * Refusals: cursor_invalid, organization_not_found.
     */
    list(input: { readonly organization_id: string; readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.Webhook>;
    /**
     * Have events posted to an address, signed; the answer has the secret, once
     *
     * `POST /api/v1/organizations/{organization_id}/webhooks`
     *
     * Refusals: organization_not_found, step_up_required, too_many_webhooks, webhook_url_refused.
     */
    create(input: { readonly organization_id: string; readonly description?: string | undefined; readonly event_types?: readonly ("apps.artifact.deprecated" | "apps.artifact.failed_verification" | "apps.artifact.promoted" | "apps.artifact.published" | "apps.artifact.retired" | "apps.artifact.revoked" | "apps.artifact.verified" | "apps.instance.failed" | "apps.instance.launching" | "apps.instance.released" | "apps.instance.rolled_back" | "apps.instance.running" | "apps.instance.stopped" | "apps.instance.upgraded" | "apps.instance.upgrading" | "billing.auto_release_pending" | "billing.balance_depleted" | "billing.balance_recovered" | "billing.low_balance_warning" | "billing.machines_stopped" | "payments.auto_top_up_action_required" | "payments.auto_top_up_failed" | "payments.balance_credited" | "payments.disputed" | "payments.failed" | "payments.refunded" | "provisioning.active" | "provisioning.attested" | "provisioning.drain_called_off" | "provisioning.drain_notice" | "provisioning.failed" | "provisioning.idle" | "provisioning.queued" | "provisioning.release_failed" | "provisioning.releasing.completed" | "storage.grant.created" | "storage.grant.revoked" | "storage.namespace.created" | "storage.object.deleted" | "tenancy.invitation.accepted" | "tenancy.member.changed" | "tenancy.project_member.changed" | "terminal.session.ended" | "terminal.session.opened")[] | undefined; readonly url: string }, options?: CallOptions): Promise<T.WebhookWithSecret>;
    /**
     * Remove a webhook with its deliveries
     *
     * `DELETE /api/v1/organizations/{organization_id}/webhooks/{webhook_id}`
     *
     * Refusals: organization_not_found, webhook_not_found.
     */
    delete(input: { readonly organization_id: string; readonly webhook_id: string }, options?: CallOptions): Promise<T.Webhook>;
    /**
     * Change a webhook, or turn it off or on again
     *
     * `PATCH /api/v1/organizations/{organization_id}/webhooks/{webhook_id}`
     *
     * Refusals: organization_not_found, step_up_required, webhook_not_found, webhook_url_refused.
     */
    update(input: { readonly organization_id: string; readonly webhook_id: string; readonly description?: string | undefined; readonly enabled?: boolean | undefined; readonly event_types?: readonly ("apps.artifact.deprecated" | "apps.artifact.failed_verification" | "apps.artifact.promoted" | "apps.artifact.published" | "apps.artifact.retired" | "apps.artifact.revoked" | "apps.artifact.verified" | "apps.instance.failed" | "apps.instance.launching" | "apps.instance.released" | "apps.instance.rolled_back" | "apps.instance.running" | "apps.instance.stopped" | "apps.instance.upgraded" | "apps.instance.upgrading" | "billing.auto_release_pending" | "billing.balance_depleted" | "billing.balance_recovered" | "billing.low_balance_warning" | "billing.machines_stopped" | "payments.auto_top_up_action_required" | "payments.auto_top_up_failed" | "payments.balance_credited" | "payments.disputed" | "payments.failed" | "payments.refunded" | "provisioning.active" | "provisioning.attested" | "provisioning.drain_called_off" | "provisioning.drain_notice" | "provisioning.failed" | "provisioning.idle" | "provisioning.queued" | "provisioning.release_failed" | "provisioning.releasing.completed" | "storage.grant.created" | "storage.grant.revoked" | "storage.namespace.created" | "storage.object.deleted" | "tenancy.invitation.accepted" | "tenancy.member.changed" | "tenancy.project_member.changed" | "terminal.session.ended" | "terminal.session.opened")[] | undefined; readonly url?: string | undefined }, options?: CallOptions): Promise<T.Webhook>;
    /**
     * What was posted to a webhook, newest first
     *
     * `GET /api/v1/organizations/{organization_id}/webhooks/{webhook_id}/deliveries`
     *
     * Refusals: cursor_invalid, organization_not_found, webhook_not_found.
     */
    deliveryList(input: { readonly organization_id: string; readonly webhook_id: string; readonly cursor?: string | undefined; readonly limit?: number | undefined }, options?: CallOptions): Paged<T.WebhookDelivery>;
    /**
     * Post an event again
     *
     * `POST /api/v1/organizations/{organization_id}/webhooks/{webhook_id}/deliveries/{delivery_id}/resend`
     *
     * Refusals: organization_not_found, webhook_not_found, webhook_off.
     */
    resend(input: { readonly delivery_id: string; readonly organization_id: string; readonly webhook_id: string }, options?: CallOptions): Promise<T.WebhookDelivery>;
    /**
     * Make a new secret; the former one signs as well for a while
     *
     * `POST /api/v1/organizations/{organization_id}/webhooks/{webhook_id}/rotate`
     *
     * Refusals: organization_not_found, step_up_required, webhook_not_found.
     */
    rotate(input: { readonly organization_id: string; readonly webhook_id: string }, options?: CallOptions): Promise<T.WebhookWithSecret>;
  };
  readonly overview: {
    /**
     * Overview of a project: allocations, hourly cost, queue and recent activity
     *
     * `GET /api/v1/overview`
     *
     * Refusals: project_not_found.
     */
    get(options?: CallOptions): Promise<T.Overview>;
  };
  readonly policies: {
    /**
     * The policies that apply to the caller in this project, with the source of each value
     *
     * `GET /api/v1/policies`
     *
     * Refusals: project_not_found.
     */
    list(options?: CallOptions): Promise<{
  readonly data: readonly T.EffectivePolicy[];
}>;
  };
  readonly simulator: {
    /**
     * The simulated hosts and their faults
     *
     * `GET /api/v1/sim/nodes`
     */
    nodeList(options?: CallOptions): Promise<{
  readonly data: readonly T.SimulatedNode[];
  /** How many times faster than real hosts the simulated ones are. */
readonly speed: number;
}>;
    /**
     * Stop or start the agent of a simulated host; running machines continue
     *
     * `POST /api/v1/sim/nodes/{node_id}/agent`
     *
     * Refusals: node_not_found.
     */
    agentSwitch(input: { readonly node_id: string; readonly state: "running" | "stopped" }, options?: CallOptions): Promise<T.SimulatedNode>;
    /**
     * Clear one fault or all faults of a simulated host
     *
     * `DELETE /api/v1/sim/nodes/{node_id}/faults`
     *
     * Refusals: node_not_found.
     */
    faultClear(input: { readonly node_id: string; readonly fault?: T.SimulatedFaultName | undefined }, options?: CallOptions): Promise<T.SimulatedNode>;
    /**
     * Inject a fault on a simulated host, once or until it is cleared
     *
     * `POST /api/v1/sim/nodes/{node_id}/faults`
     *
     * Refusals: node_not_found.
     */
    faultSet(input: { readonly node_id: string; readonly fault: T.SimulatedFaultName; readonly once?: boolean | undefined; readonly slot_index?: number | undefined }, options?: CallOptions): Promise<T.SimulatedNode>;
    /**
     * Change the speed of simulated hosts; phases in progress notice at their next step
     *
     * `POST /api/v1/sim/speed`
     */
    speedSet(input: { readonly speed: number }, options?: CallOptions): Promise<{
  /** How many times faster than real hosts the simulated ones are. */
readonly speed: number;
}>;
  };
}
