# Emitted from the contract by `npm run gen`; changes are lost.
from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any, BinaryIO, Literal

from .._operation import UNSET, Options, StreamedEvent, Unset
from .._aio.paging import AsyncPages
from .._aio.transport import AsyncTransport
from .models import *  # noqa: F403


class AsyncActivityApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, *, actors: Literal["people", "all"] | Unset = UNSET, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[Activity]:
        """Who did what in the project, newest first

        ``GET /api/v1/activity``

        Refusals: cursor_invalid, project_not_found.
        """
        return AsyncPages(self._transport, "activity_list", {"actors": actors, "cursor": cursor, "limit": limit}, options)

    async def correlation_get(self, correlation_id: str, *, options: Options | None = None) -> Correlation:
        """Everything that one request caused in this project, in time order

        ``GET /api/v1/correlations/{correlation_id}``

        Refusals: project_not_found.
        """
        answer: Correlation = await self._transport.call("correlation_get", {"correlation_id": correlation_id}, options)
        return answer


class AsyncAdminFleetApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def agent_release_list(self, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[AgentRelease]:
        """Agent releases of this installation, newest first

        ``GET /api/v1/admin/agent-releases``

        Refusals: cursor_invalid.
        """
        return AsyncPages(self._transport, "agent_release_list", {"cursor": cursor, "limit": limit}, options)

    async def agent_release_add(self, *, digest: str, size_bytes: int, version: str, bundle: bytes | BinaryIO, arch: Literal["x64", "arm64"] | Unset = UNSET, kind: Literal["bundle", "tarball", "deb"] | Unset = UNSET, options: Options | None = None) -> AgentRelease:
        """Upload an agent release: a bundle for updates, or a package for new hosts; hosts fetch it by its digest

        ``POST /api/v1/admin/agent-releases``

        Refusals: agent_release_already_exists, agent_release_invalid, step_up_required.
        """
        answer: AgentRelease = await self._transport.call("agent_release_add", {"arch": arch, "digest": digest, "kind": kind, "size_bytes": size_bytes, "version": version, "bundle": bundle}, options)
        return answer

    async def agent_release_withdraw(self, release_id: str, *, reason: str, options: Options | None = None) -> AgentRelease:
        """Withdraw an agent release: no further host gets it

        ``POST /api/v1/admin/agent-releases/{release_id}/withdraw``

        Refusals: agent_release_not_found, step_up_required.
        """
        answer: AgentRelease = await self._transport.call("agent_release_withdraw", {"release_id": release_id, "reason": reason}, options)
        return answer

    async def ssh_platform_key_list(self, *, options: Options | None = None) -> SshPlatformKeyListAnswer:
        """The SSH keys of the platform: host keys of the jump host, and keys that sign certificates

        ``GET /api/v1/admin/ssh-platform-keys``
        """
        answer: SshPlatformKeyListAnswer = await self._transport.call("ssh_platform_key_list", {}, options)
        return answer

    async def ssh_platform_key_announce(self, kind: str, *, reason: str, options: Options | None = None) -> SshPlatformKey:
        """Make the next key of a kind: clients and machines learn it before it is used

        ``POST /api/v1/admin/ssh-platform-keys/{kind}/announce``

        Refusals: illegal_transition, step_up_required, terminal_unsupported.
        """
        answer: SshPlatformKey = await self._transport.call("ssh_platform_key_announce", {"kind": kind, "reason": reason}, options)
        return answer

    async def ssh_platform_key_switch(self, kind: str, *, reason: str, options: Options | None = None) -> SshPlatformKey:
        """Use the announced key from now on, and retire the one before

        ``POST /api/v1/admin/ssh-platform-keys/{kind}/switch``

        Refusals: illegal_transition, step_up_required, terminal_unsupported.
        """
        answer: SshPlatformKey = await self._transport.call("ssh_platform_key_switch", {"kind": kind, "reason": reason}, options)
        return answer

    async def task_signer_list(self, *, options: Options | None = None) -> TaskSignerListAnswer:
        """Task-signing keys, newest first

        ``GET /api/v1/admin/task-signers``
        """
        answer: TaskSignerListAnswer = await self._transport.call("task_signer_list", {}, options)
        return answer

    async def task_signer_rotate(self, *, reason: str, options: Options | None = None) -> TaskSigner:
        """Announce a new key; it signs after every node has had time to learn it

        ``POST /api/v1/admin/task-signers``

        Refusals: illegal_transition, step_up_required.
        """
        answer: TaskSigner = await self._transport.call("task_signer_rotate", {"reason": reason}, options)
        return answer

    async def task_signer_retire(self, signer_id: str, *, reason: str, options: Options | None = None) -> TaskSigner:
        """End the grace period of a replaced key

        ``POST /api/v1/admin/task-signers/{signer_id}/retire``

        Refusals: illegal_transition, step_up_required, task_signer_not_found.
        """
        answer: TaskSigner = await self._transport.call("task_signer_retire", {"signer_id": signer_id, "reason": reason}, options)
        return answer

    async def task_signer_revoke(self, signer_id: str, *, reason: str, options: Options | None = None) -> TaskSigner:
        """Revoke a key: nodes refuse tasks that it signed; an active one gets a successor at once

        ``POST /api/v1/admin/task-signers/{signer_id}/revoke``

        Refusals: illegal_transition, step_up_required, task_signer_not_found.
        """
        answer: TaskSigner = await self._transport.call("task_signer_revoke", {"signer_id": signer_id, "reason": reason}, options)
        return answer


class AsyncAdminAlertsApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, *, cursor: str | Unset = UNSET, effect: Literal["blocks_sale", "blocks_transition", "informs"] | Unset = UNSET, limit: int | Unset = UNSET, node: str | Unset = UNSET, source: Literal["health", "presence", "drift", "attestation", "operator", "breaker"] | Unset = UNSET, options: Options | None = None) -> AsyncPages[Alert]:
        """Alerts of every source and target, newest first

        ``GET /api/v1/admin/alerts``

        Refusals: cursor_invalid.
        """
        return AsyncPages(self._transport, "alert_list", {"cursor": cursor, "effect": effect, "limit": limit, "node": node, "source": source}, options)

    async def raise_(self, *, effect: Literal["blocks_sale", "blocks_transition", "informs"], message: str, node_id: str, slot_id: str | Unset = UNSET, tenant_message: str | Unset = UNSET, options: Options | None = None) -> Alert:
        """Raise an alert about a host or a slot, with its effect; it stays until it is cleared

        ``POST /api/v1/admin/alerts``

        Refusals: node_not_found, slot_not_found.
        """
        answer: Alert = await self._transport.call("alert_raise", {"effect": effect, "message": message, "node_id": node_id, "slot_id": slot_id, "tenant_message": tenant_message}, options)
        return answer

    async def clear(self, alert_id: str, *, reason: str, options: Options | None = None) -> Alert:
        """Clear an alert that an operator raised; alerts of programs clear themselves

        ``DELETE /api/v1/admin/alerts/{alert_id}``

        Refusals: alert_not_found, illegal_transition.
        """
        answer: Alert = await self._transport.call("alert_clear", {"alert_id": alert_id, "reason": reason}, options)
        return answer

    def breaker_list(self, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, tripped: Literal["true", "false"] | Unset = UNSET, options: Options | None = None) -> AsyncPages[Breaker]:
        """Breakers of automation: for each pool how much was taken in the window, and what is held back

        ``GET /api/v1/admin/breakers``

        Refusals: cursor_invalid.
        """
        return AsyncPages(self._transport, "breaker_list", {"cursor": cursor, "limit": limit, "tripped": tripped}, options)

    async def breaker_reset(self, breaker_id: str, *, reason: str, options: Options | None = None) -> Breaker:
        """Reset the breaker of a pool; hosts that were taken within the window still count

        ``POST /api/v1/admin/breakers/{breaker_id}/reset``

        Refusals: breaker_not_found, illegal_transition, step_up_required.
        """
        answer: Breaker = await self._transport.call("breaker_reset", {"breaker_id": breaker_id, "reason": reason}, options)
        return answer


class AsyncAdminAllocationsApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, *, cursor: str | Unset = UNSET, ended: Literal["true", "false"] | Unset = UNSET, limit: int | Unset = UNSET, node: str | Unset = UNSET, organization: str | Unset = UNSET, state: Literal["requested", "provisioning", "active", "releasing", "released", "failed", "release_failed"] | Unset = UNSET, options: Options | None = None) -> AsyncPages[AdminAllocation]:
        """Allocations of all tenants, latest first

        ``GET /api/v1/admin/allocations``

        Refusals: cursor_invalid.
        """
        return AsyncPages(self._transport, "admin_allocation_list", {"cursor": cursor, "ended": ended, "limit": limit, "node": node, "organization": organization, "state": state}, options)

    async def queue(self, *, region: str | Unset = UNSET, sku: str | Unset = UNSET, options: Options | None = None) -> AdminAllocationQueueAnswer:
        """The queue, in the order in which capacity would be given

        ``GET /api/v1/admin/allocations/queue``
        """
        answer: AdminAllocationQueueAnswer = await self._transport.call("admin_allocation_queue", {"region": region, "sku": sku}, options)
        return answer

    async def stuck_list(self, *, options: Options | None = None) -> AllocationStuckListAnswer:
        """Allocations that take longer in a phase than 99 of 100 recent ones, longest first; at most 200

        ``GET /api/v1/admin/allocations/stuck``
        """
        answer: AllocationStuckListAnswer = await self._transport.call("allocation_stuck_list", {}, options)
        return answer

    async def force_cleanup(self, allocation_id: str, *, reason: str, runtime_verified_absent: bool, options: Options | None = None) -> AdminAllocation:
        """Settle an allocation whose release failed: its slots come back only if an operator looked and a fresh probe passed

        ``POST /api/v1/admin/allocations/{allocation_id}/force-cleanup``

        Refusals: allocation_not_found, illegal_transition, probe_required, step_up_required.
        """
        answer: AdminAllocation = await self._transport.call("admin_allocation_force_cleanup", {"allocation_id": allocation_id, "reason": reason, "runtime_verified_absent": runtime_verified_absent}, options)
        return answer

    async def force_release(self, allocation_id: str, *, reason: str, options: Options | None = None) -> AdminAllocation:
        """Release an allocation without waiting for its guest; as often as the policy allows

        ``POST /api/v1/admin/allocations/{allocation_id}/force-release``

        Refusals: allocation_already_releasing, allocation_not_found, illegal_transition, step_up_required.
        """
        answer: AdminAllocation = await self._transport.call("admin_allocation_force_release", {"allocation_id": allocation_id, "reason": reason}, options)
        return answer

    async def placement(self, allocation_id: str, *, options: Options | None = None) -> FullDecision:
        """Why an allocation was placed there, with hosts by name

        ``GET /api/v1/admin/allocations/{allocation_id}/placement``

        Refusals: allocation_not_found.
        """
        answer: FullDecision = await self._transport.call("admin_allocation_placement", {"allocation_id": allocation_id}, options)
        return answer


class AsyncAdminAppsApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def source_list(self, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[AppSource]:
        """The registries that images of verified apps may come from; verification asks no others

        ``GET /api/v1/admin/app-sources``

        Refusals: cursor_invalid.
        """
        return AsyncPages(self._transport, "admin_app_source_list", {"cursor": cursor, "limit": limit}, options)

    async def source_create(self, *, registry: str, repository: str | Unset = UNSET, options: Options | None = None) -> AppSource:
        """Let images of verified apps come from a registry, or from a part of it

        ``POST /api/v1/admin/app-sources``

        Refusals: app_source_exists, step_up_required.
        """
        answer: AppSource = await self._transport.call("admin_app_source_create", {"registry": registry, "repository": repository}, options)
        return answer

    async def source_delete(self, app_source_id: str, *, options: Options | None = None) -> AppSource:
        """Take a source back: nothing from there is verified any more; what was verified stays so

        ``DELETE /api/v1/admin/app-sources/{app_source_id}``

        Refusals: app_source_not_found, step_up_required.
        """
        answer: AppSource = await self._transport.call("admin_app_source_delete", {"app_source_id": app_source_id}, options)
        return answer

    def version_list(self, *, cursor: str | Unset = UNSET, lifecycle_state: Literal["published", "promoted", "deprecated", "retired"] | Unset = UNSET, limit: int | Unset = UNSET, organization_id: str | Unset = UNSET, trust_state: Literal["unverified", "verified", "failed_verification", "revoked"] | Unset = UNSET, options: Options | None = None) -> AsyncPages[AppVersion]:
        """The trust board: versions of all apps, newest first

        ``GET /api/v1/admin/app-versions``

        Refusals: cursor_invalid.
        """
        return AsyncPages(self._transport, "admin_app_version_list", {"cursor": cursor, "lifecycle_state": lifecycle_state, "limit": limit, "organization_id": organization_id, "trust_state": trust_state}, options)

    async def version_affected(self, app_version_id: str, *, options: Options | None = None) -> AdminAppVersionAffectedAnswer:
        """Whom a revocation of this version would affect: the instances that run it, and how many there are in all

        ``GET /api/v1/admin/app-versions/{app_version_id}/affected``

        Refusals: app_version_not_found.
        """
        answer: AdminAppVersionAffectedAnswer = await self._transport.call("admin_app_version_affected", {"app_version_id": app_version_id}, options)
        return answer

    async def version_revoke(self, app_version_id: str, *, effect: Literal["stop", "let_run"], reason: str, options: Options | None = None) -> AdminAppVersionRevokeAnswer:
        """Revoke the trust in a version for good: nobody launches it any more; the effect says what becomes of what runs

        ``POST /api/v1/admin/app-versions/{app_version_id}/revoke``

        Refusals: app_version_not_found, illegal_transition, step_up_required.
        """
        answer: AdminAppVersionRevokeAnswer = await self._transport.call("admin_app_version_revoke", {"app_version_id": app_version_id, "effect": effect, "reason": reason}, options)
        return answer


class AsyncAdminAuditApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, *, action: str | Unset = UNSET, actor_id: str | Unset = UNSET, actors: Literal["people", "all"] | Unset = UNSET, correlation_id: str | Unset = UNSET, cursor: str | Unset = UNSET, from_: str | Unset = UNSET, limit: int | Unset = UNSET, organization_id: str | Unset = UNSET, result: Literal["success", "failure"] | Unset = UNSET, target_id: str | Unset = UNSET, target_type: str | Unset = UNSET, until: str | Unset = UNSET, options: Options | None = None) -> AsyncPages[AuditEntry]:
        """The audit log of all tenants, newest first

        ``GET /api/v1/admin/audit-logs``

        Refusals: cursor_invalid.
        """
        return AsyncPages(self._transport, "admin_audit_list", {"action": action, "actor_id": actor_id, "actors": actors, "correlation_id": correlation_id, "cursor": cursor, "from": from_, "limit": limit, "organization_id": organization_id, "result": result, "target_id": target_id, "target_type": target_type, "until": until}, options)

    async def verify(self, *, organization_id: str | Unset = UNSET, options: Options | None = None) -> AuditVerdict:
        """Verify one chain: an organization's, or the platform's own

        ``GET /api/v1/admin/audit-logs/verify``
        """
        answer: AuditVerdict = await self._transport.call("admin_audit_verify", {"organization_id": organization_id}, options)
        return answer

    async def correlation_get(self, correlation_id: str, *, options: Options | None = None) -> Correlation:
        """Everything that one request caused anywhere, in time order

        ``GET /api/v1/admin/correlations/{correlation_id}``
        """
        answer: Correlation = await self._transport.call("admin_correlation_get", {"correlation_id": correlation_id}, options)
        return answer


class AsyncAdminBillingApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def account_list(self, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, q: str | Unset = UNSET, state: Literal["healthy", "low_balance", "auto_release_pending", "depleted"] | Unset = UNSET, options: Options | None = None) -> AsyncPages[BillingAccount]:
        """Every account with its balance, newest organization first

        ``GET /api/v1/admin/billing/accounts``

        Refusals: cursor_invalid.
        """
        return AsyncPages(self._transport, "admin_billing_account_list", {"cursor": cursor, "limit": limit, "q": q, "state": state}, options)

    async def adjustment_create(self, organization_id: str, *, amount_minor: str, currency: str, reason: str, corrects: str | Unset = UNSET, credit_expires_at: str | Unset = UNSET, options: Options | None = None) -> Adjustment:
        """Correct a line of the ledger, or give credit; above a limit, ask a second person to approve it

        ``POST /api/v1/admin/billing/accounts/{organization_id}/adjustments``

        Refusals: adjustment_invalid, currency_mismatch, ledger_line_not_found, organization_not_found, step_up_required.
        """
        answer: Adjustment = await self._transport.call("admin_adjustment_create", {"organization_id": organization_id, "amount_minor": amount_minor, "corrects": corrects, "credit_expires_at": credit_expires_at, "currency": currency, "reason": reason}, options)
        return answer

    def credit_list(self, organization_id: str, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[Credit]:
        """The credit that an organization was given, newest first

        ``GET /api/v1/admin/billing/accounts/{organization_id}/grants``

        Refusals: cursor_invalid, organization_not_found.
        """
        return AsyncPages(self._transport, "admin_billing_credit_list", {"organization_id": organization_id, "cursor": cursor, "limit": limit}, options)

    async def grant_create(self, organization_id: str, *, amount_minor: str, currency: str, reason: str, expires_at: str | Unset = UNSET, options: Options | None = None) -> CreditGrant:
        """Give an organization credit

        ``POST /api/v1/admin/billing/accounts/{organization_id}/grants``

        Refusals: amount_out_of_bounds, currency_mismatch, organization_not_found, period_invalid, second_person_required, step_up_required.
        """
        answer: CreditGrant = await self._transport.call("admin_billing_grant_create", {"organization_id": organization_id, "amount_minor": amount_minor, "currency": currency, "expires_at": expires_at, "reason": reason}, options)
        return answer

    def ledger_list(self, organization_id: str, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[LedgerLine]:
        """The ledger of an organization, newest day first

        ``GET /api/v1/admin/billing/accounts/{organization_id}/ledger``

        Refusals: cursor_invalid, organization_not_found.
        """
        return AsyncPages(self._transport, "admin_billing_ledger_list", {"organization_id": organization_id, "cursor": cursor, "limit": limit}, options)

    def price_book_list(self, organization_id: str, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[NegotiatedPrice]:
        """The negotiated prices of an organization, newest first

        ``GET /api/v1/admin/billing/accounts/{organization_id}/prices``

        Refusals: cursor_invalid, organization_not_found.
        """
        return AsyncPages(self._transport, "admin_price_book_list", {"organization_id": organization_id, "cursor": cursor, "limit": limit}, options)

    async def price_book_add(self, organization_id: str, *, currency: str, reason: str, sku: str, unit_price_minor: str, effective_from: str | Unset = UNSET, effective_to: str | Unset = UNSET, region: str | Unset = UNSET, options: Options | None = None) -> NegotiatedPrice:
        """Set a negotiated price from a time on; what runs keeps its price

        ``POST /api/v1/admin/billing/accounts/{organization_id}/prices``

        Refusals: currency_mismatch, organization_not_found, period_invalid, price_already_exists, price_backdated, region_not_found, sku_not_found, step_up_required.
        """
        answer: NegotiatedPrice = await self._transport.call("admin_price_book_add", {"organization_id": organization_id, "currency": currency, "effective_from": effective_from, "effective_to": effective_to, "reason": reason, "region": region, "sku": sku, "unit_price_minor": unit_price_minor}, options)
        return answer

    async def price_book_end(self, organization_id: str, price_id: str, *, effective_to: str | Unset = UNSET, options: Options | None = None) -> NegotiatedPrice:
        """End a negotiated price: later launches pay the list price

        ``POST /api/v1/admin/billing/accounts/{organization_id}/prices/{price_id}/end``

        Refusals: organization_not_found, period_invalid, price_backdated, price_not_found, step_up_required.
        """
        answer: NegotiatedPrice = await self._transport.call("admin_price_book_end", {"organization_id": organization_id, "price_id": price_id, "effective_to": effective_to}, options)
        return answer

    def adjustment_list(self, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, organization_id: str | Unset = UNSET, state: Literal["waiting", "entered", "rejected", "expired"] | Unset = UNSET, options: Options | None = None) -> AsyncPages[Adjustment]:
        """Corrections that finance asked for, newest first

        ``GET /api/v1/admin/billing/adjustments``

        Refusals: cursor_invalid.
        """
        return AsyncPages(self._transport, "admin_adjustment_list", {"cursor": cursor, "limit": limit, "organization_id": organization_id, "state": state}, options)

    async def adjustment_approve(self, adjustment_id: str, *, note: str | Unset = UNSET, options: Options | None = None) -> Adjustment:
        """Approve a correction that another person asked for, and enter it

        ``POST /api/v1/admin/billing/adjustments/{adjustment_id}/approve``

        Refusals: adjustment_decided, adjustment_invalid, adjustment_not_found, second_person_required, step_up_required.
        """
        answer: Adjustment = await self._transport.call("admin_adjustment_approve", {"adjustment_id": adjustment_id, "note": note}, options)
        return answer

    async def adjustment_reject(self, adjustment_id: str, *, note: str, options: Options | None = None) -> Adjustment:
        """Reject a correction, or withdraw one that you asked for

        ``POST /api/v1/admin/billing/adjustments/{adjustment_id}/reject``

        Refusals: adjustment_decided, adjustment_not_found, step_up_required.
        """
        answer: Adjustment = await self._transport.call("admin_adjustment_reject", {"adjustment_id": adjustment_id, "note": note}, options)
        return answer

    def invoice_list(self, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, organization_id: str | Unset = UNSET, state: Literal["draft", "final", "past_due", "paid", "void"] | Unset = UNSET, options: Options | None = None) -> AsyncPages[Invoice]:
        """Every invoice, newest first

        ``GET /api/v1/admin/billing/invoices``

        Refusals: cursor_invalid.
        """
        return AsyncPages(self._transport, "admin_invoice_list", {"cursor": cursor, "limit": limit, "organization_id": organization_id, "state": state}, options)

    async def invoice_finalise(self, invoice_id: str, *, options: Options | None = None) -> Invoice:
        """Make a draft final: it gets its number and its date

        ``POST /api/v1/admin/billing/invoices/{invoice_id}/finalise``

        Refusals: illegal_transition, invoice_not_found, step_up_required.
        """
        answer: Invoice = await self._transport.call("admin_invoice_finalise", {"invoice_id": invoice_id}, options)
        return answer

    async def invoice_pay(self, invoice_id: str, *, reason: str, options: Options | None = None) -> Invoice:
        """Note that an invoice was paid in full outside of the payment provider

        ``POST /api/v1/admin/billing/invoices/{invoice_id}/pay``

        Refusals: illegal_transition, invoice_not_found, step_up_required.
        """
        answer: Invoice = await self._transport.call("admin_invoice_pay", {"invoice_id": invoice_id, "reason": reason}, options)
        return answer

    async def invoice_void(self, invoice_id: str, *, reason: str, options: Options | None = None) -> Invoice:
        """Take an invoice back: a final one gets a credit note, a draft is discarded

        ``POST /api/v1/admin/billing/invoices/{invoice_id}/void``

        Refusals: illegal_transition, invoice_not_found, step_up_required.
        """
        answer: Invoice = await self._transport.call("admin_invoice_void", {"invoice_id": invoice_id, "reason": reason}, options)
        return answer

    async def revenue_get(self, *, from_: str | Unset = UNSET, to: str | Unset = UNSET, options: Options | None = None) -> AdminBillingRevenueGetAnswer:
        """What all organizations were charged, by day, SKU and currency

        ``GET /api/v1/admin/billing/revenue``

        Refusals: period_invalid.
        """
        answer: AdminBillingRevenueGetAnswer = await self._transport.call("admin_billing_revenue_get", {"from": from_, "to": to}, options)
        return answer

    async def seller_get(self, *, options: Options | None = None) -> Seller:
        """The company that stands on invoices as seller

        ``GET /api/v1/admin/billing/seller``
        """
        answer: Seller = await self._transport.call("admin_seller_get", {}, options)
        return answer

    async def seller_set(self, *, address_lines: Sequence[str], city: str, country: str, legal_name: str, postal_code: str | None | Unset = UNSET, tax_id: str | None | Unset = UNSET, options: Options | None = None) -> Seller:
        """Set the seller. From then on tax is charged by its country

        ``PUT /api/v1/admin/billing/seller``

        Refusals: step_up_required, tax_id_invalid.
        """
        answer: Seller = await self._transport.call("admin_seller_set", {"address_lines": address_lines, "city": city, "country": country, "legal_name": legal_name, "postal_code": postal_code, "tax_id": tax_id}, options)
        return answer

    def storage_price_list(self, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[StoragePrice]:
        """All prices of stored files, past and future; newest entry first

        ``GET /api/v1/admin/billing/storage-prices``

        Refusals: cursor_invalid.
        """
        return AsyncPages(self._transport, "admin_storage_price_list", {"cursor": cursor, "limit": limit}, options)

    async def storage_price_add(self, *, currency: str, rate_micro: str, reason: str, effective_from: str | Unset = UNSET, options: Options | None = None) -> StoragePrice:
        """Set the price of stored files from a time on; earlier prices stay

        ``POST /api/v1/admin/billing/storage-prices``

        Refusals: price_already_exists, price_backdated, step_up_required.
        """
        answer: StoragePrice = await self._transport.call("admin_storage_price_add", {"currency": currency, "effective_from": effective_from, "rate_micro": rate_micro, "reason": reason}, options)
        return answer


class AsyncAdminSkusApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def catalog_defaults(self, *, reason: str | Unset = UNSET, options: Options | None = None) -> CatalogDefaultsAnswer:
        """Load the default catalog; existing entries stay unchanged

        ``POST /api/v1/admin/catalog/defaults``

        Refusals: step_up_required.
        """
        answer: CatalogDefaultsAnswer = await self._transport.call("catalog_defaults", {"reason": reason}, options)
        return answer

    def list(self, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[Sku]:
        """All SKUs, retired ones included

        ``GET /api/v1/admin/skus``

        Refusals: cursor_invalid.
        """
        return AsyncPages(self._transport, "admin_sku_list", {"cursor": cursor, "limit": limit}, options)

    async def create(self, *, capacity_shape: Literal["baremetal", "gpu_slice"], display_name: str, gpu_memory_mib: int, gpu_model: str, gpus_total: int, sku: str, vendor: str, allowed_gpu_counts: Sequence[int] | Unset = UNSET, billing_unit: Literal["gpu_hour", "node_hour"] | Unset = UNSET, resource_profile: ResourceProfile | Unset = UNSET, options: Options | None = None) -> Sku:
        """Add a SKU; it can be rented once it has a price

        ``POST /api/v1/admin/skus``

        Refusals: sku_already_exists, sku_invalid, step_up_required.
        """
        answer: Sku = await self._transport.call("admin_sku_create", {"allowed_gpu_counts": allowed_gpu_counts, "billing_unit": billing_unit, "capacity_shape": capacity_shape, "display_name": display_name, "gpu_memory_mib": gpu_memory_mib, "gpu_model": gpu_model, "gpus_total": gpus_total, "resource_profile": resource_profile, "sku": sku, "vendor": vendor}, options)
        return answer

    async def get(self, sku: str, *, options: Options | None = None) -> Sku:
        """One SKU

        ``GET /api/v1/admin/skus/{sku}``

        Refusals: sku_not_found.
        """
        answer: Sku = await self._transport.call("admin_sku_get", {"sku": sku}, options)
        return answer

    async def update(self, sku: str, *, active: bool | Unset = UNSET, allowed_gpu_counts: Sequence[int] | Unset = UNSET, display_name: str | Unset = UNSET, gpu_memory_mib: int | Unset = UNSET, gpu_model: str | Unset = UNSET, resource_profile: ResourceProfile | Unset = UNSET, vendor: str | Unset = UNSET, options: Options | None = None) -> Sku:
        """Change a SKU for new allocations; existing ones keep what they were promised

        ``PATCH /api/v1/admin/skus/{sku}``

        Refusals: sku_invalid, sku_not_found, step_up_required.
        """
        answer: Sku = await self._transport.call("admin_sku_update", {"sku": sku, "active": active, "allowed_gpu_counts": allowed_gpu_counts, "display_name": display_name, "gpu_memory_mib": gpu_memory_mib, "gpu_model": gpu_model, "resource_profile": resource_profile, "vendor": vendor}, options)
        return answer

    def price_list(self, sku: str, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[SkuPrice]:
        """All prices, past and future; newest entry first

        ``GET /api/v1/admin/skus/{sku}/prices``

        Refusals: cursor_invalid, sku_not_found.
        """
        return AsyncPages(self._transport, "sku_price_list", {"sku": sku, "cursor": cursor, "limit": limit}, options)

    async def price_add(self, sku: str, *, reason: str, unit_price: SkuPriceAddUnitPrice, effective_from: str | Unset = UNSET, region: str | Unset = UNSET, options: Options | None = None) -> SkuPrice:
        """Set a price from a time on; earlier prices stay

        ``POST /api/v1/admin/skus/{sku}/prices``

        Refusals: price_already_exists, price_backdated, region_not_found, sku_not_found, step_up_required.
        """
        answer: SkuPrice = await self._transport.call("sku_price_add", {"sku": sku, "effective_from": effective_from, "reason": reason, "region": region, "unit_price": unit_price}, options)
        return answer

    async def retire(self, sku: str, *, reason: str, options: Options | None = None) -> Sku:
        """Retire a SKU; existing allocations continue

        ``POST /api/v1/admin/skus/{sku}/retire``

        Refusals: sku_not_found, step_up_required.
        """
        answer: Sku = await self._transport.call("admin_sku_retire", {"sku": sku, "reason": reason}, options)
        return answer


class AsyncAdminOpsApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def dlq_list(self, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, state: Literal["open", "requeued", "discarded"] | Unset = UNSET, subject_prefix: str | Unset = UNSET, options: Options | None = None) -> AsyncPages[DeadLetter]:
        """All dead letters, newest first

        ``GET /api/v1/admin/dlq/messages``

        Refusals: cursor_invalid.
        """
        return AsyncPages(self._transport, "dlq_list", {"cursor": cursor, "limit": limit, "state": state, "subject_prefix": subject_prefix}, options)

    async def dlq_get(self, stream_seq: str, *, options: Options | None = None) -> DeadLetterDetail:
        """One dead letter with its event

        ``GET /api/v1/admin/dlq/messages/{stream_seq}``

        Refusals: event_not_found.
        """
        answer: DeadLetterDetail = await self._transport.call("dlq_get", {"stream_seq": stream_seq}, options)
        return answer

    async def dlq_discard(self, stream_seq: str, *, reason: str, options: Options | None = None) -> DeadLetter:
        """Discard a dead letter

        ``POST /api/v1/admin/dlq/messages/{stream_seq}/discard``

        Refusals: event_already_settled, event_not_found, step_up_required.
        """
        answer: DeadLetter = await self._transport.call("dlq_discard", {"stream_seq": stream_seq, "reason": reason}, options)
        return answer

    async def dlq_requeue(self, stream_seq: str, *, reason: str, options: Options | None = None) -> DeadLetter:
        """Deliver a dead letter again; consumers that processed it already ignore it

        ``POST /api/v1/admin/dlq/messages/{stream_seq}/requeue``

        Refusals: event_already_settled, event_not_committed, event_not_found.
        """
        answer: DeadLetter = await self._transport.call("dlq_requeue", {"stream_seq": stream_seq, "reason": reason}, options)
        return answer

    def event_list(self, *, about: str | Unset = UNSET, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, organization_id: str | Unset = UNSET, type: str | Unset = UNSET, options: Options | None = None) -> AsyncPages[LoggedEvent]:
        """The kept events, newest first

        ``GET /api/v1/admin/events``

        Refusals: cursor_invalid.
        """
        return AsyncPages(self._transport, "admin_event_list", {"about": about, "cursor": cursor, "limit": limit, "organization_id": organization_id, "type": type}, options)

    def event_stream(self, *, about: str | Unset = UNSET, after: str | Unset = UNSET, follow: bool | Unset = UNSET, notifications: bool | Unset = UNSET, types: str | Unset = UNSET, options: Options | None = None) -> AsyncIterator[StreamedEvent]:
        """Watch the events of all tenants live

        ``GET /api/v1/admin/events/stream``

        Refusals: cursor_invalid, too_many_streams.
        """
        return self._transport.stream("admin_event_stream", {"about": about, "after": after, "follow": follow, "notifications": notifications, "types": types}, options)

    async def fleet_health(self, *, options: Options | None = None) -> FleetHealth:
        """The state of the fleet in numbers

        ``GET /api/v1/admin/fleet/health``
        """
        answer: FleetHealth = await self._transport.call("fleet_health", {}, options)
        return answer

    async def platform_health_get(self, *, options: Options | None = None) -> PlatformHealth:
        """The health of the platform: processes, database, events and fleet

        ``GET /api/v1/admin/health``
        """
        answer: PlatformHealth = await self._transport.call("platform_health_get", {}, options)
        return answer

    async def history_get(self, *, options: Options | None = None) -> HistoryGetAnswer:
        """Tables that grow with history: their sizes, and how long their rows are kept

        ``GET /api/v1/admin/history``
        """
        answer: HistoryGetAnswer = await self._transport.call("history_get", {}, options)
        return answer

    def history_archive_list(self, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[HistoryArchive]:
        """What was archived, newest first

        ``GET /api/v1/admin/history/archives``

        Refusals: cursor_invalid.
        """
        return AsyncPages(self._transport, "history_archive_list", {"cursor": cursor, "limit": limit}, options)

    async def history_archive_verify(self, archive_id: str, *, options: Options | None = None) -> ArchiveVerdict:
        """Read an archive and check its digest, its rows and its place in the audit chains

        ``GET /api/v1/admin/history/archives/{archive_id}/verify``

        Refusals: archive_not_found.
        """
        answer: ArchiveVerdict = await self._transport.call("history_archive_verify", {"archive_id": archive_id}, options)
        return answer

    def outbox_failed_list(self, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, state: Literal["open", "requeued", "discarded"] | Unset = UNSET, options: Options | None = None) -> AsyncPages[DeadLetter]:
        """Events that the bus refused

        ``GET /api/v1/admin/outbox/failed``

        Refusals: cursor_invalid.
        """
        return AsyncPages(self._transport, "outbox_failed_list", {"cursor": cursor, "limit": limit, "state": state}, options)

    async def outbox_rewind(self, *, reason: str, options: Options | None = None) -> OutboxRewindAnswer:
        """Publish every kept event again, after the bus lost some; no effect happens twice

        ``POST /api/v1/admin/outbox/rewind``

        Refusals: step_up_required.
        """
        answer: OutboxRewindAnswer = await self._transport.call("outbox_rewind", {"reason": reason}, options)
        return answer

    async def outbox_discard(self, event_id: str, *, reason: str, options: Options | None = None) -> DeadLetter:
        """Discard a refused event

        ``POST /api/v1/admin/outbox/{event_id}/discard``

        Refusals: event_already_settled, event_not_found, step_up_required.
        """
        answer: DeadLetter = await self._transport.call("outbox_discard", {"event_id": event_id, "reason": reason}, options)
        return answer

    async def outbox_requeue(self, event_id: str, *, reason: str, options: Options | None = None) -> DeadLetter:
        """Publish a refused event again

        ``POST /api/v1/admin/outbox/{event_id}/requeue``

        Refusals: event_already_settled, event_not_committed, event_not_found.
        """
        answer: DeadLetter = await self._transport.call("outbox_requeue", {"event_id": event_id, "reason": reason}, options)
        return answer

    async def runbook_list(self, *, category: str | Unset = UNSET, q: str | Unset = UNSET, signal: str | Unset = UNSET, options: Options | None = None) -> RunbookListAnswer:
        """The runbooks: what to do about each alert and each kind of incident

        ``GET /api/v1/admin/runbooks``
        """
        answer: RunbookListAnswer = await self._transport.call("runbook_list", {"category": category, "q": q, "signal": signal}, options)
        return answer

    async def runbook_get(self, runbook_id: str, *, options: Options | None = None) -> RunbookPage:
        """One runbook with its text, by its id or by a signal that leads to it

        ``GET /api/v1/admin/runbooks/{runbook_id}``

        Refusals: runbook_not_found.
        """
        answer: RunbookPage = await self._transport.call("runbook_get", {"runbook_id": runbook_id}, options)
        return answer

    async def secrets_get(self, *, options: Options | None = None) -> SecretsGetAnswer:
        """How many stored values each key has sealed: a key with none can be removed

        ``GET /api/v1/admin/secrets``
        """
        answer: SecretsGetAnswer = await self._transport.call("secrets_get", {}, options)
        return answer


class AsyncAdminMetricsApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def fleet(self, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[NodeNow]:
        """The last values of every node

        ``GET /api/v1/admin/fleet/metrics``

        Refusals: cursor_invalid.
        """
        return AsyncPages(self._transport, "fleet_metrics", {"cursor": cursor, "limit": limit}, options)

    async def fleet_export(self, *, options: Options | None = None) -> str:
        """The last values of every node, in the Prometheus format

        ``GET /api/v1/admin/fleet/metrics/prometheus``
        """
        answer: str = await self._transport.call("fleet_metrics_export", {}, options)
        return answer

    async def node(self, node_id: str, *, from_: str | Unset = UNSET, resolution: Literal[10, 300] | Unset = UNSET, to: str | Unset = UNSET, options: Options | None = None) -> NodeMetrics:
        """What a node has measured, over a range of time

        ``GET /api/v1/admin/nodes/{node_id}/metrics``

        Refusals: metrics_range_invalid, node_not_found.
        """
        answer: NodeMetrics = await self._transport.call("node_metrics", {"node_id": node_id, "from": from_, "resolution": resolution, "to": to}, options)
        return answer


class AsyncAdminMaasApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def job_list(self, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, site_id: str | Unset = UNSET, state: Literal["queued", "running", "succeeded", "failed"] | Unset = UNSET, options: Options | None = None) -> AsyncPages[MaasJob]:
        """What was asked of machines of MAAS, latest first

        ``GET /api/v1/admin/maas-jobs``

        Refusals: cursor_invalid.
        """
        return AsyncPages(self._transport, "maas_job_list", {"cursor": cursor, "limit": limit, "site_id": site_id, "state": state}, options)

    async def job_get(self, job_id: str, *, options: Options | None = None) -> MaasJob:
        """One job: its step, and why it was taken back

        ``GET /api/v1/admin/maas-jobs/{job_id}``

        Refusals: maas_job_not_found.
        """
        answer: MaasJob = await self._transport.call("maas_job_get", {"job_id": job_id}, options)
        return answer

    def site_list(self, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[MaasSite]:
        """The MAAS sites, oldest first

        ``GET /api/v1/admin/maas-sites``

        Refusals: cursor_invalid.
        """
        return AsyncPages(self._transport, "maas_site_list", {"cursor": cursor, "limit": limit}, options)

    async def site_create(self, *, api_key: str, name: str, region: str, url: str, ca_pem: str | None | Unset = UNSET, erase: Literal["secure", "full", "quick"] | Unset = UNSET, max_parallel: int | Unset = UNSET, osystem: str | Unset = UNSET, pool: str | None | Unset = UNSET, series: str | Unset = UNSET, options: Options | None = None) -> MaasSite:
        """Add a MAAS site; its machines are listed as soon as it answers

        ``POST /api/v1/admin/maas-sites``

        Refusals: maas_site_already_exists, maas_url_refused, region_not_found, step_up_required.
        """
        answer: MaasSite = await self._transport.call("maas_site_create", {"api_key": api_key, "ca_pem": ca_pem, "erase": erase, "max_parallel": max_parallel, "name": name, "osystem": osystem, "pool": pool, "region": region, "series": series, "url": url}, options)
        return answer

    async def site_remove(self, site_id: str, *, reason: str, options: Options | None = None) -> MaasSite:
        """Forget a MAAS site of which no machine is a node

        ``DELETE /api/v1/admin/maas-sites/{site_id}``

        Refusals: maas_site_in_use, maas_site_not_found, step_up_required.
        """
        answer: MaasSite = await self._transport.call("maas_site_remove", {"site_id": site_id, "reason": reason}, options)
        return answer

    async def site_get(self, site_id: str, *, options: Options | None = None) -> MaasSite:
        """One MAAS site, and whether it answers

        ``GET /api/v1/admin/maas-sites/{site_id}``

        Refusals: maas_site_not_found.
        """
        answer: MaasSite = await self._transport.call("maas_site_get", {"site_id": site_id}, options)
        return answer

    async def site_update(self, site_id: str, *, api_key: str | Unset = UNSET, ca_pem: str | None | Unset = UNSET, erase: Literal["secure", "full", "quick"] | Unset = UNSET, max_parallel: int | Unset = UNSET, osystem: str | Unset = UNSET, pool: str | None | Unset = UNSET, revision: int | Unset = UNSET, series: str | Unset = UNSET, url: str | Unset = UNSET, options: Options | None = None) -> MaasSite:
        """Change the address, the key or the settings of a MAAS site

        ``PATCH /api/v1/admin/maas-sites/{site_id}``

        Refusals: maas_site_in_use, maas_site_not_found, maas_url_refused, step_up_required, version_conflict.
        """
        answer: MaasSite = await self._transport.call("maas_site_update", {"site_id": site_id, "api_key": api_key, "ca_pem": ca_pem, "erase": erase, "max_parallel": max_parallel, "osystem": osystem, "pool": pool, "revision": revision, "series": series, "url": url}, options)
        return answer

    def machine_list(self, site_id: str, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[MaasMachine]:
        """The machines of a MAAS site: what MAAS says, what the node is, what is rented, and where they contradict

        ``GET /api/v1/admin/maas-sites/{site_id}/machines``

        Refusals: cursor_invalid, maas_site_not_found.
        """
        return AsyncPages(self._transport, "maas_machine_list", {"site_id": site_id, "cursor": cursor, "limit": limit}, options)

    async def machine_get(self, site_id: str, system_id: str, *, options: Options | None = None) -> MaasMachine:
        """One machine of a MAAS site in its three layers

        ``GET /api/v1/admin/maas-sites/{site_id}/machines/{system_id}``

        Refusals: maas_machine_not_found.
        """
        answer: MaasMachine = await self._transport.call("maas_machine_get", {"site_id": site_id, "system_id": system_id}, options)
        return answer

    async def machine_commission(self, site_id: str, system_id: str, *, reason: str, options: Options | None = None) -> MaasJob:
        """Have MAAS look at the hardware of a machine that is no node

        ``POST /api/v1/admin/maas-sites/{site_id}/machines/{system_id}/commission``

        Refusals: maas_machine_busy, maas_machine_not_found, maas_machine_unsuited, maas_site_not_found.
        """
        answer: MaasJob = await self._transport.call("maas_machine_commission", {"site_id": site_id, "system_id": system_id, "reason": reason}, options)
        return answer

    async def machine_decommission(self, site_id: str, system_id: str, *, reason: str, options: Options | None = None) -> MaasJob:
        """Erase a machine, give it back to MAAS and remove its node, which is retired or quarantined and holds nothing

        ``POST /api/v1/admin/maas-sites/{site_id}/machines/{system_id}/decommission``

        Refusals: maas_machine_busy, maas_machine_not_found, maas_machine_unsuited, maas_site_not_found, step_up_required.
        """
        answer: MaasJob = await self._transport.call("maas_machine_decommission", {"site_id": site_id, "system_id": system_id, "reason": reason}, options)
        return answer

    async def machine_power(self, site_id: str, system_id: str, *, power: Literal["on", "off"], reason: str, options: Options | None = None) -> MaasJob:
        """Switch the power of a machine on which nothing is rented

        ``POST /api/v1/admin/maas-sites/{site_id}/machines/{system_id}/power``

        Refusals: maas_machine_busy, maas_machine_not_found, maas_machine_unsuited, maas_site_not_found.
        """
        answer: MaasJob = await self._transport.call("maas_machine_power", {"site_id": site_id, "system_id": system_id, "power": power, "reason": reason}, options)
        return answer

    async def onboard(self, site_id: str, *, machines: Sequence[MaasOnboardMachinesItem], reason: str, options: Options | None = None) -> MaasOnboardAnswer:
        """Make nodes of machines: commission, deploy with the agent, enrol; what fails is taken back

        ``POST /api/v1/admin/maas-sites/{site_id}/onboardings``

        Refusals: maas_machine_busy, maas_machine_not_found, maas_machine_unsuited, maas_site_not_found, node_already_exists, sku_not_found, step_up_required.
        """
        answer: MaasOnboardAnswer = await self._transport.call("maas_onboard", {"site_id": site_id, "machines": machines, "reason": reason}, options)
        return answer


class AsyncAdminLogsApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def node_list(self, *, allocation_id: str | Unset = UNSET, contains: str | Unset = UNSET, correlation_id: str | Unset = UNSET, cursor: str | Unset = UNSET, level: Literal["debug", "info", "warn", "error"] | Unset = UNSET, limit: int | Unset = UNSET, node_id: str | Unset = UNSET, since: str | Unset = UNSET, stream: Literal["agent", "console"] | Unset = UNSET, until: str | Unset = UNSET, options: Options | None = None) -> AsyncPages[LogLine]:
        """Lines of nodes and of consoles, newest first

        ``GET /api/v1/admin/node-logs``

        Refusals: cursor_invalid, log_range_invalid.
        """
        return AsyncPages(self._transport, "node_log_list", {"allocation_id": allocation_id, "contains": contains, "correlation_id": correlation_id, "cursor": cursor, "level": level, "limit": limit, "node_id": node_id, "since": since, "stream": stream, "until": until}, options)

    def node_stream(self, *, after: str | Unset = UNSET, allocation_id: str | Unset = UNSET, contains: str | Unset = UNSET, correlation_id: str | Unset = UNSET, follow: bool | Unset = UNSET, level: Literal["debug", "info", "warn", "error"] | Unset = UNSET, node_id: str | Unset = UNSET, stream: Literal["agent", "console"] | Unset = UNSET, options: Options | None = None) -> AsyncIterator[StreamedEvent]:
        """Follow lines of nodes and of consoles as they arrive

        ``GET /api/v1/admin/node-logs/stream``

        Refusals: too_many_streams.
        """
        return self._transport.stream("node_log_stream", {"after": after, "allocation_id": allocation_id, "contains": contains, "correlation_id": correlation_id, "follow": follow, "level": level, "node_id": node_id, "stream": stream}, options)


class AsyncAdminNodesApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, q: str | Unset = UNSET, region: str | Unset = UNSET, schedulable: Literal["true", "false"] | Unset = UNSET, sku: str | Unset = UNSET, sort: Literal["created", "name"] | Unset = UNSET, state: Literal["bootstrap_issued", "enrolling", "active", "offline", "quarantined", "draining", "retired", "removing", "deleted"] | Unset = UNSET, options: Options | None = None) -> AsyncPages[FleetNode]:
        """The nodes, oldest first or by name

        ``GET /api/v1/admin/nodes``

        Refusals: cursor_invalid.
        """
        return AsyncPages(self._transport, "node_list", {"cursor": cursor, "limit": limit, "q": q, "region": region, "schedulable": schedulable, "sku": sku, "sort": sort, "state": state}, options)

    async def create(self, *, name: str, region: str, sku: str, address: str | Unset = UNSET, gpus_total: int | Unset = UNSET, labels: Mapping[str, str] | Unset = UNSET, onboarding_mode: Literal["manual", "maas"] | Unset = UNSET, options: Options | None = None) -> NodeEnrolmentOffer:
        """Add a host; the answer contains what it needs to enrol, shown once

        ``POST /api/v1/admin/nodes``

        Refusals: node_already_exists, region_not_found, sku_invalid, sku_not_found, step_up_required.
        """
        answer: NodeEnrolmentOffer = await self._transport.call("node_create", {"address": address, "gpus_total": gpus_total, "labels": labels, "name": name, "onboarding_mode": onboarding_mode, "region": region, "sku": sku}, options)
        return answer

    async def remove(self, node_id: str, *, reason: str, version: int | Unset = UNSET, options: Options | None = None) -> FleetNode:
        """Remove a host for good; one that never enrolled is removed at once

        ``DELETE /api/v1/admin/nodes/{node_id}``

        Refusals: illegal_transition, node_in_use, node_not_found, step_up_required, version_conflict.
        """
        answer: FleetNode = await self._transport.call("node_remove", {"node_id": node_id, "reason": reason, "version": version}, options)
        return answer

    async def get(self, node_id: str, *, options: Options | None = None) -> NodeDetail:
        """One node: health, hardware and identity

        ``GET /api/v1/admin/nodes/{node_id}``

        Refusals: node_not_found.
        """
        answer: NodeDetail = await self._transport.call("node_get", {"node_id": node_id}, options)
        return answer

    async def update(self, node_id: str, *, address: str | None | Unset = UNSET, labels: Mapping[str, str] | Unset = UNSET, version: int | Unset = UNSET, options: Options | None = None) -> FleetNode:
        """Change the labels or the address of a host

        ``PATCH /api/v1/admin/nodes/{node_id}``

        Refusals: node_not_found, step_up_required, version_conflict.
        """
        answer: FleetNode = await self._transport.call("node_update", {"node_id": node_id, "address": address, "labels": labels, "version": version}, options)
        return answer

    async def agent_update(self, node_id: str, *, release_id: str, options: Options | None = None) -> NodeAgentUpdateAnswer:
        """Update the agent of a host to a release; one that does not report in time is rolled back automatically

        ``POST /api/v1/admin/nodes/{node_id}/agent-update``

        Refusals: agent_release_not_found, node_not_found, node_offline, step_up_required.
        """
        answer: NodeAgentUpdateAnswer = await self._transport.call("node_agent_update", {"node_id": node_id, "release_id": release_id}, options)
        return answer

    async def clear(self, node_id: str, *, reason: str, version: int | Unset = UNSET, options: Options | None = None) -> FleetNode:
        """Clear a quarantined host, after a health probe has passed that is newer than the cause

        ``POST /api/v1/admin/nodes/{node_id}/clear``

        Refusals: illegal_transition, node_not_found, probe_required, version_conflict.
        """
        answer: FleetNode = await self._transport.call("node_clear", {"node_id": node_id, "reason": reason, "version": version}, options)
        return answer

    async def cordon(self, node_id: str, *, reason: str, version: int | Unset = UNSET, options: Options | None = None) -> FleetNode:
        """Cordon a host: no new work; running work continues

        ``POST /api/v1/admin/nodes/{node_id}/cordon``

        Refusals: illegal_transition, node_not_found, version_conflict.
        """
        answer: FleetNode = await self._transport.call("node_cordon", {"node_id": node_id, "reason": reason, "version": version}, options)
        return answer

    async def drain(self, node_id: str, *, reason: str, notice_minutes: int | Unset = UNSET, version: int | Unset = UNSET, options: Options | None = None) -> FleetNode:
        """Drain a host: no new work, and allocations get notice until a deadline

        ``POST /api/v1/admin/nodes/{node_id}/drain``

        Refusals: illegal_transition, node_not_found, version_conflict.
        """
        answer: FleetNode = await self._transport.call("node_drain", {"node_id": node_id, "notice_minutes": notice_minutes, "reason": reason, "version": version}, options)
        return answer

    async def enrolment_token(self, node_id: str, *, purpose: Literal["enrol", "recover"], version: int | Unset = UNSET, options: Options | None = None) -> NodeEnrolmentOffer:
        """Issue another enrolment token, for a host that did not enrol in time or lost its certificate; earlier tokens become void

        ``POST /api/v1/admin/nodes/{node_id}/enrolment-token``

        Refusals: illegal_transition, node_not_found, step_up_required, version_conflict.
        """
        answer: NodeEnrolmentOffer = await self._transport.call("node_enrolment_token", {"node_id": node_id, "purpose": purpose, "version": version}, options)
        return answer

    async def health_probe(self, node_id: str, *, options: Options | None = None) -> NodeHealthProbeAnswer:
        """Probe the health of a host; the result is with its tasks

        ``POST /api/v1/admin/nodes/{node_id}/health-probe``

        Refusals: node_not_found, node_offline.
        """
        answer: NodeHealthProbeAnswer = await self._transport.call("node_health_probe", {"node_id": node_id}, options)
        return answer

    async def publish(self, node_id: str, *, reason: str | Unset = UNSET, version: int | Unset = UNSET, options: Options | None = None) -> FleetNode:
        """Allow new work on an active host whose slots were approved

        ``POST /api/v1/admin/nodes/{node_id}/publish``

        Refusals: illegal_transition, node_not_found, node_not_ready, step_up_required, version_conflict.
        """
        answer: FleetNode = await self._transport.call("node_publish", {"node_id": node_id, "reason": reason, "version": version}, options)
        return answer

    async def quarantine(self, node_id: str, *, reason: str, version: int | Unset = UNSET, options: Options | None = None) -> FleetNode:
        """Quarantine a host: it gets no new work until an operator clears it

        ``POST /api/v1/admin/nodes/{node_id}/quarantine``

        Refusals: illegal_transition, node_not_found, version_conflict.
        """
        answer: FleetNode = await self._transport.call("node_quarantine", {"node_id": node_id, "reason": reason, "version": version}, options)
        return answer

    async def readmit(self, node_id: str, *, reason: str, version: int | Unset = UNSET, options: Options | None = None) -> FleetNode:
        """Return a retired host to service after a fresh health probe has passed; it stays cordoned

        ``POST /api/v1/admin/nodes/{node_id}/readmit``

        Refusals: illegal_transition, node_not_found, probe_required, version_conflict.
        """
        answer: FleetNode = await self._transport.call("node_readmit", {"node_id": node_id, "reason": reason, "version": version}, options)
        return answer

    async def reimage(self, node_id: str, *, image: str, reason: str, version: int | Unset = UNSET, options: Options | None = None) -> FleetNode:
        """Reimage a quarantined or retired host that holds nothing; without proof it is quarantined

        ``POST /api/v1/admin/nodes/{node_id}/reimage``

        Refusals: illegal_transition, node_in_use, node_not_found, os_image_not_found, step_up_required, version_conflict.
        """
        answer: FleetNode = await self._transport.call("node_reimage", {"node_id": node_id, "image": image, "reason": reason, "version": version}, options)
        return answer

    async def resource_slot_list(self, node_id: str, *, options: Options | None = None) -> ResourceSlotListAnswer:
        """The slots of a host and their allocations

        ``GET /api/v1/admin/nodes/{node_id}/resource-slots``

        Refusals: node_not_found.
        """
        answer: ResourceSlotListAnswer = await self._transport.call("resource_slot_list", {"node_id": node_id}, options)
        return answer

    async def resume(self, node_id: str, *, reason: str | Unset = UNSET, version: int | Unset = UNSET, options: Options | None = None) -> FleetNode:
        """Cancel a drain

        ``POST /api/v1/admin/nodes/{node_id}/resume``

        Refusals: illegal_transition, node_not_found, version_conflict.
        """
        answer: FleetNode = await self._transport.call("node_resume", {"node_id": node_id, "reason": reason, "version": version}, options)
        return answer

    async def retire(self, node_id: str, *, reason: str, version: int | Unset = UNSET, options: Options | None = None) -> FleetNode:
        """Retire an empty host

        ``POST /api/v1/admin/nodes/{node_id}/retire``

        Refusals: illegal_transition, node_in_use, node_not_found, step_up_required, version_conflict.
        """
        answer: FleetNode = await self._transport.call("node_retire", {"node_id": node_id, "reason": reason, "version": version}, options)
        return answer

    async def revoke(self, node_id: str, *, reason: str, options: Options | None = None) -> NodeRevokeAnswer:
        """Revoke every certificate of a host: it is cut off within seconds, until it recovers with a new token

        ``POST /api/v1/admin/nodes/{node_id}/revoke``

        Refusals: node_not_found, step_up_required.
        """
        answer: NodeRevokeAnswer = await self._transport.call("node_revoke", {"node_id": node_id, "reason": reason}, options)
        return answer

    async def slots_approve(self, node_id: str, *, slot_indexes: Sequence[int] | Unset = UNSET, options: Options | None = None) -> SlotsApproveAnswer:
        """Approve slots from the last discovery; changed hardware is accepted where no allocation uses it

        ``POST /api/v1/admin/nodes/{node_id}/slots/approve``

        Refusals: node_not_found, slot_in_use, slots_blocked, topology_missing.
        """
        answer: SlotsApproveAnswer = await self._transport.call("slots_approve", {"node_id": node_id, "slot_indexes": slot_indexes}, options)
        return answer

    async def slot_clear(self, node_id: str, slot_id: str, *, reason: str, options: Options | None = None) -> ResourceSlot:
        """Clear a blocked or quarantined slot, after a health probe has passed and the wipe it owes is proven

        ``POST /api/v1/admin/nodes/{node_id}/slots/{slot_id}/clear``

        Refusals: illegal_transition, node_not_found, probe_required, slot_in_use, slot_not_found, wipe_unproven.
        """
        answer: ResourceSlot = await self._transport.call("slot_clear", {"node_id": node_id, "slot_id": slot_id, "reason": reason}, options)
        return answer

    async def slot_clear_unproven(self, node_id: str, slot_id: str, *, reason: str, options: Options | None = None) -> ResourceSlot:
        """Return a slot to sale without proof of its wipe; the decision is shown on the slot

        ``POST /api/v1/admin/nodes/{node_id}/slots/{slot_id}/clear-unproven``

        Refusals: illegal_transition, node_not_found, probe_required, slot_in_use, slot_not_found, step_up_required.
        """
        answer: ResourceSlot = await self._transport.call("slot_clear_unproven", {"node_id": node_id, "slot_id": slot_id, "reason": reason}, options)
        return answer

    async def slot_disable(self, node_id: str, slot_id: str, *, reason: str, options: Options | None = None) -> ResourceSlot:
        """Disable a slot: it is no longer sold

        ``POST /api/v1/admin/nodes/{node_id}/slots/{slot_id}/disable``

        Refusals: illegal_transition, node_not_found, slot_in_use, slot_not_found.
        """
        answer: ResourceSlot = await self._transport.call("slot_disable", {"node_id": node_id, "slot_id": slot_id, "reason": reason}, options)
        return answer

    async def slot_enable(self, node_id: str, slot_id: str, *, reason: str, options: Options | None = None) -> ResourceSlot:
        """Enable a disabled slot

        ``POST /api/v1/admin/nodes/{node_id}/slots/{slot_id}/enable``

        Refusals: illegal_transition, node_not_found, slot_in_use, slot_not_found.
        """
        answer: ResourceSlot = await self._transport.call("slot_enable", {"node_id": node_id, "slot_id": slot_id, "reason": reason}, options)
        return answer

    async def slot_quarantine(self, node_id: str, slot_id: str, *, reason: str, options: Options | None = None) -> ResourceSlot:
        """Quarantine a slot: it is not sold until an operator clears it

        ``POST /api/v1/admin/nodes/{node_id}/slots/{slot_id}/quarantine``

        Refusals: illegal_transition, node_not_found, slot_in_use, slot_not_found.
        """
        answer: ResourceSlot = await self._transport.call("slot_quarantine", {"node_id": node_id, "slot_id": slot_id, "reason": reason}, options)
        return answer

    def task_list(self, node_id: str, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, q: str | Unset = UNSET, state: Literal["queued", "dispatched", "succeeded", "failed", "expired", "cancelled"] | Unset = UNSET, options: Options | None = None) -> AsyncPages[FleetTask]:
        """The tasks of a host, newest first

        ``GET /api/v1/admin/nodes/{node_id}/tasks``

        Refusals: cursor_invalid, node_not_found.
        """
        return AsyncPages(self._transport, "node_task_list", {"node_id": node_id, "cursor": cursor, "limit": limit, "q": q, "state": state}, options)

    async def topology_discover(self, node_id: str, *, options: Options | None = None) -> NodeTopologyDiscoverAnswer:
        """Discover the hardware of a host; the result is in its topology

        ``POST /api/v1/admin/nodes/{node_id}/topology/discover``

        Refusals: node_not_found, node_offline.
        """
        answer: NodeTopologyDiscoverAnswer = await self._transport.call("node_topology_discover", {"node_id": node_id}, options)
        return answer

    async def uncordon(self, node_id: str, *, reason: str | Unset = UNSET, version: int | Unset = UNSET, options: Options | None = None) -> FleetNode:
        """Uncordon a host: new work is allowed again

        ``POST /api/v1/admin/nodes/{node_id}/uncordon``

        Refusals: illegal_transition, node_not_found, node_not_ready, version_conflict.
        """
        answer: FleetNode = await self._transport.call("node_uncordon", {"node_id": node_id, "reason": reason, "version": version}, options)
        return answer


class AsyncAdminOsImagesApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def node_list(self, node_id: str, *, options: Options | None = None) -> NodeImageListAnswer:
        """The images of a node, and whether they match those that are offered

        ``GET /api/v1/admin/nodes/{node_id}/images``

        Refusals: node_not_found.
        """
        answer: NodeImageListAnswer = await self._transport.call("node_image_list", {"node_id": node_id}, options)
        return answer

    async def node_forget(self, node_id: str, os_image: str, *, options: Options | None = None) -> NodeImage:
        """Record that a node no longer has an image

        ``DELETE /api/v1/admin/nodes/{node_id}/images/{os_image}``

        Refusals: node_not_found, os_image_not_found, step_up_required.
        """
        answer: NodeImage = await self._transport.call("node_image_forget", {"node_id": node_id, "os_image": os_image}, options)
        return answer

    async def node_set(self, node_id: str, os_image: str, *, digest: str, options: Options | None = None) -> NodeImage:
        """Record that a node has an image, checked against this digest

        ``PUT /api/v1/admin/nodes/{node_id}/images/{os_image}``

        Refusals: node_not_found, os_image_not_found, step_up_required.
        """
        answer: NodeImage = await self._transport.call("node_image_set", {"node_id": node_id, "os_image": os_image, "digest": digest}, options)
        return answer

    def list(self, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[OsImage]:
        """All images, and on how many nodes each is

        ``GET /api/v1/admin/os-images``

        Refusals: cursor_invalid.
        """
        return AsyncPages(self._transport, "admin_os_image_list", {"cursor": cursor, "limit": limit}, options)

    async def create(self, *, digest: str, display_name: str, driver_strategy: Literal["preinstalled", "cloud_init"], size_bytes: int, skus: Sequence[str], slug: str, options: Options | None = None) -> OsImage:
        """Add an image; it is offered once it is active

        ``POST /api/v1/admin/os-images``

        Refusals: os_image_already_exists, sku_not_found, step_up_required.
        """
        answer: OsImage = await self._transport.call("admin_os_image_create", {"digest": digest, "display_name": display_name, "driver_strategy": driver_strategy, "size_bytes": size_bytes, "skus": skus, "slug": slug}, options)
        return answer

    async def update(self, os_image: str, *, active: bool | Unset = UNSET, digest: str | Unset = UNSET, display_name: str | Unset = UNSET, driver_strategy: Literal["preinstalled", "cloud_init"] | Unset = UNSET, size_bytes: int | Unset = UNSET, skus: Sequence[str] | Unset = UNSET, options: Options | None = None) -> OsImage:
        """Change an image. It can be active only while every host that takes work has exactly this digest

        ``PATCH /api/v1/admin/os-images/{os_image}``

        Refusals: os_image_not_cached, os_image_not_found, sku_not_found, step_up_required.
        """
        answer: OsImage = await self._transport.call("admin_os_image_update", {"os_image": os_image, "active": active, "digest": digest, "display_name": display_name, "driver_strategy": driver_strategy, "size_bytes": size_bytes, "skus": skus}, options)
        return answer

    async def retire(self, os_image: str, *, reason: str, options: Options | None = None) -> OsImage:
        """Retire an image; running machines continue

        ``POST /api/v1/admin/os-images/{os_image}/retire``

        Refusals: os_image_not_found, step_up_required.
        """
        answer: OsImage = await self._transport.call("admin_os_image_retire", {"os_image": os_image, "reason": reason}, options)
        return answer


class AsyncAdminOrganizationsApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, q: str | Unset = UNSET, options: Options | None = None) -> AsyncPages[AdminOrganization]:
        """Every organization, newest first

        ``GET /api/v1/admin/organizations``

        Refusals: cursor_invalid.
        """
        return AsyncPages(self._transport, "admin_organization_list", {"cursor": cursor, "limit": limit, "q": q}, options)

    async def get(self, organization_id: str, *, options: Options | None = None) -> AdminOrganizationDetail:
        """One organization with its projects, members and policies

        ``GET /api/v1/admin/organizations/{organization_id}``

        Refusals: organization_not_found.
        """
        answer: AdminOrganizationDetail = await self._transport.call("admin_organization_get", {"organization_id": organization_id}, options)
        return answer


class AsyncAdminPaymentsApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, organization_id: str | Unset = UNSET, state: Literal["open", "paid", "expired", "disputed", "charged_back", "failed_reconcile"] | Unset = UNSET, options: Options | None = None) -> AsyncPages[AdminPayment]:
        """Every payment, newest first

        ``GET /api/v1/admin/payments/sessions``

        Refusals: cursor_invalid.
        """
        return AsyncPages(self._transport, "admin_payment_list", {"cursor": cursor, "limit": limit, "organization_id": organization_id, "state": state}, options)

    async def refund(self, payment_id: str, *, amount_minor: str, currency: str, reason: str, to: Literal["payer", "credit"] | Unset = UNSET, options: Options | None = None) -> PaymentRefund:
        """Refund a payment, or a part of it: to the payer, or as credit once the time for that is over

        ``POST /api/v1/admin/payments/sessions/{payment_id}/refunds``

        Refusals: currency_mismatch, illegal_transition, insufficient_balance, payment_not_found, refund_exceeds_payment, refund_window_exceeded, second_person_required, step_up_required.
        """
        answer: PaymentRefund = await self._transport.call("admin_payment_refund", {"payment_id": payment_id, "amount_minor": amount_minor, "currency": currency, "reason": reason, "to": to}, options)
        return answer


class AsyncAdminUsersApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def platform_role_list(self, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[PlatformRoleHolder]:
        """Platform roles: who has one, since when and from whom

        ``GET /api/v1/admin/platform-roles``

        Refusals: cursor_invalid.
        """
        return AsyncPages(self._transport, "platform_role_list", {"cursor": cursor, "limit": limit}, options)

    def list(self, *, cursor: str | Unset = UNSET, ids: str | Unset = UNSET, limit: int | Unset = UNSET, q: str | Unset = UNSET, state: Literal["active", "disabled", "erased"] | Unset = UNSET, options: Options | None = None) -> AsyncPages[AdminUser]:
        """Everyone who has signed in, newest first

        ``GET /api/v1/admin/users``

        Refusals: cursor_invalid.
        """
        return AsyncPages(self._transport, "user_list", {"cursor": cursor, "ids": ids, "limit": limit, "q": q, "state": state}, options)

    async def delete(self, user_id: str, *, reason: str, options: Options | None = None) -> AdminUser:
        """Erase a person: names, memberships, keys, tokens, sessions; the id stays, so that the audit log still verifies

        ``DELETE /api/v1/admin/users/{user_id}``

        Refusals: last_operator, last_owner, step_up_required, user_erased, user_has_allocations, user_not_found.
        """
        answer: AdminUser = await self._transport.call("user_delete", {"user_id": user_id, "reason": reason}, options)
        return answer

    async def get(self, user_id: str, *, options: Options | None = None) -> AdminUserDetail:
        """One person, with organizations and credentials

        ``GET /api/v1/admin/users/{user_id}``

        Refusals: user_not_found.
        """
        answer: AdminUserDetail = await self._transport.call("user_get", {"user_id": user_id}, options)
        return answer

    async def disable(self, user_id: str, *, reason: str, options: Options | None = None) -> AdminUser:
        """Disable a person: ends every session, revokes every personal token, and refuses new sign-ins

        ``POST /api/v1/admin/users/{user_id}/disable``

        Refusals: last_operator, step_up_required, user_erased, user_not_found.
        """
        answer: AdminUser = await self._transport.call("user_disable", {"user_id": user_id, "reason": reason}, options)
        return answer

    async def enable(self, user_id: str, *, reason: str, options: Options | None = None) -> AdminUser:
        """Enable a person again; ended sessions and revoked tokens stay so

        ``POST /api/v1/admin/users/{user_id}/enable``

        Refusals: step_up_required, user_erased, user_not_found.
        """
        answer: AdminUser = await self._transport.call("user_enable", {"user_id": user_id, "reason": reason}, options)
        return answer

    async def factors_reset(self, user_id: str, *, reason: str, options: Options | None = None) -> FactorsReset:
        """Remove the second factors of a person who lost them, and end all their sessions

        ``POST /api/v1/admin/users/{user_id}/factors/reset``

        Refusals: factors_elsewhere, step_up_required, user_erased, user_not_found.
        """
        answer: FactorsReset = await self._transport.call("user_factors_reset", {"user_id": user_id, "reason": reason}, options)
        return answer

    async def platform_role_revoke(self, role: str, user_id: str, *, reason: str, options: Options | None = None) -> AdminUser:
        """Revoke a platform role; the last superadmin keeps it

        ``DELETE /api/v1/admin/users/{user_id}/roles/{role}``

        Refusals: last_operator, platform_role_not_found, step_up_required, user_not_found.
        """
        answer: AdminUser = await self._transport.call("platform_role_revoke", {"role": role, "user_id": user_id, "reason": reason}, options)
        return answer

    async def platform_role_grant(self, role: str, user_id: str, *, reason: str, options: Options | None = None) -> AdminUser:
        """Give a person a platform role

        ``PUT /api/v1/admin/users/{user_id}/roles/{role}``

        Refusals: step_up_required, user_erased, user_not_found.
        """
        answer: AdminUser = await self._transport.call("platform_role_grant", {"role": role, "user_id": user_id, "reason": reason}, options)
        return answer


class AsyncAdminPoliciesApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def setting_list(self, *, options: Options | None = None) -> PolicySettingListAnswer:
        """Every policy with its definition and all its settings

        ``GET /api/v1/admin/policies``
        """
        answer: PolicySettingListAnswer = await self._transport.call("policy_setting_list", {}, options)
        return answer

    async def unset(self, policy_key: str, *, level: Literal["user", "project", "organization", "plan", "global"], reason: str, subject_id: str | Unset = UNSET, options: Options | None = None) -> PolicySetting:
        """Remove a setting; the next level applies

        ``DELETE /api/v1/admin/policies/{policy_key}``

        Refusals: policy_level_invalid, policy_not_found, step_up_required.
        """
        answer: PolicySetting = await self._transport.call("policy_unset", {"policy_key": policy_key, "level": level, "reason": reason, "subject_id": subject_id}, options)
        return answer

    async def set(self, policy_key: str, *, level: Literal["user", "project", "organization", "plan", "global"], reason: str, value: int | bool | str, expected_value: int | bool | str | None | Unset = UNSET, hard: bool | Unset = UNSET, subject_id: str | Unset = UNSET, options: Options | None = None) -> PolicySetting:
        """Set a policy at one level

        ``PUT /api/v1/admin/policies/{policy_key}``

        Refusals: policy_level_invalid, policy_not_found, policy_out_of_bounds, second_factor_missing, step_up_required, version_conflict.
        """
        answer: PolicySetting = await self._transport.call("policy_set", {"policy_key": policy_key, "expected_value": expected_value, "hard": hard, "level": level, "reason": reason, "subject_id": subject_id, "value": value}, options)
        return answer


class AsyncAdminRegionsApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[Region]:
        """All regions, closed ones included

        ``GET /api/v1/admin/regions``

        Refusals: cursor_invalid.
        """
        return AsyncPages(self._transport, "admin_region_list", {"cursor": cursor, "limit": limit}, options)

    async def create(self, *, name: str, slug: str, options: Options | None = None) -> Region:
        """Open a region

        ``POST /api/v1/admin/regions``

        Refusals: region_already_exists, step_up_required.
        """
        answer: Region = await self._transport.call("admin_region_create", {"name": name, "slug": slug}, options)
        return answer

    async def update(self, region: str, *, active: bool | Unset = UNSET, name: str | Unset = UNSET, options: Options | None = None) -> Region:
        """Rename a region, close it for new work, or open it again

        ``PATCH /api/v1/admin/regions/{region}``

        Refusals: region_not_found, step_up_required.
        """
        answer: Region = await self._transport.call("admin_region_update", {"region": region, "active": active, "name": name}, options)
        return answer


class AsyncAdminRecordingsApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, *, allocation: str | Unset = UNSET, cursor: str | Unset = UNSET, from_: str | Unset = UNSET, limit: int | Unset = UNSET, organization: str | Unset = UNSET, to: str | Unset = UNSET, user: str | Unset = UNSET, options: Options | None = None) -> AsyncPages[TerminalRecordingInfo]:
        """Recorded terminal sessions of all tenants, latest first

        ``GET /api/v1/admin/terminal-recordings``

        Refusals: cursor_invalid.
        """
        return AsyncPages(self._transport, "admin_recording_list", {"allocation": allocation, "cursor": cursor, "from": from_, "limit": limit, "organization": organization, "to": to, "user": user}, options)

    async def get(self, terminal_recording_id: str, *, options: Options | None = None) -> TerminalRecordingInfo:
        """One recording of any tenant

        ``GET /api/v1/admin/terminal-recordings/{terminal_recording_id}``

        Refusals: terminal_recording_not_found.
        """
        answer: TerminalRecordingInfo = await self._transport.call("admin_recording_get", {"terminal_recording_id": terminal_recording_id}, options)
        return answer

    async def cast(self, terminal_recording_id: str, *, view: str, at: str | Unset = UNSET, format: Literal["v2", "v3"] | Unset = UNSET, options: Options | None = None) -> RecordingCast:
        """A page of an opened recording of any tenant as asciicast

        ``GET /api/v1/admin/terminal-recordings/{terminal_recording_id}/cast``

        Refusals: recording_damaged, recording_removed, recording_view_invalid, terminal_recording_not_found.
        """
        answer: RecordingCast = await self._transport.call("admin_recording_cast", {"terminal_recording_id": terminal_recording_id, "at": at, "format": format, "view": view}, options)
        return answer

    async def verify(self, terminal_recording_id: str, *, options: Options | None = None) -> RecordingVerdict:
        """Recompute the digests of a recording of any tenant and name the first chunk that was changed

        ``GET /api/v1/admin/terminal-recordings/{terminal_recording_id}/verify``

        Refusals: recording_removed, terminal_recording_not_found.
        """
        answer: RecordingVerdict = await self._transport.call("admin_recording_verify", {"terminal_recording_id": terminal_recording_id}, options)
        return answer

    async def open(self, terminal_recording_id: str, *, purpose: Literal["watch", "download"], reason: str, options: Options | None = None) -> RecordingView:
        """Open a recording of any tenant, with a reason; the audit log of the tenant notes it

        ``POST /api/v1/admin/terminal-recordings/{terminal_recording_id}/views``

        Refusals: recording_removed, step_up_required, terminal_recording_not_found.
        """
        answer: RecordingView = await self._transport.call("admin_recording_open", {"terminal_recording_id": terminal_recording_id, "purpose": purpose, "reason": reason}, options)
        return answer


class AsyncAdminTerminalsApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def session_list(self, *, allocation: str | Unset = UNSET, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, live: bool | Unset = UNSET, node: str | Unset = UNSET, organization: str | Unset = UNSET, user: str | Unset = UNSET, options: Options | None = None) -> AsyncPages[AdminTerminalSession]:
        """Terminal sessions of all tenants, latest first

        ``GET /api/v1/admin/terminal-sessions``

        Refusals: cursor_invalid.
        """
        return AsyncPages(self._transport, "admin_terminal_session_list", {"allocation": allocation, "cursor": cursor, "limit": limit, "live": live, "node": node, "organization": organization, "user": user}, options)

    async def session_end(self, terminal_session_id: str, *, reason: str, options: Options | None = None) -> AdminTerminalSession:
        """End a terminal session of any tenant, with a reason

        ``POST /api/v1/admin/terminal-sessions/{terminal_session_id}/end``

        Refusals: step_up_required, terminal_session_ended, terminal_session_not_found.
        """
        answer: AdminTerminalSession = await self._transport.call("admin_terminal_session_end", {"terminal_session_id": terminal_session_id, "reason": reason}, options)
        return answer


class AsyncAdminSessionsApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def user_list(self, user_id: str, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[AccountSession]:
        """The sessions of a person, newest first

        ``GET /api/v1/admin/users/{user_id}/sessions``

        Refusals: cursor_invalid, user_not_found.
        """
        return AsyncPages(self._transport, "user_session_list", {"user_id": user_id, "cursor": cursor, "limit": limit}, options)

    async def user_revoke_all(self, user_id: str, *, reason: str | Unset = UNSET, options: Options | None = None) -> SessionsRevoked:
        """End every session of a person, also those that were not used yet

        ``POST /api/v1/admin/users/{user_id}/sessions/revoke-all``

        Refusals: step_up_required, user_not_found.
        """
        answer: SessionsRevoked = await self._transport.call("user_session_revoke_all", {"user_id": user_id, "reason": reason}, options)
        return answer

    async def user_revoke(self, session_id: str, user_id: str, *, reason: str | Unset = UNSET, options: Options | None = None) -> AccountSession:
        """End one session of a person

        ``DELETE /api/v1/admin/users/{user_id}/sessions/{session_id}``

        Refusals: session_not_found, step_up_required.
        """
        answer: AccountSession = await self._transport.call("user_session_revoke", {"session_id": session_id, "user_id": user_id, "reason": reason}, options)
        return answer


class AsyncAdminWorkflowsApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list(self, *, before: str | Unset = UNSET, limit: int | Unset = UNSET, run_id: str | Unset = UNSET, state: Literal["running", "done", "undone", "cancelled", "stuck"] | Unset = UNSET, workflow: str | Unset = UNSET, options: Options | None = None) -> WorkflowListAnswer:
        """Workflow runs, latest first; at most the requested number

        ``GET /api/v1/admin/workflows``
        """
        answer: WorkflowListAnswer = await self._transport.call("workflow_list", {"before": before, "limit": limit, "run_id": run_id, "state": state, "workflow": workflow}, options)
        return answer

    async def get(self, run_id: str, workflow: str, *, options: Options | None = None) -> WorkflowDetail:
        """One run with its plan and all attempts

        ``GET /api/v1/admin/workflows/{workflow}/{run_id}``

        Refusals: workflow_not_found.
        """
        answer: WorkflowDetail = await self._transport.call("workflow_get", {"run_id": run_id, "workflow": workflow}, options)
        return answer

    async def cancel(self, run_id: str, workflow: str, *, reason: str, options: Options | None = None) -> WorkflowDetail:
        """Cancel a run: it stops between two steps, rolls back, and ends as cancelled

        ``POST /api/v1/admin/workflows/{workflow}/{run_id}/cancel``

        Refusals: illegal_transition, workflow_not_found.
        """
        answer: WorkflowDetail = await self._transport.call("workflow_cancel", {"run_id": run_id, "workflow": workflow, "reason": reason}, options)
        return answer

    async def retry(self, run_id: str, workflow: str, *, reason: str, options: Options | None = None) -> WorkflowDetail:
        """Retry the paused step now; for a stuck run, retry the failed rollback

        ``POST /api/v1/admin/workflows/{workflow}/{run_id}/retry``

        Refusals: illegal_transition, workflow_not_found.
        """
        answer: WorkflowDetail = await self._transport.call("workflow_retry", {"run_id": run_id, "workflow": workflow, "reason": reason}, options)
        return answer


class AsyncAllocationGroupsApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[AllocationGroup]:
        """The groups of a project, latest first

        ``GET /api/v1/allocation-groups``

        Refusals: cursor_invalid, project_not_found.
        """
        return AsyncPages(self._transport, "allocation_group_list", {"cursor": cursor, "limit": limit}, options)

    async def create(self, *, members: Sequence[AllocationGroupCreateMembersItem], name: str, options: Options | None = None) -> AllocationGroupDetail:
        """Create several allocations at once: all of them are reserved, or none

        ``POST /api/v1/allocation-groups``

        Refusals: allocation_concurrency_limit, budget_exceeded, currency_mismatch, duration_invalid, gpu_count_invalid, insufficient_balance, invoice_past_due, max_spend_too_low, organization_gpu_limit, os_image_not_found, project_not_found, region_not_found, sku_not_found, sku_unavailable, ssh_key_not_found.
        """
        answer: AllocationGroupDetail = await self._transport.call("allocation_group_create", {"members": members, "name": name}, options)
        return answer

    async def get(self, allocation_group_id: str, *, options: Options | None = None) -> AllocationGroupDetail:
        """One group with its allocations

        ``GET /api/v1/allocation-groups/{allocation_group_id}``

        Refusals: allocation_group_not_found.
        """
        answer: AllocationGroupDetail = await self._transport.call("allocation_group_get", {"allocation_group_id": allocation_group_id}, options)
        return answer

    async def release(self, allocation_group_id: str, *, options: Options | None = None) -> AllocationGroupDetail:
        """Release the whole group; repeated, it releases what is still held

        ``POST /api/v1/allocation-groups/{allocation_group_id}/release``

        Refusals: allocation_group_not_found.
        """
        answer: AllocationGroupDetail = await self._transport.call("allocation_group_release", {"allocation_group_id": allocation_group_id}, options)
        return answer


class AsyncAllocationsApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, *, cursor: str | Unset = UNSET, group: str | Unset = UNSET, limit: int | Unset = UNSET, order: Literal["newest", "oldest"] | Unset = UNSET, q: str | Unset = UNSET, requested_by: str | Unset = UNSET, sku: str | Unset = UNSET, state: Literal["requested", "provisioning", "active", "releasing", "released", "failed", "release_failed"] | Unset = UNSET, tag: str | Unset = UNSET, options: Options | None = None) -> AsyncPages[Allocation]:
        """The allocations of a project, searched, filtered and ordered

        ``GET /api/v1/allocations``

        Refusals: cursor_invalid, project_not_found.
        """
        return AsyncPages(self._transport, "allocation_list", {"cursor": cursor, "group": group, "limit": limit, "order": order, "q": q, "requested_by": requested_by, "sku": sku, "state": state, "tag": tag}, options)

    async def create(self, *, gpus: int, region: str, sku: str, idle: AllocationCreateIdle | Unset = UNSET, image: str | Unset = UNSET, max_duration_seconds: int | Unset = UNSET, max_spend: AllocationCreateMaxSpend | Unset = UNSET, name: str | Unset = UNSET, queue: AllocationCreateQueue | Unset = UNSET, quote_id: str | Unset = UNSET, ssh_key_ids: Sequence[str] | Unset = UNSET, tags: Mapping[str, str] | Unset = UNSET, options: Options | None = None) -> Allocation:
        """Create an allocation: reserved at once, queued if requested, or refused with reasons

        ``POST /api/v1/allocations``

        Refusals: allocation_concurrency_limit, budget_exceeded, currency_mismatch, duration_invalid, gpu_count_invalid, insufficient_balance, invoice_past_due, max_spend_too_low, organization_gpu_limit, os_image_not_found, project_not_found, quote_expired, quote_mismatch, quote_not_found, quote_used, region_not_found, sku_not_found, sku_unavailable, ssh_key_not_found.
        """
        answer: Allocation = await self._transport.call("allocation_create", {"gpus": gpus, "idle": idle, "image": image, "max_duration_seconds": max_duration_seconds, "max_spend": max_spend, "name": name, "queue": queue, "quote_id": quote_id, "region": region, "sku": sku, "ssh_key_ids": ssh_key_ids, "tags": tags}, options)
        return answer

    async def counts(self, *, group: str | Unset = UNSET, q: str | Unset = UNSET, requested_by: str | Unset = UNSET, sku: str | Unset = UNSET, state: Literal["requested", "provisioning", "active", "releasing", "released", "failed", "release_failed"] | Unset = UNSET, tag: str | Unset = UNSET, options: Options | None = None) -> AllocationCountsAnswer:
        """How many allocations of a project match, in all and by state

        ``GET /api/v1/allocations/counts``

        Refusals: project_not_found.
        """
        answer: AllocationCountsAnswer = await self._transport.call("allocation_counts", {"group": group, "q": q, "requested_by": requested_by, "sku": sku, "state": state, "tag": tag}, options)
        return answer

    async def plan(self, *, gpus: int, region: str, sku: str, idle: AllocationPlanIdle | Unset = UNSET, image: str | Unset = UNSET, max_duration_seconds: int | Unset = UNSET, max_spend: AllocationPlanMaxSpend | Unset = UNSET, name: str | Unset = UNSET, ssh_key_ids: Sequence[str] | Unset = UNSET, tags: Mapping[str, str] | Unset = UNSET, options: Options | None = None) -> AllocationPlan:
        """Check capacity and price, with the reasons; reserves nothing

        ``POST /api/v1/allocations/plan``

        Refusals: currency_mismatch, duration_invalid, gpu_count_invalid, max_spend_too_low, os_image_not_found, project_not_found, region_not_found, sku_not_found, ssh_key_not_found.
        """
        answer: AllocationPlan = await self._transport.call("allocation_plan", {"gpus": gpus, "idle": idle, "image": image, "max_duration_seconds": max_duration_seconds, "max_spend": max_spend, "name": name, "region": region, "sku": sku, "ssh_key_ids": ssh_key_ids, "tags": tags}, options)
        return answer

    async def get(self, allocation_id: str, *, options: Options | None = None) -> AllocationDetail:
        """One allocation, with the report of its node and the possible actions

        ``GET /api/v1/allocations/{allocation_id}``

        Refusals: allocation_not_found.
        """
        answer: AllocationDetail = await self._transport.call("allocation_get", {"allocation_id": allocation_id}, options)
        return answer

    async def update(self, allocation_id: str, *, idle: AllocationUpdateIdle | None | Unset = UNSET, name: str | Unset = UNSET, tags: Mapping[str, str] | Unset = UNSET, version: int | Unset = UNSET, options: Options | None = None) -> Allocation:
        """Rename, tag, or change the idle guard

        ``PATCH /api/v1/allocations/{allocation_id}``

        Refusals: allocation_not_found, budget_tag_locked, illegal_transition, version_conflict.
        """
        answer: Allocation = await self._transport.call("allocation_update", {"allocation_id": allocation_id, "idle": idle, "name": name, "tags": tags, "version": version}, options)
        return answer

    def access_grant_list(self, allocation_id: str, *, active: bool | Unset = UNSET, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[AccessGrant]:
        """Who else may work in an allocation, and who might, latest first

        ``GET /api/v1/allocations/{allocation_id}/access-grants``

        Refusals: allocation_not_found, cursor_invalid.
        """
        return AsyncPages(self._transport, "access_grant_list", {"allocation_id": allocation_id, "active": active, "cursor": cursor, "limit": limit}, options)

    async def access_grant_create(self, allocation_id: str, *, expires_at: str, user_id: str, reason: str | Unset = UNSET, ssh_key_id: str | Unset = UNSET, options: Options | None = None) -> AccessGrant:
        """Let another member work in an allocation until a time

        ``POST /api/v1/allocations/{allocation_id}/access-grants``

        Refusals: access_grant_exists, access_grant_limit, allocation_not_found, illegal_transition, member_not_found, ownership_required, ssh_key_not_found.
        """
        answer: AccessGrant = await self._transport.call("access_grant_create", {"allocation_id": allocation_id, "expires_at": expires_at, "reason": reason, "ssh_key_id": ssh_key_id, "user_id": user_id}, options)
        return answer

    async def access_grant_revoke(self, access_grant_id: str, allocation_id: str, *, options: Options | None = None) -> AccessGrant:
        """End a grant: its sessions and its keys on the machine go within seconds

        ``DELETE /api/v1/allocations/{allocation_id}/access-grants/{access_grant_id}``

        Refusals: access_grant_not_found, allocation_not_found, ownership_required.
        """
        answer: AccessGrant = await self._transport.call("access_grant_revoke", {"access_grant_id": access_grant_id, "allocation_id": allocation_id}, options)
        return answer

    async def access_grant_update(self, access_grant_id: str, allocation_id: str, *, expires_at: str, options: Options | None = None) -> AccessGrant:
        """Change when a grant ends

        ``PATCH /api/v1/allocations/{allocation_id}/access-grants/{access_grant_id}``

        Refusals: access_grant_not_found, allocation_not_found, illegal_transition, ownership_required.
        """
        answer: AccessGrant = await self._transport.call("access_grant_update", {"access_grant_id": access_grant_id, "allocation_id": allocation_id, "expires_at": expires_at}, options)
        return answer

    def attestations(self, allocation_id: str, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[AttestationReceipt]:
        """The attestations of an allocation, with the signed results

        ``GET /api/v1/allocations/{allocation_id}/attestations``

        Refusals: allocation_not_found, cursor_invalid.
        """
        return AsyncPages(self._transport, "allocation_attestations", {"allocation_id": allocation_id, "cursor": cursor, "limit": limit}, options)

    async def extend(self, allocation_id: str, *, seconds: int, options: Options | None = None) -> Allocation:
        """Extend an allocation

        ``POST /api/v1/allocations/{allocation_id}/extend``

        Refusals: allocation_not_active, allocation_not_found, budget_exceeded, duration_invalid.
        """
        answer: Allocation = await self._transport.call("allocation_extend", {"allocation_id": allocation_id, "seconds": seconds}, options)
        return answer

    async def placement(self, allocation_id: str, *, options: Options | None = None) -> PlacementDecision:
        """Why an allocation was placed, or is not placed yet

        ``GET /api/v1/allocations/{allocation_id}/placement``

        Refusals: allocation_not_found.
        """
        answer: PlacementDecision = await self._transport.call("allocation_placement", {"allocation_id": allocation_id}, options)
        return answer

    async def release(self, allocation_id: str, *, reason: str | Unset = UNSET, options: Options | None = None) -> Allocation:
        """Release an allocation. What was not provisioned yet ends at once; the rest when its node has proven that nothing is left

        ``POST /api/v1/allocations/{allocation_id}/release``

        Refusals: allocation_already_releasing, allocation_not_found, illegal_transition.
        """
        answer: Allocation = await self._transport.call("allocation_release", {"allocation_id": allocation_id, "reason": reason}, options)
        return answer

    async def restart(self, allocation_id: str, *, options: Options | None = None) -> Allocation:
        """Reboot the machine; it stays the same allocation

        ``POST /api/v1/allocations/{allocation_id}/restart``

        Refusals: allocation_not_active, allocation_not_found.
        """
        answer: Allocation = await self._transport.call("allocation_restart", {"allocation_id": allocation_id}, options)
        return answer

    async def set_ssh_keys(self, allocation_id: str, *, ssh_key_ids: Sequence[str], options: Options | None = None) -> AllocationDetail:
        """Replace the SSH keys of an allocation

        ``PUT /api/v1/allocations/{allocation_id}/ssh-keys``

        Refusals: allocation_not_found, illegal_transition, ssh_key_not_found.
        """
        answer: AllocationDetail = await self._transport.call("allocation_set_ssh_keys", {"allocation_id": allocation_id, "ssh_key_ids": ssh_key_ids}, options)
        return answer

    def timeline(self, allocation_id: str, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[TimelineItem]:
        """The timeline of an allocation, in order

        ``GET /api/v1/allocations/{allocation_id}/timeline``

        Refusals: allocation_not_found, cursor_invalid.
        """
        return AsyncPages(self._transport, "allocation_timeline", {"allocation_id": allocation_id, "cursor": cursor, "limit": limit}, options)


class AsyncLogsApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def allocation_list(self, allocation_id: str, *, contains: str | Unset = UNSET, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, since: str | Unset = UNSET, until: str | Unset = UNSET, options: Options | None = None) -> ConsoleLog:
        """What the machine of an allocation wrote on its console, newest first

        ``GET /api/v1/allocations/{allocation_id}/logs``

        Refusals: allocation_not_found, cursor_invalid, log_range_invalid.
        """
        answer: ConsoleLog = await self._transport.call("allocation_log_list", {"allocation_id": allocation_id, "contains": contains, "cursor": cursor, "limit": limit, "since": since, "until": until}, options)
        return answer

    def allocation_stream(self, allocation_id: str, *, after: str | Unset = UNSET, contains: str | Unset = UNSET, follow: bool | Unset = UNSET, options: Options | None = None) -> AsyncIterator[StreamedEvent]:
        """Follow the console of the machine of an allocation

        ``GET /api/v1/allocations/{allocation_id}/logs/stream``

        Refusals: allocation_not_found, too_many_streams.
        """
        return self._transport.stream("allocation_log_stream", {"allocation_id": allocation_id, "after": after, "contains": contains, "follow": follow}, options)


class AsyncMetricsApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def allocation(self, allocation_id: str, *, from_: str | Unset = UNSET, resolution: Literal[10, 300] | Unset = UNSET, to: str | Unset = UNSET, options: Options | None = None) -> AllocationMetrics:
        """What was measured in an allocation, over a range of time

        ``GET /api/v1/allocations/{allocation_id}/metrics``

        Refusals: allocation_not_found, metrics_range_invalid.
        """
        answer: AllocationMetrics = await self._transport.call("allocation_metrics", {"allocation_id": allocation_id, "from": from_, "resolution": resolution, "to": to}, options)
        return answer

    def now(self, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[AllocationNow]:
        """The last values of the active allocations of a project

        ``GET /api/v1/metrics``

        Refusals: cursor_invalid, project_not_found.
        """
        return AsyncPages(self._transport, "metrics_now", {"cursor": cursor, "limit": limit}, options)

    async def export(self, *, options: Options | None = None) -> str:
        """The last values of the active allocations of a project, in the Prometheus format

        ``GET /api/v1/metrics/prometheus``

        Refusals: project_not_found.
        """
        answer: str = await self._transport.call("metrics_export", {}, options)
        return answer


class AsyncTerminalsApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def ssh_certificate_list(self, allocation_id: str, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[SshCertificate]:
        """The certificates that were signed for an allocation, latest first

        ``GET /api/v1/allocations/{allocation_id}/ssh-certificates``

        Refusals: allocation_not_found, cursor_invalid.
        """
        return AsyncPages(self._transport, "ssh_certificate_list", {"allocation_id": allocation_id, "cursor": cursor, "limit": limit}, options)

    async def ssh_certificate_sign(self, allocation_id: str, *, public_key: str, seconds: int | Unset = UNSET, options: Options | None = None) -> SignedSshCertificate:
        """Sign a public key: a certificate that opens one allocation for some minutes

        ``POST /api/v1/allocations/{allocation_id}/ssh-certificates``

        Refusals: allocation_not_active, allocation_not_found, ownership_required, ssh_key_invalid, terminal_recording_required, terminal_unsupported.
        """
        answer: SignedSshCertificate = await self._transport.call("ssh_certificate_sign", {"allocation_id": allocation_id, "public_key": public_key, "seconds": seconds}, options)
        return answer

    async def ssh_certificate_revoke(self, allocation_id: str, ssh_certificate_id: str, *, options: Options | None = None) -> SshCertificate:
        """Revoke a certificate: the jump host refuses it, and what it opened there ends within seconds

        ``DELETE /api/v1/allocations/{allocation_id}/ssh-certificates/{ssh_certificate_id}``

        Refusals: allocation_not_found, ownership_required, ssh_certificate_not_found.
        """
        answer: SshCertificate = await self._transport.call("ssh_certificate_revoke", {"allocation_id": allocation_id, "ssh_certificate_id": ssh_certificate_id}, options)
        return answer

    def session_list(self, allocation_id: str, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, live: bool | Unset = UNSET, options: Options | None = None) -> AsyncPages[TerminalSession]:
        """The terminal sessions of an allocation, latest first

        ``GET /api/v1/allocations/{allocation_id}/terminal-sessions``

        Refusals: allocation_not_found, cursor_invalid.
        """
        return AsyncPages(self._transport, "terminal_session_list", {"allocation_id": allocation_id, "cursor": cursor, "limit": limit, "live": live}, options)

    async def token_mint(self, allocation_id: str, *, columns: int, mode: Literal["open", "join", "take_over", "watch"], rows: int, kind: Literal["shell", "ssh", "forward"] | Unset = UNSET, name: str | Unset = UNSET, port: int | Unset = UNSET, session_id: str | Unset = UNSET, options: Options | None = None) -> TerminalToken:
        """Get a token for a terminal: a new shell, or a session that exists

        ``POST /api/v1/allocations/{allocation_id}/terminal-token``

        Refusals: allocation_not_active, allocation_not_found, ownership_required, terminal_port_refused, terminal_recording_required, terminal_session_ended, terminal_session_in_use, terminal_session_limit, terminal_session_not_found, terminal_unsupported.
        """
        answer: TerminalToken = await self._transport.call("terminal_token_mint", {"allocation_id": allocation_id, "columns": columns, "kind": kind, "mode": mode, "name": name, "port": port, "rows": rows, "session_id": session_id}, options)
        return answer

    async def jump_host_get(self, *, options: Options | None = None) -> JumpHost:
        """Where the SSH jump host is, and its host keys: nothing is trusted on first use

        ``GET /api/v1/ssh/jump-host``

        Refusals: terminal_unsupported.
        """
        answer: JumpHost = await self._transport.call("jump_host_get", {}, options)
        return answer

    async def session_end(self, terminal_session_id: str, *, options: Options | None = None) -> TerminalSession:
        """End a terminal session and its shell

        ``DELETE /api/v1/terminal-sessions/{terminal_session_id}``

        Refusals: ownership_required, terminal_session_ended, terminal_session_not_found.
        """
        answer: TerminalSession = await self._transport.call("terminal_session_end", {"terminal_session_id": terminal_session_id}, options)
        return answer


class AsyncStorageApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def token_list(self, allocation_id: str, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[StorageToken]:
        """The storage tokens of an allocation, latest first

        ``GET /api/v1/allocations/{allocation_id}/storage-tokens``

        Refusals: allocation_not_found, cursor_invalid.
        """
        return AsyncPages(self._transport, "storage_token_list", {"allocation_id": allocation_id, "cursor": cursor, "limit": limit}, options)

    async def token_create(self, allocation_id: str, *, level: Literal["read", "write"], options: Options | None = None) -> NewStorageToken:
        """Make a token with which the machine of an allocation uses the files of its project, until the allocation ends

        ``POST /api/v1/allocations/{allocation_id}/storage-tokens``

        Refusals: allocation_not_active, allocation_not_found, storage_limit_reached.
        """
        answer: NewStorageToken = await self._transport.call("storage_token_create", {"allocation_id": allocation_id, "level": level}, options)
        return answer

    async def token_revoke(self, allocation_id: str, storage_token_id: str, *, options: Options | None = None) -> StorageToken:
        """Revoke a storage token of an allocation; it is refused from the next request on

        ``DELETE /api/v1/allocations/{allocation_id}/storage-tokens/{storage_token_id}``

        Refusals: allocation_not_found, storage_token_not_found.
        """
        answer: StorageToken = await self._transport.call("storage_token_revoke", {"allocation_id": allocation_id, "storage_token_id": storage_token_id}, options)
        return answer

    async def get(self, *, options: Options | None = None) -> StorageUsage:
        """What the project stores, its quota, and what storing costs

        ``GET /api/v1/storage``

        Refusals: project_not_found.
        """
        answer: StorageUsage = await self._transport.call("storage_get", {}, options)
        return answer

    async def object_copy(self, *, from_: str, to: str, owner_project_id: str | Unset = UNSET, replace: bool | Unset = UNSET, options: Options | None = None) -> StorageObject:
        """Copy a file within the project; no bytes are sent

        ``POST /api/v1/storage/copies``

        Refusals: project_not_found, storage_access_denied, storage_is_folder, storage_limit_reached, storage_object_not_found, storage_path_invalid, storage_path_occupied, storage_quota_exceeded, storage_read_only.
        """
        answer: StorageObject = await self._transport.call("storage_object_copy", {"from": from_, "owner_project_id": owner_project_id, "replace": replace, "to": to}, options)
        return answer

    async def download_get(self, *, path: str, owner_project_id: str | Unset = UNSET, options: Options | None = None) -> StorageAddress:
        """An address that a file can be fetched from, for a short time and with ranges

        ``GET /api/v1/storage/download``

        Refusals: project_not_found, storage_is_folder, storage_object_not_found, storage_path_invalid.
        """
        answer: StorageAddress = await self._transport.call("storage_download_get", {"owner_project_id": owner_project_id, "path": path}, options)
        return answer

    async def folder_create(self, *, path: str, owner_project_id: str | Unset = UNSET, options: Options | None = None) -> StorageObject:
        """Create a folder, and the folders above it that are missing

        ``POST /api/v1/storage/folders``

        Refusals: project_not_found, storage_access_denied, storage_limit_reached, storage_object_not_found, storage_path_invalid, storage_path_occupied.
        """
        answer: StorageObject = await self._transport.call("storage_folder_create", {"owner_project_id": owner_project_id, "path": path}, options)
        return answer

    def grant_list(self, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, side: Literal["given", "received"] | Unset = UNSET, options: Options | None = None) -> AsyncPages[StorageGrant]:
        """Grants that the project gave, or that it and you received; latest first

        ``GET /api/v1/storage/grants``

        Refusals: cursor_invalid, project_not_found.
        """
        return AsyncPages(self._transport, "storage_grant_list", {"cursor": cursor, "limit": limit, "side": side}, options)

    async def grant_create(self, *, grantee_id: str, grantee_kind: Literal["user", "service_account", "project"], level: Literal["read", "write", "manage"], path: str, expires_at: str | Unset = UNSET, options: Options | None = None) -> StorageGrant:
        """Let a person, a service account or another project of the organization use a namespace

        ``POST /api/v1/storage/grants``

        Refusals: project_not_found, storage_access_denied, storage_grant_exists, storage_grantee_not_found, storage_limit_reached, storage_object_not_found, storage_path_invalid.
        """
        answer: StorageGrant = await self._transport.call("storage_grant_create", {"expires_at": expires_at, "grantee_id": grantee_id, "grantee_kind": grantee_kind, "level": level, "path": path}, options)
        return answer

    async def grant_revoke(self, storage_grant_id: str, *, options: Options | None = None) -> StorageGrant:
        """Revoke a grant; addresses that were given out for it end after storage.address_seconds

        ``DELETE /api/v1/storage/grants/{storage_grant_id}``

        Refusals: project_not_found, storage_access_denied, storage_grant_not_found.
        """
        answer: StorageGrant = await self._transport.call("storage_grant_revoke", {"storage_grant_id": storage_grant_id}, options)
        return answer

    def link_list(self, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[StorageLink]:
        """The links to files of the project that have not ended, latest first

        ``GET /api/v1/storage/links``

        Refusals: cursor_invalid, project_not_found.
        """
        return AsyncPages(self._transport, "storage_link_list", {"cursor": cursor, "limit": limit}, options)

    async def link_create(self, *, hours: int, path: str, options: Options | None = None) -> NewStorageLink:
        """Make a link that opens one file without a sign-in, for a while

        ``POST /api/v1/storage/links``

        Refusals: project_not_found, storage_access_denied, storage_is_folder, storage_limit_reached, storage_object_not_found, storage_path_invalid.
        """
        answer: NewStorageLink = await self._transport.call("storage_link_create", {"hours": hours, "path": path}, options)
        return answer

    async def link_revoke(self, storage_link_id: str, *, options: Options | None = None) -> StorageLink:
        """Revoke a link; it opens nothing any more

        ``DELETE /api/v1/storage/links/{storage_link_id}``

        Refusals: project_not_found, storage_access_denied, storage_link_not_found.
        """
        answer: StorageLink = await self._transport.call("storage_link_revoke", {"storage_link_id": storage_link_id}, options)
        return answer

    async def object_move(self, *, from_: str, to: str, owner_project_id: str | Unset = UNSET, replace: bool | Unset = UNSET, options: Options | None = None) -> StorageObject:
        """Rename or move a file or a folder within a namespace

        ``POST /api/v1/storage/moves``

        Refusals: project_not_found, storage_access_denied, storage_object_not_found, storage_path_invalid, storage_path_occupied, storage_too_many_entries.
        """
        answer: StorageObject = await self._transport.call("storage_object_move", {"from": from_, "owner_project_id": owner_project_id, "replace": replace, "to": to}, options)
        return answer

    def namespace_list(self, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[StorageNamespace]:
        """The namespaces of the project that the caller may read

        ``GET /api/v1/storage/namespaces``

        Refusals: cursor_invalid, project_not_found.
        """
        return AsyncPages(self._transport, "storage_namespace_list", {"cursor": cursor, "limit": limit}, options)

    async def namespace_create(self, *, kind: Literal["shared", "users", "workloads", "datasets", "checkpoints", "artifacts"], name: str | Unset = UNSET, options: Options | None = None) -> StorageNamespace:
        """Create a namespace; an upload creates the one that it needs

        ``POST /api/v1/storage/namespaces``

        Refusals: project_not_found, storage_limit_reached, storage_object_not_found, storage_path_invalid, storage_path_occupied.
        """
        answer: StorageNamespace = await self._transport.call("storage_namespace_create", {"kind": kind, "name": name}, options)
        return answer

    async def object_delete(self, *, path: str, owner_project_id: str | Unset = UNSET, recursive: bool | Unset = UNSET, options: Options | None = None) -> StorageDeletion:
        """Move a file, or a folder with everything in it, to the trash

        ``DELETE /api/v1/storage/object``

        Refusals: project_not_found, storage_access_denied, storage_folder_not_empty, storage_object_not_found, storage_path_invalid, storage_too_many_entries.
        """
        answer: StorageDeletion = await self._transport.call("storage_object_delete", {"owner_project_id": owner_project_id, "path": path, "recursive": recursive}, options)
        return answer

    async def object_get(self, *, path: str, owner_project_id: str | Unset = UNSET, options: Options | None = None) -> StorageObject:
        """One file or folder

        ``GET /api/v1/storage/object``

        Refusals: project_not_found, storage_object_not_found, storage_path_invalid.
        """
        answer: StorageObject = await self._transport.call("storage_object_get", {"owner_project_id": owner_project_id, "path": path}, options)
        return answer

    def object_list(self, *, path: str, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, owner_project_id: str | Unset = UNSET, recursive: bool | Unset = UNSET, options: Options | None = None) -> AsyncPages[StorageObject]:
        """What lies in a folder, by name

        ``GET /api/v1/storage/objects``

        Refusals: cursor_invalid, project_not_found, storage_object_not_found, storage_path_invalid.
        """
        return AsyncPages(self._transport, "storage_object_list", {"cursor": cursor, "limit": limit, "owner_project_id": owner_project_id, "path": path, "recursive": recursive}, options)

    def trash_list(self, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[StorageObject]:
        """The trash: files that were deleted or replaced and can be restored, latest first

        ``GET /api/v1/storage/trash``

        Refusals: cursor_invalid, project_not_found.
        """
        return AsyncPages(self._transport, "storage_trash_list", {"cursor": cursor, "limit": limit}, options)

    async def trash_purge(self, storage_object_id: str, *, options: Options | None = None) -> StorageObject:
        """Remove a file from the trash for good; its bytes follow within minutes

        ``DELETE /api/v1/storage/trash/{storage_object_id}``

        Refusals: project_not_found, storage_access_denied, storage_object_not_found.
        """
        answer: StorageObject = await self._transport.call("storage_trash_purge", {"storage_object_id": storage_object_id}, options)
        return answer

    async def trash_restore(self, storage_object_id: str, *, options: Options | None = None) -> StorageObject:
        """Restore a file from the trash to its path

        ``POST /api/v1/storage/trash/{storage_object_id}/restore``

        Refusals: project_not_found, storage_access_denied, storage_object_not_found, storage_path_occupied.
        """
        answer: StorageObject = await self._transport.call("storage_trash_restore", {"storage_object_id": storage_object_id}, options)
        return answer

    async def upload_create(self, *, path: str, size_bytes: int, content_type: str | Unset = UNSET, owner_project_id: str | Unset = UNSET, replace: bool | Unset = UNSET, options: Options | None = None) -> StorageUpload:
        """Begin an upload: its size counts towards the quota from now on, and the file appears when the upload is finished

        ``POST /api/v1/storage/uploads``

        Refusals: project_not_found, storage_access_denied, storage_limit_reached, storage_object_not_found, storage_path_invalid, storage_path_occupied, storage_quota_exceeded, storage_read_only.
        """
        answer: StorageUpload = await self._transport.call("storage_upload_create", {"content_type": content_type, "owner_project_id": owner_project_id, "path": path, "replace": replace, "size_bytes": size_bytes}, options)
        return answer

    async def upload_abort(self, storage_upload_id: str, *, options: Options | None = None) -> StorageUploadGone:
        """Give up an upload: what has arrived of it is removed

        ``DELETE /api/v1/storage/uploads/{storage_upload_id}``

        Refusals: project_not_found, storage_access_denied, storage_upload_not_found.
        """
        answer: StorageUploadGone = await self._transport.call("storage_upload_abort", {"storage_upload_id": storage_upload_id}, options)
        return answer

    async def upload_get(self, storage_upload_id: str, *, options: Options | None = None) -> StorageUpload:
        """An upload that is under way, with the parts that have arrived

        ``GET /api/v1/storage/uploads/{storage_upload_id}``

        Refusals: project_not_found, storage_upload_not_found.
        """
        answer: StorageUpload = await self._transport.call("storage_upload_get", {"storage_upload_id": storage_upload_id}, options)
        return answer

    async def upload_finish(self, storage_upload_id: str, *, checksum: str | Unset = UNSET, options: Options | None = None) -> StorageObject:
        """Finish an upload: when all of its parts have arrived, it becomes a file

        ``POST /api/v1/storage/uploads/{storage_upload_id}/finish``

        Refusals: project_not_found, storage_access_denied, storage_checksum_mismatch, storage_path_occupied, storage_upload_incomplete, storage_upload_not_found.
        """
        answer: StorageObject = await self._transport.call("storage_upload_finish", {"storage_upload_id": storage_upload_id, "checksum": checksum}, options)
        return answer

    async def upload_part(self, storage_upload_id: str, *, number: int, sha256: str, options: Options | None = None) -> StorageAddress:
        """An address to which one part is sent: it takes exactly these bytes, for a short time

        ``GET /api/v1/storage/uploads/{storage_upload_id}/part``

        Refusals: project_not_found, storage_access_denied, storage_read_only, storage_upload_not_found.
        """
        answer: StorageAddress = await self._transport.call("storage_upload_part", {"storage_upload_id": storage_upload_id, "number": number, "sha256": sha256}, options)
        return answer


class AsyncAppInstancesApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, *, allocation: str | Unset = UNSET, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, state: Literal["requested", "launching", "running", "stopping", "stopped", "failed", "releasing", "released"] | Unset = UNSET, options: Options | None = None) -> AsyncPages[AppInstance]:
        """The app instances of a project, newest first

        ``GET /api/v1/app-instances``

        Refusals: cursor_invalid, project_not_found.
        """
        return AsyncPages(self._transport, "app_instance_list", {"allocation": allocation, "cursor": cursor, "limit": limit, "state": state}, options)

    async def create(self, *, app: str, allocation: AppInstanceCreateAllocation | Unset = UNSET, allocation_id: str | Unset = UNSET, name: str | Unset = UNSET, parameters: Mapping[str, str | float | bool] | Unset = UNSET, version: str | Unset = UNSET, options: Options | None = None) -> AppInstance:
        """Launch an app, on an allocation of the project or together with a new one

        ``POST /api/v1/app-instances``

        Refusals: allocation_concurrency_limit, allocation_not_active, allocation_not_found, app_instance_limit, app_not_launchable, app_not_supported, app_parameters_invalid, app_version_not_found, budget_exceeded, currency_mismatch, duration_invalid, gpu_count_invalid, insufficient_balance, invoice_past_due, max_spend_too_low, organization_gpu_limit, os_image_not_found, ownership_required, project_not_found, region_not_found, sku_not_found, sku_unavailable, ssh_key_not_found.
        """
        answer: AppInstance = await self._transport.call("app_instance_create", {"allocation": allocation, "allocation_id": allocation_id, "app": app, "name": name, "parameters": parameters, "version": version}, options)
        return answer

    async def get(self, app_instance_id: str, *, options: Options | None = None) -> AppInstance:
        """One app instance, with its routes

        ``GET /api/v1/app-instances/{app_instance_id}``

        Refusals: app_instance_not_found.
        """
        answer: AppInstance = await self._transport.call("app_instance_get", {"app_instance_id": app_instance_id}, options)
        return answer

    async def logs(self, app_instance_id: str, *, options: Options | None = None) -> AppInstanceLogs:
        """The lines that the host last gave for an app instance

        ``GET /api/v1/app-instances/{app_instance_id}/logs``

        Refusals: app_instance_not_found.
        """
        answer: AppInstanceLogs = await self._transport.call("app_instance_logs", {"app_instance_id": app_instance_id}, options)
        return answer

    async def logs_request(self, app_instance_id: str, *, tail_lines: int | Unset = UNSET, options: Options | None = None) -> AppInstanceLogs:
        """Ask the host for the last lines of an app instance; read them with GET

        ``POST /api/v1/app-instances/{app_instance_id}/logs``

        Refusals: app_instance_not_found, app_instance_not_on_host.
        """
        answer: AppInstanceLogs = await self._transport.call("app_instance_logs_request", {"app_instance_id": app_instance_id, "tail_lines": tail_lines}, options)
        return answer

    async def release(self, app_instance_id: str, *, options: Options | None = None) -> AppInstance:
        """End an app instance with its volumes, and its allocation where both were launched together

        ``POST /api/v1/app-instances/{app_instance_id}/release``

        Refusals: allocation_already_releasing, app_instance_not_found, illegal_transition.
        """
        answer: AppInstance = await self._transport.call("app_instance_release", {"app_instance_id": app_instance_id}, options)
        return answer

    async def rollback(self, app_instance_id: str, *, options: Options | None = None) -> AppInstance:
        """Move an app instance back to the version that it had before its last upgrade, with the parameters that it had then

        ``POST /api/v1/app-instances/{app_instance_id}/rollback``

        Refusals: allocation_not_active, app_instance_changing, app_instance_not_found, app_no_previous_version, app_not_launchable, app_not_supported, app_parameters_invalid, illegal_transition, ownership_required.
        """
        answer: AppInstance = await self._transport.call("app_instance_rollback", {"app_instance_id": app_instance_id}, options)
        return answer

    async def start(self, app_instance_id: str, *, options: Options | None = None) -> AppInstance:
        """Start an app instance again that was stopped or has failed

        ``POST /api/v1/app-instances/{app_instance_id}/start``

        Refusals: allocation_not_active, app_instance_not_found, app_not_launchable, app_not_supported, app_parameters_invalid, illegal_transition.
        """
        answer: AppInstance = await self._transport.call("app_instance_start", {"app_instance_id": app_instance_id}, options)
        return answer

    async def stop(self, app_instance_id: str, *, options: Options | None = None) -> AppInstance:
        """Stop an app instance; its volumes and its allocation stay

        ``POST /api/v1/app-instances/{app_instance_id}/stop``

        Refusals: app_instance_not_found, illegal_transition.
        """
        answer: AppInstance = await self._transport.call("app_instance_stop", {"app_instance_id": app_instance_id}, options)
        return answer

    def timeline(self, app_instance_id: str, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[AppInstanceMoment]:
        """What happened to an app instance, oldest first

        ``GET /api/v1/app-instances/{app_instance_id}/timeline``

        Refusals: app_instance_not_found, cursor_invalid.
        """
        return AsyncPages(self._transport, "app_instance_timeline", {"app_instance_id": app_instance_id, "cursor": cursor, "limit": limit}, options)

    async def upgrade(self, app_instance_id: str, *, version: str, parameters: Mapping[str, str | float | bool] | Unset = UNSET, options: Options | None = None) -> AppInstance:
        """Move an app instance to another version of its app; the old one comes back if that does not become ready

        ``POST /api/v1/app-instances/{app_instance_id}/upgrade``

        Refusals: allocation_not_active, app_instance_changing, app_instance_not_found, app_not_launchable, app_not_supported, app_parameters_invalid, app_version_not_found, illegal_transition, ownership_required.
        """
        answer: AppInstance = await self._transport.call("app_instance_upgrade", {"app_instance_id": app_instance_id, "parameters": parameters, "version": version}, options)
        return answer

    def use(self, app_instance_id: str, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[AppUseHour]:
        """What an app instance was used for, by hour and endpoint, newest first: requests, bytes, units and their cost

        ``GET /api/v1/app-instances/{app_instance_id}/use``

        Refusals: app_instance_not_found, cursor_invalid.
        """
        return AsyncPages(self._transport, "app_instance_use", {"app_instance_id": app_instance_id, "cursor": cursor, "limit": limit}, options)

    async def sign_in_create(self, *, label: str, state: str, to: str | Unset = UNSET, options: Options | None = None) -> AppSignIn:
        """A one-time code with which your browser signs in at the address of an app

        ``POST /api/v1/app-sign-ins``

        Refusals: app_route_not_found.
        """
        answer: AppSignIn = await self._transport.call("app_sign_in_create", {"label": label, "state": state, "to": to}, options)
        return answer

    def use_list(self, *, cursor: str | Unset = UNSET, days: int | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[AppUse]:
        """What the apps of a project were used for in the last days, by app: requests, bytes, units and their cost

        ``GET /api/v1/app-use``

        Refusals: cursor_invalid, project_not_found.
        """
        return AsyncPages(self._transport, "app_use_list", {"cursor": cursor, "days": days, "limit": limit}, options)


class AsyncAppsApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def version_get(self, app_version_id: str, *, options: Options | None = None) -> AppVersion:
        """One version of an app, with its manifest and evidence, for its publisher

        ``GET /api/v1/app-versions/{app_version_id}``

        Refusals: app_version_not_found.
        """
        answer: AppVersion = await self._transport.call("app_version_get", {"app_version_id": app_version_id}, options)
        return answer

    async def version_deprecate(self, app_version_id: str, *, revision: int | Unset = UNSET, options: Options | None = None) -> AppVersion:
        """Deprecate a version that has a successor: it can still be launched, and no instance is upgraded to it any more

        ``POST /api/v1/app-versions/{app_version_id}/deprecate``

        Refusals: app_version_not_found, illegal_transition, version_conflict.
        """
        answer: AppVersion = await self._transport.call("app_version_deprecate", {"app_version_id": app_version_id, "revision": revision}, options)
        return answer

    async def version_promote(self, app_version_id: str, *, revision: int | Unset = UNSET, options: Options | None = None) -> AppVersion:
        """Move a version to its next channel: dev, test, staging, prod. In prod it is for everybody who finds the app

        ``POST /api/v1/app-versions/{app_version_id}/promote``

        Refusals: app_version_not_found, app_version_untrusted, illegal_transition, version_conflict.
        """
        answer: AppVersion = await self._transport.call("app_version_promote", {"app_version_id": app_version_id, "revision": revision}, options)
        return answer

    async def version_retire(self, app_version_id: str, *, revision: int | Unset = UNSET, options: Options | None = None) -> AppVersion:
        """Retire a version for good: nobody launches it any more; what runs goes on

        ``POST /api/v1/app-versions/{app_version_id}/retire``

        Refusals: app_version_not_found, illegal_transition, version_conflict.
        """
        answer: AppVersion = await self._transport.call("app_version_retire", {"app_version_id": app_version_id, "revision": revision}, options)
        return answer

    async def version_verify(self, app_version_id: str, *, options: Options | None = None) -> AppVersion:
        """Have a version verified again now, for example after it was signed or its SBOM was added

        ``POST /api/v1/app-versions/{app_version_id}/verify``

        Refusals: app_version_not_found, illegal_transition.
        """
        answer: AppVersion = await self._transport.call("app_version_verify", {"app_version_id": app_version_id}, options)
        return answer

    async def get(self, app_id: str, *, options: Options | None = None) -> App:
        """One app, for its publisher

        ``GET /api/v1/apps/{app_id}``

        Refusals: app_not_found.
        """
        answer: App = await self._transport.call("app_get", {"app_id": app_id}, options)
        return answer

    async def update(self, app_id: str, *, name: str | Unset = UNSET, summary: str | Unset = UNSET, visibility: Literal["project", "organization", "platform"] | Unset = UNSET, options: Options | None = None) -> App:
        """Rename an app, or change who finds it

        ``PATCH /api/v1/apps/{app_id}``

        Refusals: app_not_found.
        """
        answer: App = await self._transport.call("app_update", {"app_id": app_id, "name": name, "summary": summary, "visibility": visibility}, options)
        return answer

    def entitlement_list(self, app_id: str, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[AppEntitlement]:
        """Who may use an app besides those who find it anyway

        ``GET /api/v1/apps/{app_id}/entitlements``

        Refusals: app_not_found, cursor_invalid.
        """
        return AsyncPages(self._transport, "app_entitlement_list", {"app_id": app_id, "cursor": cursor, "limit": limit}, options)

    async def entitlement_create(self, app_id: str, *, organization_id: str, project_id: str | Unset = UNSET, options: Options | None = None) -> AppEntitlement:
        """Let another organization, or one project of it, find and launch an app that is not for everybody

        ``POST /api/v1/apps/{app_id}/entitlements``

        Refusals: app_already_entitled, app_not_found, organization_not_found.
        """
        answer: AppEntitlement = await self._transport.call("app_entitlement_create", {"app_id": app_id, "organization_id": organization_id, "project_id": project_id}, options)
        return answer

    async def entitlement_delete(self, app_entitlement_id: str, app_id: str, *, options: Options | None = None) -> AppEntitlement:
        """Revoke an entitlement: new instances are refused, what runs goes on

        ``DELETE /api/v1/apps/{app_id}/entitlements/{app_entitlement_id}``

        Refusals: app_entitlement_not_found, app_not_found.
        """
        answer: AppEntitlement = await self._transport.call("app_entitlement_delete", {"app_entitlement_id": app_entitlement_id, "app_id": app_id}, options)
        return answer

    async def push_credential_create(self, app_id: str, *, options: Options | None = None) -> AppPushCredential:
        """A login that works for minutes, to push images of this app to the registry of the installation

        ``POST /api/v1/apps/{app_id}/push-credentials``

        Refusals: app_not_found, app_registry_absent.
        """
        answer: AppPushCredential = await self._transport.call("app_push_credential_create", {"app_id": app_id}, options)
        return answer

    def version_list(self, app_id: str, *, cursor: str | Unset = UNSET, lifecycle_state: Literal["published", "promoted", "deprecated", "retired"] | Unset = UNSET, limit: int | Unset = UNSET, trust_state: Literal["unverified", "verified", "failed_verification", "revoked"] | Unset = UNSET, options: Options | None = None) -> AsyncPages[AppVersion]:
        """The versions of an app, newest first, for its publisher

        ``GET /api/v1/apps/{app_id}/versions``

        Refusals: app_not_found, cursor_invalid.
        """
        return AsyncPages(self._transport, "app_version_list", {"app_id": app_id, "cursor": cursor, "lifecycle_state": lifecycle_state, "limit": limit, "trust_state": trust_state}, options)

    async def version_publish(self, app_id: str, *, manifest: AppManifest, options: Options | None = None) -> AppVersion:
        """Publish a version of an app: its manifest, with the image by digest

        ``POST /api/v1/apps/{app_id}/versions``

        Refusals: app_limit_reached, app_manifest_invalid, app_not_found, app_version_exists.
        """
        answer: AppVersion = await self._transport.call("app_version_publish", {"app_id": app_id, "manifest": manifest}, options)
        return answer

    def catalog_list(self, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[CatalogApp]:
        """The apps that your project may find: its own, those of the organization, of everybody, and those it is entitled to

        ``GET /api/v1/catalog/apps``

        Refusals: cursor_invalid, project_not_found.
        """
        return AsyncPages(self._transport, "catalog_app_list", {"cursor": cursor, "limit": limit}, options)

    def catalog_version_list(self, app_id: str, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[CatalogVersion]:
        """The versions of an app that your project may see, newest first, and whether it may launch them

        ``GET /api/v1/catalog/apps/{app_id}/versions``

        Refusals: app_not_found, cursor_invalid, project_not_found.
        """
        return AsyncPages(self._transport, "catalog_version_list", {"app_id": app_id, "cursor": cursor, "limit": limit}, options)

    def signing_key_list(self, project_id: str, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[AppSigningKey]:
        """The public keys that a project has pinned

        ``GET /api/v1/projects/{project_id}/app-signing-keys``

        Refusals: cursor_invalid, project_not_found.
        """
        return AsyncPages(self._transport, "app_signing_key_list", {"project_id": project_id, "cursor": cursor, "limit": limit}, options)

    async def signing_key_create(self, project_id: str, *, name: str, public_key: str, options: Options | None = None) -> AppSigningKey:
        """Pin a public key: images of this project are verified against the keys that it has pinned

        ``POST /api/v1/projects/{project_id}/app-signing-keys``

        Refusals: app_limit_reached, app_signing_key_exists, app_signing_key_invalid, project_not_found.
        """
        answer: AppSigningKey = await self._transport.call("app_signing_key_create", {"project_id": project_id, "name": name, "public_key": public_key}, options)
        return answer

    async def signing_key_delete(self, app_signing_key_id: str, project_id: str, *, options: Options | None = None) -> AppSigningKey:
        """Withdraw a public key: it verifies no more versions; those that it verified stay verified

        ``DELETE /api/v1/projects/{project_id}/app-signing-keys/{app_signing_key_id}``

        Refusals: app_signing_key_not_found, project_not_found.
        """
        answer: AppSigningKey = await self._transport.call("app_signing_key_delete", {"app_signing_key_id": app_signing_key_id, "project_id": project_id}, options)
        return answer

    def list(self, project_id: str, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[App]:
        """The apps that a project publishes

        ``GET /api/v1/projects/{project_id}/apps``

        Refusals: cursor_invalid, project_not_found.
        """
        return AsyncPages(self._transport, "app_list", {"project_id": project_id, "cursor": cursor, "limit": limit}, options)

    async def create(self, project_id: str, *, name: str, slug: str, summary: str | Unset = UNSET, visibility: Literal["project", "organization", "platform"] | Unset = UNSET, options: Options | None = None) -> App:
        """Create an app that this project publishes; versions follow

        ``POST /api/v1/projects/{project_id}/apps``

        Refusals: app_limit_reached, app_slug_taken, project_not_found.
        """
        answer: App = await self._transport.call("app_create", {"project_id": project_id, "name": name, "slug": slug, "summary": summary, "visibility": visibility}, options)
        return answer


class AsyncServiceAccountsApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def signing_key_list(self, *, options: Options | None = None) -> SigningKeyListAnswer:
        """The public keys that tokens of service accounts are signed with, as JSON Web Key Set

        ``GET /api/v1/auth/keys``
        """
        answer: SigningKeyListAnswer = await self._transport.call("signing_key_list", {}, options)
        return answer

    async def token(self, *, assertion: str, grant_type: Literal["urn:ietf:params:oauth:grant-type:jwt-bearer"], scope: str | Unset = UNSET, options: Options | None = None) -> ServiceAccountTokenAnswer:
        """Exchange a signed assertion for a short-lived token, as JSON; OAuth libraries send a form to /oauth/token

        ``POST /api/v1/auth/service-accounts/token``

        Refusals: assertion_invalid, assertion_replayed.
        """
        answer: ServiceAccountTokenAnswer = await self._transport.call("service_account_token", {"assertion": assertion, "grant_type": grant_type, "scope": scope}, options)
        return answer

    def machine_identity_list(self, organization_id: str, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[ServiceAccount]:
        """All service accounts of an organization and of its projects

        ``GET /api/v1/organizations/{organization_id}/service-accounts``

        Refusals: cursor_invalid, organization_not_found.
        """
        return AsyncPages(self._transport, "machine_identity_list", {"organization_id": organization_id, "cursor": cursor, "limit": limit}, options)

    async def machine_identity_create(self, organization_id: str, *, name: str, project_ids: Sequence[str], scopes: Sequence[Literal["organizations:read", "organizations:write", "organizations:delete", "members:read", "members:write", "membership:leave", "profile:read", "profile:write", "ssh_keys:read", "ssh_keys:write", "projects:read", "projects:write", "allocations:read", "allocations:write", "apps:read", "apps:publish", "apps:admin", "storage:read", "storage:write", "usage:read", "billing:read", "billing:write", "billing:pay", "billing:admin", "activity:read", "audit:read", "audit:admin", "sessions:read", "sessions:write", "sessions:admin", "tokens:read", "tokens:write", "factors:read", "factors:write", "service_accounts:read", "service_accounts:write", "webhooks:read", "webhooks:write", "policies:read", "policies:admin", "fleet:read", "fleet:admin", "organizations:admin", "users:read", "users:admin", "roles:admin", "events:read", "events:admin"]], slug: str, description: str | Unset = UNSET, options: Options | None = None) -> ServiceAccount:
        """Create a service account for some projects of an organization, for shared runtimes and outside workers

        ``POST /api/v1/organizations/{organization_id}/service-accounts``

        Refusals: organization_not_found, project_not_found, service_account_slug_taken, step_up_required.
        """
        answer: ServiceAccount = await self._transport.call("machine_identity_create", {"organization_id": organization_id, "description": description, "name": name, "project_ids": project_ids, "scopes": scopes, "slug": slug}, options)
        return answer

    def list(self, project_id: str, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[ServiceAccount]:
        """The service accounts that may act in a project

        ``GET /api/v1/projects/{project_id}/service-accounts``

        Refusals: cursor_invalid, project_not_found.
        """
        return AsyncPages(self._transport, "service_account_list", {"project_id": project_id, "cursor": cursor, "limit": limit}, options)

    async def create(self, project_id: str, *, name: str, scopes: Sequence[Literal["organizations:read", "organizations:write", "organizations:delete", "members:read", "members:write", "membership:leave", "profile:read", "profile:write", "ssh_keys:read", "ssh_keys:write", "projects:read", "projects:write", "allocations:read", "allocations:write", "apps:read", "apps:publish", "apps:admin", "storage:read", "storage:write", "usage:read", "billing:read", "billing:write", "billing:pay", "billing:admin", "activity:read", "audit:read", "audit:admin", "sessions:read", "sessions:write", "sessions:admin", "tokens:read", "tokens:write", "factors:read", "factors:write", "service_accounts:read", "service_accounts:write", "webhooks:read", "webhooks:write", "policies:read", "policies:admin", "fleet:read", "fleet:admin", "organizations:admin", "users:read", "users:admin", "roles:admin", "events:read", "events:admin"]], slug: str, description: str | Unset = UNSET, options: Options | None = None) -> ServiceAccount:
        """Create a service account for one project

        ``POST /api/v1/projects/{project_id}/service-accounts``

        Refusals: project_not_found, service_account_slug_taken.
        """
        answer: ServiceAccount = await self._transport.call("service_account_create", {"project_id": project_id, "description": description, "name": name, "scopes": scopes, "slug": slug}, options)
        return answer

    async def remove(self, service_account_id: str, *, options: Options | None = None) -> ServiceAccount:
        """Remove a service account for good

        ``DELETE /api/v1/service-accounts/{service_account_id}``

        Refusals: illegal_transition, service_account_not_found.
        """
        answer: ServiceAccount = await self._transport.call("service_account_remove", {"service_account_id": service_account_id}, options)
        return answer

    async def get(self, service_account_id: str, *, options: Options | None = None) -> ServiceAccount:
        """One service account

        ``GET /api/v1/service-accounts/{service_account_id}``

        Refusals: service_account_not_found.
        """
        answer: ServiceAccount = await self._transport.call("service_account_get", {"service_account_id": service_account_id}, options)
        return answer

    async def update(self, service_account_id: str, *, description: str | None | Unset = UNSET, name: str | Unset = UNSET, project_ids: Sequence[str] | Unset = UNSET, scopes: Sequence[Literal["organizations:read", "organizations:write", "organizations:delete", "members:read", "members:write", "membership:leave", "profile:read", "profile:write", "ssh_keys:read", "ssh_keys:write", "projects:read", "projects:write", "allocations:read", "allocations:write", "apps:read", "apps:publish", "apps:admin", "storage:read", "storage:write", "usage:read", "billing:read", "billing:write", "billing:pay", "billing:admin", "activity:read", "audit:read", "audit:admin", "sessions:read", "sessions:write", "sessions:admin", "tokens:read", "tokens:write", "factors:read", "factors:write", "service_accounts:read", "service_accounts:write", "webhooks:read", "webhooks:write", "policies:read", "policies:admin", "fleet:read", "fleet:admin", "organizations:admin", "users:read", "users:admin", "roles:admin", "events:read", "events:admin"]] | Unset = UNSET, state: Literal["active", "disabled"] | Unset = UNSET, version: int | Unset = UNSET, options: Options | None = None) -> ServiceAccount:
        """Rename a service account, change its scopes and projects, or disable and enable it

        ``PATCH /api/v1/service-accounts/{service_account_id}``

        Refusals: illegal_transition, project_not_found, service_account_not_found, service_account_pinned, step_up_required, version_conflict.
        """
        answer: ServiceAccount = await self._transport.call("service_account_update", {"service_account_id": service_account_id, "description": description, "name": name, "project_ids": project_ids, "scopes": scopes, "state": state, "version": version}, options)
        return answer

    async def disable(self, service_account_id: str, *, version: int | Unset = UNSET, options: Options | None = None) -> ServiceAccount:
        """Disable a service account; its tokens are refused within five seconds

        ``POST /api/v1/service-accounts/{service_account_id}/disable``

        Refusals: illegal_transition, service_account_not_found, version_conflict.
        """
        answer: ServiceAccount = await self._transport.call("service_account_disable", {"service_account_id": service_account_id, "version": version}, options)
        return answer

    async def enable(self, service_account_id: str, *, version: int | Unset = UNSET, options: Options | None = None) -> ServiceAccount:
        """Enable a service account

        ``POST /api/v1/service-accounts/{service_account_id}/enable``

        Refusals: illegal_transition, service_account_not_found, version_conflict.
        """
        answer: ServiceAccount = await self._transport.call("service_account_enable", {"service_account_id": service_account_id, "version": version}, options)
        return answer

    def key_list(self, service_account_id: str, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[ServiceAccountKey]:
        """The keys of a service account, newest first

        ``GET /api/v1/service-accounts/{service_account_id}/keys``

        Refusals: cursor_invalid, service_account_not_found.
        """
        return AsyncPages(self._transport, "service_account_key_list", {"service_account_id": service_account_id, "cursor": cursor, "limit": limit}, options)

    async def key_create(self, service_account_id: str, *, expires_in_days: int, name: str, public_key: ServiceAccountKeyCreatePublicKey | ServiceAccountKeyCreatePublicKey2 | Unset = UNSET, options: Options | None = None) -> NewServiceAccountKey:
        """Add a key to a service account: your own, or one that the server generates and shows once

        ``POST /api/v1/service-accounts/{service_account_id}/keys``

        Refusals: illegal_transition, service_account_key_invalid, service_account_not_found, step_up_required.
        """
        answer: NewServiceAccountKey = await self._transport.call("service_account_key_create", {"service_account_id": service_account_id, "expires_in_days": expires_in_days, "name": name, "public_key": public_key}, options)
        return answer

    async def key_revoke(self, key_id: str, service_account_id: str, *, options: Options | None = None) -> ServiceAccountKey:
        """Revoke a key; tokens that it obtained are refused within five seconds

        ``DELETE /api/v1/service-accounts/{service_account_id}/keys/{key_id}``

        Refusals: service_account_key_not_found, service_account_not_found.
        """
        answer: ServiceAccountKey = await self._transport.call("service_account_key_revoke", {"key_id": key_id, "service_account_id": service_account_id}, options)
        return answer


class AsyncBillingApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def project_usage_get(self, *, allocation_id: str | Unset = UNSET, from_: str | Unset = UNSET, group_by: Literal["user", "sku", "meter", "allocation", "day", "none"] | Unset = UNSET, meter: Literal["gpu_time", "storage", "app_units"] | Unset = UNSET, requested_by: str | Unset = UNSET, sku: str | Unset = UNSET, to: str | Unset = UNSET, options: Options | None = None) -> UsageReport:
        """Usage and cost of a project, by person, SKU, meter, allocation or day

        ``GET /api/v1/billing/usage``

        Refusals: period_invalid, project_not_found.
        """
        answer: UsageReport = await self._transport.call("project_usage_get", {"allocation_id": allocation_id, "from": from_, "group_by": group_by, "meter": meter, "requested_by": requested_by, "sku": sku, "to": to}, options)
        return answer

    def project_usage_list(self, *, allocation_id: str | Unset = UNSET, cursor: str | Unset = UNSET, from_: str | Unset = UNSET, group_by: Literal["none", "user", "sku", "meter", "allocation", "app"] | Unset = UNSET, interval: Literal["hour", "day", "month"] | Unset = UNSET, limit: int | Unset = UNSET, meter: Literal["gpu_time", "storage", "app_units"] | Unset = UNSET, requested_by: str | Unset = UNSET, sku: str | Unset = UNSET, to: str | Unset = UNSET, options: Options | None = None) -> AsyncPages[UsagePoint]:
        """Usage and cost of a project over time, in groups, oldest first

        ``GET /api/v1/billing/usage/series``

        Refusals: cursor_invalid, period_invalid, project_not_found.
        """
        return AsyncPages(self._transport, "project_usage_list", {"allocation_id": allocation_id, "cursor": cursor, "from": from_, "group_by": group_by, "interval": interval, "limit": limit, "meter": meter, "requested_by": requested_by, "sku": sku, "to": to}, options)

    async def balance_get(self, organization_id: str, *, options: Options | None = None) -> BillingBalance:
        """The balance of an organization and how long it lasts

        ``GET /api/v1/organizations/{organization_id}/billing/balance``

        Refusals: organization_not_found.
        """
        answer: BillingBalance = await self._transport.call("billing_balance_get", {"organization_id": organization_id}, options)
        return answer

    async def budget_list(self, organization_id: str, *, options: Options | None = None) -> BudgetListAnswer:
        """The budgets of an organization, and what this month has spent of them

        ``GET /api/v1/organizations/{organization_id}/billing/budgets``

        Refusals: organization_not_found.
        """
        answer: BudgetListAnswer = await self._transport.call("budget_list", {"organization_id": organization_id}, options)
        return answer

    async def budget_create(self, organization_id: str, *, currency: str, name: str, scope: Literal["organization", "project", "user", "tag"], hard_minor: str | Unset = UNSET, soft_minor: str | Unset = UNSET, subject: str | Unset = UNSET, options: Options | None = None) -> Budget:
        """Create a budget for an organization, a project, a person or a tag

        ``POST /api/v1/organizations/{organization_id}/billing/budgets``

        Refusals: budget_already_exists, budget_invalid, budget_limit_reached, currency_mismatch, member_not_found, organization_not_found, project_not_found.
        """
        answer: Budget = await self._transport.call("budget_create", {"organization_id": organization_id, "currency": currency, "hard_minor": hard_minor, "name": name, "scope": scope, "soft_minor": soft_minor, "subject": subject}, options)
        return answer

    async def budget_remove(self, budget_id: str, organization_id: str, *, options: Options | None = None) -> Budget:
        """Remove a budget

        ``DELETE /api/v1/organizations/{organization_id}/billing/budgets/{budget_id}``

        Refusals: budget_not_found, organization_not_found.
        """
        answer: Budget = await self._transport.call("budget_remove", {"budget_id": budget_id, "organization_id": organization_id}, options)
        return answer

    async def budget_update(self, budget_id: str, organization_id: str, *, hard_minor: str | None | Unset = UNSET, name: str | Unset = UNSET, soft_minor: str | None | Unset = UNSET, version: int | Unset = UNSET, options: Options | None = None) -> Budget:
        """Rename a budget or change its thresholds; null removes one

        ``PATCH /api/v1/organizations/{organization_id}/billing/budgets/{budget_id}``

        Refusals: budget_invalid, budget_not_found, organization_not_found, version_conflict.
        """
        answer: Budget = await self._transport.call("budget_update", {"budget_id": budget_id, "organization_id": organization_id, "hard_minor": hard_minor, "name": name, "soft_minor": soft_minor, "version": version}, options)
        return answer

    def credit_list(self, organization_id: str, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[Credit]:
        """Credit that the organization was given, what is left of it, and when it expires

        ``GET /api/v1/organizations/{organization_id}/billing/credit``

        Refusals: cursor_invalid, organization_not_found.
        """
        return AsyncPages(self._transport, "billing_credit_list", {"organization_id": organization_id, "cursor": cursor, "limit": limit}, options)

    async def details_get(self, organization_id: str, *, options: Options | None = None) -> BillingDetails:
        """Name, address and tax id that stand on invoices

        ``GET /api/v1/organizations/{organization_id}/billing/details``

        Refusals: organization_not_found.
        """
        answer: BillingDetails = await self._transport.call("billing_details_get", {"organization_id": organization_id}, options)
        return answer

    async def details_set(self, organization_id: str, *, address_lines: Sequence[str], city: str, country: str, customer_type: Literal["business", "consumer"], legal_name: str, invoice_email: str | None | Unset = UNSET, postal_code: str | None | Unset = UNSET, tax_id: str | None | Unset = UNSET, options: Options | None = None) -> BillingDetails:
        """Set the details that the next documents get; those that exist keep theirs

        ``PUT /api/v1/organizations/{organization_id}/billing/details``

        Refusals: organization_not_found, tax_id_invalid.
        """
        answer: BillingDetails = await self._transport.call("billing_details_set", {"organization_id": organization_id, "address_lines": address_lines, "city": city, "country": country, "customer_type": customer_type, "invoice_email": invoice_email, "legal_name": legal_name, "postal_code": postal_code, "tax_id": tax_id}, options)
        return answer

    def document_list(self, organization_id: str, *, cursor: str | Unset = UNSET, kind: Literal["invoice", "credit_note", "receipt", "statement"] | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[BillingDocument]:
        """Invoices, credit notes, receipts and statements, newest first

        ``GET /api/v1/organizations/{organization_id}/billing/documents``

        Refusals: cursor_invalid, organization_not_found.
        """
        return AsyncPages(self._transport, "billing_document_list", {"organization_id": organization_id, "cursor": cursor, "kind": kind, "limit": limit}, options)

    async def document_get(self, document_id: str, organization_id: str, *, options: Options | None = None) -> DocumentWithContent:
        """One document and everything that it says

        ``GET /api/v1/organizations/{organization_id}/billing/documents/{document_id}``

        Refusals: document_not_found, organization_not_found.
        """
        answer: DocumentWithContent = await self._transport.call("billing_document_get", {"document_id": document_id, "organization_id": organization_id}, options)
        return answer

    async def document_file_get(self, document_id: str, organization_id: str, *, options: Options | None = None) -> DocumentFile:
        """One document as PDF, the same bytes each time

        ``GET /api/v1/organizations/{organization_id}/billing/documents/{document_id}/file``

        Refusals: document_not_found, organization_not_found.
        """
        answer: DocumentFile = await self._transport.call("billing_document_file_get", {"document_id": document_id, "organization_id": organization_id}, options)
        return answer

    async def document_verify(self, document_id: str, organization_id: str, *, options: Options | None = None) -> DocumentCheck:
        """Recompute a document from the ledger and compare it byte for byte

        ``GET /api/v1/organizations/{organization_id}/billing/documents/{document_id}/verify``

        Refusals: document_not_found, organization_not_found.
        """
        answer: DocumentCheck = await self._transport.call("billing_document_verify", {"document_id": document_id, "organization_id": organization_id}, options)
        return answer

    async def forecast_get(self, organization_id: str, *, options: Options | None = None) -> BillingForecast:
        """What the current month will cost, with a band

        ``GET /api/v1/organizations/{organization_id}/billing/forecast``

        Refusals: organization_not_found.
        """
        answer: BillingForecast = await self._transport.call("billing_forecast_get", {"organization_id": organization_id}, options)
        return answer

    async def idle_get(self, organization_id: str, *, from_: str | Unset = UNSET, to: str | Unset = UNSET, options: Options | None = None) -> BillingIdle:
        """What was charged while GPUs were reported as idle

        ``GET /api/v1/organizations/{organization_id}/billing/idle``

        Refusals: organization_not_found, period_invalid.
        """
        answer: BillingIdle = await self._transport.call("billing_idle_get", {"organization_id": organization_id, "from": from_, "to": to}, options)
        return answer

    async def last_release_get(self, organization_id: str, *, options: Options | None = None) -> LastRelease:
        """What was last released because the balance was used up, and what it had cost

        ``GET /api/v1/organizations/{organization_id}/billing/last-release``

        Refusals: organization_not_found.
        """
        answer: LastRelease = await self._transport.call("billing_last_release_get", {"organization_id": organization_id}, options)
        return answer

    def ledger_list(self, organization_id: str, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[LedgerLine]:
        """The ledger of an organization, newest day first

        ``GET /api/v1/organizations/{organization_id}/billing/ledger``

        Refusals: cursor_invalid, organization_not_found.
        """
        return AsyncPages(self._transport, "billing_ledger_list", {"organization_id": organization_id, "cursor": cursor, "limit": limit}, options)

    async def ledger_export(self, organization_id: str, *, options: Options | None = None) -> str:
        """The whole ledger as lines of JSON with its hash chain, to verify without this server

        ``GET /api/v1/organizations/{organization_id}/billing/ledger/export``

        Refusals: organization_not_found, too_many_streams.
        """
        answer: str = await self._transport.call("billing_ledger_export", {"organization_id": organization_id}, options)
        return answer

    async def ledger_verify(self, organization_id: str, *, options: Options | None = None) -> LedgerCheck:
        """Verify the ledger: its chain, its sum, and the usage behind it

        ``GET /api/v1/organizations/{organization_id}/billing/ledger/verify``

        Refusals: organization_not_found.
        """
        answer: LedgerCheck = await self._transport.call("billing_ledger_verify", {"organization_id": organization_id}, options)
        return answer

    async def proof_get(self, line_id: str, organization_id: str, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> UsageProof:
        """The proof of a usage line: windows, signed evidence, and links of the chain

        ``GET /api/v1/organizations/{organization_id}/billing/ledger/{line_id}/proof``

        Refusals: cursor_invalid, ledger_line_not_found, organization_not_found.
        """
        answer: UsageProof = await self._transport.call("billing_proof_get", {"line_id": line_id, "organization_id": organization_id, "cursor": cursor, "limit": limit}, options)
        return answer

    def window_list(self, line_id: str, organization_id: str, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[UsageWindow]:
        """The windows of a usage line, oldest first

        ``GET /api/v1/organizations/{organization_id}/billing/ledger/{line_id}/windows``

        Refusals: cursor_invalid, ledger_line_not_found, organization_not_found.
        """
        return AsyncPages(self._transport, "billing_window_list", {"line_id": line_id, "organization_id": organization_id, "cursor": cursor, "limit": limit}, options)

    def price_book_list(self, organization_id: str, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[NegotiatedPrice]:
        """Prices that were negotiated with an organization, newest first

        ``GET /api/v1/organizations/{organization_id}/billing/prices``

        Refusals: cursor_invalid, organization_not_found.
        """
        return AsyncPages(self._transport, "price_book_list", {"organization_id": organization_id, "cursor": cursor, "limit": limit}, options)

    async def usage_get(self, organization_id: str, *, allocation_id: str | Unset = UNSET, from_: str | Unset = UNSET, group_by: Literal["project", "user", "sku", "meter", "allocation", "day", "none"] | Unset = UNSET, meter: Literal["gpu_time", "storage", "app_units"] | Unset = UNSET, project_id: str | Unset = UNSET, requested_by: str | Unset = UNSET, sku: str | Unset = UNSET, to: str | Unset = UNSET, options: Options | None = None) -> UsageReport:
        """Usage and cost of an organization, by project, person, SKU, meter, allocation or day

        ``GET /api/v1/organizations/{organization_id}/billing/usage``

        Refusals: organization_not_found, period_invalid.
        """
        answer: UsageReport = await self._transport.call("billing_usage_get", {"organization_id": organization_id, "allocation_id": allocation_id, "from": from_, "group_by": group_by, "meter": meter, "project_id": project_id, "requested_by": requested_by, "sku": sku, "to": to}, options)
        return answer

    async def usage_export(self, organization_id: str, *, format: Literal["csv", "focus", "parquet"], allocation_id: str | Unset = UNSET, from_: str | Unset = UNSET, meter: Literal["gpu_time", "storage", "app_units"] | Unset = UNSET, project_id: str | Unset = UNSET, requested_by: str | Unset = UNSET, sku: str | Unset = UNSET, to: str | Unset = UNSET, options: Options | None = None) -> str:
        """Usage as a file: a row for each allocation or project that stored something and day, oldest first

        ``GET /api/v1/organizations/{organization_id}/billing/usage/export``

        Refusals: organization_not_found, period_invalid, too_many_streams.
        """
        answer: str = await self._transport.call("billing_usage_export", {"organization_id": organization_id, "allocation_id": allocation_id, "format": format, "from": from_, "meter": meter, "project_id": project_id, "requested_by": requested_by, "sku": sku, "to": to}, options)
        return answer

    def usage_list(self, organization_id: str, *, allocation_id: str | Unset = UNSET, cursor: str | Unset = UNSET, from_: str | Unset = UNSET, group_by: Literal["none", "project", "user", "sku", "meter", "allocation", "app"] | Unset = UNSET, interval: Literal["hour", "day", "month"] | Unset = UNSET, limit: int | Unset = UNSET, meter: Literal["gpu_time", "storage", "app_units"] | Unset = UNSET, project_id: str | Unset = UNSET, requested_by: str | Unset = UNSET, sku: str | Unset = UNSET, to: str | Unset = UNSET, options: Options | None = None) -> AsyncPages[UsagePoint]:
        """Usage and cost over time, in groups, oldest first

        ``GET /api/v1/organizations/{organization_id}/billing/usage/series``

        Refusals: cursor_invalid, organization_not_found, period_invalid.
        """
        return AsyncPages(self._transport, "billing_usage_list", {"organization_id": organization_id, "allocation_id": allocation_id, "cursor": cursor, "from": from_, "group_by": group_by, "interval": interval, "limit": limit, "meter": meter, "project_id": project_id, "requested_by": requested_by, "sku": sku, "to": to}, options)

    async def quote_create(self, *, gpus: int, region: str, sku: str, max_duration_seconds: int | Unset = UNSET, max_spend: QuoteCreateMaxSpend | Unset = UNSET, options: Options | None = None) -> Quote:
        """Quote a launch: its price, locked for a while, and what it does to balance, runway and budgets

        ``POST /api/v1/quotes``

        Refusals: currency_mismatch, duration_invalid, gpu_count_invalid, max_spend_too_low, os_image_not_found, project_not_found, region_not_found, sku_not_found, ssh_key_not_found.
        """
        answer: Quote = await self._transport.call("quote_create", {"gpus": gpus, "max_duration_seconds": max_duration_seconds, "max_spend": max_spend, "region": region, "sku": sku}, options)
        return answer


class AsyncHealthApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def branding_get(self, *, options: Options | None = None) -> Branding:
        """The name and branding of this installation

        ``GET /api/v1/branding``
        """
        answer: Branding = await self._transport.call("branding_get", {}, options)
        return answer

    async def sign_in_get(self, *, options: Options | None = None) -> SignIn:
        """Where and how to sign in

        ``GET /api/v1/sign-in``
        """
        answer: SignIn = await self._transport.call("sign_in_get", {}, options)
        return answer

    async def version_get(self, *, options: Options | None = None) -> VersionGetAnswer:
        """The version of this installation

        ``GET /api/v1/version``
        """
        answer: VersionGetAnswer = await self._transport.call("version_get", {}, options)
        return answer


class AsyncCatalogApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, region: str | Unset = UNSET, options: Options | None = None) -> AsyncPages[CatalogItem]:
        """What can be rented: SKUs, prices and free capacity; a few seconds old at most

        ``GET /api/v1/catalog``

        Refusals: cursor_invalid.
        """
        return AsyncPages(self._transport, "catalog_list", {"cursor": cursor, "limit": limit, "region": region}, options)

    async def get(self, sku: str, *, options: Options | None = None) -> CatalogItem:
        """One SKU with its price and free capacity

        ``GET /api/v1/catalog/{sku}``

        Refusals: sku_not_found.
        """
        answer: CatalogItem = await self._transport.call("catalog_get", {"sku": sku}, options)
        return answer

    def os_image_list(self, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, sku: str | Unset = UNSET, options: Options | None = None) -> AsyncPages[PublicImage]:
        """The images for slices

        ``GET /api/v1/os-images``

        Refusals: cursor_invalid.
        """
        return AsyncPages(self._transport, "os_image_list", {"cursor": cursor, "limit": limit, "sku": sku}, options)

    def region_list(self, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[Region]:
        """The regions

        ``GET /api/v1/regions``

        Refusals: cursor_invalid.
        """
        return AsyncPages(self._transport, "region_list", {"cursor": cursor, "limit": limit}, options)


class AsyncEventsApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def stream(self, *, about: str | Unset = UNSET, after: str | Unset = UNSET, follow: bool | Unset = UNSET, notifications: bool | Unset = UNSET, project_id: str | Unset = UNSET, types: str | Unset = UNSET, options: Options | None = None) -> AsyncIterator[StreamedEvent]:
        """Watch the events of a project live, and those of the money of its organization for those who may see it

        ``GET /api/v1/events/stream``

        Refusals: cursor_invalid, project_not_found, too_many_streams.
        """
        return self._transport.stream("event_stream", {"about": about, "after": after, "follow": follow, "notifications": notifications, "project_id": project_id, "types": types}, options)


class AsyncMembersApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def invitation_accept(self, *, token: str, options: Options | None = None) -> Joined:
        """Accept an invitation and join its organization

        ``POST /api/v1/invitations/accept``

        Refusals: already_member, invitation_invalid.
        """
        answer: Joined = await self._transport.call("invitation_accept", {"token": token}, options)
        return answer

    def invitation_list(self, organization_id: str, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, state: Literal["pending", "accepted", "revoked", "expired"] | Unset = UNSET, options: Options | None = None) -> AsyncPages[Invitation]:
        """Invitations of the organization, newest first

        ``GET /api/v1/organizations/{organization_id}/invitations``

        Refusals: cursor_invalid, organization_not_found.
        """
        return AsyncPages(self._transport, "invitation_list", {"organization_id": organization_id, "cursor": cursor, "limit": limit, "state": state}, options)

    async def invitation_create(self, organization_id: str, *, email: str, role: Literal["owner", "admin", "member", "viewer", "finance"], options: Options | None = None) -> InvitationCreated:
        """Invite a person; the token in the answer accepts the invitation

        ``POST /api/v1/organizations/{organization_id}/invitations``

        Refusals: invitation_limit_reached, invitation_pending, organization_not_found, ownership_required, step_up_required.
        """
        answer: InvitationCreated = await self._transport.call("invitation_create", {"organization_id": organization_id, "email": email, "role": role}, options)
        return answer

    async def invitation_revoke(self, invitation_id: str, organization_id: str, *, options: Options | None = None) -> Invitation:
        """Revoke an invitation before it is accepted

        ``DELETE /api/v1/organizations/{organization_id}/invitations/{invitation_id}``

        Refusals: illegal_transition, invitation_not_found, organization_not_found.
        """
        answer: Invitation = await self._transport.call("invitation_revoke", {"invitation_id": invitation_id, "organization_id": organization_id}, options)
        return answer

    async def leave(self, organization_id: str, *, options: Options | None = None) -> Member:
        """Leave an organization and all its projects; the last owner stays

        ``POST /api/v1/organizations/{organization_id}/leave``

        Refusals: last_owner, member_not_found, organization_not_found.
        """
        answer: Member = await self._transport.call("member_leave", {"organization_id": organization_id}, options)
        return answer

    def list(self, organization_id: str, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[Member]:
        """The members of the organization

        ``GET /api/v1/organizations/{organization_id}/members``

        Refusals: cursor_invalid, organization_not_found.
        """
        return AsyncPages(self._transport, "member_list", {"organization_id": organization_id, "cursor": cursor, "limit": limit}, options)

    async def remove(self, organization_id: str, user_id: str, *, options: Options | None = None) -> Member:
        """Remove a member from the organization and from all its projects

        ``DELETE /api/v1/organizations/{organization_id}/members/{user_id}``

        Refusals: last_owner, member_not_found, organization_not_found, ownership_required.
        """
        answer: Member = await self._transport.call("member_remove", {"organization_id": organization_id, "user_id": user_id}, options)
        return answer

    async def update(self, organization_id: str, user_id: str, *, role: Literal["owner", "admin", "member", "viewer", "finance"], options: Options | None = None) -> Member:
        """Change the role of a member

        ``PATCH /api/v1/organizations/{organization_id}/members/{user_id}``

        Refusals: last_owner, member_not_found, organization_not_found, ownership_required, step_up_required.
        """
        answer: Member = await self._transport.call("member_update", {"organization_id": organization_id, "user_id": user_id, "role": role}, options)
        return answer

    def project_list(self, project_id: str, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[Member]:
        """The members of the project who have a role of their own there

        ``GET /api/v1/projects/{project_id}/members``

        Refusals: cursor_invalid, project_not_found.
        """
        return AsyncPages(self._transport, "project_member_list", {"project_id": project_id, "cursor": cursor, "limit": limit}, options)

    async def project_remove(self, project_id: str, user_id: str, *, options: Options | None = None) -> Member:
        """Remove the role in the project; the role in the organization stays

        ``DELETE /api/v1/projects/{project_id}/members/{user_id}``

        Refusals: member_not_found, ownership_required, project_not_found.
        """
        answer: Member = await self._transport.call("project_member_remove", {"project_id": project_id, "user_id": user_id}, options)
        return answer

    async def project_set(self, project_id: str, user_id: str, *, role: Literal["owner", "admin", "member", "viewer"], options: Options | None = None) -> Member:
        """Give a member of the organization a role in the project; the higher of the two roles counts there

        ``PUT /api/v1/projects/{project_id}/members/{user_id}``

        Refusals: member_not_found, ownership_required, project_not_found, step_up_required.
        """
        answer: Member = await self._transport.call("project_member_set", {"project_id": project_id, "user_id": user_id, "role": role}, options)
        return answer


class AsyncMeApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(self, *, options: Options | None = None) -> Me:
        """The caller: identity, organizations and permissions

        ``GET /api/v1/me``

        Refusals: user_not_found.
        """
        answer: Me = await self._transport.call("me_get", {}, options)
        return answer

    async def update(self, *, display_name: str | None, options: Options | None = None) -> MeUpdateAnswer:
        """Set the display name, which members of shared organizations see

        ``PATCH /api/v1/me``
        """
        answer: MeUpdateAnswer = await self._transport.call("me_update", {"display_name": display_name}, options)
        return answer

    async def default_project_get(self, *, options: Options | None = None) -> DefaultProject:
        """The default project of the caller

        ``GET /api/v1/me/default-project``
        """
        answer: DefaultProject = await self._transport.call("default_project_get", {}, options)
        return answer

    async def default_project_set(self, *, project_id: str, options: Options | None = None) -> DefaultProject:
        """Set the default project of the caller

        ``PUT /api/v1/me/default-project``

        Refusals: project_not_found.
        """
        answer: DefaultProject = await self._transport.call("default_project_set", {"project_id": project_id}, options)
        return answer


class AsyncFactorsApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list(self, *, options: Options | None = None) -> SecondFactors:
        """The caller's second factors

        ``GET /api/v1/me/factors``
        """
        answer: SecondFactors = await self._transport.call("factor_list", {}, options)
        return answer

    async def begin(self, *, name: str, options: Options | None = None) -> NewAuthenticator:
        """Begin to add an authenticator app; it counts once a code of it confirmed it, within ten minutes

        ``POST /api/v1/me/factors``

        Refusals: factor_limit, factor_not_found, factors_elsewhere, step_up_required.
        """
        answer: NewAuthenticator = await self._transport.call("factor_begin", {"name": name}, options)
        return answer

    async def remove(self, factor_id: str, *, options: Options | None = None) -> SecondFactor:
        """Remove a factor; with the last one the recovery codes go as well

        ``DELETE /api/v1/me/factors/{factor_id}``

        Refusals: factor_not_found, factors_elsewhere, last_factor, step_up_required.
        """
        answer: SecondFactor = await self._transport.call("factor_remove", {"factor_id": factor_id}, options)
        return answer

    async def confirm(self, factor_id: str, *, code: str, options: Options | None = None) -> ConfirmedFactor:
        """Confirm a new factor by a first code; sign-in asks for it from then on

        ``POST /api/v1/me/factors/{factor_id}/confirm``

        Refusals: factor_attempts_exceeded, factor_code_wrong, factor_not_found, factors_elsewhere, step_up_required.
        """
        answer: ConfirmedFactor = await self._transport.call("factor_confirm", {"factor_id": factor_id, "code": code}, options)
        return answer

    async def passkey_begin(self, *, name: str, options: Options | None = None) -> NewPasskey:
        """Begin to add a passkey; it counts once the browser has made it, within five minutes

        ``POST /api/v1/me/passkeys``

        Refusals: factor_limit, factor_not_found, factors_elsewhere, passkeys_unavailable, step_up_required.
        """
        answer: NewPasskey = await self._transport.call("passkey_begin", {"name": name}, options)
        return answer

    async def passkey_confirm(self, factor_id: str, *, credential: Any, options: Options | None = None) -> ConfirmedFactor:
        """Add the passkey that the browser made; sign-in asks for it from then on

        ``POST /api/v1/me/passkeys/{factor_id}/confirm``

        Refusals: factor_attempts_exceeded, factor_not_found, factors_elsewhere, passkey_wrong, passkeys_unavailable, step_up_required.
        """
        answer: ConfirmedFactor = await self._transport.call("passkey_confirm", {"factor_id": factor_id, "credential": credential}, options)
        return answer

    async def recovery_codes_renew(self, *, reason: str | Unset = UNSET, options: Options | None = None) -> RecoveryCodes:
        """Make ten new recovery codes; the old ones stop working

        ``POST /api/v1/me/recovery-codes``

        Refusals: factor_not_found, factors_elsewhere, step_up_required.
        """
        answer: RecoveryCodes = await self._transport.call("recovery_codes_renew", {"reason": reason}, options)
        return answer


class AsyncNoticesApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def read(self, *, until: str, options: Options | None = None) -> NoticesRead:
        """Mark notices as read up to a time; the mark never moves back

        ``PUT /api/v1/me/notices-read``
        """
        answer: NoticesRead = await self._transport.call("notice_read", {"until": until}, options)
        return answer

    def list(self, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[Notice]:
        """Notices of a project, newest first, for as long as events are kept

        ``GET /api/v1/notices``

        Refusals: cursor_invalid, project_not_found.
        """
        return AsyncPages(self._transport, "notice_list", {"cursor": cursor, "limit": limit}, options)


class AsyncNotificationsApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def preferences_get(self, *, options: Options | None = None) -> NotificationPreferences:
        """What you are notified of, and how

        ``GET /api/v1/me/notification-preferences``
        """
        answer: NotificationPreferences = await self._transport.call("notification_preferences_get", {}, options)
        return answer

    async def preference_set(self, kind: str, *, inbox: bool | Unset = UNSET, mail: Literal["each", "daily", "none"] | Unset = UNSET, options: Options | None = None) -> NotificationPreference:
        """Choose how you are notified of one kind

        ``PUT /api/v1/me/notification-preferences/{kind}``

        Refusals: notification_required.
        """
        answer: NotificationPreference = await self._transport.call("notification_preference_set", {"kind": kind, "inbox": inbox, "mail": mail}, options)
        return answer

    def list(self, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, unread: bool | Unset = UNSET, options: Options | None = None) -> AsyncPages[Notification]:
        """Your notifications, newest first

        ``GET /api/v1/me/notifications``

        Refusals: cursor_invalid.
        """
        return AsyncPages(self._transport, "notification_list", {"cursor": cursor, "limit": limit, "unread": unread}, options)

    async def count(self, *, options: Options | None = None) -> NotificationCount:
        """How many of your notifications are unread

        ``GET /api/v1/me/notifications/count``
        """
        answer: NotificationCount = await self._transport.call("notification_count", {}, options)
        return answer

    async def read(self, *, ids: Sequence[str] | Unset = UNSET, options: Options | None = None) -> NotificationsRead:
        """Mark notifications as read: those with these ids, or all

        ``POST /api/v1/me/notifications/read``
        """
        answer: NotificationsRead = await self._transport.call("notification_read", {"ids": ids}, options)
        return answer


class AsyncSessionsApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[AccountSession]:
        """The sessions of the caller, newest first

        ``GET /api/v1/me/sessions``

        Refusals: cursor_invalid.
        """
        return AsyncPages(self._transport, "session_list", {"cursor": cursor, "limit": limit}, options)

    async def revoke_others(self, *, reason: str | Unset = UNSET, options: Options | None = None) -> SessionsRevoked:
        """End every other session of the caller, also those that were not used yet

        ``POST /api/v1/me/sessions/revoke-others``

        Refusals: step_up_required.
        """
        answer: SessionsRevoked = await self._transport.call("session_revoke_others", {"reason": reason}, options)
        return answer

    async def revoke(self, session_id: str, *, options: Options | None = None) -> AccountSession:
        """End one session; its tokens are refused everywhere within five seconds

        ``DELETE /api/v1/me/sessions/{session_id}``

        Refusals: session_not_found.
        """
        answer: AccountSession = await self._transport.call("session_revoke", {"session_id": session_id}, options)
        return answer


class AsyncSshKeysApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[SshKey]:
        """Your own keys

        ``GET /api/v1/me/ssh-keys``

        Refusals: cursor_invalid.
        """
        return AsyncPages(self._transport, "ssh_key_list", {"cursor": cursor, "limit": limit}, options)

    async def add(self, *, public_key: str, name: str | Unset = UNSET, options: Options | None = None) -> SshKey:
        """Add a key of your own

        ``POST /api/v1/me/ssh-keys``

        Refusals: ssh_key_exists, ssh_key_invalid, ssh_key_limit.
        """
        answer: SshKey = await self._transport.call("ssh_key_add", {"name": name, "public_key": public_key}, options)
        return answer

    async def remove(self, ssh_key_id: str, *, options: Options | None = None) -> SshKey:
        """Remove a key of your own

        ``DELETE /api/v1/me/ssh-keys/{ssh_key_id}``

        Refusals: ssh_key_not_found.
        """
        answer: SshKey = await self._transport.call("ssh_key_remove", {"ssh_key_id": ssh_key_id}, options)
        return answer

    async def prove(self, ssh_key_id: str, *, signature: str, options: Options | None = None) -> SshKey:
        """Prove that you hold the private half of a key of yours

        ``POST /api/v1/me/ssh-keys/{ssh_key_id}/prove``

        Refusals: ssh_key_not_found, ssh_key_proof_invalid.
        """
        answer: SshKey = await self._transport.call("ssh_key_prove", {"ssh_key_id": ssh_key_id, "signature": signature}, options)
        return answer

    def project_list(self, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[SshKey]:
        """The keys of the project

        ``GET /api/v1/ssh-keys``

        Refusals: cursor_invalid, project_not_found.
        """
        return AsyncPages(self._transport, "project_ssh_key_list", {"cursor": cursor, "limit": limit}, options)

    async def project_add(self, *, public_key: str, name: str | Unset = UNSET, options: Options | None = None) -> SshKey:
        """Add a key of the project; it opens every allocation of the project

        ``POST /api/v1/ssh-keys``

        Refusals: project_not_found, ssh_key_exists, ssh_key_invalid, ssh_key_limit.
        """
        answer: SshKey = await self._transport.call("project_ssh_key_add", {"name": name, "public_key": public_key}, options)
        return answer

    async def project_remove(self, ssh_key_id: str, *, options: Options | None = None) -> SshKey:
        """Remove a key of the project

        ``DELETE /api/v1/ssh-keys/{ssh_key_id}``

        Refusals: project_not_found, ssh_key_not_found.
        """
        answer: SshKey = await self._transport.call("project_ssh_key_remove", {"ssh_key_id": ssh_key_id}, options)
        return answer


class AsyncPersonalTokensApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[PersonalToken]:
        """The caller's personal access tokens, newest first

        ``GET /api/v1/me/tokens``

        Refusals: cursor_invalid.
        """
        return AsyncPages(self._transport, "personal_token_list", {"cursor": cursor, "limit": limit}, options)

    async def create(self, *, expires_in_days: int, name: str, scopes: Sequence[Literal["organizations:read", "organizations:write", "organizations:delete", "members:read", "members:write", "membership:leave", "profile:read", "profile:write", "ssh_keys:read", "ssh_keys:write", "projects:read", "projects:write", "allocations:read", "allocations:write", "apps:read", "apps:publish", "apps:admin", "storage:read", "storage:write", "usage:read", "billing:read", "billing:write", "billing:pay", "billing:admin", "activity:read", "audit:read", "audit:admin", "sessions:read", "sessions:write", "sessions:admin", "tokens:read", "tokens:write", "factors:read", "factors:write", "service_accounts:read", "service_accounts:write", "webhooks:read", "webhooks:write", "policies:read", "policies:admin", "fleet:read", "fleet:admin", "organizations:admin", "users:read", "users:admin", "roles:admin", "events:read", "events:admin"]], options: Options | None = None) -> NewPersonalToken:
        """Create a personal access token; it may do what both its scopes and its owner may do

        ``POST /api/v1/me/tokens``

        Refusals: personal_token_expiry_invalid, step_up_required.
        """
        answer: NewPersonalToken = await self._transport.call("personal_token_create", {"expires_in_days": expires_in_days, "name": name, "scopes": scopes}, options)
        return answer

    async def revoke(self, token_id: str, *, options: Options | None = None) -> PersonalToken:
        """Revoke a personal access token; it is refused everywhere within five seconds

        ``DELETE /api/v1/me/tokens/{token_id}``

        Refusals: personal_token_not_found.
        """
        answer: PersonalToken = await self._transport.call("personal_token_revoke", {"token_id": token_id}, options)
        return answer


class AsyncOrganizationsApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[Organization]:
        """The organizations the caller belongs to

        ``GET /api/v1/organizations``

        Refusals: cursor_invalid.
        """
        return AsyncPages(self._transport, "organization_list", {"cursor": cursor, "limit": limit}, options)

    async def create(self, *, name: str, slug: str, currency: str | Unset = UNSET, type: Literal["personal", "enterprise"] | Unset = UNSET, options: Options | None = None) -> Organization:
        """Create an organization; the caller becomes its owner

        ``POST /api/v1/organizations``

        Refusals: organization_limit_reached, organization_slug_taken.
        """
        answer: Organization = await self._transport.call("organization_create", {"currency": currency, "name": name, "slug": slug, "type": type}, options)
        return answer

    async def delete(self, organization_id: str, *, options: Options | None = None) -> Organization:
        """Delete an organization that has no projects left

        ``DELETE /api/v1/organizations/{organization_id}``

        Refusals: organization_not_empty, organization_not_found.
        """
        answer: Organization = await self._transport.call("organization_delete", {"organization_id": organization_id}, options)
        return answer

    async def get(self, organization_id: str, *, options: Options | None = None) -> Organization:
        """One organization

        ``GET /api/v1/organizations/{organization_id}``

        Refusals: organization_not_found.
        """
        answer: Organization = await self._transport.call("organization_get", {"organization_id": organization_id}, options)
        return answer

    async def update(self, organization_id: str, *, name: str, version: int | Unset = UNSET, options: Options | None = None) -> Organization:
        """Rename an organization

        ``PATCH /api/v1/organizations/{organization_id}``

        Refusals: organization_not_found, version_conflict.
        """
        answer: Organization = await self._transport.call("organization_update", {"organization_id": organization_id, "name": name, "version": version}, options)
        return answer


class AsyncAuditApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, organization_id: str, *, action: str | Unset = UNSET, actor_id: str | Unset = UNSET, actors: Literal["people", "all"] | Unset = UNSET, correlation_id: str | Unset = UNSET, cursor: str | Unset = UNSET, from_: str | Unset = UNSET, limit: int | Unset = UNSET, result: Literal["success", "failure"] | Unset = UNSET, target_id: str | Unset = UNSET, target_type: str | Unset = UNSET, until: str | Unset = UNSET, options: Options | None = None) -> AsyncPages[AuditEntry]:
        """The audit log of the organization, newest first

        ``GET /api/v1/organizations/{organization_id}/audit-logs``

        Refusals: cursor_invalid, organization_not_found.
        """
        return AsyncPages(self._transport, "audit_list", {"organization_id": organization_id, "action": action, "actor_id": actor_id, "actors": actors, "correlation_id": correlation_id, "cursor": cursor, "from": from_, "limit": limit, "result": result, "target_id": target_id, "target_type": target_type, "until": until}, options)

    async def export(self, organization_id: str, *, format: Literal["ndjson", "csv"], action: str | Unset = UNSET, actor_id: str | Unset = UNSET, actors: Literal["people", "all"] | Unset = UNSET, after_id: str | Unset = UNSET, correlation_id: str | Unset = UNSET, from_: str | Unset = UNSET, result: Literal["success", "failure"] | Unset = UNSET, target_id: str | Unset = UNSET, target_type: str | Unset = UNSET, until: str | Unset = UNSET, options: Options | None = None) -> str:
        """The log as text, oldest first, up to 5,000 rows at a time; ask again with after_id set to the last id

        ``GET /api/v1/organizations/{organization_id}/audit-logs/export``

        Refusals: organization_not_found.
        """
        answer: str = await self._transport.call("audit_export", {"organization_id": organization_id, "action": action, "actor_id": actor_id, "actors": actors, "after_id": after_id, "correlation_id": correlation_id, "format": format, "from": from_, "result": result, "target_id": target_id, "target_type": target_type, "until": until}, options)
        return answer

    async def verify(self, organization_id: str, *, options: Options | None = None) -> AuditVerdict:
        """Verify the hash chain of the log and name the first row that does not fit

        ``GET /api/v1/organizations/{organization_id}/audit-logs/verify``

        Refusals: organization_not_found.
        """
        answer: AuditVerdict = await self._transport.call("audit_verify", {"organization_id": organization_id}, options)
        return answer


class AsyncDepartmentsApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, organization_id: str, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[Department]:
        """The departments of an organization

        ``GET /api/v1/organizations/{organization_id}/departments``

        Refusals: cursor_invalid, organization_not_found.
        """
        return AsyncPages(self._transport, "department_list", {"organization_id": organization_id, "cursor": cursor, "limit": limit}, options)

    async def create(self, organization_id: str, *, name: str, slug: str, options: Options | None = None) -> Department:
        """Create a department

        ``POST /api/v1/organizations/{organization_id}/departments``

        Refusals: department_slug_taken, organization_not_found.
        """
        answer: Department = await self._transport.call("department_create", {"organization_id": organization_id, "name": name, "slug": slug}, options)
        return answer

    async def update(self, department_id: str, organization_id: str, *, name: str | Unset = UNSET, state: Literal["active", "disabled"] | Unset = UNSET, version: int | Unset = UNSET, options: Options | None = None) -> Department:
        """Rename a department, disable it or enable it again

        ``PATCH /api/v1/organizations/{organization_id}/departments/{department_id}``

        Refusals: department_is_default, department_not_found, organization_not_found, version_conflict.
        """
        answer: Department = await self._transport.call("department_update", {"department_id": department_id, "organization_id": organization_id, "name": name, "state": state, "version": version}, options)
        return answer


class AsyncPaymentsApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def auto_top_up_get(self, organization_id: str, *, options: Options | None = None) -> AutoTopUp:
        """Whether the balance is topped up automatically, and how that went

        ``GET /api/v1/organizations/{organization_id}/payments/auto-top-up``

        Refusals: organization_not_found.
        """
        answer: AutoTopUp = await self._transport.call("auto_top_up_get", {"organization_id": organization_id}, options)
        return answer

    async def auto_top_up_set(self, organization_id: str, *, enabled: bool, amount_minor: str | Unset = UNSET, currency: str | Unset = UNSET, monthly_limit_minor: str | Unset = UNSET, threshold_minor: str | Unset = UNSET, version: int | Unset = UNSET, options: Options | None = None) -> AutoTopUp:
        """Turn automatic top-ups on or off, and set when, how much and how much in a month

        ``PUT /api/v1/organizations/{organization_id}/payments/auto-top-up``

        Refusals: amount_out_of_bounds, currency_mismatch, organization_not_found, payment_method_not_found, payments_disabled, step_up_required, version_conflict.
        """
        answer: AutoTopUp = await self._transport.call("auto_top_up_set", {"organization_id": organization_id, "amount_minor": amount_minor, "currency": currency, "enabled": enabled, "monthly_limit_minor": monthly_limit_minor, "threshold_minor": threshold_minor, "version": version}, options)
        return answer

    async def method_list(self, organization_id: str, *, options: Options | None = None) -> PaymentMethodListAnswer:
        """The cards that the payment provider keeps for an organization, newest first

        ``GET /api/v1/organizations/{organization_id}/payments/methods``

        Refusals: organization_not_found.
        """
        answer: PaymentMethodListAnswer = await self._transport.call("payment_method_list", {"organization_id": organization_id}, options)
        return answer

    async def method_add(self, organization_id: str, *, return_to: str | Unset = UNSET, options: Options | None = None) -> PaymentMethodSetup:
        """Begin to save a card: the answer says where to enter it

        ``POST /api/v1/organizations/{organization_id}/payments/methods``

        Refusals: organization_not_found, payment_refused, payments_disabled, step_up_required.
        """
        answer: PaymentMethodSetup = await self._transport.call("payment_method_add", {"organization_id": organization_id, "return_to": return_to}, options)
        return answer

    async def method_remove(self, method_id: str, organization_id: str, *, options: Options | None = None) -> PaymentMethodRemoveAnswer:
        """Remove a saved card from the payment provider; one that is gone stays gone

        ``DELETE /api/v1/organizations/{organization_id}/payments/methods/{method_id}``

        Refusals: organization_not_found, payment_method_in_use, step_up_required.
        """
        answer: PaymentMethodRemoveAnswer = await self._transport.call("payment_method_remove", {"method_id": method_id, "organization_id": organization_id}, options)
        return answer

    async def method_set_default(self, method_id: str, organization_id: str, *, options: Options | None = None) -> PaymentMethod:
        """Make a saved card the one that automatic top-ups charge

        ``POST /api/v1/organizations/{organization_id}/payments/methods/{method_id}/default``

        Refusals: organization_not_found, payment_method_not_found, step_up_required.
        """
        answer: PaymentMethod = await self._transport.call("payment_method_set_default", {"method_id": method_id, "organization_id": organization_id}, options)
        return answer

    async def options_get(self, organization_id: str, *, options: Options | None = None) -> PaymentOptions:
        """How an organization can pay, and how much at once

        ``GET /api/v1/organizations/{organization_id}/payments/options``

        Refusals: organization_not_found.
        """
        answer: PaymentOptions = await self._transport.call("payment_options_get", {"organization_id": organization_id}, options)
        return answer

    def session_list(self, organization_id: str, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[PaymentSession]:
        """The payments of an organization, newest first

        ``GET /api/v1/organizations/{organization_id}/payments/sessions``

        Refusals: cursor_invalid, organization_not_found.
        """
        return AsyncPages(self._transport, "payment_session_list", {"organization_id": organization_id, "cursor": cursor, "limit": limit}, options)

    async def session_create(self, organization_id: str, *, amount_minor: str, currency: str, options: Options | None = None) -> PaymentSession:
        """Begin a payment: the answer says where to pay

        ``POST /api/v1/organizations/{organization_id}/payments/sessions``

        Refusals: amount_out_of_bounds, currency_mismatch, deposit_limit_exceeded, organization_not_found, payment_refused, payments_disabled, too_many_payments.
        """
        answer: PaymentSession = await self._transport.call("payment_session_create", {"organization_id": organization_id, "amount_minor": amount_minor, "currency": currency}, options)
        return answer

    async def session_get(self, organization_id: str, session_id: str, *, options: Options | None = None) -> PaymentSession:
        """One payment

        ``GET /api/v1/organizations/{organization_id}/payments/sessions/{session_id}``

        Refusals: organization_not_found, payment_not_found.
        """
        answer: PaymentSession = await self._transport.call("payment_session_get", {"organization_id": organization_id, "session_id": session_id}, options)
        return answer


class AsyncProjectsApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, organization_id: str, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, state: Literal["active", "archived", "removing", "deleted"] | Unset = UNSET, options: Options | None = None) -> AsyncPages[Project]:
        """The projects of an organization

        ``GET /api/v1/organizations/{organization_id}/projects``

        Refusals: cursor_invalid, organization_not_found.
        """
        return AsyncPages(self._transport, "project_list", {"organization_id": organization_id, "cursor": cursor, "limit": limit, "state": state}, options)

    async def create(self, organization_id: str, *, name: str, slug: str, department_id: str | Unset = UNSET, options: Options | None = None) -> Project:
        """Create a project

        ``POST /api/v1/organizations/{organization_id}/projects``

        Refusals: department_disabled, department_not_found, organization_not_found, project_slug_taken.
        """
        answer: Project = await self._transport.call("project_create", {"organization_id": organization_id, "department_id": department_id, "name": name, "slug": slug}, options)
        return answer

    async def remove(self, project_id: str, *, options: Options | None = None) -> Project:
        """Remove a project: its resources are wound down, then it is deleted

        ``DELETE /api/v1/projects/{project_id}``

        Refusals: illegal_transition, project_not_found.
        """
        answer: Project = await self._transport.call("project_remove", {"project_id": project_id}, options)
        return answer

    async def get(self, project_id: str, *, options: Options | None = None) -> Project:
        """One project

        ``GET /api/v1/projects/{project_id}``

        Refusals: project_not_found.
        """
        answer: Project = await self._transport.call("project_get", {"project_id": project_id}, options)
        return answer

    async def update(self, project_id: str, *, name: str, version: int | Unset = UNSET, options: Options | None = None) -> Project:
        """Rename a project

        ``PATCH /api/v1/projects/{project_id}``

        Refusals: project_not_found, version_conflict.
        """
        answer: Project = await self._transport.call("project_update", {"project_id": project_id, "name": name, "version": version}, options)
        return answer

    async def archive(self, project_id: str, *, version: int | Unset = UNSET, options: Options | None = None) -> Project:
        """Archive a project

        ``POST /api/v1/projects/{project_id}/archive``

        Refusals: illegal_transition, project_not_found, version_conflict.
        """
        answer: Project = await self._transport.call("project_archive", {"project_id": project_id, "version": version}, options)
        return answer

    async def restore(self, project_id: str, *, version: int | Unset = UNSET, options: Options | None = None) -> Project:
        """Restore an archived project

        ``POST /api/v1/projects/{project_id}/restore``

        Refusals: illegal_transition, project_not_found, version_conflict.
        """
        answer: Project = await self._transport.call("project_restore", {"project_id": project_id, "version": version}, options)
        return answer


class AsyncRecordingsApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, organization_id: str, *, allocation: str | Unset = UNSET, cursor: str | Unset = UNSET, from_: str | Unset = UNSET, limit: int | Unset = UNSET, to: str | Unset = UNSET, user: str | Unset = UNSET, options: Options | None = None) -> AsyncPages[TerminalRecordingInfo]:
        """Recorded terminal sessions of the organization, latest first

        ``GET /api/v1/organizations/{organization_id}/terminal-recordings``

        Refusals: cursor_invalid, organization_not_found.
        """
        return AsyncPages(self._transport, "recording_list", {"organization_id": organization_id, "allocation": allocation, "cursor": cursor, "from": from_, "limit": limit, "to": to, "user": user}, options)

    async def get(self, terminal_recording_id: str, *, options: Options | None = None) -> TerminalRecordingInfo:
        """One recording: whose, when, how long, and the digest that seals it

        ``GET /api/v1/terminal-recordings/{terminal_recording_id}``

        Refusals: terminal_recording_not_found.
        """
        answer: TerminalRecordingInfo = await self._transport.call("recording_get", {"terminal_recording_id": terminal_recording_id}, options)
        return answer

    async def cast(self, terminal_recording_id: str, *, view: str, at: str | Unset = UNSET, format: Literal["v2", "v3"] | Unset = UNSET, options: Options | None = None) -> RecordingCast:
        """A page of an opened recording as asciicast

        ``GET /api/v1/terminal-recordings/{terminal_recording_id}/cast``

        Refusals: recording_damaged, recording_removed, recording_view_invalid, terminal_recording_not_found.
        """
        answer: RecordingCast = await self._transport.call("recording_cast", {"terminal_recording_id": terminal_recording_id, "at": at, "format": format, "view": view}, options)
        return answer

    async def verify(self, terminal_recording_id: str, *, options: Options | None = None) -> RecordingVerdict:
        """Recompute the digests of a recording and name the first chunk that was changed

        ``GET /api/v1/terminal-recordings/{terminal_recording_id}/verify``

        Refusals: recording_removed, terminal_recording_not_found.
        """
        answer: RecordingVerdict = await self._transport.call("recording_verify", {"terminal_recording_id": terminal_recording_id}, options)
        return answer

    async def open(self, terminal_recording_id: str, *, purpose: Literal["watch", "download"], options: Options | None = None) -> RecordingView:
        """Open a recording to watch or download it; the audit log notes who did and why

        ``POST /api/v1/terminal-recordings/{terminal_recording_id}/views``

        Refusals: recording_removed, terminal_recording_not_found.
        """
        answer: RecordingView = await self._transport.call("recording_open", {"terminal_recording_id": terminal_recording_id, "purpose": purpose}, options)
        return answer


class AsyncWebhooksApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    def list(self, organization_id: str, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[Webhook]:
        """The webhooks of an organization

        ``GET /api/v1/organizations/{organization_id}/webhooks``

        Refusals: cursor_invalid, organization_not_found.
        """
        return AsyncPages(self._transport, "webhook_list", {"organization_id": organization_id, "cursor": cursor, "limit": limit}, options)

    async def create(self, organization_id: str, *, url: str, description: str | Unset = UNSET, event_types: Sequence[Literal["apps.artifact.deprecated", "apps.artifact.failed_verification", "apps.artifact.promoted", "apps.artifact.published", "apps.artifact.retired", "apps.artifact.revoked", "apps.artifact.verified", "apps.instance.failed", "apps.instance.launching", "apps.instance.released", "apps.instance.rolled_back", "apps.instance.running", "apps.instance.stopped", "apps.instance.upgraded", "apps.instance.upgrading", "billing.auto_release_pending", "billing.balance_depleted", "billing.balance_recovered", "billing.low_balance_warning", "billing.machines_stopped", "payments.auto_top_up_action_required", "payments.auto_top_up_failed", "payments.balance_credited", "payments.disputed", "payments.failed", "payments.refunded", "provisioning.active", "provisioning.attested", "provisioning.drain_called_off", "provisioning.drain_notice", "provisioning.failed", "provisioning.idle", "provisioning.queued", "provisioning.release_failed", "provisioning.releasing.completed", "storage.grant.created", "storage.grant.revoked", "storage.namespace.created", "storage.object.deleted", "tenancy.invitation.accepted", "tenancy.member.changed", "tenancy.project_member.changed", "terminal.session.ended", "terminal.session.opened"]] | Unset = UNSET, options: Options | None = None) -> WebhookWithSecret:
        """Have events posted to an address, signed; the answer has the secret, once

        ``POST /api/v1/organizations/{organization_id}/webhooks``

        Refusals: organization_not_found, step_up_required, too_many_webhooks, webhook_url_refused.
        """
        answer: WebhookWithSecret = await self._transport.call("webhook_create", {"organization_id": organization_id, "description": description, "event_types": event_types, "url": url}, options)
        return answer

    async def delete(self, organization_id: str, webhook_id: str, *, options: Options | None = None) -> Webhook:
        """Remove a webhook with its deliveries

        ``DELETE /api/v1/organizations/{organization_id}/webhooks/{webhook_id}``

        Refusals: organization_not_found, webhook_not_found.
        """
        answer: Webhook = await self._transport.call("webhook_delete", {"organization_id": organization_id, "webhook_id": webhook_id}, options)
        return answer

    async def update(self, organization_id: str, webhook_id: str, *, description: str | Unset = UNSET, enabled: bool | Unset = UNSET, event_types: Sequence[Literal["apps.artifact.deprecated", "apps.artifact.failed_verification", "apps.artifact.promoted", "apps.artifact.published", "apps.artifact.retired", "apps.artifact.revoked", "apps.artifact.verified", "apps.instance.failed", "apps.instance.launching", "apps.instance.released", "apps.instance.rolled_back", "apps.instance.running", "apps.instance.stopped", "apps.instance.upgraded", "apps.instance.upgrading", "billing.auto_release_pending", "billing.balance_depleted", "billing.balance_recovered", "billing.low_balance_warning", "billing.machines_stopped", "payments.auto_top_up_action_required", "payments.auto_top_up_failed", "payments.balance_credited", "payments.disputed", "payments.failed", "payments.refunded", "provisioning.active", "provisioning.attested", "provisioning.drain_called_off", "provisioning.drain_notice", "provisioning.failed", "provisioning.idle", "provisioning.queued", "provisioning.release_failed", "provisioning.releasing.completed", "storage.grant.created", "storage.grant.revoked", "storage.namespace.created", "storage.object.deleted", "tenancy.invitation.accepted", "tenancy.member.changed", "tenancy.project_member.changed", "terminal.session.ended", "terminal.session.opened"]] | Unset = UNSET, url: str | Unset = UNSET, options: Options | None = None) -> Webhook:
        """Change a webhook, or turn it off or on again

        ``PATCH /api/v1/organizations/{organization_id}/webhooks/{webhook_id}``

        Refusals: organization_not_found, step_up_required, webhook_not_found, webhook_url_refused.
        """
        answer: Webhook = await self._transport.call("webhook_update", {"organization_id": organization_id, "webhook_id": webhook_id, "description": description, "enabled": enabled, "event_types": event_types, "url": url}, options)
        return answer

    def delivery_list(self, organization_id: str, webhook_id: str, *, cursor: str | Unset = UNSET, limit: int | Unset = UNSET, options: Options | None = None) -> AsyncPages[WebhookDelivery]:
        """What was posted to a webhook, newest first

        ``GET /api/v1/organizations/{organization_id}/webhooks/{webhook_id}/deliveries``

        Refusals: cursor_invalid, organization_not_found, webhook_not_found.
        """
        return AsyncPages(self._transport, "webhook_delivery_list", {"organization_id": organization_id, "webhook_id": webhook_id, "cursor": cursor, "limit": limit}, options)

    async def resend(self, delivery_id: str, organization_id: str, webhook_id: str, *, options: Options | None = None) -> WebhookDelivery:
        """Post an event again

        ``POST /api/v1/organizations/{organization_id}/webhooks/{webhook_id}/deliveries/{delivery_id}/resend``

        Refusals: organization_not_found, webhook_not_found, webhook_off.
        """
        answer: WebhookDelivery = await self._transport.call("webhook_resend", {"delivery_id": delivery_id, "organization_id": organization_id, "webhook_id": webhook_id}, options)
        return answer

    async def rotate(self, organization_id: str, webhook_id: str, *, options: Options | None = None) -> WebhookWithSecret:
        """Make a new secret; the former one signs as well for a while

        ``POST /api/v1/organizations/{organization_id}/webhooks/{webhook_id}/rotate``

        Refusals: organization_not_found, step_up_required, webhook_not_found.
        """
        answer: WebhookWithSecret = await self._transport.call("webhook_rotate", {"organization_id": organization_id, "webhook_id": webhook_id}, options)
        return answer


class AsyncOverviewApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def get(self, *, options: Options | None = None) -> Overview:
        """Overview of a project: allocations, hourly cost, queue and recent activity

        ``GET /api/v1/overview``

        Refusals: project_not_found.
        """
        answer: Overview = await self._transport.call("overview_get", {}, options)
        return answer


class AsyncPoliciesApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def list(self, *, options: Options | None = None) -> PolicyListAnswer:
        """The policies that apply to the caller in this project, with the source of each value

        ``GET /api/v1/policies``

        Refusals: project_not_found.
        """
        answer: PolicyListAnswer = await self._transport.call("policy_list", {}, options)
        return answer


class AsyncSimulatorApi:
    def __init__(self, transport: AsyncTransport) -> None:
        self._transport = transport

    async def node_list(self, *, options: Options | None = None) -> SimulatorNodeListAnswer:
        """The simulated hosts and their faults

        ``GET /api/v1/sim/nodes``
        """
        answer: SimulatorNodeListAnswer = await self._transport.call("simulator_node_list", {}, options)
        return answer

    async def agent_switch(self, node_id: str, *, state: Literal["running", "stopped"], options: Options | None = None) -> SimulatedNode:
        """Stop or start the agent of a simulated host; running machines continue

        ``POST /api/v1/sim/nodes/{node_id}/agent``

        Refusals: node_not_found.
        """
        answer: SimulatedNode = await self._transport.call("simulator_agent_switch", {"node_id": node_id, "state": state}, options)
        return answer

    async def fault_clear(self, node_id: str, *, fault: SimulatedFaultName | Unset = UNSET, options: Options | None = None) -> SimulatedNode:
        """Clear one fault or all faults of a simulated host

        ``DELETE /api/v1/sim/nodes/{node_id}/faults``

        Refusals: node_not_found.
        """
        answer: SimulatedNode = await self._transport.call("simulator_fault_clear", {"node_id": node_id, "fault": fault}, options)
        return answer

    async def fault_set(self, node_id: str, *, fault: SimulatedFaultName, once: bool | Unset = UNSET, slot_index: int | Unset = UNSET, options: Options | None = None) -> SimulatedNode:
        """Inject a fault on a simulated host, once or until it is cleared

        ``POST /api/v1/sim/nodes/{node_id}/faults``

        Refusals: node_not_found.
        """
        answer: SimulatedNode = await self._transport.call("simulator_fault_set", {"node_id": node_id, "fault": fault, "once": once, "slot_index": slot_index}, options)
        return answer

    async def speed_set(self, *, speed: float, options: Options | None = None) -> SimulatorSpeedSetAnswer:
        """Change the speed of simulated hosts; phases in progress notice at their next step

        ``POST /api/v1/sim/speed``
        """
        answer: SimulatorSpeedSetAnswer = await self._transport.call("simulator_speed_set", {"speed": speed}, options)
        return answer


class AsyncApi:
    """Every operation of the API, by what it is about."""

    def __init__(self, transport: AsyncTransport) -> None:
        self.activity = AsyncActivityApi(transport)
        self.admin_fleet = AsyncAdminFleetApi(transport)
        self.admin_alerts = AsyncAdminAlertsApi(transport)
        self.admin_allocations = AsyncAdminAllocationsApi(transport)
        self.admin_apps = AsyncAdminAppsApi(transport)
        self.admin_audit = AsyncAdminAuditApi(transport)
        self.admin_billing = AsyncAdminBillingApi(transport)
        self.admin_skus = AsyncAdminSkusApi(transport)
        self.admin_ops = AsyncAdminOpsApi(transport)
        self.admin_metrics = AsyncAdminMetricsApi(transport)
        self.admin_maas = AsyncAdminMaasApi(transport)
        self.admin_logs = AsyncAdminLogsApi(transport)
        self.admin_nodes = AsyncAdminNodesApi(transport)
        self.admin_os_images = AsyncAdminOsImagesApi(transport)
        self.admin_organizations = AsyncAdminOrganizationsApi(transport)
        self.admin_payments = AsyncAdminPaymentsApi(transport)
        self.admin_users = AsyncAdminUsersApi(transport)
        self.admin_policies = AsyncAdminPoliciesApi(transport)
        self.admin_regions = AsyncAdminRegionsApi(transport)
        self.admin_recordings = AsyncAdminRecordingsApi(transport)
        self.admin_terminals = AsyncAdminTerminalsApi(transport)
        self.admin_sessions = AsyncAdminSessionsApi(transport)
        self.admin_workflows = AsyncAdminWorkflowsApi(transport)
        self.allocation_groups = AsyncAllocationGroupsApi(transport)
        self.allocations = AsyncAllocationsApi(transport)
        self.logs = AsyncLogsApi(transport)
        self.metrics = AsyncMetricsApi(transport)
        self.terminals = AsyncTerminalsApi(transport)
        self.storage = AsyncStorageApi(transport)
        self.app_instances = AsyncAppInstancesApi(transport)
        self.apps = AsyncAppsApi(transport)
        self.service_accounts = AsyncServiceAccountsApi(transport)
        self.billing = AsyncBillingApi(transport)
        self.health = AsyncHealthApi(transport)
        self.catalog = AsyncCatalogApi(transport)
        self.events = AsyncEventsApi(transport)
        self.members = AsyncMembersApi(transport)
        self.me = AsyncMeApi(transport)
        self.factors = AsyncFactorsApi(transport)
        self.notices = AsyncNoticesApi(transport)
        self.notifications = AsyncNotificationsApi(transport)
        self.sessions = AsyncSessionsApi(transport)
        self.ssh_keys = AsyncSshKeysApi(transport)
        self.personal_tokens = AsyncPersonalTokensApi(transport)
        self.organizations = AsyncOrganizationsApi(transport)
        self.audit = AsyncAuditApi(transport)
        self.departments = AsyncDepartmentsApi(transport)
        self.payments = AsyncPaymentsApi(transport)
        self.projects = AsyncProjectsApi(transport)
        self.recordings = AsyncRecordingsApi(transport)
        self.webhooks = AsyncWebhooksApi(transport)
        self.overview = AsyncOverviewApi(transport)
        self.policies = AsyncPoliciesApi(transport)
        self.simulator = AsyncSimulatorApi(transport)
