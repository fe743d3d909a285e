# Emitted from the contract by `npm run gen`; changes are lost.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from typing_extensions import NotRequired, TypeAlias, TypedDict


class AccessGrant(TypedDict):
    allocation_id: str
    created_at: str
    expires_at: str
    granted_by: str
    id: str
    organization_id: str
    project_id: str
    reason: str
    revoked_at: str | None
    revoked_by: str | None
    ssh_key_id: str | None
    """The only key of the person that is installed; null for all of them."""
    state: Literal["active", "expired", "revoked"]
    user_id: str
    """Who may work in it."""


class AccountSession(TypedDict):
    browser: str | None
    current: bool
    """Whether this request belongs to it."""
    device_label: str | None
    expires_at: str
    id: str
    ip_address: str | None
    last_seen_at: str
    os: str | None
    provider: Literal["oidc", "personal_token", "service_account", "password", "unknown"]
    revoke_reason: str | None
    revoked_at: str | None
    signed_in_at: str
    user_agent: str | None


class Activity(TypedDict):
    action: str
    actor_id: str
    actor_name: str | None
    """The name of the person or service account; null for the platform and for nodes."""
    actor_role: str
    change: Any
    correlation_id: str
    created_at: str
    id: str
    result: Literal["success", "failure"]
    simulated: bool
    """It was done to an allocation whose host is simulated: there is no such machine."""
    target_id: str
    target_name: str | None
    """The current name of the object, if it has one and still exists."""
    target_type: str


class Adjustment(TypedDict):
    amount: Money
    corrects: str | None
    """The line of the ledger that it corrects; none for credit."""
    created_at: str
    credit_expires_at: str | None
    """When credit ends; null for corrections, and where billing.credit_days counts from the approval."""
    decided_at: str | None
    decided_by: str | None
    decision_note: str | None
    entry_id: str | None
    """The line of the ledger that it made."""
    expires_at: str
    id: str
    needs_approval: bool
    """Whether it is above billing.adjustment_limit_minor or billing.adjustment_total_limit_minor, or as credit above billing.grant_limit_minor or billing.grant_total_limit_minor."""
    organization_id: str
    organization_name: str
    reason: str
    requested_by: str
    state: Literal["waiting", "entered", "rejected", "expired"]


class AdminAllocationFailure(TypedDict):
    code: str
    reason: str


class AdminAllocationIdle(TypedDict):
    action: Literal["warn", "release"]
    minutes: int
    """All GPUs idle for this long."""


class AdminAllocationLogin(TypedDict):
    gid: int
    uid: int
    username: str


class AdminAllocationMaxSpend(TypedDict):
    """It is released before it costs more."""

    amount_minor: str
    currency: str


class AdminAllocationPrice(TypedDict):
    per_hour: Money
    price_id: str | None
    unit: Literal["gpu_hour", "node_hour"]
    unit_price: Money


class AdminAllocationProfile(TypedDict):
    """The promised size of the machine."""

    memory_mib: int
    name: str
    vcpus: int


class AdminAllocationStop(TypedDict):
    """Set while its machine is stopped for lack of money, or on the way there or back. It keeps its place and its disk, and costs nothing while stopped."""

    kept_until: str | None
    """When it is released, if nothing is paid until then; null once the balance lasts again."""
    phase: Literal["stopping", "stopped", "starting"]
    reason: Literal["balance_depleted"]
    since: str


class AdminAllocation(TypedDict):
    access: Mapping[str, Any] | None
    """Where it is reached, once it is active: ssh, with address, port and host key."""
    actions: Sequence[AllocationAction]
    """The actions that are possible now; for the others, why not."""
    active_at: str | None
    attempt: int
    """The number of this attempt."""
    capacity_shape: Literal["baremetal", "gpu_slice"]
    concerns: Sequence[AllocationConcern]
    """What its owner should know about its host or its GPUs."""
    created_at: str
    ended_at: str | None
    expires_at: str | None
    failure: AdminAllocationFailure | None
    generation: int
    gpu_count: int
    group_id: str | None
    id: str
    idle: AdminAllocationIdle | None
    image: str | None
    isolation_model: Literal["user-revoke", "full-reimage"]
    login: AdminAllocationLogin | None
    max_attempts: int
    """The most attempts: a launch that fails because of its host is tried on another one."""
    max_duration_seconds: int | None
    max_spend: AdminAllocationMaxSpend | None
    """It is released before it costs more."""
    name: str
    node_id: str | None
    node_name: str | None
    organization_id: str
    over: bool
    """It has ended for its owner. The state says how far its host has cleaned up."""
    placement_status: Literal["queued", "reserved", "leased", "freed"]
    price: AdminAllocationPrice
    profile: AdminAllocationProfile | None
    """The promised size of the machine."""
    project_id: str
    provisioning_started_at: str | None
    reachable: bool
    """Whether its host reports. A silent host ends nothing."""
    region: str
    release_attempts: int
    release_reason: str | None
    releasing_at: str | None
    requested_by: str
    resource_name: str
    simulated: bool
    """Its host is simulated: there is no such machine, and nothing to sign in to by SSH."""
    sku: str
    slots: Mapping[str, int]
    """How many of its slots are in which state."""
    state: Literal["requested", "provisioning", "active", "releasing", "released", "failed", "release_failed"]
    stop: AdminAllocationStop | None
    """Set while its machine is stopped for lack of money, or on the way there or back. It keeps its place and its disk, and costs nothing while stopped."""
    tags: Mapping[str, str]
    """Your own labels, for search."""
    updated_at: str
    version: int


class AdminOrganization(TypedDict):
    allocations: int
    """Allocations that have not ended."""
    created_at: str
    currency: str
    gpus: int
    """GPUs of those allocations."""
    id: str
    members: int
    name: str
    owner_name: str | None
    """The name of the person whose personal organization it is; null for every other organization."""
    plan: str
    projects: int
    slug: str
    type: Literal["personal", "enterprise"]


class AdminOrganizationDetailGpuQuota(TypedDict):
    held: int
    """GPUs of all allocations of the organization that are queued, requested, provisioning or active."""
    level: Literal["user", "project", "organization", "plan", "global", "default"]
    """Where the limit is set."""
    limit: int
    """allocation.max_gpus_per_organization as it applies here."""


class AdminOrganizationDetailMemberListItem(TypedDict):
    joined_at: str
    last_seen_at: str | None
    role: str
    user_id: str


class AdminOrganizationDetailProjectListItem(TypedDict):
    allocations: int
    created_at: str
    id: str
    name: str
    slug: str
    state: str


class AdminOrganizationDetail(TypedDict):
    allocations: int
    """Allocations that have not ended."""
    created_at: str
    currency: str
    gpu_quota: AdminOrganizationDetailGpuQuota
    gpus: int
    """GPUs of those allocations."""
    id: str
    member_list: Sequence[AdminOrganizationDetailMemberListItem]
    """At most 200."""
    members: int
    name: str
    owner_name: str | None
    """The name of the person whose personal organization it is; null for every other organization."""
    plan: str
    policies: Sequence[PolicySetting]
    """Policies set for the organization, its plan or one of its projects; all others come from the platform."""
    project_list: Sequence[AdminOrganizationDetailProjectListItem]
    """At most 200."""
    projects: int
    slug: str
    type: Literal["personal", "enterprise"]


class AdminPayment(TypedDict):
    amount: Money
    automatic: bool
    checked_at: str | None
    """When it was last compared with the provider."""
    created_at: str
    credited: Money
    disputed: Money
    expires_at: str
    id: str
    organization_id: str
    organization_name: str
    problem: str | None
    provider: Literal["simulated", "stripe", "disabled"]
    provider_checkout_id: str
    provider_payment_id: str | None
    refunded: Money
    requested_by: str
    settled_at: str | None
    """When it was added to the balance."""
    state: Literal["open", "paid", "expired", "disputed", "charged_back", "failed_reconcile"]
    tax: Money
    url: str | None
    """The provider's page, for as long as it can be paid there."""


class AdminTerminalSession(TypedDict):
    allocation_id: str
    columns: int
    created_at: str
    end_reason: Literal["exited", "closed_by_user", "closed_by_admin", "closed_by_operator", "rights_lost", "allocation_ended", "time_over", "idle", "never_opened", "shell_failed", "node_lost", "api_unreachable", "recorder_failed", "recording_full"] | None
    ended_at: str | None
    expires_at: str
    """The shell ends then, at the latest."""
    gateway_copy: str | None
    has_writer: bool
    """A client is connected and types."""
    id: str
    kind: Literal["shell", "ssh", "forward"]
    name: str
    node_id: str
    opened_at: str | None
    organization_id: str
    port: int | None
    """Of the machine, for a session of kind forward."""
    project_id: str
    received_bytes: int | None
    """Null while no gateway has reported."""
    recording: Literal["off", "metadata", "output"]
    rows: int
    sent_bytes: int | None
    """Null while no gateway has reported."""
    simulated: bool
    """The GPUs of its machine are simulated."""
    ssh_certificate_id: str | None
    """The certificate that opened it through the jump host; null for all others."""
    ssh_key_id: str | None
    """The key that opened it through the jump host; null for all others."""
    state: Literal["opening", "open", "ended"]
    user_id: str
    """Whose session it is. Only this person types into it."""
    version: int
    watchers: int
    """Clients that only read."""


class AdminUser(TypedDict):
    created_at: str
    disabled_at: str | None
    disabled_reason: str | None
    display_name: str | None
    """The display name of the person."""
    id: str
    issuer: str
    """Where the person signs in."""
    last_seen_at: str | None
    organizations: int
    """How many organizations the person belongs to."""
    platform_roles: Sequence[Literal["platform_superadmin", "platform_ops", "platform_finance", "platform_support"]]
    state: Literal["active", "disabled", "erased"]
    subject: str
    """The subject of the person at the issuer."""
    username: str
    """The name of the person on hosts."""


class AdminUserDetailOrganizationListItem(TypedDict):
    joined_at: str
    name: str
    organization_id: str
    role: Literal["owner", "admin", "member", "viewer", "finance"]


class AdminUserDetail(TypedDict):
    allocations: int
    """Allocations that the person created and that have not ended."""
    created_at: str
    disabled_at: str | None
    disabled_reason: str | None
    display_name: str | None
    """The display name of the person."""
    id: str
    issuer: str
    """Where the person signs in."""
    last_seen_at: str | None
    organization_list: Sequence[AdminUserDetailOrganizationListItem]
    """At most 200."""
    organizations: int
    """How many organizations the person belongs to."""
    personal_tokens: int
    """Valid tokens."""
    platform_roles: Sequence[Literal["platform_superadmin", "platform_ops", "platform_finance", "platform_support"]]
    sessions: int
    """Active sign-ins."""
    ssh_keys: int
    state: Literal["active", "disabled", "erased"]
    subject: str
    """The subject of the person at the issuer."""
    username: str
    """The name of the person on hosts."""


class AgentRelease(TypedDict):
    arch: Literal["x64", "arm64"] | None
    """Null for a bundle, which runs on all."""
    created_at: str
    digest: str
    """SHA-256 of the file."""
    id: str
    kind: Literal["bundle", "tarball", "deb"]
    """A bundle updates agents that run. A tarball or a deb installs the agent, with its runtime."""
    size_bytes: int
    version: str
    """The version that the release reports."""
    withdrawn_at: str | None
    """Since when nodes no longer get it. Agents that run it continue."""


class Alert(TypedDict):
    allocation_id: str | None
    effect: Literal["blocks_sale", "blocks_transition", "informs"]
    """What follows: nothing is placed there; operators cannot change the state of the host; or it is only shown."""
    id: str
    kind: str
    """Stable, for programs: `gpus_healthy`, `silent`, `orphan`."""
    message: str
    node_id: str | None
    node_name: str | None
    raised_by: str | None
    since: str
    slot_id: str | None
    slot_index: int | None
    source: Literal["health", "presence", "drift", "attestation", "operator", "breaker"]
    """The source of the alert. Each source replaces its own alerts at its next check."""
    tenant_message: str | None
    """The text that tenants of the host see."""


class AllocationFailure(TypedDict):
    code: str
    reason: str


class AllocationIdle(TypedDict):
    action: Literal["warn", "release"]
    minutes: int
    """All GPUs idle for this long."""


class AllocationLogin(TypedDict):
    gid: int
    uid: int
    username: str


class AllocationMaxSpend(TypedDict):
    """It is released before it costs more."""

    amount_minor: str
    currency: str


class AllocationPrice(TypedDict):
    per_hour: Money
    price_id: str | None
    unit: Literal["gpu_hour", "node_hour"]
    unit_price: Money


class AllocationProfile(TypedDict):
    """The promised size of the machine."""

    memory_mib: int
    name: str
    vcpus: int


class AllocationStop(TypedDict):
    """Set while its machine is stopped for lack of money, or on the way there or back. It keeps its place and its disk, and costs nothing while stopped."""

    kept_until: str | None
    """When it is released, if nothing is paid until then; null once the balance lasts again."""
    phase: Literal["stopping", "stopped", "starting"]
    reason: Literal["balance_depleted"]
    since: str


class Allocation(TypedDict):
    access: Mapping[str, Any] | None
    """Where it is reached, once it is active: ssh, with address, port and host key."""
    actions: Sequence[AllocationAction]
    """The actions that are possible now; for the others, why not."""
    active_at: str | None
    attempt: int
    """The number of this attempt."""
    capacity_shape: Literal["baremetal", "gpu_slice"]
    concerns: Sequence[AllocationConcern]
    """What its owner should know about its host or its GPUs."""
    created_at: str
    ended_at: str | None
    expires_at: str | None
    failure: AllocationFailure | None
    gpu_count: int
    group_id: str | None
    id: str
    idle: AllocationIdle | None
    image: str | None
    isolation_model: Literal["user-revoke", "full-reimage"]
    login: AllocationLogin | None
    max_attempts: int
    """The most attempts: a launch that fails because of its host is tried on another one."""
    max_duration_seconds: int | None
    max_spend: AllocationMaxSpend | None
    """It is released before it costs more."""
    name: str
    organization_id: str
    over: bool
    """It has ended for its owner. The state says how far its host has cleaned up."""
    placement_status: Literal["queued", "reserved", "leased", "freed"]
    price: AllocationPrice
    profile: AllocationProfile | None
    """The promised size of the machine."""
    project_id: str
    provisioning_started_at: str | None
    reachable: bool
    """Whether its host reports. A silent host ends nothing."""
    region: str
    release_reason: str | None
    releasing_at: str | None
    requested_by: str
    resource_name: str
    simulated: bool
    """Its host is simulated: there is no such machine, and nothing to sign in to by SSH."""
    sku: str
    state: Literal["requested", "provisioning", "active", "releasing", "released", "failed", "release_failed"]
    stop: AllocationStop | None
    """Set while its machine is stopped for lack of money, or on the way there or back. It keeps its place and its disk, and costs nothing while stopped."""
    tags: Mapping[str, str]
    """Your own labels, for search."""
    updated_at: str
    version: int


class AllocationAction(TypedDict):
    action: Literal["release", "extend", "restart", "rename", "set_ssh_keys", "open_terminal"]
    allowed: bool
    why_not: str | None


class AllocationConcern(TypedDict):
    deadline_at: str | None
    kind: str
    """Stable, for programs: `unreachable`, `draining`, `gpu_fault`."""
    message: str
    since: str


class AllocationCounts(TypedDict):
    active: int
    failed: int
    provisioning: int
    release_failed: int
    released: int
    releasing: int
    requested: int


class AllocationCountsAnswerStates(TypedDict):
    active: int
    failed: int
    provisioning: int
    release_failed: int
    released: int
    releasing: int
    requested: int


class AllocationCountsAnswer(TypedDict):
    states: AllocationCountsAnswerStates
    total: int


class AllocationDetailCharged(TypedDict):
    """The cost so far, charged from evidence of its host."""

    amount_minor: str
    charged_to: str
    """Evidence is charged up to this time."""
    currency: str


class AllocationDetailFailedAttemptsItem(TypedDict):
    attempt: int
    code: str
    failed_at: str
    reason: str


class AllocationDetailFailure(TypedDict):
    code: str
    reason: str


class AllocationDetailIdle(TypedDict):
    action: Literal["warn", "release"]
    minutes: int
    """All GPUs idle for this long."""


class AllocationDetailLastAttestation(TypedDict):
    """The latest later attestation."""

    attestation_id: str
    passed: bool
    taken_at: str


class AllocationDetailLogin(TypedDict):
    gid: int
    uid: int
    username: str


class AllocationDetailMaxSpend(TypedDict):
    """It is released before it costs more."""

    amount_minor: str
    currency: str


class AllocationDetailPrice(TypedDict):
    per_hour: Money
    price_id: str | None
    unit: Literal["gpu_hour", "node_hour"]
    unit_price: Money


class AllocationDetailProfile(TypedDict):
    """The promised size of the machine."""

    memory_mib: int
    name: str
    vcpus: int


class AllocationDetailQueue(TypedDict):
    deadline_at: str
    expected_start_at: str | None
    """When its host should become free, if all allocations there have a declared end."""
    host_reserved: bool
    """It has waited so long that a host is reserved for it; other requests use that host only if they end before."""
    position: int
    """The first in the queue may be placed next; the position can change."""
    reason: str


class AllocationDetailReceipt(TypedDict):
    """The attestation that made it active, or the one that failed. All of them are under attestations."""

    attestation_id: str
    cuda_version: str
    driver_version: str
    gpus: int
    passed: bool
    simulated: bool
    """The attested machine is simulated."""
    taken_at: str


class AllocationDetailSshKeysItem(TypedDict):
    fingerprint: str
    ssh_key_id: str


class AllocationDetailStop(TypedDict):
    """Set while its machine is stopped for lack of money, or on the way there or back. It keeps its place and its disk, and costs nothing while stopped."""

    kept_until: str | None
    """When it is released, if nothing is paid until then; null once the balance lasts again."""
    phase: Literal["stopping", "stopped", "starting"]
    reason: Literal["balance_depleted"]
    since: str


class AllocationDetail(TypedDict):
    access: Mapping[str, Any] | None
    """Where it is reached, once it is active: ssh, with address, port and host key."""
    actions: Sequence[AllocationAction]
    """The actions that are possible now; for the others, why not."""
    active_at: str | None
    attempt: int
    """The number of this attempt."""
    capacity_shape: Literal["baremetal", "gpu_slice"]
    charged: AllocationDetailCharged | None
    """The cost so far, charged from evidence of its host."""
    concerns: Sequence[AllocationConcern]
    """What its owner should know about its host or its GPUs."""
    created_at: str
    ended_at: str | None
    expires_at: str | None
    failed_attempts: Sequence[AllocationDetailFailedAttemptsItem]
    """Attempts that failed because of their host and were retried."""
    failed_phase: str | None
    """The phase in which its launch failed: placed, lease, or a phase of its timeline."""
    failure: AllocationDetailFailure | None
    gpu_count: int
    group_id: str | None
    id: str
    idle: AllocationDetailIdle | None
    image: str | None
    isolation_model: Literal["user-revoke", "full-reimage"]
    last_attestation: AllocationDetailLastAttestation | None
    """The latest later attestation."""
    login: AllocationDetailLogin | None
    max_attempts: int
    """The most attempts: a launch that fails because of its host is tried on another one."""
    max_duration_seconds: int | None
    max_spend: AllocationDetailMaxSpend | None
    """It is released before it costs more."""
    name: str
    organization_id: str
    over: bool
    """It has ended for its owner. The state says how far its host has cleaned up."""
    placement_status: Literal["queued", "reserved", "leased", "freed"]
    price: AllocationDetailPrice
    profile: AllocationDetailProfile | None
    """The promised size of the machine."""
    project_id: str
    provisioning_started_at: str | None
    queue: AllocationDetailQueue | None
    reachable: bool
    """Whether its host reports. A silent host ends nothing."""
    receipt: AllocationDetailReceipt | None
    """The attestation that made it active, or the one that failed. All of them are under attestations."""
    region: str
    release_reason: str | None
    releasing_at: str | None
    requested_by: str
    resource_name: str
    simulated: bool
    """Its host is simulated: there is no such machine, and nothing to sign in to by SSH."""
    sku: str
    ssh_keys: Sequence[AllocationDetailSshKeysItem]
    state: Literal["requested", "provisioning", "active", "releasing", "released", "failed", "release_failed"]
    stop: AllocationDetailStop | None
    """Set while its machine is stopped for lack of money, or on the way there or back. It keeps its place and its disk, and costs nothing while stopped."""
    tags: Mapping[str, str]
    """Your own labels, for search."""
    updated_at: str
    version: int


class AllocationGroup(TypedDict):
    created_at: str
    id: str
    members: Mapping[str, int]
    """Number of members in each state."""
    name: str
    organization_id: str
    project_id: str
    release_requested_at: str | None
    resource_name: str
    status: Literal["requested", "provisioning", "active", "degraded", "releasing", "released", "release_failed", "failed"]
    """Follows from the members and from whether the group is being released."""


class AllocationGroupDetailAllocationsItemFailure(TypedDict):
    code: str
    reason: str


class AllocationGroupDetailAllocationsItemIdle(TypedDict):
    action: Literal["warn", "release"]
    minutes: int
    """All GPUs idle for this long."""


class AllocationGroupDetailAllocationsItemLogin(TypedDict):
    gid: int
    uid: int
    username: str


class AllocationGroupDetailAllocationsItemMaxSpend(TypedDict):
    """It is released before it costs more."""

    amount_minor: str
    currency: str


class AllocationGroupDetailAllocationsItemPrice(TypedDict):
    per_hour: Money
    price_id: str | None
    unit: Literal["gpu_hour", "node_hour"]
    unit_price: Money


class AllocationGroupDetailAllocationsItemProfile(TypedDict):
    """The promised size of the machine."""

    memory_mib: int
    name: str
    vcpus: int


class AllocationGroupDetailAllocationsItemStop(TypedDict):
    """Set while its machine is stopped for lack of money, or on the way there or back. It keeps its place and its disk, and costs nothing while stopped."""

    kept_until: str | None
    """When it is released, if nothing is paid until then; null once the balance lasts again."""
    phase: Literal["stopping", "stopped", "starting"]
    reason: Literal["balance_depleted"]
    since: str


class AllocationGroupDetailAllocationsItem(TypedDict):
    access: Mapping[str, Any] | None
    """Where it is reached, once it is active: ssh, with address, port and host key."""
    actions: Sequence[AllocationAction]
    """The actions that are possible now; for the others, why not."""
    active_at: str | None
    attempt: int
    """The number of this attempt."""
    capacity_shape: Literal["baremetal", "gpu_slice"]
    concerns: Sequence[AllocationConcern]
    """What its owner should know about its host or its GPUs."""
    created_at: str
    ended_at: str | None
    expires_at: str | None
    failure: AllocationGroupDetailAllocationsItemFailure | None
    gpu_count: int
    group_id: str | None
    id: str
    idle: AllocationGroupDetailAllocationsItemIdle | None
    image: str | None
    isolation_model: Literal["user-revoke", "full-reimage"]
    login: AllocationGroupDetailAllocationsItemLogin | None
    max_attempts: int
    """The most attempts: a launch that fails because of its host is tried on another one."""
    max_duration_seconds: int | None
    max_spend: AllocationGroupDetailAllocationsItemMaxSpend | None
    """It is released before it costs more."""
    name: str
    organization_id: str
    over: bool
    """It has ended for its owner. The state says how far its host has cleaned up."""
    placement_status: Literal["queued", "reserved", "leased", "freed"]
    price: AllocationGroupDetailAllocationsItemPrice
    profile: AllocationGroupDetailAllocationsItemProfile | None
    """The promised size of the machine."""
    project_id: str
    provisioning_started_at: str | None
    reachable: bool
    """Whether its host reports. A silent host ends nothing."""
    region: str
    release_reason: str | None
    releasing_at: str | None
    requested_by: str
    resource_name: str
    simulated: bool
    """Its host is simulated: there is no such machine, and nothing to sign in to by SSH."""
    sku: str
    state: Literal["requested", "provisioning", "active", "releasing", "released", "failed", "release_failed"]
    stop: AllocationGroupDetailAllocationsItemStop | None
    """Set while its machine is stopped for lack of money, or on the way there or back. It keeps its place and its disk, and costs nothing while stopped."""
    tags: Mapping[str, str]
    """Your own labels, for search."""
    updated_at: str
    version: int


class AllocationGroupDetailPerHourItem(TypedDict):
    amount_minor: str
    currency: str


class AllocationGroupDetail(TypedDict):
    allocations: Sequence[AllocationGroupDetailAllocationsItem]
    created_at: str
    id: str
    members: Mapping[str, int]
    """Number of members in each state."""
    name: str
    organization_id: str
    per_hour: Sequence[AllocationGroupDetailPerHourItem]
    """The sum of the hourly prices of its active members, one amount for each currency."""
    project_id: str
    release_requested_at: str | None
    resource_name: str
    status: Literal["requested", "provisioning", "active", "degraded", "releasing", "released", "release_failed", "failed"]
    """Follows from the members and from whether the group is being released."""


AllocationMetrics = TypedDict("AllocationMetrics", {
    "allocation_id": "str",
    "data": "Sequence[MetricPoint]",
    "from": "str",
    "resolution_seconds": "Literal[10, 300]",
    "simulated": "bool",
    "source": "Literal['host_local_probe', 'slice_guest', 'unavailable']",
    "to": "str",
    "unavailable": "str | None",
})


class AllocationNow(TypedDict):
    allocation_id: str
    gpu_count: int
    latest: MetricPoint | None
    """The last values, if they are not too old."""
    name: str
    simulated: bool
    sku: str
    source: Literal["host_local_probe", "slice_guest", "unavailable"]
    """host_local_probe: measured by the host, for whole nodes. slice_guest: measured inside the machine of a slice. unavailable: nothing is measured, and `unavailable` says why."""
    unavailable: str | None
    """Why there is nothing to show, in a sentence."""


class AllocationPlanDecisionChosen(TypedDict):
    gpus: int
    image_cached: bool
    numa_groups: int
    """One, unless it is a whole host."""


class AllocationPlanDecisionNearestMiss(TypedDict):
    constraint: str
    message: str


class AllocationPlanDecision(TypedDict):
    chosen: AllocationPlanDecisionChosen | None
    considered: int
    decided_at: str
    feasible: int
    nearest_miss: AllocationPlanDecisionNearestMiss | None
    outcome: Literal["placed", "queued", "refused"]
    reasons: Sequence[PlacementReason]
    would_fit: Sequence[PlacementChange]
    """The smallest changes with which it would fit now."""


class AllocationPlanPrice(TypedDict):
    per_hour: Money
    price_id: str | None
    unit: Literal["gpu_hour", "node_hour"]
    unit_price: Money


class AllocationPlanProfile(TypedDict):
    """The promised size of the machine."""

    memory_mib: int
    name: str
    vcpus: int


class AllocationPlanProjected(TypedDict):
    """For the whole of max_duration_seconds."""

    amount_minor: str
    currency: str


class AllocationPlan(TypedDict):
    decision: AllocationPlanDecision
    feasible: bool
    message: str
    price: AllocationPlanPrice
    profile: AllocationPlanProfile | None
    """The promised size of the machine."""
    projected: AllocationPlanProjected | None
    """For the whole of max_duration_seconds."""


class App(TypedDict):
    created_at: str
    id: str
    name: str
    organization_id: str
    project_id: str
    publisher: str
    """The slug of the organization that publishes it."""
    reference: str
    """publisher/slug, which names it everywhere."""
    resource_name: str
    slug: str
    summary: str
    updated_at: str
    visibility: Literal["project", "organization", "platform"]
    """Who finds the app: its project, its organization, or every organization. Entitlements add others to the first two."""


class AppEntitlement(TypedDict):
    app_id: str
    created_at: str
    id: str
    organization_id: str
    project_id: str | None
    """Only this project of the organization; null: all of them."""


class AppInstance(TypedDict):
    allocation_id: str
    app_reference: str
    app_version: str
    app_version_id: str
    attempts: int
    """Containers that were ordered for the current start."""
    created_at: str
    end_reason: str | None
    ended_at: str | None
    failure_code: str | None
    failure_reason: str | None
    id: str
    name: str
    organization_id: str
    owns_allocation: bool
    """Launched together with its allocation, and released with it."""
    parameters: Mapping[str, str | float | bool]
    phase: str | None
    """What its launch is at."""
    previous_version: str | None
    """The version that a rollback leads to."""
    project_id: str
    ready_at: str | None
    requested_by: str
    routes: Sequence[AppRoute]
    simulated: bool
    state: Literal["requested", "launching", "running", "stopping", "stopped", "failed", "releasing", "released"]
    version: int
    version_change: Literal["upgrading", "trying", "returning"] | None


class AppInstanceLogLine(TypedDict):
    at: str | None
    stream: Literal["stdout", "stderr"]
    text: str


class AppInstanceLogs(TypedDict):
    asked_at: str | None
    fetched_at: str | None
    """When the host last answered; null: never."""
    lines: Sequence[AppInstanceLogLine]
    simulated: bool
    truncated: bool
    """There was more than fits into this answer or than the host keeps."""


class AppInstanceMoment(TypedDict):
    at: str
    correlation_id: str | None
    detail: Mapping[str, Any]
    from_state: str | None
    id: str
    name: str
    to_state: str | None


class AppManifestEndpointsItemHealth(TypedDict):
    """Answers 200 to 399 when the app is well. A connection is enough when left out."""

    every_seconds: NotRequired[int]
    """10 when left out."""
    path: str
    timeout_seconds: NotRequired[int]
    """5 when left out."""


class AppManifestEndpointsItem(TypedDict):
    auth: Literal["platform", "bearer", "none_internal"]
    """platform: a person who is signed in to the console; bearer: a token of a person or service account; none_internal: no route from outside."""
    base_path_env: NotRequired[str]
    """Gets the public address of the endpoint."""
    health: NotRequired[AppManifestEndpointsItemHealth]
    """Answers 200 to 399 when the app is well. A connection is enough when left out."""
    kind: Literal["browser", "api", "ssh"]
    name: str
    port: int
    """Lower ports are for root, which no app is."""


class AppManifestLifecycleReadiness(TypedDict):
    """Ready when this answers. The first endpoint with a health path when left out."""

    endpoint: str
    path: NotRequired[str]


class AppManifestLifecycle(TypedDict):
    drain_seconds: int
    """Time to end after it was asked to."""
    idle_stop_minutes: NotRequired[int]
    """Stops after this time without a request."""
    readiness: NotRequired[AppManifestLifecycleReadiness]
    """Ready when this answers. The first endpoint with a health path when left out."""
    start_timeout_seconds: int


class AppManifestMetadata(TypedDict):
    homepage: NotRequired[str]
    icon: NotRequired[str]
    """A PNG as data URL. The console shows it and fetches nothing from elsewhere."""
    license: NotRequired[str]
    """An SPDX expression."""
    name: str
    slug: str
    summary: str
    tags: NotRequired[Sequence[str]]
    version: str
    """Semantic version: 1.2.3, or 1.2.3-rc.1."""


class AppManifestMeteringItemPrice(TypedDict):
    """What the project pays that runs the app, beside its allocation. It is part of the version: another price is another version."""

    amount_minor: str
    """Whole minor units: 15 in USD is 0.15 USD."""
    currency: str
    per: Literal[1, 1000, 1000000]
    """For how many units the amount is."""


class AppManifestMeteringItemSource(TypedDict):
    endpoint: str
    kind: Literal["requests"]


class AppManifestMeteringItemSource2(TypedDict):
    """A whole number in the JSON of each answer, as usage.prompt_tokens."""

    endpoint: str
    field: str
    kind: Literal["response_field"]


class AppManifestMeteringItem(TypedDict):
    name: str
    price: NotRequired[AppManifestMeteringItemPrice]
    """What the project pays that runs the app, beside its allocation. It is part of the version: another price is another version."""
    source: AppManifestMeteringItemSource | AppManifestMeteringItemSource2
    unit: str


class AppManifestParametersPropertiesValueXUi(TypedDict):
    advanced: NotRequired[bool]
    group: NotRequired[str]
    order: NotRequired[int]
    placeholder: NotRequired[str]
    widget: NotRequired[Literal["text", "textarea", "select", "number", "slider", "switch"]]


AppManifestParametersPropertiesValue = TypedDict("AppManifestParametersPropertiesValue", {
    "default": NotRequired["str"],
    "description": NotRequired["str"],
    "enum": NotRequired["Sequence[str]"],
    "maxLength": NotRequired["int"],
    "minLength": NotRequired["int"],
    "title": "str",
    "type": "Literal['string']",
    "x-arg": NotRequired["str"],
    "x-env": NotRequired["str"],
    "x-ui": NotRequired["AppManifestParametersPropertiesValueXUi"],
})


class AppManifestParametersPropertiesValue2XUi(TypedDict):
    advanced: NotRequired[bool]
    group: NotRequired[str]
    order: NotRequired[int]
    placeholder: NotRequired[str]
    widget: NotRequired[Literal["text", "textarea", "select", "number", "slider", "switch"]]


AppManifestParametersPropertiesValue2 = TypedDict("AppManifestParametersPropertiesValue2", {
    "default": NotRequired["int"],
    "description": NotRequired["str"],
    "maximum": NotRequired["int"],
    "minimum": NotRequired["int"],
    "title": "str",
    "type": "Literal['integer']",
    "x-arg": NotRequired["str"],
    "x-env": NotRequired["str"],
    "x-ui": NotRequired["AppManifestParametersPropertiesValue2XUi"],
})


class AppManifestParametersPropertiesValue3XUi(TypedDict):
    advanced: NotRequired[bool]
    group: NotRequired[str]
    order: NotRequired[int]
    placeholder: NotRequired[str]
    widget: NotRequired[Literal["text", "textarea", "select", "number", "slider", "switch"]]


AppManifestParametersPropertiesValue3 = TypedDict("AppManifestParametersPropertiesValue3", {
    "default": NotRequired["float"],
    "description": NotRequired["str"],
    "maximum": NotRequired["float"],
    "minimum": NotRequired["float"],
    "title": "str",
    "type": "Literal['number']",
    "x-arg": NotRequired["str"],
    "x-env": NotRequired["str"],
    "x-ui": NotRequired["AppManifestParametersPropertiesValue3XUi"],
})


class AppManifestParametersPropertiesValue4XUi(TypedDict):
    advanced: NotRequired[bool]
    group: NotRequired[str]
    order: NotRequired[int]
    placeholder: NotRequired[str]
    widget: NotRequired[Literal["text", "textarea", "select", "number", "slider", "switch"]]


AppManifestParametersPropertiesValue4 = TypedDict("AppManifestParametersPropertiesValue4", {
    "default": NotRequired["bool"],
    "description": NotRequired["str"],
    "title": "str",
    "type": "Literal['boolean']",
    "x-arg": NotRequired["str"],
    "x-env": NotRequired["str"],
    "x-ui": NotRequired["AppManifestParametersPropertiesValue4XUi"],
})


class AppManifestParameters(TypedDict):
    additionalProperties: Literal[False]
    properties: Mapping[str, AppManifestParametersPropertiesValue | AppManifestParametersPropertiesValue2 | AppManifestParametersPropertiesValue3 | AppManifestParametersPropertiesValue4]
    required: NotRequired[Sequence[str]]
    type: Literal["object"]


class AppManifestResourcesGpu(TypedDict):
    """No GPU when left out."""

    max: int
    memory_min_mib: NotRequired[int]
    """Memory that each GPU needs."""
    min: int


class AppManifestResources(TypedDict):
    cpu_millis: int
    """Thousandths of a processor."""
    gpu: NotRequired[AppManifestResourcesGpu]
    """No GPU when left out."""
    memory_mib: int
    pids: NotRequired[int]
    """Processes and threads; 1,024 when left out."""
    scratch_mib: NotRequired[int]
    """The size of /tmp; 64 when left out."""
    shm_mib: NotRequired[int]
    """The size of /dev/shm; 64 when left out."""


class AppManifestRuntimeEnvItem(TypedDict):
    name: str
    """Names that begin with GPUAAS_ belong to the platform, and those with LD_ change how programs are loaded."""
    value: str


class AppManifestRuntimeFileSystem(TypedDict):
    kind: Literal["read_only"]


class AppManifestRuntimeFileSystem2(TypedDict):
    kind: Literal["writable"]
    size_mib: int


class AppManifestRuntimeUser(TypedDict):
    """Never root."""

    gid: int
    uid: int


class AppManifestRuntime(TypedDict):
    args: NotRequired[Sequence[str]]
    egress: NotRequired[Literal["none", "internet"]]
    """What the container may reach; none when left out."""
    entrypoint: NotRequired[Sequence[str]]
    """Instead of that of the image."""
    env: NotRequired[Sequence[AppManifestRuntimeEnvItem]]
    """Plain values that everybody may read. Secrets have a section of their own."""
    file_system: NotRequired[AppManifestRuntimeFileSystem | AppManifestRuntimeFileSystem2]
    """The root file system of the container; read only when left out."""
    image: str
    """Registry, repository and digest. A tag may mean another image tomorrow, so a reference with a tag is refused."""
    user: AppManifestRuntimeUser
    """Never root."""


class AppManifestSecretsItem(TypedDict):
    env: str
    """Names that begin with GPUAAS_ belong to the platform, and those with LD_ change how programs are loaded."""
    generated: NotRequired[bool]
    """The platform makes one for each instance when nobody brings one."""
    name: str
    required: bool
    summary: str


class AppManifestStorageItem(TypedDict):
    name: str
    path: str
    read_only: NotRequired[bool]
    size_mib: int
    """A hard limit."""


class AppManifestTestsItem(TypedDict):
    endpoint: str
    expect_status: int
    expect_text: NotRequired[str]
    name: str
    path: str


class AppManifest(TypedDict):
    control_plane_scope: Literal["project", "organization", "platform"]
    """What one control plane of the app serves. Instances belong to a project in any case."""
    endpoints: Sequence[AppManifestEndpointsItem]
    lifecycle: AppManifestLifecycle
    metadata: AppManifestMetadata
    metering: NotRequired[Sequence[AppManifestMeteringItem]]
    operating_mode: Literal["tenant_dedicated", "platform_managed"]
    parameters: NotRequired[AppManifestParameters]
    profile: Literal["gpuaas.launchable_oci_workload"]
    resources: AppManifestResources
    runtime: AppManifestRuntime
    schema: Literal["gpuaas.app/v1"]
    secrets: NotRequired[Sequence[AppManifestSecretsItem]]
    storage: NotRequired[Sequence[AppManifestStorageItem]]
    """It outlives the container."""
    tests: NotRequired[Sequence[AppManifestTestsItem]]


class AppPushCredential(TypedDict):
    expires_at: str
    password: str
    registry: str
    """The name of the registry, as images carry it."""
    repository: str
    """The only repository that it opens: publisher/slug."""
    username: str


class AppRoute(TypedDict):
    auth: Literal["browser_oidc", "api_bearer"]
    endpoint: str
    family: Literal["browser", "api"]
    """Who calls: people with a browser, or programs."""
    id: str
    url: str | None
    """Where it is; null where this installation runs no app-proxy."""


class AppSignIn(TypedDict):
    expires_at: str
    redirect_url: str
    """Where the browser goes next, with a code that works once."""


class AppSigningKey(TypedDict):
    created_at: str
    fingerprint: str
    """sha256 of the key in DER."""
    id: str
    kind: Literal["ecdsa-p256", "ed25519"]
    name: str
    organization_id: str
    project_id: str
    public_key: str
    """As PEM."""


class AppSource(TypedDict):
    created_at: str
    id: str
    registry: str
    """The name of the registry, with its port where it has one."""
    repository: str
    """Only repositories below this path; empty: all of the registry."""


class AppUse(TypedDict):
    app_reference: str
    bytes_in: int
    """Bodies of requests, and bytes of WebSockets, towards the app."""
    bytes_out: int
    """Bodies of answers, and bytes of WebSockets, towards the caller."""
    cost: Money | None
    """What the units cost by the prices of the versions that counted them, rounded; null where none has a price. The ledger rounds the sum of all hours and not each hour, so it may differ by less than a minor unit."""
    failures: int
    """Requests that failed in the proxy, the node or the app, or that the app answered with 5xx."""
    instances: int
    """Instances that were used."""
    last_used_at: str
    requests: int
    units: Mapping[str, int]
    """What the meters of the manifest counted, by their names."""


class AppUseHour(TypedDict):
    app_version: str
    """The version that the instance had when the hour was first reported."""
    bytes_in: int
    """Bodies of requests, and bytes of WebSockets, towards the app."""
    bytes_out: int
    """Bodies of answers, and bytes of WebSockets, towards the caller."""
    correlation_id: str
    """Of the last report of the app-proxy that is in these numbers."""
    cost: Money | None
    """What the units cost by the prices of the versions that counted them, rounded; null where none has a price. The ledger rounds the sum of all hours and not each hour, so it may differ by less than a minor unit."""
    endpoint: str
    failures: int
    """Requests that failed in the proxy, the node or the app, or that the app answered with 5xx."""
    hour: str
    last_used_at: str
    operating_mode: str
    requests: int
    units: Mapping[str, int]
    """What the meters of the manifest counted, by their names."""


class AppVerification(TypedDict):
    asked_at: str
    due_at: str | None
    """When it is tried next; null: not until it is asked for."""
    tried_at: str | None
    tries: int
    """Tries without an answer since it was asked for."""
    trouble: str | None
    """Why the last try gave no answer, such as a registry that cannot be reached."""


class AppVersionEvidenceItem(TypedDict):
    detail: str
    """What was found, in a sentence."""
    result: Literal["passed", "failed", "missing"]
    """failed: it contradicts the version. missing: it is not there yet, so there is no answer."""
    subject: Literal["source", "digest", "signature", "sbom"]
    """What was looked at."""


class AppVersion(TypedDict):
    app_id: str
    app_reference: str
    channel: Literal["dev", "test", "staging", "prod"]
    created_at: str
    deprecated_at: str | None
    evidence: Sequence[AppVersionEvidenceItem]
    id: str
    image_digest: str
    image_repository: str
    lifecycle_state: Literal["published", "promoted", "deprecated", "retired"]
    manifest: AppManifest
    manifest_digest: str
    """Of the manifest as canonical JSON."""
    resource_name: str
    retired_at: str | None
    revision: int
    """How often its lifecycle has changed; name it to refuse a change of another revision."""
    revocation_effect: Literal["stop", "let_run"] | None
    revocation_reason: str | None
    trust_state: Literal["unverified", "verified", "failed_verification", "revoked"]
    updated_at: str
    verification: AppVerification
    verified_at: str | None
    """When verification last gave an answer."""
    version: str
    """Semantic version: 1.2.3, or 1.2.3-rc.1."""


class ArchiveVerdict(TypedDict):
    archive_id: str
    broken: str | None
    """The first thing that does not fit."""
    chains: int
    """Audit chains whose links were recomputed."""
    intact: bool
    rows: int
    """Rows that were read."""
    subject: Literal["audit", "allocations", "attestations", "node_tasks"]


class AttestationReceiptAttestationSsh(TypedDict):
    address: str
    host_key_fingerprint: str
    host_keys: NotRequired[Sequence[str]]
    """The public host keys of sshd, so that nobody has to trust one on first use. Older agents leave it out."""
    port: int
    reachable: bool
    username: str


class AttestationReceiptAttestation(TypedDict):
    allocation_id: str
    cuda_version: str
    disk_clean: Proof
    driver_version: str
    durations_ms: Mapping[str, int]
    """How long each phase took, by its name."""
    gpus: Sequence[GpuEvidence]
    isolation: Proof
    nvidia_smi: Proof
    simulated: NotRequired[bool]
    """Whether the machine is simulated and does not exist. Older agents do not say."""
    ssh: AttestationReceiptAttestationSsh
    taken_at: str


class AttestationReceipt(TypedDict):
    attestation: AttestationReceiptAttestation
    generation: int
    id: str
    passed: bool
    problems: Sequence[str]
    signed_result: Mapping[str, Any]
    """As the node signed it; anyone with its public key can verify it."""
    simulated: bool
    """The attested machine is simulated."""
    taken_at: str
    task_id: str


class AuditEntry(TypedDict):
    action: str
    actor_address: str | None
    actor_id: str
    actor_kind: Literal["user", "service_account", "node", "system"]
    actor_role: str
    change: Any
    committed_by: str | None
    """The database role that committed the row, as the database knows it; null in rows from before."""
    correlation_id: str
    created_at: str
    id: str
    is_erased: bool
    """Whether something of this row was erased with a person: addresses, names, words that were typed."""
    organization_id: str | None
    project_id: str | None
    result: Literal["success", "failure"]
    target_id: str
    target_type: str
    user_agent: str | None


class AuditVerdictBroken(TypedDict):
    """The first row that breaks the chain."""

    audit_id: str
    sequence: str
    why: str


class AuditVerdict(TypedDict):
    archived: int
    """Links before these that lie in archives; `gpuaas ops archive verify` checks them."""
    broken: AuditVerdictBroken | None
    """The first row that breaks the chain."""
    chain: str
    """The organization, or "platform"."""
    erased: int
    """Rows whose particulars were erased with a person; the chain holds without them."""
    head: str | None
    """The hash of the newest row. Keep it elsewhere to compare."""
    intact: bool
    rows: int
    """Checked rows."""
    unsealed: int
    """Rows that are not yet part of the chain; normally a second old."""


class AutoTopUpPending(TypedDict):
    """A payment that is being made."""

    payment_id: str
    url: str | None
    """Where a person has to confirm the payment, where the bank asks for that."""


class AutoTopUp(TypedDict):
    added_this_month: Money
    amount: Money
    enabled: bool
    failures: int
    last_failure: str | None
    """Why the last attempt failed."""
    monthly_limit: Money
    next_attempt_at: str | None
    """After a failure: not before this time."""
    pending: AutoTopUpPending | None
    """A payment that is being made."""
    threshold: Money
    turned_off: Literal["failures"] | None
    version: int


class Availability(TypedDict):
    available: int
    """How many allocations of this size fit now."""
    gpu_count: int
    region: str


class BillingAccount(TypedDict):
    balance: Money
    charged_30_days: Money
    entries: int
    held: Money
    name: str
    organization_id: str
    owner_name: str | None
    """The name of the person whose personal organization it is; null for every other organization."""
    releases_at: str | None
    """When everything of the organization is released, if nothing is paid until then."""
    slug: str
    state: Literal["healthy", "low_balance", "auto_release_pending", "depleted"]


class BillingBalanceLowBalanceThreshold(TypedDict):
    """A balance at or below this is low, however long it lasts."""

    amount_minor: str
    currency: str


class BillingBalanceStepsItem(TypedDict):
    at: str | None
    """When, at the present rate; null when it has happened, and when nothing is active."""
    runway_seconds: int
    """It happens when the balance lasts this long."""
    step: Literal["warning", "launches_refused", "release_announced", "depleted"]


class BillingBalance(TypedDict):
    balance: Money
    charged_to: str | None
    """Usage up to this time is in the balance; null before the first charge."""
    enforced: bool
    """Whether the organization pays ahead: a launch needs a balance, and a spent one releases."""
    gpu_time_speed: int
    """How many times as fast GPU time, and with it the runway, passes on simulated hosts."""
    held: Money
    low_balance_threshold: BillingBalanceLowBalanceThreshold
    """A balance at or below this is low, however long it lasts."""
    minimum_runway_minutes: int
    """The minimum runway for a launch, when it is enforced."""
    organization_id: str
    per_hour: Money
    releases_at: str | None
    """When everything is released, if nothing is paid until then."""
    runway_seconds: int | None
    """How long the balance lasts at that rate; null when nothing is active."""
    state: Literal["healthy", "low_balance", "auto_release_pending", "depleted"]
    """How far the balance reaches, where the organization pays ahead; healthy where it does not."""
    steps: Sequence[BillingBalanceStepsItem]
    """What happens while the balance falls, the first first; nothing where it is not enforced."""
    stopped_machines: int
    """Machines that are stopped for lack of money. They keep their disks until the release."""
    stops_at: str | None
    """When machines are stopped, if nothing is paid until then; null where nothing is announced, and where they are released without a stop."""


class BillingDetailsDetails(TypedDict):
    address_lines: Sequence[str]
    city: str
    """The city."""
    country: str
    """Two letters of ISO 3166: DE."""
    customer_type: Literal["business", "consumer"]
    invoice_email: str | None
    """Where documents go; owners get them when it is null."""
    legal_name: str
    """The name in the register of companies, or of the person."""
    postal_code: str | None
    """The postal code, where there is one."""
    tax_id: str | None
    """The VAT number or the like, as the tax office wrote it: DE123456788."""
    updated_at: str


class BillingDetails(TypedDict):
    details: BillingDetailsDetails | None
    organization_id: str


BillingDocumentPeriod = TypedDict("BillingDocumentPeriod", {
    "from": "str",
    "to": "str",
})


class BillingDocument(TypedDict):
    due_at: str | None
    """Until when an invoice is to be paid."""
    id: str
    issued_at: str
    kind: Literal["invoice", "credit_note", "receipt", "statement"]
    number: str
    organization_id: str
    period: BillingDocumentPeriod | None
    state: Literal["final", "paid", "past_due", "void"]
    tax: Money
    total: Money


class BillingForecast(TypedDict):
    days: Sequence[ForecastDay]
    """Today and the following days, to the end of the month or 14 days ahead, whichever is later."""
    days_used: int
    expected: Money | None
    high: Money | None
    low: Money | None
    method: str
    """How the forecast is made, in one paragraph."""
    month: str
    """The current month, in UTC."""
    month_to_date: Money
    state: Literal["available", "unavailable"]
    """unavailable: there are fewer than 3 whole days of usage to go by."""


BillingIdle = TypedDict("BillingIdle", {
    "amount": "Money | None",
    "from": "str",
    "observed_percent": "int",
    "rows": "Sequence[IdleAllocation]",
    "state": "Literal['available', 'unavailable']",
    "to": "str",
})


class BrandingAccent(TypedDict):
    """The accent color; null for the default."""

    dark: str
    """For dark backgrounds, as #rrggbb."""
    light: str
    """For light backgrounds, as #rrggbb."""


class Branding(TypedDict):
    accent: BrandingAccent | None
    """The accent color; null for the default."""
    logo_url: str | None
    """A path of this server."""
    name: str
    """The product name of this installation."""
    support_url: str | None
    """Where people find help."""


class BreakerHeldBackItem(TypedDict):
    node_id: str
    node_name: str
    reason: str
    since: str
    source: Literal["health", "presence", "drift", "attestation", "operator", "breaker"]
    """The source of the alert. Each source replaces its own alerts at its next check."""


class Breaker(TypedDict):
    allowed: int
    """Hosts that automation may take within the window."""
    held_back: Sequence[BreakerHeldBackItem]
    """Hosts that automation would have taken, the oldest first."""
    hosts: int
    """Hosts of the pool that are in service."""
    id: str
    kind: Literal["quarantine"]
    """What automation does with hosts: it quarantines slots. Each kind is counted separately."""
    region: str
    resumes_at: str | None
    """When the first of the taken hosts leaves the window; null while there is room."""
    sku: str
    """SKU and region form the pool: hosts that can replace each other."""
    taken: int
    """Hosts that automation has taken within the current window."""
    tripped_at: str | None
    """Since when automation of this kind is stopped in this pool; null while it works."""
    window_minutes: int


class BudgetHard(TypedDict):
    amount_minor: str
    currency: str


class BudgetHeld(TypedDict):
    amount_minor: str
    currency: str


class BudgetSoft(TypedDict):
    amount_minor: str
    currency: str


class BudgetSpent(TypedDict):
    amount_minor: str
    currency: str


class Budget(TypedDict):
    created_at: str
    hard: BudgetHard | None
    held: BudgetHeld
    id: str
    name: str
    period: str
    """The month, in UTC."""
    scope: Literal["organization", "project", "user", "tag"]
    soft: BudgetSoft | None
    spent: BudgetSpent
    state: Literal["within", "soft_reached", "hard_reached"]
    subject: str | None
    """The project, the person, or the tag as key=value; null for the organization."""
    subject_name: str | None
    """The name of the project."""
    updated_at: str
    version: int


class CatalogApp(TypedDict):
    created_at: str
    id: str
    name: str
    own: bool
    """Whether your organization publishes it."""
    publisher: str
    reference: str
    """publisher/slug"""
    slug: str
    summary: str


class CatalogItem(TypedDict):
    allowed_gpu_counts: Sequence[int]
    availability: Sequence[Availability]
    billing_unit: Literal["gpu_hour", "node_hour"]
    capacity_shape: Literal["baremetal", "gpu_slice"]
    """A whole node, or a virtual machine with some of its GPUs."""
    default_image: str | None
    """The image of an allocation that names none; null where there is no image."""
    display_name: str
    gpu_memory_mib: int
    gpu_model: str
    """As the driver reports it."""
    gpus_total: int
    os_images: Sequence[str]
    prices: Sequence[CurrentPrice]
    """The price of one unit now; the price of a region comes first."""
    resource_profile: ResourceProfile
    sku: str
    vendor: str


class CatalogVersion(TypedDict):
    channel: Literal["dev", "test", "staging", "prod"]
    created_at: str
    id: str
    launchable: bool
    """Whether your project may launch it now."""
    lifecycle_state: Literal["published", "promoted", "deprecated", "retired"]
    manifest: AppManifest
    reason: str | None
    """Why not."""
    trust_state: Literal["unverified", "verified", "failed_verification", "revoked"]
    version: str
    """Semantic version: 1.2.3, or 1.2.3-rc.1."""


class ConfirmedFactor(TypedDict):
    factor: SecondFactor
    recovery_codes: str | None
    """With the first factor alone."""


class ConsoleLine(TypedDict):
    at: str
    """When the host wrote it, in the time of the control plane."""
    id: str
    """Grows with the order in which lines arrived."""
    line: str
    """Secrets were replaced before it was kept."""


class ConsoleLog(TypedDict):
    allocation_id: str
    data: Sequence[ConsoleLine]
    has_more: bool
    kept_since: str
    next_cursor: str | None
    simulated: bool
    """The machine does not exist, and its console is made up."""
    unavailable: str | None
    """Why there are no lines, in a sentence; null where there are some."""


class Correlation(TypedDict):
    began_at: str | None
    correlation_id: str
    ended_at: str | None
    """The time of the latest record so far."""
    is_whole: bool
    """False if there are more records than one answer holds."""
    moments: Sequence[CorrelationMoment]
    """In time order."""


class CorrelationMoment(TypedDict):
    actor: str | None
    """The actor: a person, a process, a workflow, a node."""
    at: str
    detail: Mapping[str, Any]
    """Further details."""
    name: str
    """An action, an event type, a task type, or a timeline step."""
    organization_id: str | None
    project_id: str | None
    source: Literal["audit", "event", "dead_letter", "task", "allocation"]
    """Where it was recorded: the audit log, the outbox, the dead letters, the tasks of a node, or the timeline of an allocation."""
    state: str | None
    """The result."""
    subject_id: str
    subject_type: str
    took_ms: int | None
    """The duration, where it is known."""


class Credit(TypedDict):
    amount: Money
    created_at: str
    expired: Money
    expires_at: str | None
    """Null: never."""
    id: str
    left: Money
    organization_id: str
    reason: str
    state: Literal["open", "used", "expired"]


class CreditGrant(TypedDict):
    amount: Money
    balance: Money
    created_at: str
    expires_at: str
    id: str
    organization_id: str
    reason: str


class CurrentPrice(TypedDict):
    effective_from: str
    price_id: str
    region: str | None
    """Null for the price of all regions without their own."""
    unit_price: Money


class DeadLetter(TypedDict):
    attempts: int
    consumer: str | None
    correlation_id: str
    created_at: str
    event_id: str
    event_type: str
    organization_id: str | None
    origin: Literal["publish", "consume"]
    """Whether the bus refused it, or a consumer failed on it."""
    reason: str
    settled_at: str | None
    state: Literal["open", "requeued", "discarded"]
    stream_seq: str
    """The number of the dead letter."""
    subject: str
    """The subject under which it was published as a dead letter: dlq.<domain>.…"""


class DeadLetterDetail(TypedDict):
    attempts: int
    consumer: str | None
    correlation_id: str
    created_at: str
    envelope: Mapping[str, Any]
    """The published event: actor, time, cause and payload."""
    event_id: str
    event_type: str
    organization_id: str | None
    origin: Literal["publish", "consume"]
    """Whether the bus refused it, or a consumer failed on it."""
    reason: str
    settled_at: str | None
    state: Literal["open", "requeued", "discarded"]
    stream_seq: str
    """The number of the dead letter."""
    subject: str
    """The subject under which it was published as a dead letter: dlq.<domain>.…"""


class DefaultProject(TypedDict):
    project_id: str | None
    """Null when none was chosen, or the chosen one no longer exists."""


class Department(TypedDict):
    created_at: str
    id: str
    is_default: bool
    name: str
    organization_id: str
    resource_name: str
    slug: str
    state: Literal["active", "disabled"]
    updated_at: str
    version: int
    """Grows with every change; send it back to change only the version that you saw."""


class DepositLimitsDayLeft(TypedDict):
    amount_minor: str
    currency: str


class DepositLimitsDayLimit(TypedDict):
    amount_minor: str
    currency: str


class DepositLimitsDay(TypedDict):
    left: DepositLimitsDayLeft
    limit: DepositLimitsDayLimit
    resets_at: str


class DepositLimitsMonthLeft(TypedDict):
    amount_minor: str
    currency: str


class DepositLimitsMonthLimit(TypedDict):
    amount_minor: str
    currency: str


class DepositLimitsMonth(TypedDict):
    left: DepositLimitsMonthLeft
    limit: DepositLimitsMonthLimit
    resets_at: str


class DepositLimits(TypedDict):
    day: DepositLimitsDay
    grows_at: str | None
    """When the next payment settles; null when none is on its way."""
    month: DepositLimitsMonth
    settled_payments: int


class DocumentCheck(TypedDict):
    checked_at: str
    ok: bool
    problem: str | None


class DocumentContentBalance(TypedDict):
    closing_minor: str
    opening_minor: str


class DocumentContentCustomer(TypedDict):
    address_lines: Sequence[str]
    city: str | None
    country: str | None
    legal_name: str
    postal_code: str | None
    tax_id: str | None


class DocumentContentLinesItem(TypedDict):
    amount_minor: str
    day: str | None
    quantity_ms: str | None
    rate_micro: str | None
    text: str
    unit: str | None


DocumentContentPeriod = TypedDict("DocumentContentPeriod", {
    "from": "str",
    "to": "str",
})


class DocumentContentSeller(TypedDict):
    address_lines: Sequence[str]
    city: str | None
    country: str | None
    legal_name: str
    postal_code: str | None
    tax_id: str | None


class DocumentContentTax(TypedDict):
    country: str | None
    gross_minor: str
    net_minor: str
    note: str | None
    rate_basis_points: int
    tax_minor: str
    treatment: Literal["standard", "reverse_charge", "outside_scope", "not_registered"]


class DocumentContent(TypedDict):
    balance: DocumentContentBalance | None
    currency: str
    customer: DocumentContentCustomer
    due_on: str | None
    issued_on: str
    kind: Literal["invoice", "credit_note", "receipt", "statement"]
    lines: Sequence[DocumentContentLinesItem]
    number: str
    period: DocumentContentPeriod | None
    refers_to: str | None
    seller: DocumentContentSeller | None
    tax: DocumentContentTax | None
    version: Literal[1]


class DocumentFile(TypedDict):
    content_base64: str
    file_name: str
    media_type: Literal["application/pdf"]
    sha256: str


class DocumentWithContent(TypedDict):
    content: DocumentContent
    document: BillingDocument
    sha256: str
    """Over the canonical JSON of the content."""


class EffectivePolicySource(TypedDict):
    hard: bool
    """Set for the whole platform, overrides every other level."""
    level: Literal["user", "project", "organization", "plan", "global", "default"]
    subject_id: str | None


class EffectivePolicy(TypedDict):
    definition: PolicyDefinition
    key: str
    source: EffectivePolicySource
    value: int | bool | str
    """A number, true or false, or one of the choices, as the policy says."""


class FactorsReset(TypedDict):
    removed: int
    """How many factors were removed."""


class FleetHealthAlerts(TypedDict):
    """Number of alerts, by effect."""

    blocks_sale: int
    blocks_transition: int
    informs: int


class FleetHealth(TypedDict):
    alerts: FleetHealthAlerts
    """Number of alerts, by effect."""
    lost_nodes: int
    nodes: Mapping[str, int]
    oldest_report_at: str | None
    """When the active node that has been silent the longest last reported."""
    open_tasks: int
    queued_allocations: int
    schedulable_nodes: int
    """Active, and not cordoned."""
    sellable_slots: int
    """Free slots that may be sold now."""
    silent_nodes: int
    """Active nodes that have never reported."""
    slots: Mapping[str, int]
    stuck_allocations: int


class FleetNode(TypedDict):
    abilities: Sequence[Literal["slices", "oci", "reimage", "partitions", "fabric", "ssh_certificates"]] | None
    """What the host can do besides being rented out whole, by its last discovery; null before the first discovery, or when its agent does not say."""
    actions: Sequence[NodeAction]
    """The actions that are possible now; for the others, why not."""
    address: str | None
    """A name or an IP address under which tenants reach the host."""
    agent_version: str | None
    alerts: Sequence[NodeAlert]
    """Alerts about this node."""
    cordon_reason: str | None
    created_at: str
    drain_deadline_at: str | None
    enrolled_at: str | None
    gpus_total: int
    id: str
    labels: Mapping[str, str]
    last_report_at: str | None
    name: str
    onboarding_mode: Literal["manual", "maas"]
    region: str
    schedulable: bool
    """Whether operators allow new work on the node."""
    sellable_slots: int
    """Free slots that may be sold now: healthy, on a host that takes work."""
    simulated: bool | None
    """Whether the host is simulated, by its last discovery; null before the first discovery."""
    sku: str
    slots: Mapping[str, int]
    """How many slots are in each state."""
    state: Literal["bootstrap_issued", "enrolling", "active", "offline", "quarantined", "draining", "retired", "removing", "deleted"]
    state_reason: str | None
    topology_at: str | None
    updated_at: str
    version: int


class FleetTask(TypedDict):
    allocation_id: str | None
    correlation_id: str
    dispatched_at: str | None
    expires_at: str
    failure_code: str | None
    finished_at: str | None
    generation: int
    id: str
    issued_at: str
    state: Literal["queued", "dispatched", "succeeded", "failed", "expired", "cancelled"]
    task_type: str


class ForecastDay(TypedDict):
    day: str
    """A day in UTC."""
    expected: Money
    high: Money
    low: Money


class FullDecision(TypedDict):
    decided_at: str
    document: Mapping[str, Any]
    """The decision of the placement engine, with every host by name."""
    outcome: Literal["placed", "queued", "refused"]


class GpuEvidence(TypedDict):
    detail: NotRequired[str]
    """Why it is not healthy, for example an Xid."""
    healthy: bool
    memory_mib: int
    model: str
    pci_address: str
    uuid: str


class GpuValues(TypedDict):
    """By measure, one value for each GPU in the order of `gpus`; null where this GPU cannot tell."""

    ecc_corrected_total: NotRequired[Sequence[float | None]]
    ecc_uncorrected_total: NotRequired[Sequence[float | None]]
    memory_clock_mhz: NotRequired[Sequence[float | None]]
    memory_temperature_celsius: NotRequired[Sequence[float | None]]
    memory_total_mib: NotRequired[Sequence[float | None]]
    memory_used_mib: NotRequired[Sequence[float | None]]
    memory_utilization: NotRequired[Sequence[float | None]]
    nvlink_receive_kib_s: NotRequired[Sequence[float | None]]
    nvlink_transmit_kib_s: NotRequired[Sequence[float | None]]
    power_limit_watts: NotRequired[Sequence[float | None]]
    power_watts: NotRequired[Sequence[float | None]]
    sm_clock_mhz: NotRequired[Sequence[float | None]]
    temperature_celsius: NotRequired[Sequence[float | None]]
    throttle: NotRequired[Sequence[float | None]]
    utilization: NotRequired[Sequence[float | None]]
    xid: NotRequired[Sequence[float | None]]


class HealthFinding(TypedDict):
    message: str
    """What was found and what to do, in a sentence."""
    name: str
    """Stable, for programs: `outbox_age`."""
    runbook: str | None
    """The runbook to follow, as GET /api/v1/admin/runbooks/{runbook_id} takes it; null while it is ok."""
    section: Literal["processes", "database", "events", "fleet", "audit"]
    status: Literal["ok", "warn", "bad"]
    unit: Literal["seconds", "milliseconds", "count", "bytes"] | None
    value: float | None


class HeldLease(TypedDict):
    allocation_id: str
    deadline_at: str | None
    generation: int
    slot_ids: Sequence[str]
    state: Literal["provisioning", "running", "stopped", "releasing", "ended", "unknown"]


class HistoryArchive(TypedDict):
    archived_at: str | None
    """Null while it is being written."""
    bytes: int | None
    confirmed_at: str | None
    """When another process had read the object and found the rows in it; they leave after that."""
    from_at: str | None
    """Null when it begins with the oldest row."""
    id: str
    object_key: str
    """Where it lies in the object store."""
    removed_at: str | None
    """When its rows left the database; null before that."""
    rows: int | None
    sha256: str | None
    started_at: str
    subject: Literal["audit", "allocations", "attestations", "node_tasks"]
    to_at: str


class HistoryTable(TypedDict):
    bytes: int
    """With indexes and months."""
    kept_by: Literal["months", "batches", "sweeps", "ever"]
    """How old rows leave: whole months are dropped, batches are deleted, or rows are swept without an archive. ever: none leaves, and the table does not lie in months."""
    parts: int
    """Months, with the rest."""
    retention_days: int | None
    retention_policy: str | None
    """The policy that says how long rows are kept; null when they are kept for ever."""
    rows_estimate: int
    """As the database estimates it."""
    table: str
    unplaced_rows: int
    """Rows of the last day that came without a month of their own."""


class HostCapability(TypedDict):
    ability: Literal["slices", "oci", "reimage", "partitions", "fabric", "ssh_certificates"]
    able: bool
    why_not: str | None
    """What is missing, in a sentence; null when the host is able."""


class HostTopologyNumaNodesItem(TypedDict):
    cpus: str
    id: int
    memory_mib: int


class HostTopologyPrerequisites(TypedDict):
    cloud_localds_available: bool
    iommu_group_count: int
    iommu_kernel_args: Sequence[str]
    kvm_available: bool


class HostTopology(TypedDict):
    blockers: Sequence[str]
    """What keeps the whole host from serving slices, in sentences."""
    capabilities: NotRequired[Sequence[HostCapability]]
    """What the host can do. An ability that is not listed is one that the host does not have. Older agents do not say."""
    cpu_count: int
    cuda_version: str | None
    driver_version: str | None
    hostname: str
    kernel: str
    memory_mib: int
    numa_nodes: Sequence[HostTopologyNumaNodesItem]
    prerequisites: HostTopologyPrerequisites
    simulated: NotRequired[bool]
    """Whether the host is simulated: no such machine exists. Older agents do not say."""
    slots: Sequence[SlotCandidate]


class HostValues(TypedDict):
    """By measure; one that the host cannot tell is left out."""

    cpu_percent: NotRequired[float]
    disk_read_kib_s: NotRequired[float]
    disk_total_mib: NotRequired[float]
    disk_used_mib: NotRequired[float]
    disk_write_kib_s: NotRequired[float]
    memory_total_mib: NotRequired[float]
    memory_used_mib: NotRequired[float]
    network_receive_kib_s: NotRequired[float]
    network_transmit_kib_s: NotRequired[float]


class IdleAllocation(TypedDict):
    allocation_id: str
    amount: Money
    idle_ms: str
    """How long all its GPUs were idle."""
    name: str | None
    observed_ms: str
    """How long that is known for."""


class Invitation(TypedDict):
    accepted_by: str | None
    created_at: str
    email: str
    expires_at: str
    id: str
    invited_by: str
    organization_id: str
    resource_name: str
    role: Literal["owner", "admin", "member", "viewer", "finance"]
    state: Literal["pending", "accepted", "revoked", "expired"]


class InvitationCreated(TypedDict):
    accepted_by: str | None
    created_at: str
    email: str
    expires_at: str
    id: str
    invited_by: str
    organization_id: str
    resource_name: str
    role: Literal["owner", "admin", "member", "viewer", "finance"]
    state: Literal["pending", "accepted", "revoked", "expired"]
    token: str
    """Accepts the invitation. Shown once; only its hash is stored."""


InvoicePeriod = TypedDict("InvoicePeriod", {
    "from": "str",
    "to": "str",
})


class Invoice(TypedDict):
    actions: Sequence[Literal["finalise", "pay", "void"]]
    """What finance may do with it now."""
    document_id: str | None
    due_at: str | None
    finalise_at: str
    gross: Money
    id: str
    net: Money
    note: str | None
    number: str | None
    """Null while it is a draft."""
    organization_id: str
    organization_name: str
    period: InvoicePeriod
    reminders: int
    state: Literal["draft", "final", "past_due", "paid", "void"]
    tax: Money
    version: int


class Joined(TypedDict):
    organization_id: str
    resource_name: str
    role: Literal["owner", "admin", "member", "viewer", "finance"]


class JumpHost(TypedDict):
    host: str
    """Its name or address, for ssh -J."""
    host_keys: Sequence[str]
    """Type and key, as OpenSSH writes them."""
    known_hosts: Sequence[str]
    """The same as lines of a known_hosts file."""
    port: int
    username: str
    """The user to give to ssh. The key says who it is."""


class LastReleaseReleaseAllocationsItemCost(TypedDict):
    amount_minor: str
    currency: str


class LastReleaseReleaseAllocationsItem(TypedDict):
    cost: LastReleaseReleaseAllocationsItemCost
    gpu_count: int
    id: str
    name: str
    project_id: str
    project_name: str
    released_at: str
    sku: str


class LastReleaseReleaseCost(TypedDict):
    """What all of them had cost."""

    amount_minor: str
    currency: str


LastReleaseRelease = TypedDict("LastReleaseRelease", {
    "allocations": "Sequence[LastReleaseReleaseAllocationsItem]",
    "cost": "LastReleaseReleaseCost",
    "count": "int",
    "from": "str",
    "to": "str",
})


class LastRelease(TypedDict):
    organization_id: str
    release: LastReleaseRelease | None
    """The last such release of the past 30 days; null when there was none."""


class LedgerCheck(TypedDict):
    balance: Money
    checked_at: str
    entries: int
    ok: bool
    problem: str | None
    """What does not match, beginning with the first wrong link of the chain or entry."""
    sum: Money


class LedgerLine(TypedDict):
    allocation_id: str | None
    allocation_name: str | None
    amount: Money
    app_instance_id: str | None
    app_meter: str | None
    """For app_units: the meter of the manifest and the version whose price it is, as tokens@1.2.0."""
    at: str | None
    """The time of the entry; null for usage."""
    day: str
    """A day in UTC."""
    id: str
    kind: Literal["usage", "top_up", "refund", "grant", "correction", "hold", "hold_release", "tax"]
    meter: Literal["gpu_time", "storage", "app_units"] | None
    project_id: str | None
    project_name: str | None
    """The project of usage; null for other lines."""
    quantity_ms: str | None
    """Units of the price (GPUs, whole nodes, or GiB) times milliseconds; for app_units their number."""
    reason: str | None
    simulated: bool | None
    """Whether it is for a simulated host; null for lines without usage."""
    sku: str | None
    """The SKU; storage; or the app, as publisher/slug."""
    windows: int | None
    """How many windows the line opens into."""


class LogLine(TypedDict):
    allocation_id: str | None
    at: str
    """When the host wrote it, in the time of the control plane."""
    correlation_id: str | None
    id: str
    """Grows with the order in which lines arrived."""
    level: Literal["debug", "info", "warn", "error"]
    line: str
    """Secrets were replaced before it was kept."""
    node_id: str
    node_name: str
    stream: Literal["agent", "console"]
    """agent: what the agent of the node says. console: what a machine wrote on its serial console."""
    task_id: str | None


class LoggedEvent(TypedDict):
    correlation_id: str
    created_at: str
    envelope: Mapping[str, Any]
    """The published event: actor, time, cause and payload."""
    event_id: str
    event_type: str
    is_published: bool
    """Whether the relay has handed it to the bus."""
    key: str
    """The object of the event: events of one key stay in order."""
    organization_id: str | None
    position: str
    project_id: str | None


class MaasDrift(TypedDict):
    kind: Literal["unknown_deployment", "machine_missing", "machine_not_deployed", "machine_failed", "power_off", "another_node"]
    message: str


class MaasJob(TypedDict):
    created_at: str
    ended_at: str | None
    hostname: str
    id: str
    kind: Literal["onboard", "reimage", "decommission", "commission", "power_on", "power_off"]
    node_id: str | None
    node_name: str | None
    phase: str
    """The step that was last begun."""
    problem: str | None
    """Why it was taken back."""
    reason: str
    site_id: str
    state: Literal["queued", "running", "succeeded", "failed"]
    system_id: str
    """The id that MAAS gave the machine."""
    updated_at: str


class MaasMachineAllocationsItem(TypedDict):
    id: str
    state: str


class MaasMachineMaas(TypedDict):
    """The first layer: what MAAS says of the machine."""

    changed_at: str
    detail: str
    missing_since: str | None
    owner: str | None
    power: Literal["on", "off", "error", "unknown"]
    status: str
    """In the words of MAAS."""


class MaasMachineNode(TypedDict):
    """The second layer: the node that was made of it."""

    id: str
    name: str
    state: Literal["bootstrap_issued", "enrolling", "active", "offline", "quarantined", "draining", "retired", "removing", "deleted"]


class MaasMachine(TypedDict):
    allocations: Sequence[MaasMachineAllocationsItem]
    """The third layer: what is rented on the node."""
    architecture: str
    cpus: int
    drift: Sequence[MaasDrift]
    """Where the layers contradict each other; never while a job works on it."""
    hostname: str
    job: MaasJob | None
    """What is done to it now."""
    maas: MaasMachineMaas
    """The first layer: what MAAS says of the machine."""
    memory_mib: int
    node: MaasMachineNode | None
    """The second layer: the node that was made of it."""
    site_id: str
    system_id: str
    """The id that MAAS gave the machine."""
    tags: Sequence[str]


class MaasSite(TypedDict):
    ca_pem: str | None
    """The authority of its certificate, where it is no public one."""
    created_at: str
    erase: Literal["secure", "full", "quick"]
    """How disks are erased when a machine is given back: by themselves, written over whole, or at both ends."""
    failing_since: str | None
    id: str
    machines: int
    """How many machines MAAS lists there."""
    max_parallel: int
    """How many machines are worked on at once."""
    name: str
    nodes: int
    """How many of them are nodes."""
    osystem: str
    pool: str | None
    """Only machines of this resource pool are seen; all when null."""
    problem: str | None
    region: str
    release: str | None
    """The release of MAAS that answered last."""
    revision: int
    seen_at: str | None
    """When it answered; noted at most every few minutes."""
    series: str
    updated_at: str
    url: str
    """Where MAAS is, up to /MAAS. Only https is used, and http on this machine beside npm start."""
    username: str | None
    """Whom its key belongs to."""


class MeOrganizationsItem(TypedDict):
    id: str
    name: str
    resource_name: str
    role: Literal["owner", "admin", "member", "viewer", "finance"]
    slug: str


class MePermissionsItem(TypedDict):
    operations: Sequence[str]
    """The ids of operations, as in the API description."""
    role: Literal["self", "platform", "viewer", "member", "admin", "owner", "finance"]
    """The source of the rights: being signed in, a platform role, or this role in an organization."""


class MePosix(TypedDict):
    """Who this person is on every host; it never changes."""

    gid: int
    uid: int
    username: str


class Me(TypedDict):
    default_project_id: str | None
    display_name: str | None
    """The display name of the person."""
    gpu_time_speed: int
    """How many times as fast GPU time passes on simulated hosts; 1 where it passes as on real ones."""
    id: str
    organizations: Sequence[MeOrganizationsItem]
    """The first 200; GET /api/v1/organizations has all of them."""
    permissions: Sequence[MePermissionsItem]
    """What the caller may do, so that a console offers nothing that would be refused."""
    personal_token_max_days: int
    """The longest life of a personal token that the policy allows."""
    platform_roles: Sequence[Literal["platform_superadmin", "platform_ops", "platform_finance", "platform_support"]]
    posix: MePosix
    """Who this person is on every host; it never changes."""


class Member(TypedDict):
    created_at: str
    display_name: str | None
    """The display name of the person."""
    resource_name: str
    role: Literal["owner", "admin", "member", "viewer", "finance"]
    user_id: str
    username: str
    """The name of the person on hosts; it never changes."""


class MetricPoint(TypedDict):
    at: str
    """The beginning of the point."""
    gpu: GpuValues
    gpus: Sequence[str]
    """UUIDs of the GPUs, in the order of the lists in `gpu`."""
    host: HostValues
    unavailable: str | None
    """Why there are no values of GPUs."""


class Money(TypedDict):
    amount_minor: str
    currency: str


class NegotiatedPrice(TypedDict):
    created_at: str
    effective_from: str
    effective_to: str | None
    id: str
    list_price: Money | None
    organization_id: str
    reason: str
    region: str | None
    """The only region in which it is valid; null for all."""
    sku: str
    state: Literal["past", "current", "future"]
    unit_price: Money


class NewAuthenticator(TypedDict):
    expires_at: str
    id: str
    secret: str
    """The key for an app without a camera. It is shown here and never again."""
    uri: str
    """The same for a QR code (otpauth://). It is shown here and never again."""


class NewPasskey(TypedDict):
    expires_at: str
    id: str
    options: Any
    """What navigator.credentials.create wants, as PublicKeyCredentialCreationOptionsJSON of the W3C."""


class NewPersonalToken(TypedDict):
    created_at: str
    expires_at: str
    id: str
    last_used_at: str | None
    name: str
    prefix: str
    """The first characters of the token, to recognise it."""
    revoked_at: str | None
    scopes: Sequence[Literal["organizations:read", "organizations:write", "organizations:delete", "members:read", "members:write", "membership:leave", "profile:read", "profile:write", "ssh_keys:read", "ssh_keys:write", "projects:read", "projects:write", "allocations:read", "allocations:write", "apps:read", "apps:publish", "apps:admin", "storage:read", "storage:write", "usage:read", "billing:read", "billing:write", "billing:pay", "billing:admin", "activity:read", "audit:read", "audit:admin", "sessions:read", "sessions:write", "sessions:admin", "tokens:read", "tokens:write", "factors:read", "factors:write", "service_accounts:read", "service_accounts:write", "webhooks:read", "webhooks:write", "policies:read", "policies:admin", "fleet:read", "fleet:admin", "organizations:admin", "users:read", "users:admin", "roles:admin", "events:read", "events:admin"]]
    token: str
    """The token. It is shown here and never again."""


class NewServiceAccountKeyPublicKey(TypedDict):
    crv: Literal["Ed25519"]
    kty: Literal["OKP"]
    x: str
    """32 bytes in base64url."""


class NewServiceAccountKeyPublicKey2(TypedDict):
    crv: Literal["P-256"]
    kty: Literal["EC"]
    x: str
    """32 bytes in base64url."""
    y: str
    """32 bytes in base64url."""


class NewServiceAccountKey(TypedDict):
    created_at: str
    expires_at: str
    id: str
    last_used_at: str | None
    name: str
    private_key: NotRequired[Mapping[str, str]]
    """The private half as JSON Web Key, if the server generated it. It is shown here and never again."""
    public_key: NewServiceAccountKeyPublicKey | NewServiceAccountKeyPublicKey2
    """A public key as JSON Web Key: Ed25519 or P-256."""
    revoked_at: str | None
    service_account_id: str


class NewStorageLink(TypedDict):
    created_at: str
    created_by: str
    expires_at: str
    id: str
    last_opened_at: str | None
    namespace_id: str
    opened: int
    """How often it was opened."""
    path: str
    """Where the file lies now."""
    project_id: str
    revoked_at: str | None
    size_bytes: int
    storage_object_id: str
    """The file. The link follows it when it is renamed, and not what replaces it."""
    url: str
    """Opens the file without a sign-in, until the link ends. Shown once."""
    works: bool
    """Whether it opens the file now: not while the file lies in the trash."""


class NewStorageToken(TypedDict):
    allocation_id: str
    base_url: str
    """Where the machine calls the API."""
    created_at: str
    created_by: str
    id: str
    level: Literal["read", "write"]
    """What it opens of the files of the project."""
    project_id: str
    revoked_at: str | None
    token: str
    """The token itself, for the machine. Shown once."""
    works: bool
    """Whether it is accepted now: the allocation has not ended, and nobody revoked it."""


class NodeAction(TypedDict):
    action: Literal["publish", "cordon", "uncordon", "drain", "resume", "quarantine", "clear", "retire", "readmit", "reimage", "remove", "probe"]
    allowed: bool
    why_not: str | None


class NodeAlert(TypedDict):
    allocation_id: str | None
    effect: Literal["blocks_sale", "blocks_transition", "informs"]
    """What follows: nothing is placed there; operators cannot change the state of the host; or it is only shown."""
    id: str
    kind: str
    """Stable, for programs: `gpus_healthy`, `silent`, `orphan`."""
    message: str
    raised_by: str | None
    since: str
    slot_id: str | None
    slot_index: int | None
    source: Literal["health", "presence", "drift", "attestation", "operator", "breaker"]
    """The source of the alert. Each source replaces its own alerts at its next check."""
    tenant_message: str | None
    """The text that tenants of the host see."""


class NodeCondition(TypedDict):
    message: str
    reason: str
    since: str
    status: Literal["True", "False", "Unknown"]
    type: str


class NodeDetailCertificate(TypedDict):
    not_after: str
    revoked_at: str | None
    serial: str


class NodeDetailReport(TypedDict):
    boot_id: str
    clock_skew_ms: int
    gpu_utilization: Sequence[int] | None
    leases: Sequence[HeldLease]
    reported_at: str
    running_tasks: Sequence[str]


class NodeDetail(TypedDict):
    abilities: Sequence[Literal["slices", "oci", "reimage", "partitions", "fabric", "ssh_certificates"]] | None
    """What the host can do besides being rented out whole, by its last discovery; null before the first discovery, or when its agent does not say."""
    actions: Sequence[NodeAction]
    """The actions that are possible now; for the others, why not."""
    address: str | None
    """A name or an IP address under which tenants reach the host."""
    agent_version: str | None
    alerts: Sequence[NodeAlert]
    """Alerts about this node."""
    certificate: NodeDetailCertificate | None
    conditions: Sequence[NodeCondition]
    """The last report of the node, and its assessment."""
    cordon_reason: str | None
    created_at: str
    drain_deadline_at: str | None
    enrolled_at: str | None
    gpus_total: int
    id: str
    labels: Mapping[str, str]
    last_report_at: str | None
    name: str
    onboarding_mode: Literal["manual", "maas"]
    region: str
    report: NodeDetailReport | None
    resource_slots: Sequence[ResourceSlot]
    schedulable: bool
    """Whether operators allow new work on the node."""
    sellable_slots: int
    """Free slots that may be sold now: healthy, on a host that takes work."""
    simulated: bool | None
    """Whether the host is simulated, by its last discovery; null before the first discovery."""
    sku: str
    slots: Mapping[str, int]
    """How many slots are in each state."""
    state: Literal["bootstrap_issued", "enrolling", "active", "offline", "quarantined", "draining", "retired", "removing", "deleted"]
    state_reason: str | None
    topology: HostTopology | None
    topology_at: str | None
    updated_at: str
    version: int


class NodeEnrolmentOfferAgentPackage(TypedDict):
    """The package that the command installs. Null when none is offered, and for a host that recovers: the agent is expected on the host."""

    architectures: Sequence[Literal["x64", "arm64"]]
    version: str


class NodeEnrolmentOffer(TypedDict):
    agent_package: NodeEnrolmentOfferAgentPackage | None
    """The package that the command installs. Null when none is offered, and for a host that recovers: the agent is expected on the host."""
    ca_fingerprint: str | None
    """SHA-256 of the authority that the host pins; null where it has a trust file of its own."""
    cloud_init: str
    """The same as user data for a cloud deployment."""
    expires_at: str
    install_command: str
    """The command to run on the host."""
    node: FleetNode
    node_url: str
    """Where the host enrols and reports."""
    purpose: Literal["enrol", "recover"]
    token: str
    """The enrolment token of this node; works once and is shown only here."""


class NodeImage(TypedDict):
    current: bool
    digest: str
    slug: str
    verified_at: str


NodeMetrics = TypedDict("NodeMetrics", {
    "data": "Sequence[MetricPoint]",
    "from": "str",
    "node_id": "str",
    "resolution_seconds": "Literal[10, 300]",
    "simulated": "bool",
    "source": "Literal['host_local_probe', 'slice_guest', 'unavailable']",
    "to": "str",
    "unavailable": "str | None",
})


class NodeNow(TypedDict):
    latest: MetricPoint | None
    """The last values, if they are not too old."""
    name: str
    node_id: str
    region: str
    simulated: bool
    sku: str
    state: str
    unavailable: str | None
    """Why there is nothing to show, in a sentence."""


class Notice(TypedDict):
    at: str
    correlation_id: str
    id: str
    payload: Mapping[str, Any]
    """As in the event of this type."""
    read: bool
    """Whether the caller marked it as read."""
    subject_name: str | None
    """The name of the allocation; null if the notice is about something else."""
    type: Literal["provisioning.active", "provisioning.queued", "provisioning.failed", "provisioning.releasing.completed", "provisioning.release_failed", "provisioning.idle", "provisioning.drain_notice", "provisioning.drain_called_off", "tenancy.project_member.changed"]


class NoticesRead(TypedDict):
    """Everything up to this time counts as read, in every project."""

    read_until: str


class Notification(TypedDict):
    area: Literal["compute", "access", "security", "money", "operations"]
    at: str
    correlation_id: str
    event_id: str
    id: str
    kind: Literal["allocation_active", "allocation_queued", "allocation_failed", "allocation_unreachable", "gpu_failed", "allocation_released", "allocation_ended", "allocation_release_failed", "allocation_idle", "allocation_attestation_failed", "drain_notice", "drain_called_off", "organization_role_changed", "project_role_changed", "sign_in_changed", "ssh_key_added", "payment_received", "payment_failed", "payment_refunded", "payment_disputed", "auto_top_up_failed", "auto_top_up_unconfirmed", "balance_low", "release_announced", "balance_depleted", "machines_stopped", "balance_recovered", "webhook_disabled", "payment_unclear", "node_lost", "node_quarantined", "slots_quarantined", "breaker_tripped", "dead_letter"]
    link: str | None
    """A path of the console."""
    organization_id: str | None
    payload: Mapping[str, Any]
    """The facts of the event that led to it."""
    project_id: str | None
    read: bool
    simulated: bool
    """It is about a machine of a simulated host: there is no such machine."""
    text: str
    """What it means and what to do, in a few sentences; empty where the title says all."""
    title: str
    """What happened, in one sentence."""
    tone: Literal["good", "notice", "bad"]
    """Whether it is good news, to be noticed, or a problem."""


class NotificationCount(TypedDict):
    limit: int
    unread: int
    """Counted up to `limit`."""


class NotificationPreference(TypedDict):
    area: Literal["compute", "access", "security", "money", "operations"]
    inbox: bool
    """Whether it is shown among the notifications."""
    is_default: bool
    """Whether the person has chosen nothing for this kind."""
    kind: Literal["allocation_active", "allocation_queued", "allocation_failed", "allocation_unreachable", "gpu_failed", "allocation_released", "allocation_ended", "allocation_release_failed", "allocation_idle", "allocation_attestation_failed", "drain_notice", "drain_called_off", "organization_role_changed", "project_role_changed", "sign_in_changed", "ssh_key_added", "payment_received", "payment_failed", "payment_refunded", "payment_disputed", "auto_top_up_failed", "auto_top_up_unconfirmed", "balance_low", "release_announced", "balance_depleted", "machines_stopped", "balance_recovered", "webhook_disabled", "payment_unclear", "node_lost", "node_quarantined", "slots_quarantined", "breaker_tripped", "dead_letter"]
    mail: Literal["each", "daily", "none"]
    """A mail for each, one mail a day with all of them, or none."""
    mail_required: bool
    """Mail about money and security cannot be turned off."""
    title: str


class NotificationPreferences(TypedDict):
    address: str | None
    """Where mails go; null while no address is known."""
    data: Sequence[NotificationPreference]


class NotificationsRead(TypedDict):
    read: int
    """How many became read."""


class Organization(TypedDict):
    created_at: str
    currency: str
    id: str
    name: str
    resource_name: str
    role: Literal["owner", "admin", "member", "viewer", "finance"]
    """The role of the caller."""
    slug: str
    type: Literal["personal", "enterprise"]
    version: int
    """Grows with every change; send it back to change only the version that you saw."""


class OsImage(TypedDict):
    active: bool
    cached_on: int
    """Nodes that have exactly this digest."""
    created_at: str
    digest: str
    display_name: str
    driver_strategy: Literal["preinstalled", "cloud_init"]
    id: str
    size_bytes: int
    skus: Sequence[str]
    slug: str
    updated_at: str


class OverviewGettingStarted(TypedDict):
    """First steps that the caller has done."""

    has_launched: bool
    has_ssh_key: bool
    has_teammates: bool
    has_token: bool


class OverviewGpuQuota(TypedDict):
    """GPUs of the whole organization, in all of its projects."""

    held: int
    """GPUs of all allocations of the organization that are queued, requested, provisioning or active."""
    level: Literal["user", "project", "organization", "plan", "global", "default"]
    """Where the limit is set."""
    limit: int
    """allocation.max_gpus_per_organization as it applies here."""


class OverviewLaunchAgainItem(TypedDict):
    gpus: int
    region: str
    sku: str


class OverviewRunningPerHourItem(TypedDict):
    amount_minor: str
    currency: str


class OverviewRunning(TypedDict):
    """All active allocations of the project."""

    allocations: int
    gpus: int
    per_hour: Sequence[OverviewRunningPerHourItem]
    """The sum of the hourly prices of all active allocations, one amount for each currency."""


class Overview(TypedDict):
    activity: Sequence[Activity] | None
    """Recent changes by people; null for a credential that may not read activity."""
    current: Sequence[Allocation]
    """The latest allocations that have not ended."""
    getting_started: OverviewGettingStarted
    """First steps that the caller has done."""
    gpu_quota: OverviewGpuQuota
    """GPUs of the whole organization, in all of its projects."""
    launch_again: Sequence[OverviewLaunchAgainItem]
    """What the caller launched last in this project, each SKU once."""
    queued: int
    """Requested allocations that wait in the queue."""
    running: OverviewRunning
    """All active allocations of the project."""
    states: AllocationCounts
    unread_notices: int | None
    """Unread notices of the caller, counted up to 100; null where activity is null."""


class PaymentMethod(TypedDict):
    brand: str
    """visa, mastercard and the like, in the words of the provider."""
    expires: str
    """The last month in which it can be charged."""
    id: str
    is_default: bool
    """Whether automatic top-ups charge this card."""
    last4: str


class PaymentMethodSetup(TypedDict):
    expires_at: str
    url: str
    """The provider's page on which the card is entered."""


class PaymentOptions(TypedDict):
    limits: DepositLimits
    maximum: Money
    minimum: Money
    provider: Literal["simulated", "stripe", "disabled"]
    refund_window_days: int
    """How long a payment can go back to where it came from."""
    tax_rate_basis_points: int


class PaymentRefund(TypedDict):
    amount: Money
    balance: Money
    created_at: str
    id: str
    organization_id: str
    reason: str
    session_id: str
    state: Literal["requested", "sent", "refused", "credited"]
    to: Literal["payer", "credit"]


class PaymentSession(TypedDict):
    amount: Money
    automatic: bool
    created_at: str
    credited: Money
    disputed: Money
    expires_at: str
    id: str
    organization_id: str
    provider: Literal["simulated", "stripe", "disabled"]
    refunded: Money
    requested_by: str
    settled_at: str | None
    """When it was added to the balance."""
    state: Literal["open", "paid", "expired", "disputed", "charged_back", "failed_reconcile"]
    tax: Money
    url: str | None
    """The provider's page, for as long as it can be paid there."""


class PersonalToken(TypedDict):
    created_at: str
    expires_at: str
    id: str
    last_used_at: str | None
    name: str
    prefix: str
    """The first characters of the token, to recognise it."""
    revoked_at: str | None
    scopes: Sequence[Literal["organizations:read", "organizations:write", "organizations:delete", "members:read", "members:write", "membership:leave", "profile:read", "profile:write", "ssh_keys:read", "ssh_keys:write", "projects:read", "projects:write", "allocations:read", "allocations:write", "apps:read", "apps:publish", "apps:admin", "storage:read", "storage:write", "usage:read", "billing:read", "billing:write", "billing:pay", "billing:admin", "activity:read", "audit:read", "audit:admin", "sessions:read", "sessions:write", "sessions:admin", "tokens:read", "tokens:write", "factors:read", "factors:write", "service_accounts:read", "service_accounts:write", "webhooks:read", "webhooks:write", "policies:read", "policies:admin", "fleet:read", "fleet:admin", "organizations:admin", "users:read", "users:admin", "roles:admin", "events:read", "events:admin"]]


class PlacementChange(TypedDict):
    change: Literal["fewer_gpus", "other_region", "other_sku", "wait"]
    gpus: NotRequired[int]
    region: NotRequired[str]
    sku: NotRequired[str]


class PlacementDecisionChosen(TypedDict):
    gpus: int
    image_cached: bool
    numa_groups: int
    """One, unless it is a whole host."""


class PlacementDecisionNearestMiss(TypedDict):
    constraint: str
    message: str


class PlacementDecision(TypedDict):
    """Why it was placed, or not. Hosts and other tenants are counted, never named."""

    chosen: PlacementDecisionChosen | None
    considered: int
    decided_at: str
    feasible: int
    nearest_miss: PlacementDecisionNearestMiss | None
    outcome: Literal["placed", "queued", "refused"]
    reasons: Sequence[PlacementReason]
    would_fit: Sequence[PlacementChange]
    """The smallest changes with which it would fit now."""


class PlacementReason(TypedDict):
    constraint: str
    """The first criterion that did not fit, in the order of the checks; or `launch_failed` for hosts that fit and come last, because a launch failed there recently."""
    message: str
    nodes: int
    """Number of hosts."""


class PlatformHealth(TypedDict):
    checked_at: str
    findings: Sequence[HealthFinding]
    status: Literal["ok", "warn", "bad"]
    """The worst of the findings."""
    version: str


class PlatformRoleHolderRolesItem(TypedDict):
    granted_at: str
    granted_by: str | None
    """Who granted it; null if it was granted before this was recorded."""
    role: Literal["platform_superadmin", "platform_ops", "platform_finance", "platform_support"]


class PlatformRoleHolder(TypedDict):
    display_name: str | None
    roles: Sequence[PlatformRoleHolderRolesItem]
    state: Literal["active", "disabled", "erased"]
    user_id: str
    username: str


class PolicyDefinition(TypedDict):
    choices: NotRequired[Sequence[str]]
    default: int | bool | str
    """A number, true or false, or one of the choices, as the policy says."""
    description: str
    key: str
    levels: NotRequired[Sequence[Literal["user", "project", "organization", "plan", "global"]]]
    """Where it may be set; left out: at every level."""
    maximum: NotRequired[int]
    minimum: NotRequired[int]
    owner: str
    type: Literal["integer", "boolean", "choice"]
    unit: NotRequired[str]


class PolicySetting(TypedDict):
    hard: bool
    id: str
    key: str
    level: Literal["user", "project", "organization", "plan", "global"]
    """The most specific level that is set wins."""
    reason: str
    subject_id: str | None
    updated_at: str
    value: int | bool | str
    """A number, true or false, or one of the choices, as the policy says."""


class Problem(TypedDict):
    code: str
    """One of the error catalog; programs branch on this."""
    correlation_id: str
    """Finds this request in logs, traces, audit and events."""
    details: NotRequired[Any]
    """Facts that help to correct the request."""
    message: str
    """What is wrong with this request and what to do."""
    status: int
    title: str
    """The title of the code; always the same for one code."""
    type: str
    """Names the kind of problem, and leads to what the docs say about it."""


class Project(TypedDict):
    created_at: str
    department_id: str
    id: str
    name: str
    organization_id: str
    resource_name: str
    slug: str
    state: Literal["active", "archived", "removing", "deleted"]
    updated_at: str
    version: int
    """Grows with every change; send it back to change only the version that you saw."""


class Proof(TypedDict):
    detail: str
    passed: bool


class PublicImage(TypedDict):
    digest: str
    display_name: str
    driver_strategy: Literal["preinstalled", "cloud_init"]
    skus: Sequence[str]
    slug: str


class QueueEntry(TypedDict):
    allocation_id: str
    deadline_at: str
    expected_start_at: str | None
    gpu_count: int
    host_reserved: bool
    """A host is reserved for it."""
    organization_id: str
    position: int
    project_id: str
    region: str
    sku: str
    waiting_since: str
    weight: float
    """Priority in the queue: a lower number goes first."""


class QuoteAccountBalance(TypedDict):
    amount_minor: str
    currency: str


class QuoteAccountBalanceAfter(TypedDict):
    amount_minor: str
    currency: str


class QuoteAccountPerHourAfter(TypedDict):
    amount_minor: str
    currency: str


class QuoteAccount(TypedDict):
    """What the launch does to the account; null for callers who may not see it."""

    balance: QuoteAccountBalance
    balance_after: QuoteAccountBalanceAfter
    per_hour_after: QuoteAccountPerHourAfter
    runway_seconds: int | None
    runway_seconds_after: int | None


class QuoteBudgetsItemCounted(TypedDict):
    amount_minor: str
    currency: str


class QuoteBudgetsItemHard(TypedDict):
    amount_minor: str
    currency: str


class QuoteBudgetsItemSoft(TypedDict):
    amount_minor: str
    currency: str


class QuoteBudgetsItem(TypedDict):
    blocks: bool
    """Whether its hard threshold refuses the launch."""
    counted: QuoteBudgetsItemCounted
    hard: QuoteBudgetsItemHard | None
    id: str
    name: str
    scope: Literal["organization", "project", "user", "tag"]
    soft: QuoteBudgetsItemSoft | None


class QuoteEndsCost(TypedDict):
    amount_minor: str
    currency: str


class QuoteEnds(TypedDict):
    """When it would end by itself; null when it has no end."""

    after_seconds: int
    """How long the allocation would be active at most."""
    because: Literal["max_spend", "max_duration"]
    cost: QuoteEndsCost


class QuoteHold(TypedDict):
    """What the launch sets aside; nothing where the organization does not pay ahead."""

    amount_minor: str
    currency: str


class QuotePrice(TypedDict):
    per_hour: Money
    price_id: str | None
    unit: Literal["gpu_hour", "node_hour"]
    unit_price: Money


class Quote(TypedDict):
    account: QuoteAccount | None
    """What the launch does to the account; null for callers who may not see it."""
    affordable: bool
    """Whether balance and budgets allow the launch now."""
    budgets: Sequence[QuoteBudgetsItem]
    """The budgets that count this launch. Budgets of the organization are shown to those who see its account."""
    created_at: str
    ends: QuoteEnds | None
    """When it would end by itself; null when it has no end."""
    expires_at: str
    gpus: int
    hold: QuoteHold
    """What the launch sets aside; nothing where the organization does not pay ahead."""
    id: str
    price: QuotePrice
    project_id: str
    region: str
    sku: str
    why_not: str | None


class RecordingCast(TypedDict):
    cast: str
    """Lines of asciicast. The first page begins with the header."""
    next: str | None
    """Where the next page begins; null after the last one."""


class RecordingVerdictBroken(TypedDict):
    problem: str
    sequence: int


class RecordingVerdict(TypedDict):
    broken: RecordingVerdictBroken | None
    chunks: int
    """Chunks that were checked and are as they were stored."""
    intact: bool
    recording_id: str


class RecordingView(TypedDict):
    expires_at: str
    recording: TerminalRecordingInfo
    view_id: str


class RecoveryCodes(TypedDict):
    recovery_codes: str
    """Ten codes, separated by spaces. They are shown here and never again."""


class Region(TypedDict):
    active: bool
    created_at: str
    name: str
    slug: str


class ResourceProfile(TypedDict):
    fabric: Literal["ib", "roce", "none"]
    """The fabric between the GPUs of several nodes. Unless it is none, a slot needs a virtual function of it."""
    slice_vm_profiles: Sequence[VmProfile]
    """Sizes of virtual machine. The first one of a GPU count is the default."""


class ResourceSlot(TypedDict):
    actions: Sequence[SlotAction]
    """The actions that are possible now; for the others, why not."""
    allocation_id: str | None
    fabric_vf_pci_address: str | None
    generation: int
    gpu_memory_mib: int
    gpu_model: str
    gpu_uuid: str
    health_detail: str | None
    health_state: Literal["healthy", "degraded", "failed", "unknown"]
    id: str
    mac_address: str | None
    numa_node: int
    nvme_device: str | None
    pci_address: str
    private_ip: str | None
    slot_index: int
    state: Literal["disabled", "available", "reserved", "in_use", "cleaning", "cleanup_blocked", "quarantined"]
    state_reason: str | None
    updated_at: str
    version: int
    wipe_owed_since: str | None
    """Since when it has not been proven that the slot was wiped after its last use; it is not sold meanwhile."""
    wipe_proof_task_id: str | None
    """The task whose result, signed by the node, proves the wipe that is owed."""
    wipe_waived: WipeWaiver | None
    """An operator returned the slot to sale without proof of the wipe; shown until the next wipe is proven."""


class RevenueRow(TypedDict):
    amount: Money
    day: str
    """A day in UTC."""
    organizations: int
    """How many organizations were charged."""
    quantity_ms: str
    """Units of the price (GPUs, whole nodes, or GiB) times milliseconds."""
    sku: str


class RevenueSku(TypedDict):
    amount: Money
    quantity_ms: str
    """Units of the price (GPUs, whole nodes, or GiB) times milliseconds."""
    sku: str


class RevenueTotal(TypedDict):
    skus: Sequence[RevenueSku]
    """The highest amount first."""
    total: Money


class Runbook(TypedDict):
    category: str
    """What it is about: `events`, `nodes`, `billing`."""
    id: str
    """Stable, for programs and links: `node-lost`."""
    owner: str
    """The domain of the product that owns it."""
    page: str
    """Where this installation serves it: `/docs/runbooks/node-lost`."""
    severity: Literal["critical", "warning", "info"]
    signals: Sequence[str]
    """What leads here: alerts of Prometheus, findings of the health of the platform, sources of alerts of nodes, kinds of incidents. One that ends in * stands for all that begin so."""
    summary: str
    """What it means, in a sentence."""
    title: str


class RunbookPage(TypedDict):
    category: str
    """What it is about: `events`, `nodes`, `billing`."""
    id: str
    """Stable, for programs and links: `node-lost`."""
    owner: str
    """The domain of the product that owns it."""
    page: str
    """Where this installation serves it: `/docs/runbooks/node-lost`."""
    severity: Literal["critical", "warning", "info"]
    signals: Sequence[str]
    """What leads here: alerts of Prometheus, findings of the health of the platform, sources of alerts of nodes, kinds of incidents. One that ends in * stands for all that begin so."""
    summary: str
    """What it means, in a sentence."""
    text: str
    """The whole page, as Markdown."""
    title: str


class SealedCount(TypedDict):
    key_id: str
    """The key that sealed them."""
    purpose: str
    """The purpose of the values: `issuer`, `task-signers`."""
    state: Literal["current", "former", "missing"]
    """Whether that key seals now, only opens, or is missing from the keyring of this process."""
    table: str
    """The table that holds them."""
    values: int


class SecondFactor(TypedDict):
    created_at: str
    id: str
    kind: Literal["totp", "passkey"]
    """totp: an authenticator app that shows codes. passkey: a key on a device (WebAuthn)."""
    last_used_at: str | None
    name: str


class SecondFactors(TypedDict):
    factors: Sequence[SecondFactor]
    """Oldest first; at most 10."""
    managed: bool
    """False if another identity provider keeps the factors: manage them there."""
    passkeys: bool
    """Whether passkeys can be added: browsers make them for a domain with TLS, not for an IP address."""
    recovery_codes_left: int
    """Recovery codes that are left."""
    required: bool
    """Whether a policy requires a second factor for sensitive operations."""


class SellerSeller(TypedDict):
    address_lines: Sequence[str]
    city: str
    """The city."""
    country: str
    """Two letters of ISO 3166: DE."""
    legal_name: str
    """The name in the register of companies, or of the person."""
    postal_code: str | None
    """The postal code, where there is one."""
    tax_id: str | None
    """The VAT number or the like, as the tax office wrote it: DE123456788."""
    updated_at: str


class Seller(TypedDict):
    seller: SellerSeller | None


class ServiceAccount(TypedDict):
    created_at: str
    description: str | None
    id: str
    name: str
    organization_id: str
    project_ids: Sequence[str]
    """The projects where it may act. It sees nothing else."""
    resource_name: str
    scope: Literal["project", "organization"]
    """Pinned to one project, or bounded by an organization and a list of its projects."""
    scopes: Sequence[Literal["organizations:read", "organizations:write", "organizations:delete", "members:read", "members:write", "membership:leave", "profile:read", "profile:write", "ssh_keys:read", "ssh_keys:write", "projects:read", "projects:write", "allocations:read", "allocations:write", "apps:read", "apps:publish", "apps:admin", "storage:read", "storage:write", "usage:read", "billing:read", "billing:write", "billing:pay", "billing:admin", "activity:read", "audit:read", "audit:admin", "sessions:read", "sessions:write", "sessions:admin", "tokens:read", "tokens:write", "factors:read", "factors:write", "service_accounts:read", "service_accounts:write", "webhooks:read", "webhooks:write", "policies:read", "policies:admin", "fleet:read", "fleet:admin", "organizations:admin", "users:read", "users:admin", "roles:admin", "events:read", "events:admin"]]
    slug: str
    state: Literal["active", "disabled", "deleted"]
    updated_at: str
    version: int


class ServiceAccountKeyPublicKey(TypedDict):
    crv: Literal["Ed25519"]
    kty: Literal["OKP"]
    x: str
    """32 bytes in base64url."""


class ServiceAccountKeyPublicKey2(TypedDict):
    crv: Literal["P-256"]
    kty: Literal["EC"]
    x: str
    """32 bytes in base64url."""
    y: str
    """32 bytes in base64url."""


class ServiceAccountKey(TypedDict):
    created_at: str
    expires_at: str
    id: str
    last_used_at: str | None
    name: str
    public_key: ServiceAccountKeyPublicKey | ServiceAccountKeyPublicKey2
    """A public key as JSON Web Key: Ed25519 or P-256."""
    revoked_at: str | None
    service_account_id: str


class SessionsRevoked(TypedDict):
    revoked: int
    """How many sessions were ended."""


class SignIn(TypedDict):
    authorization_endpoint: str
    client_id: str
    """The public client that command lines sign in as."""
    device_authorization_endpoint: str | None
    """Null when the provider has no device flow."""
    issuer: str
    """The OpenID provider whose tokens count here."""
    revocation_endpoint: str | None
    scope: str
    """The scopes to request."""
    second_factor_acr: str | None
    """What to send as acr_values for a sign-in with a second factor; null where it is not known."""
    token_endpoint: str


class SignedSshCertificate(TypedDict):
    allocation_id: str
    certificate: str
    """The line of an id_…-cert.pub file."""
    created_at: str
    expires_at: str
    id: str
    key_fingerprint: str
    """Of the public key that it is for."""
    organization_id: str
    principals: Sequence[str]
    """It opens this allocation and nothing else."""
    project_id: str
    revoked_at: str | None
    serial: str
    """In decimal digits: it is larger than JSON numbers hold."""
    user_id: str
    """Who may use it."""
    username: str
    """The login on the machine."""


SimulatedFaultName: TypeAlias = "Literal['xid_79', 'gpu_missing', 'gpu_mismatch', 'driver_unavailable', 'wrong_driver', 'dirty_disk', 'leaky_bridge', 'deaf_guest', 'hung_guest', 'vfio_stuck', 'image_unavailable', 'slow_image', 'disk_full', 'machine_failed', 'ssh_unreachable', 'user_remains', 'mirror_away', 'silent_guest', 'idle_guest', 'overheating', 'memory_errors', 'container_crash', 'container_hung', 'agent_lost']"


class SimulatedNodeFaultsItem(TypedDict):
    fault: SimulatedFaultName
    once: bool
    since: str
    slot_index: int


class SimulatedNode(TypedDict):
    agent: Literal["running", "stopped"]
    faults: Sequence[SimulatedNodeFaultsItem]
    gpu_model: str
    gpus_total: int
    name: str
    node_id: str
    running: Sequence[str]
    """Allocations that run there, as the simulator sees it."""


class Sku(TypedDict):
    active: bool
    allowed_gpu_counts: Sequence[int]
    billing_unit: Literal["gpu_hour", "node_hour"]
    capacity_shape: Literal["baremetal", "gpu_slice"]
    """A whole node, or a virtual machine with some of its GPUs."""
    created_at: str
    display_name: str
    gpu_memory_mib: int
    gpu_model: str
    """As the driver reports it."""
    gpus_total: int
    resource_profile: ResourceProfile
    sku: str
    updated_at: str
    vendor: str


class SkuPrice(TypedDict):
    created_at: str
    effective_from: str
    id: str
    region: str | None
    sku: str
    state: Literal["past", "current", "future"]
    unit_price: Money


class SlotAction(TypedDict):
    action: Literal["enable", "disable", "quarantine", "clear", "clear_unproven"]
    allowed: bool
    why_not: str | None


class SlotCandidate(TypedDict):
    blockers: Sequence[str]
    """Why this one could not be handed out as it is; empty when it could."""
    fabric_vf_pci_address: str | None
    gpu_memory_mib: int
    gpu_model: str
    gpu_uuid: str
    mac_address: str | None
    numa_node: int
    nvme_device: str | None
    pci_address: str
    private_ip: str | None
    slot_index: int


class SshCertificate(TypedDict):
    allocation_id: str
    created_at: str
    expires_at: str
    id: str
    key_fingerprint: str
    """Of the public key that it is for."""
    organization_id: str
    project_id: str
    revoked_at: str | None
    serial: str
    """In decimal digits: it is larger than JSON numbers hold."""
    user_id: str
    """Who may use it."""


class SshKey(TypedDict):
    bits: int
    comment: str
    created_at: str
    fingerprint: str
    """SHA256:…, as ssh-keygen -lf prints it."""
    id: str
    last_used_at: str | None
    """When an allocation with this key last became active."""
    name: str
    project_id: str | None
    proven_at: str | None
    """When the owner proved to hold the private half. At the jump host a proven key names its owner alone."""
    public_key: str
    """Type and key, without the comment."""
    resource_name: str
    type: str
    """As OpenSSH calls it: ssh-ed25519, ecdsa-sha2-nistp256, …"""
    user_id: str | None
    """The owner; null for a key of a project."""


class SshPlatformKey(TypedDict):
    created_at: str
    fingerprint: str
    """SHA256:…, as ssh-keygen -lf prints it."""
    kind: Literal["jump_host", "user_authority"]
    """jump_host: the host key of the jump host. user_authority: the key that signs certificates."""
    number: int
    public_key: str
    """Type and key, as OpenSSH writes them."""
    retired_at: str | None
    state: Literal["announced", "current", "retired"]
    used_from: str | None


class StorageAddress(TypedDict):
    expires_at: str
    headers: Mapping[str, str]
    """To be sent as they are."""
    method: Literal["GET", "PUT"]
    size_bytes: int
    url: str
    """Works without a token, for one part or one download, until it expires."""


class StorageDeletion(TypedDict):
    entries: int
    id: str
    path: str
    size_bytes: int


class StorageGrant(TypedDict):
    created_at: str
    expires_at: str | None
    granted_by: str
    grantee_id: str
    grantee_kind: Literal["user", "service_account", "project"]
    id: str
    level: Literal["read", "write", "manage"]
    namespace_id: str
    path: str
    project_id: str
    """The project that owns the namespace."""
    revoked_at: str | None


class StorageLink(TypedDict):
    created_at: str
    created_by: str
    expires_at: str
    id: str
    last_opened_at: str | None
    namespace_id: str
    opened: int
    """How often it was opened."""
    path: str
    """Where the file lies now."""
    project_id: str
    revoked_at: str | None
    size_bytes: int
    storage_object_id: str
    """The file. The link follows it when it is renamed, and not what replaces it."""
    works: bool
    """Whether it opens the file now: not while the file lies in the trash."""


class StorageNamespace(TypedDict):
    created_at: str
    id: str
    kind: Literal["shared", "users", "workloads", "datasets", "checkpoints", "artifacts"]
    level: Literal["read", "write", "manage"]
    """What the caller may do there."""
    name: str
    path: str
    project_id: str
    stored_bytes: int
    """Files in it, and those of it in the trash."""


class StorageObject(TypedDict):
    checksum: str
    """sha256:HEX of a file of one part. sha256-parts:HEX of a longer one: the SHA-256 of the SHA-256 of its parts, in order. Empty for a folder."""
    content_type: str
    created_at: str
    created_by: str
    deleted_at: str | None
    id: str
    is_folder: bool
    name: str
    namespace_id: str
    part_bytes: int
    """The size of every part but the last."""
    path: str
    project_id: str
    purge_at: str | None
    """When it leaves the trash for good."""
    size_bytes: int
    updated_at: str


class StoragePrice(TypedDict):
    created_at: str
    currency: str
    effective_from: str
    id: str
    rate_micro: str
    """Minor units for one GiB and hour, times a million: 3000 in USD is 0.00003 USD."""
    state: Literal["past", "current", "future"]


class StorageToken(TypedDict):
    allocation_id: str
    created_at: str
    created_by: str
    id: str
    level: Literal["read", "write"]
    """What it opens of the files of the project."""
    project_id: str
    revoked_at: str | None
    works: bool
    """Whether it is accepted now: the allocation has not ended, and nobody revoked it."""


class StorageUploadPartsItem(TypedDict):
    number: int
    sha256: str
    """SHA-256 in hex."""
    size_bytes: int


class StorageUpload(TypedDict):
    created_at: str
    expires_at: str
    id: str
    part_bytes: int
    """The size of every part but the last."""
    part_count: int
    parts: Sequence[StorageUploadPartsItem]
    """Those that have arrived; an upload is resumed with the others."""
    path: str
    project_id: str
    size_bytes: int


class StorageUploadGone(TypedDict):
    id: str
    path: str


class StorageUsagePrice(TypedDict):
    """What storing costs now; null where it is free."""

    currency: str
    rate_micro: str
    """Minor units for one GiB and hour, times a million."""


class StorageUsage(TypedDict):
    price: StorageUsagePrice | None
    """What storing costs now; null where it is free."""
    project_id: str
    quota_bytes: int
    read_only: bool
    """Whether the balance of the organization is spent: uploads and copies are refused, downloads and deletions work, and nothing is deleted."""
    reserved_bytes: int
    """Uploads that are under way."""
    stored_bytes: int
    """Files, and those in the trash."""


class StuckAllocation(TypedDict):
    allocation_id: str
    limit_seconds: int
    """The phase whose usual duration it is compared with."""
    node_id: str | None
    organization_id: str
    phase: str
    """The latest timeline entry."""
    region: str
    seconds: int
    """How long it has been in this phase."""
    since: str
    sku: str
    state: str
    usual_seconds: int | None
    """The 99th percentile of this phase; null without recent data."""


class TaskSigner(TypedDict):
    effective_at: str
    id: str
    public_key: str
    """The raw Ed25519 key in base64url."""
    published_at: str
    retires_at: str | None
    state: Literal["staged", "active", "grace", "retired", "revoked"]
    version: int


class TerminalRecordingInfo(TypedDict):
    allocation_id: str
    began_at: str | None
    chunks: int
    columns: int
    created_at: str
    duration_ms: int
    end_reason: Literal["exited", "closed_by_user", "closed_by_admin", "closed_by_operator", "rights_lost", "allocation_ended", "time_over", "idle", "never_opened", "shell_failed", "node_lost", "api_unreachable", "recorder_failed", "recording_full"] | None
    ended_at: str | None
    id: str
    """The id of its session, too."""
    kind: Literal["metadata", "output"]
    """metadata: who, when and how much, without a word of it."""
    name: str
    organization_id: str
    output_bytes: int
    """Output of the shell, without what the format adds."""
    project_id: str
    records_input: bool
    rows: int
    sha256: str | None
    """Of the last chunk. It covers all chunks."""
    state: Literal["recording", "complete", "partial", "removed"]
    """recording: the session goes on. complete: it has its last chunk. partial: it ends with the last chunk that was stored. removed: its retention is over."""
    stored_bytes: int
    user_id: str
    """Whose session it was."""


class TerminalSession(TypedDict):
    allocation_id: str
    columns: int
    created_at: str
    end_reason: Literal["exited", "closed_by_user", "closed_by_admin", "closed_by_operator", "rights_lost", "allocation_ended", "time_over", "idle", "never_opened", "shell_failed", "node_lost", "api_unreachable", "recorder_failed", "recording_full"] | None
    ended_at: str | None
    expires_at: str
    """The shell ends then, at the latest."""
    has_writer: bool
    """A client is connected and types."""
    id: str
    kind: Literal["shell", "ssh", "forward"]
    name: str
    opened_at: str | None
    organization_id: str
    port: int | None
    """Of the machine, for a session of kind forward."""
    project_id: str
    received_bytes: int | None
    """Null while no gateway has reported."""
    recording: Literal["off", "metadata", "output"]
    rows: int
    sent_bytes: int | None
    """Null while no gateway has reported."""
    simulated: bool
    """The GPUs of its machine are simulated."""
    ssh_certificate_id: str | None
    """The certificate that opened it through the jump host; null for all others."""
    ssh_key_id: str | None
    """The key that opened it through the jump host; null for all others."""
    state: Literal["opening", "open", "ended"]
    user_id: str
    """Whose session it is. Only this person types into it."""
    version: int
    watchers: int
    """Clients that only read."""


class TerminalToken(TypedDict):
    expires_at: str
    name: str
    recording: Literal["off", "metadata", "output"]
    role: Literal["writer", "watcher"]
    session_id: str
    token: str
    """Works once, within five minutes, as the second offer in Sec-WebSocket-Protocol."""
    url: str
    """Where the WebSocket is opened, wss or ws. The token never goes into it."""


class TimelineItem(TypedDict):
    at: str
    correlation_id: str | None
    detail: Mapping[str, Any]
    from_state: str | None
    id: str
    kind: Literal["transition", "phase", "task", "note"]
    name: str
    to_state: str | None
    version: int | None


class UsagePoint(TypedDict):
    amount: Money
    at: str
    """When the hour, day or month begins, in UTC."""
    key: str
    """The id or slug of the group; empty when everything is one group."""
    meter: Literal["gpu_time", "storage", "app_units"] | None
    name: str | None
    """The display name of the group, if it has one."""
    quantity_ms: str
    """Units of the price (GPUs, whole nodes, or GiB) times milliseconds; of GPU time alone where the group has several meters."""


class UsageProofAttestationsItem(TypedDict):
    generation: int
    gpus: Sequence[str]
    """UUIDs of the GPUs of the machine."""
    node_id: str
    taken_at: str
    """When the node proved the machine ready; evidence before it does not count, in microseconds since 1970."""


class UsageProofBefore(TypedDict):
    charged_minor: str
    """What was charged before the first window."""
    exact: str
    """The exact price of everything before the first window, times 3,600,000,000,000."""


class UsageProofEvidenceItem(TypedDict):
    record: str
    """The usage record as the node signed it, in canonical JSON (RFC 8785)."""
    result_key: str
    """The Ed25519 public key of the node, in base64url."""


class UsageProofLinksItem(TypedDict):
    balance_minor: str
    """The balance after the link."""
    entries: Sequence[str]
    """The entries as they were hashed, each with its fields separated by U+001F. For units of an app: instance, meter, time in microseconds, organization, version, endpoint, operating mode, correlation id, and what was counted so far."""
    hash: str
    """SHA-256 over all of it."""
    hash_before: str
    """The hash of the link before."""
    held_minor: str
    """The amount held after the link."""
    number: str
    """The number of the link in the chain of the organization."""


class UsageProofWindowsItem(TypedDict):
    id: str
    text: str
    """The window as it was hashed: its fields, separated by U+001F."""


class UsageProof(TypedDict):
    allocation_id: str
    """The allocation; for a line of storage the project, for units of an app the instance."""
    attestations: Sequence[UsageProofAttestationsItem]
    before: UsageProofBefore
    day: str
    """The day of the line, in UTC."""
    evidence: Sequence[UsageProofEvidenceItem]
    """Every record that the windows rest on, oldest first; none for storage and apps."""
    format: Literal["gpuaas-usage-proof-1"]
    line_id: str
    links: Sequence[UsageProofLinksItem]
    """The links of the chain that hold the entries of these windows, in order."""
    meter: NotRequired[Literal["gpu_time", "storage", "app_units"]]
    """What the line is counted by; gpu_time where an older proof does not say it."""
    next_cursor: str | None
    """Further windows of the line."""
    ordered_gpus: int
    """No more GPUs than this are charged."""
    organization_id: str
    readings: NotRequired[Sequence[str]]
    """For storage: what the server noted whenever the stored bytes of the project changed; for units of an app: what it noted whenever more was counted. Oldest first. No host signs them."""
    stop_at: str | None
    """When the release was accepted or the cap was reached; evidence after it does not count, in microseconds since 1970."""
    windows: Sequence[UsageProofWindowsItem]
    """Oldest first."""


class UsageReportRowsItem(TypedDict):
    amount: Money
    key: str
    """The id, slug or day of the group; empty when everything is one group."""
    meter: Literal["gpu_time", "storage", "app_units"] | None
    name: str | None
    """The display name of the group, if it has one."""
    quantity_ms: str
    """Of the one meter of the group; of GPU time alone where it has several. For app_units their number."""
    simulated: bool | None
    """Whether the allocation is on a simulated host; null where a group is not one allocation."""


UsageReport = TypedDict("UsageReport", {
    "from": "str",
    "group_by": "Literal['project', 'user', 'sku', 'meter', 'allocation', 'day', 'none']",
    "rows": "Sequence[UsageReportRowsItem]",
    "to": "str",
    "total": "Money",
})


UsageWindow = TypedDict("UsageWindow", {
    "amount": "Money",
    "charged": "Money",
    "from": "str",
    "id": "str",
    "price_id": "str | None",
    "quantity_ms": "str",
    "rate_micro": "str",
    "to": "str",
    "unit": "Literal['gpu_hour', 'node_hour', 'gib_hour', 'unit', 'thousand_units', 'million_units']",
})


class VmProfile(TypedDict):
    gpus: int
    memory_mib: int
    name: str
    vcpus: int


class Webhook(TypedDict):
    created_at: str
    description: str
    disabled_reason: str | None
    enabled: bool
    event_types: Sequence[Literal["apps.artifact.deprecated", "apps.artifact.failed_verification", "apps.artifact.promoted", "apps.artifact.published", "apps.artifact.retired", "apps.artifact.revoked", "apps.artifact.verified", "apps.instance.failed", "apps.instance.launching", "apps.instance.released", "apps.instance.rolled_back", "apps.instance.running", "apps.instance.stopped", "apps.instance.upgraded", "apps.instance.upgrading", "billing.auto_release_pending", "billing.balance_depleted", "billing.balance_recovered", "billing.low_balance_warning", "billing.machines_stopped", "payments.auto_top_up_action_required", "payments.auto_top_up_failed", "payments.balance_credited", "payments.disputed", "payments.failed", "payments.refunded", "provisioning.active", "provisioning.attested", "provisioning.drain_called_off", "provisioning.drain_notice", "provisioning.failed", "provisioning.idle", "provisioning.queued", "provisioning.release_failed", "provisioning.releasing.completed", "storage.grant.created", "storage.grant.revoked", "storage.namespace.created", "storage.object.deleted", "tenancy.invitation.accepted", "tenancy.member.changed", "tenancy.project_member.changed", "terminal.session.ended", "terminal.session.opened"]]
    """Only events of these types; all of them when it is empty."""
    failing_since: str | None
    id: str
    organization_id: str
    secret_overlap_until: str | None
    """Until when the former secret signs as well."""
    url: str
    """Where events are posted: an https address that everybody can reach."""


class WebhookDeliveryTriesItem(TypedDict):
    at: str
    reason: str | None
    status: int | None
    took_ms: int


class WebhookDelivery(TypedDict):
    attempts: int
    created_at: str
    due_at: str | None
    """When it is tried next."""
    event_id: str
    event_type: str
    id: str
    outcome: Literal["waiting", "delivered", "failed"]
    reason: str | None
    """Why the last try failed."""
    response_status: int | None
    settled_at: str | None
    tries: Sequence[WebhookDeliveryTriesItem]
    """The last tries, oldest first."""


class WebhookWithSecret(TypedDict):
    created_at: str
    description: str
    disabled_reason: str | None
    enabled: bool
    event_types: Sequence[Literal["apps.artifact.deprecated", "apps.artifact.failed_verification", "apps.artifact.promoted", "apps.artifact.published", "apps.artifact.retired", "apps.artifact.revoked", "apps.artifact.verified", "apps.instance.failed", "apps.instance.launching", "apps.instance.released", "apps.instance.rolled_back", "apps.instance.running", "apps.instance.stopped", "apps.instance.upgraded", "apps.instance.upgrading", "billing.auto_release_pending", "billing.balance_depleted", "billing.balance_recovered", "billing.low_balance_warning", "billing.machines_stopped", "payments.auto_top_up_action_required", "payments.auto_top_up_failed", "payments.balance_credited", "payments.disputed", "payments.failed", "payments.refunded", "provisioning.active", "provisioning.attested", "provisioning.drain_called_off", "provisioning.drain_notice", "provisioning.failed", "provisioning.idle", "provisioning.queued", "provisioning.release_failed", "provisioning.releasing.completed", "storage.grant.created", "storage.grant.revoked", "storage.namespace.created", "storage.object.deleted", "tenancy.invitation.accepted", "tenancy.member.changed", "tenancy.project_member.changed", "terminal.session.ended", "terminal.session.opened"]]
    """Only events of these types; all of them when it is empty."""
    failing_since: str | None
    id: str
    organization_id: str
    secret: str
    """What signatures are made with (whsec_…). It is shown once."""
    secret_overlap_until: str | None
    """Until when the former secret signs as well."""
    url: str
    """Where events are posted: an https address that everybody can reach."""


class WipeWaiver(TypedDict):
    at: str
    by: str
    reason: str


class Workflow(TypedDict):
    began_at: str
    correlation_id: str | None
    ended_at: str | None
    organization_id: str | None
    reason: str | None
    run_id: str
    """Usually the id of its object, such as an allocation."""
    state: Literal["running", "done", "undone", "cancelled", "stuck"]
    """undone: a step failed, and the steps before it were rolled back. cancelled: the same, because an operator cancelled it. stuck: the rollback failed; an operator must look and retry it."""
    step: str | None
    """The current step, or the one that ended the run."""
    version: int
    workflow: str
    """The name of the workflow, such as allocation.provision."""


class WorkflowAction(TypedDict):
    action: Literal["retry", "cancel"]
    allowed: bool
    why_not: str | None


class WorkflowDetailPlanItem(TypedDict):
    attempts: int
    """Attempts before the step fails."""
    kind: Literal["step", "wait", "failure"]
    """A step of kind failure runs only when a later step fails."""
    name: str
    undoes: bool
    """Whether the step can be rolled back."""


class WorkflowDetail(TypedDict):
    actions: Sequence[WorkflowAction]
    """The actions that are possible now; for the others, why not."""
    attempts: Sequence[WorkflowStep]
    """All attempts so far, in time order."""
    began_at: str
    correlation_id: str | None
    doing: Literal["queued", "working", "pausing", "waiting", "stuck"] | None
    ended_at: str | None
    orders: Sequence[WorkflowOrder]
    """Requests of people so far, in time order."""
    organization_id: str | None
    plan: Sequence[WorkflowDetailPlanItem]
    """All steps in order, as planned at the start."""
    reason: str | None
    run_id: str
    """Usually the id of its object, such as an allocation."""
    state: Literal["running", "done", "undone", "cancelled", "stuck"]
    """undone: a step failed, and the steps before it were rolled back. cancelled: the same, because an operator cancelled it. stuck: the rollback failed; an operator must look and retry it."""
    step: str | None
    """The current step, or the one that ended the run."""
    undoing: bool
    """Whether it is rolling back."""
    until: str | None
    """When the pause ends, or until when an answer is awaited."""
    version: int
    workflow: str
    """The name of the workflow, such as allocation.provision."""


class WorkflowOrder(TypedDict):
    action: Literal["retry", "cancel"]
    at: str
    by: str
    """Who asked for it."""
    reason: str


class WorkflowStep(TypedDict):
    began_at: str
    end: Literal["ok", "halt", "failed"]
    """halt: it will not be retried."""
    ended_at: str
    name: str
    reason: str | None
    work: Literal["do", "ask", "undo"]
    """ask: a request was sent, and its answer is awaited."""


class AdminAllocationQueueAnswer(TypedDict):
    data: Sequence[QueueEntry]


class AllocationStuckListAnswer(TypedDict):
    data: Sequence[StuckAllocation]


class AdminAppVersionAffectedAnswerAffectedItem(TypedDict):
    app_instance_id: str
    organization_id: str
    project_id: str


class AdminAppVersionAffectedAnswer(TypedDict):
    affected: Sequence[AdminAppVersionAffectedAnswerAffectedItem]
    """Instances that run it at this moment, the oldest first."""
    instances: int
    organizations: int
    projects: int


class AdminAppVersionRevokeAnswerAffectedItem(TypedDict):
    app_instance_id: str
    organization_id: str
    project_id: str


class AdminAppVersionRevokeAnswer(TypedDict):
    affected: Sequence[AdminAppVersionRevokeAnswerAffectedItem]
    """Instances that run it at this moment, the oldest first."""
    version: AppVersion


AdminBillingRevenueGetAnswer = TypedDict("AdminBillingRevenueGetAnswer", {
    "from": "str",
    "made_at": "str",
    "rows": "Sequence[RevenueRow]",
    "to": "str",
    "totals": "Sequence[RevenueTotal]",
})


class CatalogDefaultsAnswerAdded(TypedDict):
    os_images: Sequence[str]
    """Not active: each needs the digest of an image that was built."""
    prices: int
    regions: Sequence[str]
    skus: Sequence[str]


class CatalogDefaultsAnswer(TypedDict):
    added: CatalogDefaultsAnswerAdded


class HistoryGetAnswer(TypedDict):
    data: Sequence[HistoryTable]


class MaasOnboardMachinesItem(TypedDict):
    name: NotRequired[str]
    """The name of the node; its host name when left out."""
    sku: str
    system_id: str
    """The id that MAAS gave the machine."""


class MaasOnboardAnswer(TypedDict):
    jobs: Sequence[MaasJob]


class NodeAgentUpdateAnswer(TypedDict):
    task_id: str


class NodeHealthProbeAnswer(TypedDict):
    task_id: str


class NodeImageListAnswer(TypedDict):
    data: Sequence[NodeImage]


class ResourceSlotListAnswer(TypedDict):
    data: Sequence[ResourceSlot]


class NodeRevokeAnswer(TypedDict):
    revoked: int
    """How many certificates were still valid."""


class SlotsApproveAnswer(TypedDict):
    changed: int
    created: int
    enabled: int
    missing: Sequence[int]
    """Slots that the last discovery no longer found."""
    slots: Sequence[ResourceSlot]


class NodeTopologyDiscoverAnswer(TypedDict):
    task_id: str


class OutboxRewindAnswer(TypedDict):
    events: int
    """How many events will be published again."""


class PolicySettingListAnswer(TypedDict):
    definitions: Sequence[PolicyDefinition]
    settings: Sequence[PolicySetting]


class RunbookListAnswer(TypedDict):
    data: Sequence[Runbook]


class SecretsGetAnswer(TypedDict):
    data: Sequence[SealedCount]


class SkuPriceAddUnitPrice(TypedDict):
    amount_minor: str
    currency: str


class SshPlatformKeyListAnswer(TypedDict):
    data: Sequence[SshPlatformKey]


class TaskSignerListAnswer(TypedDict):
    data: Sequence[TaskSigner]


class WorkflowListAnswer(TypedDict):
    data: Sequence[Workflow]


class AllocationGroupCreateMembersItemIdle(TypedDict):
    action: Literal["warn", "release"]
    minutes: int
    """All GPUs idle for this long."""


class AllocationGroupCreateMembersItemMaxSpend(TypedDict):
    """Released before it costs more than this. Its host keeps the deadline, too."""

    amount_minor: str
    """Whole minor units: 2500 is 25 dollars."""
    currency: str


class AllocationGroupCreateMembersItem(TypedDict):
    gpus: int
    idle: NotRequired[AllocationGroupCreateMembersItemIdle]
    image: NotRequired[str]
    """An image of the catalog; default: the first that suits the SKU."""
    max_duration_seconds: NotRequired[int]
    """Released this long after it became active."""
    max_spend: NotRequired[AllocationGroupCreateMembersItemMaxSpend]
    """Released before it costs more than this. Its host keeps the deadline, too."""
    name: NotRequired[str]
    region: str
    sku: str
    """A SKU of the catalog."""
    ssh_key_ids: NotRequired[Sequence[str]]
    """Your own SSH keys and those of the project."""
    tags: NotRequired[Mapping[str, str]]
    """Your own labels, for search."""


class AllocationCreateIdle(TypedDict):
    action: Literal["warn", "release"]
    minutes: int
    """All GPUs idle for this long."""


class AllocationCreateMaxSpend(TypedDict):
    """Released before it costs more than this. Its host keeps the deadline, too."""

    amount_minor: str
    """Whole minor units: 2500 is 25 dollars."""
    currency: str


class AllocationCreateQueue(TypedDict):
    max_wait_seconds: int
    """When no capacity is free, wait this long in the queue instead of being refused."""


class AllocationPlanIdle(TypedDict):
    action: Literal["warn", "release"]
    minutes: int
    """All GPUs idle for this long."""


class AllocationPlanMaxSpend(TypedDict):
    """Released before it costs more than this. Its host keeps the deadline, too."""

    amount_minor: str
    """Whole minor units: 2500 is 25 dollars."""
    currency: str


class AllocationUpdateIdle(TypedDict):
    action: Literal["warn", "release"]
    minutes: int
    """All GPUs idle for this long."""


class AppInstanceCreateAllocationIdle(TypedDict):
    action: Literal["warn", "release"]
    minutes: int
    """All GPUs idle for this long."""


class AppInstanceCreateAllocationMaxSpend(TypedDict):
    """Released before it costs more than this. Its host keeps the deadline, too."""

    amount_minor: str
    """Whole minor units: 2500 is 25 dollars."""
    currency: str


class AppInstanceCreateAllocation(TypedDict):
    """A new allocation, released together with the app."""

    gpus: int
    idle: NotRequired[AppInstanceCreateAllocationIdle]
    image: NotRequired[str]
    """An image of the catalog; default: the first that suits the SKU."""
    max_duration_seconds: NotRequired[int]
    """Released this long after it became active."""
    max_spend: NotRequired[AppInstanceCreateAllocationMaxSpend]
    """Released before it costs more than this. Its host keeps the deadline, too."""
    name: NotRequired[str]
    region: str
    sku: str
    """A SKU of the catalog."""
    ssh_key_ids: NotRequired[Sequence[str]]
    """Your own SSH keys and those of the project."""
    tags: NotRequired[Mapping[str, str]]
    """Your own labels, for search."""


class SigningKeyListAnswer(TypedDict):
    keys: Sequence[Mapping[str, str]]


class ServiceAccountTokenAnswer(TypedDict):
    access_token: str
    expires_in: int
    """Seconds."""
    scope: str
    token_type: Literal["Bearer"]


class MeUpdateAnswer(TypedDict):
    display_name: str | None


class BudgetListAnswer(TypedDict):
    data: Sequence[Budget]
    """At most 1,000."""


class PaymentMethodListAnswer(TypedDict):
    data: Sequence[PaymentMethod]
    """At most 100."""


class PaymentMethodRemoveAnswer(TypedDict):
    id: str


class PolicyListAnswer(TypedDict):
    data: Sequence[EffectivePolicy]


class QuoteCreateMaxSpend(TypedDict):
    """Released before it costs more than this. Its host keeps the deadline, too."""

    amount_minor: str
    """Whole minor units: 2500 is 25 dollars."""
    currency: str


class ServiceAccountKeyCreatePublicKey(TypedDict):
    crv: Literal["Ed25519"]
    kty: Literal["OKP"]
    x: str
    """32 bytes in base64url."""


class ServiceAccountKeyCreatePublicKey2(TypedDict):
    crv: Literal["P-256"]
    kty: Literal["EC"]
    x: str
    """32 bytes in base64url."""
    y: str
    """32 bytes in base64url."""


class SimulatorNodeListAnswer(TypedDict):
    data: Sequence[SimulatedNode]
    speed: float
    """How many times faster than real hosts the simulated ones are."""


class SimulatorSpeedSetAnswer(TypedDict):
    speed: float
    """How many times faster than real hosts the simulated ones are."""


class VersionGetAnswer(TypedDict):
    commit: str | None
    """The commit that the package was made from; null where it runs from a clone."""
    contract: str
    """A digest of the description of the API, with the kind of digest before it."""
    product: str
    version: str
