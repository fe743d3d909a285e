// Emitted from the contract by `npm run gen`; changes are lost.

export type AccessGrant = {
  readonly allocation_id: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly granted_by: string;
  readonly id: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly reason: string;
  readonly revoked_at: string | null;
  readonly revoked_by: string | null;
  /** The only key of the person that is installed; null for all of them. */
readonly ssh_key_id: string | null;
  readonly state: "active" | "expired" | "revoked";
  /** Who may work in it. */
readonly user_id: string;
};

export type AccountSession = {
  readonly browser: string | null;
  /** Whether this request belongs to it. */
readonly current: boolean;
  readonly device_label: string | null;
  readonly expires_at: string;
  readonly id: string;
  readonly ip_address: string | null;
  readonly last_seen_at: string;
  readonly os: string | null;
  readonly provider: "oidc" | "personal_token" | "service_account" | "password" | "unknown";
  readonly revoke_reason: string | null;
  readonly revoked_at: string | null;
  readonly signed_in_at: string;
  readonly user_agent: string | null;
};

export type Activity = {
  readonly action: string;
  readonly actor_id: string;
  /** The name of the person or service account; null for the platform and for nodes. */
readonly actor_name: string | null;
  readonly actor_role: string;
  readonly change: unknown;
  readonly correlation_id: string;
  readonly created_at: string;
  readonly id: string;
  readonly result: "success" | "failure";
  /** It was done to an allocation whose host is simulated: there is no such machine. */
readonly simulated: boolean;
  readonly target_id: string;
  /** The current name of the object, if it has one and still exists. */
readonly target_name: string | null;
  readonly target_type: string;
};

export type Adjustment = {
  readonly amount: Money;
  /** The line of the ledger that it corrects; none for credit. */
readonly corrects: string | null;
  readonly created_at: string;
  /** When credit ends; null for corrections, and where billing.credit_days counts from the approval. */
readonly credit_expires_at: string | null;
  readonly decided_at: string | null;
  readonly decided_by: string | null;
  readonly decision_note: string | null;
  /** The line of the ledger that it made. */
readonly entry_id: string | null;
  readonly expires_at: string;
  readonly id: string;
  /** Whether it is above billing.adjustment_limit_minor or billing.adjustment_total_limit_minor, or as credit above billing.grant_limit_minor or billing.grant_total_limit_minor. */
readonly needs_approval: boolean;
  readonly organization_id: string;
  readonly organization_name: string;
  readonly reason: string;
  readonly requested_by: string;
  readonly state: "waiting" | "entered" | "rejected" | "expired";
};

export type AdminAllocation = {
  /** Where it is reached, once it is active: ssh, with address, port and host key. */
readonly access: Readonly<Record<string, unknown>> | null;
  /** The actions that are possible now; for the others, why not. */
readonly actions: readonly AllocationAction[];
  readonly active_at: string | null;
  /** The number of this attempt. */
readonly attempt: number;
  readonly capacity_shape: "baremetal" | "gpu_slice";
  /** What its owner should know about its host or its GPUs. */
readonly concerns: readonly AllocationConcern[];
  readonly created_at: string;
  readonly ended_at: string | null;
  readonly expires_at: string | null;
  readonly failure: {
  readonly code: string;
  readonly reason: string;
} | null;
  readonly generation: number;
  readonly gpu_count: number;
  readonly group_id: string | null;
  readonly id: string;
  readonly idle: {
  readonly action: "warn" | "release";
  /** All GPUs idle for this long. */
readonly minutes: number;
} | null;
  readonly image: string | null;
  readonly isolation_model: "user-revoke" | "full-reimage";
  readonly login: {
  readonly gid: number;
  readonly uid: number;
  readonly username: string;
} | null;
  /** The most attempts: a launch that fails because of its host is tried on another one. */
readonly max_attempts: number;
  readonly max_duration_seconds: number | null;
  /** It is released before it costs more. */
readonly max_spend: {
  readonly amount_minor: string;
  readonly currency: string;
} | null;
  readonly name: string;
  readonly node_id: string | null;
  readonly node_name: string | null;
  readonly organization_id: string;
  /** It has ended for its owner. The state says how far its host has cleaned up. */
readonly over: boolean;
  readonly placement_status: "queued" | "reserved" | "leased" | "freed";
  readonly price: {
  readonly per_hour: Money;
  readonly price_id: string | null;
  readonly unit: "gpu_hour" | "node_hour";
  readonly unit_price: Money;
};
  /** The promised size of the machine. */
readonly profile: {
  readonly memory_mib: number;
  readonly name: string;
  readonly vcpus: number;
} | null;
  readonly project_id: string;
  readonly provisioning_started_at: string | null;
  /** Whether its host reports. A silent host ends nothing. */
readonly reachable: boolean;
  readonly region: string;
  readonly release_attempts: number;
  readonly release_reason: string | null;
  readonly releasing_at: string | null;
  readonly requested_by: string;
  readonly resource_name: string;
  /** Its host is simulated: there is no such machine, and nothing to sign in to by SSH. */
readonly simulated: boolean;
  readonly sku: string;
  /** How many of its slots are in which state. */
readonly slots: Readonly<Record<string, number>>;
  readonly state: "requested" | "provisioning" | "active" | "releasing" | "released" | "failed" | "release_failed";
  /** Set while its machine is stopped for lack of money, or on the way there or back. It keeps its place and its disk, and costs nothing while stopped. */
readonly stop: {
  /** When it is released, if nothing is paid until then; null once the balance lasts again. */
readonly kept_until: string | null;
  readonly phase: "stopping" | "stopped" | "starting";
  readonly reason: "balance_depleted";
  readonly since: string;
} | null;
  /** Your own labels, for search. */
readonly tags: Readonly<Record<string, string>>;
  readonly updated_at: string;
  readonly version: number;
};

export type AdminOrganization = {
  /** Allocations that have not ended. */
readonly allocations: number;
  readonly created_at: string;
  readonly currency: string;
  /** GPUs of those allocations. */
readonly gpus: number;
  readonly id: string;
  readonly members: number;
  readonly name: string;
  /** The name of the person whose personal organization it is; null for every other organization. */
readonly owner_name: string | null;
  readonly plan: string;
  readonly projects: number;
  readonly slug: string;
  readonly type: "personal" | "enterprise";
};

export type AdminOrganizationDetail = {
  /** Allocations that have not ended. */
readonly allocations: number;
  readonly created_at: string;
  readonly currency: string;
  readonly gpu_quota: {
  /** GPUs of all allocations of the organization that are queued, requested, provisioning or active. */
readonly held: number;
  /** Where the limit is set. */
readonly level: "user" | "project" | "organization" | "plan" | "global" | "default";
  /** allocation.max_gpus_per_organization as it applies here. */
readonly limit: number;
};
  /** GPUs of those allocations. */
readonly gpus: number;
  readonly id: string;
  /** At most 200. */
readonly member_list: readonly {
  readonly joined_at: string;
  readonly last_seen_at: string | null;
  readonly role: string;
  readonly user_id: string;
}[];
  readonly members: number;
  readonly name: string;
  /** The name of the person whose personal organization it is; null for every other organization. */
readonly owner_name: string | null;
  readonly plan: string;
  /** Policies set for the organization, its plan or one of its projects; all others come from the platform. */
readonly policies: readonly PolicySetting[];
  /** At most 200. */
readonly project_list: readonly {
  readonly allocations: number;
  readonly created_at: string;
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly state: string;
}[];
  readonly projects: number;
  readonly slug: string;
  readonly type: "personal" | "enterprise";
};

export type AdminPayment = {
  readonly amount: Money;
  readonly automatic: boolean;
  /** When it was last compared with the provider. */
readonly checked_at: string | null;
  readonly created_at: string;
  readonly credited: Money;
  readonly disputed: Money;
  readonly expires_at: string;
  readonly id: string;
  readonly organization_id: string;
  readonly organization_name: string;
  readonly problem: string | null;
  readonly provider: "simulated" | "stripe" | "disabled";
  readonly provider_checkout_id: string;
  readonly provider_payment_id: string | null;
  readonly refunded: Money;
  readonly requested_by: string;
  /** When it was added to the balance. */
readonly settled_at: string | null;
  readonly state: "open" | "paid" | "expired" | "disputed" | "charged_back" | "failed_reconcile";
  readonly tax: Money;
  /** The provider's page, for as long as it can be paid there. */
readonly url: string | null;
};

export type AdminTerminalSession = {
  readonly allocation_id: string;
  readonly columns: number;
  readonly created_at: string;
  readonly end_reason: ("exited" | "closed_by_user" | "closed_by_admin" | "closed_by_operator" | "rights_lost" | "allocation_ended" | "time_over" | "idle" | "never_opened" | "shell_failed" | "node_lost" | "api_unreachable" | "recorder_failed" | "recording_full") | null;
  readonly ended_at: string | null;
  /** The shell ends then, at the latest. */
readonly expires_at: string;
  readonly gateway_copy: string | null;
  /** A client is connected and types. */
readonly has_writer: boolean;
  readonly id: string;
  readonly kind: "shell" | "ssh" | "forward";
  readonly name: string;
  readonly node_id: string;
  readonly opened_at: string | null;
  readonly organization_id: string;
  /** Of the machine, for a session of kind forward. */
readonly port: number | null;
  readonly project_id: string;
  /** Null while no gateway has reported. */
readonly received_bytes: number | null;
  readonly recording: "off" | "metadata" | "output";
  readonly rows: number;
  /** Null while no gateway has reported. */
readonly sent_bytes: number | null;
  /** The GPUs of its machine are simulated. */
readonly simulated: boolean;
  /** The certificate that opened it through the jump host; null for all others. */
readonly ssh_certificate_id: string | null;
  /** The key that opened it through the jump host; null for all others. */
readonly ssh_key_id: string | null;
  readonly state: "opening" | "open" | "ended";
  /** Whose session it is. Only this person types into it. */
readonly user_id: string;
  readonly version: number;
  /** Clients that only read. */
readonly watchers: number;
};

export type AdminUser = {
  readonly created_at: string;
  readonly disabled_at: string | null;
  readonly disabled_reason: string | null;
  /** The display name of the person. */
readonly display_name: string | null;
  readonly id: string;
  /** Where the person signs in. */
readonly issuer: string;
  readonly last_seen_at: string | null;
  /** How many organizations the person belongs to. */
readonly organizations: number;
  readonly platform_roles: readonly ("platform_superadmin" | "platform_ops" | "platform_finance" | "platform_support")[];
  readonly state: "active" | "disabled" | "erased";
  /** The subject of the person at the issuer. */
readonly subject: string;
  /** The name of the person on hosts. */
readonly username: string;
};

export type AdminUserDetail = {
  /** Allocations that the person created and that have not ended. */
readonly allocations: number;
  readonly created_at: string;
  readonly disabled_at: string | null;
  readonly disabled_reason: string | null;
  /** The display name of the person. */
readonly display_name: string | null;
  readonly id: string;
  /** Where the person signs in. */
readonly issuer: string;
  readonly last_seen_at: string | null;
  /** At most 200. */
readonly organization_list: readonly {
  readonly joined_at: string;
  readonly name: string;
  readonly organization_id: string;
  readonly role: "owner" | "admin" | "member" | "viewer" | "finance";
}[];
  /** How many organizations the person belongs to. */
readonly organizations: number;
  /** Valid tokens. */
readonly personal_tokens: number;
  readonly platform_roles: readonly ("platform_superadmin" | "platform_ops" | "platform_finance" | "platform_support")[];
  /** Active sign-ins. */
readonly sessions: number;
  readonly ssh_keys: number;
  readonly state: "active" | "disabled" | "erased";
  /** The subject of the person at the issuer. */
readonly subject: string;
  /** The name of the person on hosts. */
readonly username: string;
};

export type AgentRelease = {
  /** Null for a bundle, which runs on all. */
readonly arch: ("x64" | "arm64") | null;
  readonly created_at: string;
  /** SHA-256 of the file. */
readonly digest: string;
  readonly id: string;
  /** A bundle updates agents that run. A tarball or a deb installs the agent, with its runtime. */
readonly kind: "bundle" | "tarball" | "deb";
  readonly size_bytes: number;
  /** The version that the release reports. */
readonly version: string;
  /** Since when nodes no longer get it. Agents that run it continue. */
readonly withdrawn_at: string | null;
};

export type Alert = {
  readonly allocation_id: string | null;
  /** What follows: nothing is placed there; operators cannot change the state of the host; or it is only shown. */
readonly effect: "blocks_sale" | "blocks_transition" | "informs";
  readonly id: string;
  /** Stable, for programs: `gpus_healthy`, `silent`, `orphan`. */
readonly kind: string;
  readonly message: string;
  readonly node_id: string | null;
  readonly node_name: string | null;
  readonly raised_by: string | null;
  readonly since: string;
  readonly slot_id: string | null;
  readonly slot_index: number | null;
  /** The source of the alert. Each source replaces its own alerts at its next check. */
readonly source: "health" | "presence" | "drift" | "attestation" | "operator" | "breaker";
  /** The text that tenants of the host see. */
readonly tenant_message: string | null;
};

export type Allocation = {
  /** Where it is reached, once it is active: ssh, with address, port and host key. */
readonly access: Readonly<Record<string, unknown>> | null;
  /** The actions that are possible now; for the others, why not. */
readonly actions: readonly AllocationAction[];
  readonly active_at: string | null;
  /** The number of this attempt. */
readonly attempt: number;
  readonly capacity_shape: "baremetal" | "gpu_slice";
  /** What its owner should know about its host or its GPUs. */
readonly concerns: readonly AllocationConcern[];
  readonly created_at: string;
  readonly ended_at: string | null;
  readonly expires_at: string | null;
  readonly failure: {
  readonly code: string;
  readonly reason: string;
} | null;
  readonly gpu_count: number;
  readonly group_id: string | null;
  readonly id: string;
  readonly idle: {
  readonly action: "warn" | "release";
  /** All GPUs idle for this long. */
readonly minutes: number;
} | null;
  readonly image: string | null;
  readonly isolation_model: "user-revoke" | "full-reimage";
  readonly login: {
  readonly gid: number;
  readonly uid: number;
  readonly username: string;
} | null;
  /** The most attempts: a launch that fails because of its host is tried on another one. */
readonly max_attempts: number;
  readonly max_duration_seconds: number | null;
  /** It is released before it costs more. */
readonly max_spend: {
  readonly amount_minor: string;
  readonly currency: string;
} | null;
  readonly name: string;
  readonly organization_id: string;
  /** It has ended for its owner. The state says how far its host has cleaned up. */
readonly over: boolean;
  readonly placement_status: "queued" | "reserved" | "leased" | "freed";
  readonly price: {
  readonly per_hour: Money;
  readonly price_id: string | null;
  readonly unit: "gpu_hour" | "node_hour";
  readonly unit_price: Money;
};
  /** The promised size of the machine. */
readonly profile: {
  readonly memory_mib: number;
  readonly name: string;
  readonly vcpus: number;
} | null;
  readonly project_id: string;
  readonly provisioning_started_at: string | null;
  /** Whether its host reports. A silent host ends nothing. */
readonly reachable: boolean;
  readonly region: string;
  readonly release_reason: string | null;
  readonly releasing_at: string | null;
  readonly requested_by: string;
  readonly resource_name: string;
  /** Its host is simulated: there is no such machine, and nothing to sign in to by SSH. */
readonly simulated: boolean;
  readonly sku: string;
  readonly state: "requested" | "provisioning" | "active" | "releasing" | "released" | "failed" | "release_failed";
  /** Set while its machine is stopped for lack of money, or on the way there or back. It keeps its place and its disk, and costs nothing while stopped. */
readonly stop: {
  /** When it is released, if nothing is paid until then; null once the balance lasts again. */
readonly kept_until: string | null;
  readonly phase: "stopping" | "stopped" | "starting";
  readonly reason: "balance_depleted";
  readonly since: string;
} | null;
  /** Your own labels, for search. */
readonly tags: Readonly<Record<string, string>>;
  readonly updated_at: string;
  readonly version: number;
};

export type AllocationAction = {
  readonly action: "release" | "extend" | "restart" | "rename" | "set_ssh_keys" | "open_terminal";
  readonly allowed: boolean;
  readonly why_not: string | null;
};

export type AllocationConcern = {
  readonly deadline_at: string | null;
  /** Stable, for programs: `unreachable`, `draining`, `gpu_fault`. */
readonly kind: string;
  readonly message: string;
  readonly since: string;
};

export type AllocationCounts = {
  readonly active: number;
  readonly failed: number;
  readonly provisioning: number;
  readonly release_failed: number;
  readonly released: number;
  readonly releasing: number;
  readonly requested: number;
};

export type AllocationCountsAnswer = {
  readonly states: {
  readonly active: number;
  readonly failed: number;
  readonly provisioning: number;
  readonly release_failed: number;
  readonly released: number;
  readonly releasing: number;
  readonly requested: number;
};
  readonly total: number;
};

export type AllocationDetail = {
  /** Where it is reached, once it is active: ssh, with address, port and host key. */
readonly access: Readonly<Record<string, unknown>> | null;
  /** The actions that are possible now; for the others, why not. */
readonly actions: readonly AllocationAction[];
  readonly active_at: string | null;
  /** The number of this attempt. */
readonly attempt: number;
  readonly capacity_shape: "baremetal" | "gpu_slice";
  /** The cost so far, charged from evidence of its host. */
readonly charged: {
  readonly amount_minor: string;
  /** Evidence is charged up to this time. */
readonly charged_to: string;
  readonly currency: string;
} | null;
  /** What its owner should know about its host or its GPUs. */
readonly concerns: readonly AllocationConcern[];
  readonly created_at: string;
  readonly ended_at: string | null;
  readonly expires_at: string | null;
  /** Attempts that failed because of their host and were retried. */
readonly failed_attempts: readonly {
  readonly attempt: number;
  readonly code: string;
  readonly failed_at: string;
  readonly reason: string;
}[];
  /** The phase in which its launch failed: placed, lease, or a phase of its timeline. */
readonly failed_phase: string | null;
  readonly failure: {
  readonly code: string;
  readonly reason: string;
} | null;
  readonly gpu_count: number;
  readonly group_id: string | null;
  readonly id: string;
  readonly idle: {
  readonly action: "warn" | "release";
  /** All GPUs idle for this long. */
readonly minutes: number;
} | null;
  readonly image: string | null;
  readonly isolation_model: "user-revoke" | "full-reimage";
  /** The latest later attestation. */
readonly last_attestation: {
  readonly attestation_id: string;
  readonly passed: boolean;
  readonly taken_at: string;
} | null;
  readonly login: {
  readonly gid: number;
  readonly uid: number;
  readonly username: string;
} | null;
  /** The most attempts: a launch that fails because of its host is tried on another one. */
readonly max_attempts: number;
  readonly max_duration_seconds: number | null;
  /** It is released before it costs more. */
readonly max_spend: {
  readonly amount_minor: string;
  readonly currency: string;
} | null;
  readonly name: string;
  readonly organization_id: string;
  /** It has ended for its owner. The state says how far its host has cleaned up. */
readonly over: boolean;
  readonly placement_status: "queued" | "reserved" | "leased" | "freed";
  readonly price: {
  readonly per_hour: Money;
  readonly price_id: string | null;
  readonly unit: "gpu_hour" | "node_hour";
  readonly unit_price: Money;
};
  /** The promised size of the machine. */
readonly profile: {
  readonly memory_mib: number;
  readonly name: string;
  readonly vcpus: number;
} | null;
  readonly project_id: string;
  readonly provisioning_started_at: string | null;
  readonly queue: {
  readonly deadline_at: string;
  /** When its host should become free, if all allocations there have a declared end. */
readonly expected_start_at: string | null;
  /** It has waited so long that a host is reserved for it; other requests use that host only if they end before. */
readonly host_reserved: boolean;
  /** The first in the queue may be placed next; the position can change. */
readonly position: number;
  readonly reason: string;
} | null;
  /** Whether its host reports. A silent host ends nothing. */
readonly reachable: boolean;
  /** The attestation that made it active, or the one that failed. All of them are under attestations. */
readonly receipt: {
  readonly attestation_id: string;
  readonly cuda_version: string;
  readonly driver_version: string;
  readonly gpus: number;
  readonly passed: boolean;
  /** The attested machine is simulated. */
readonly simulated: boolean;
  readonly taken_at: string;
} | null;
  readonly region: string;
  readonly release_reason: string | null;
  readonly releasing_at: string | null;
  readonly requested_by: string;
  readonly resource_name: string;
  /** Its host is simulated: there is no such machine, and nothing to sign in to by SSH. */
readonly simulated: boolean;
  readonly sku: string;
  readonly ssh_keys: readonly {
  readonly fingerprint: string;
  readonly ssh_key_id: string;
}[];
  readonly state: "requested" | "provisioning" | "active" | "releasing" | "released" | "failed" | "release_failed";
  /** Set while its machine is stopped for lack of money, or on the way there or back. It keeps its place and its disk, and costs nothing while stopped. */
readonly stop: {
  /** When it is released, if nothing is paid until then; null once the balance lasts again. */
readonly kept_until: string | null;
  readonly phase: "stopping" | "stopped" | "starting";
  readonly reason: "balance_depleted";
  readonly since: string;
} | null;
  /** Your own labels, for search. */
readonly tags: Readonly<Record<string, string>>;
  readonly updated_at: string;
  readonly version: number;
};

export type AllocationGroup = {
  readonly created_at: string;
  readonly id: string;
  /** Number of members in each state. */
readonly members: Readonly<Record<string, number>>;
  readonly name: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly release_requested_at: string | null;
  readonly resource_name: string;
  /** Follows from the members and from whether the group is being released. */
readonly status: "requested" | "provisioning" | "active" | "degraded" | "releasing" | "released" | "release_failed" | "failed";
};

export type AllocationGroupDetail = {
  readonly allocations: readonly {
  /** Where it is reached, once it is active: ssh, with address, port and host key. */
readonly access: Readonly<Record<string, unknown>> | null;
  /** The actions that are possible now; for the others, why not. */
readonly actions: readonly AllocationAction[];
  readonly active_at: string | null;
  /** The number of this attempt. */
readonly attempt: number;
  readonly capacity_shape: "baremetal" | "gpu_slice";
  /** What its owner should know about its host or its GPUs. */
readonly concerns: readonly AllocationConcern[];
  readonly created_at: string;
  readonly ended_at: string | null;
  readonly expires_at: string | null;
  readonly failure: {
  readonly code: string;
  readonly reason: string;
} | null;
  readonly gpu_count: number;
  readonly group_id: string | null;
  readonly id: string;
  readonly idle: {
  readonly action: "warn" | "release";
  /** All GPUs idle for this long. */
readonly minutes: number;
} | null;
  readonly image: string | null;
  readonly isolation_model: "user-revoke" | "full-reimage";
  readonly login: {
  readonly gid: number;
  readonly uid: number;
  readonly username: string;
} | null;
  /** The most attempts: a launch that fails because of its host is tried on another one. */
readonly max_attempts: number;
  readonly max_duration_seconds: number | null;
  /** It is released before it costs more. */
readonly max_spend: {
  readonly amount_minor: string;
  readonly currency: string;
} | null;
  readonly name: string;
  readonly organization_id: string;
  /** It has ended for its owner. The state says how far its host has cleaned up. */
readonly over: boolean;
  readonly placement_status: "queued" | "reserved" | "leased" | "freed";
  readonly price: {
  readonly per_hour: Money;
  readonly price_id: string | null;
  readonly unit: "gpu_hour" | "node_hour";
  readonly unit_price: Money;
};
  /** The promised size of the machine. */
readonly profile: {
  readonly memory_mib: number;
  readonly name: string;
  readonly vcpus: number;
} | null;
  readonly project_id: string;
  readonly provisioning_started_at: string | null;
  /** Whether its host reports. A silent host ends nothing. */
readonly reachable: boolean;
  readonly region: string;
  readonly release_reason: string | null;
  readonly releasing_at: string | null;
  readonly requested_by: string;
  readonly resource_name: string;
  /** Its host is simulated: there is no such machine, and nothing to sign in to by SSH. */
readonly simulated: boolean;
  readonly sku: string;
  readonly state: "requested" | "provisioning" | "active" | "releasing" | "released" | "failed" | "release_failed";
  /** Set while its machine is stopped for lack of money, or on the way there or back. It keeps its place and its disk, and costs nothing while stopped. */
readonly stop: {
  /** When it is released, if nothing is paid until then; null once the balance lasts again. */
readonly kept_until: string | null;
  readonly phase: "stopping" | "stopped" | "starting";
  readonly reason: "balance_depleted";
  readonly since: string;
} | null;
  /** Your own labels, for search. */
readonly tags: Readonly<Record<string, string>>;
  readonly updated_at: string;
  readonly version: number;
}[];
  readonly created_at: string;
  readonly id: string;
  /** Number of members in each state. */
readonly members: Readonly<Record<string, number>>;
  readonly name: string;
  readonly organization_id: string;
  /** The sum of the hourly prices of its active members, one amount for each currency. */
readonly per_hour: readonly {
  readonly amount_minor: string;
  readonly currency: string;
}[];
  readonly project_id: string;
  readonly release_requested_at: string | null;
  readonly resource_name: string;
  /** Follows from the members and from whether the group is being released. */
readonly status: "requested" | "provisioning" | "active" | "degraded" | "releasing" | "released" | "release_failed" | "failed";
};

export type AllocationMetrics = {
  readonly allocation_id: string;
  /** Oldest first. */
readonly data: readonly MetricPoint[];
  readonly from: string;
  readonly resolution_seconds: 10 | 300;
  /** The host is simulated, and so are these values. */
readonly simulated: boolean;
  /** host_local_probe: measured by the host, for whole nodes. slice_guest: measured inside the machine of a slice. unavailable: nothing is measured, and `unavailable` says why. */
readonly source: "host_local_probe" | "slice_guest" | "unavailable";
  readonly to: string;
  /** Why there is nothing to show, in a sentence. */
readonly unavailable: string | null;
};

export type AllocationNow = {
  readonly allocation_id: string;
  readonly gpu_count: number;
  /** The last values, if they are not too old. */
readonly latest: MetricPoint | null;
  readonly name: string;
  readonly simulated: boolean;
  readonly sku: string;
  /** host_local_probe: measured by the host, for whole nodes. slice_guest: measured inside the machine of a slice. unavailable: nothing is measured, and `unavailable` says why. */
readonly source: "host_local_probe" | "slice_guest" | "unavailable";
  /** Why there is nothing to show, in a sentence. */
readonly unavailable: string | null;
};

export type AllocationPlan = {
  readonly decision: {
  readonly chosen: {
  readonly gpus: number;
  readonly image_cached: boolean;
  /** One, unless it is a whole host. */
readonly numa_groups: number;
} | null;
  readonly considered: number;
  readonly decided_at: string;
  readonly feasible: number;
  readonly nearest_miss: {
  readonly constraint: string;
  readonly message: string;
} | null;
  readonly outcome: "placed" | "queued" | "refused";
  readonly reasons: readonly PlacementReason[];
  /** The smallest changes with which it would fit now. */
readonly would_fit: readonly PlacementChange[];
};
  readonly feasible: boolean;
  readonly message: string;
  readonly price: {
  readonly per_hour: Money;
  readonly price_id: string | null;
  readonly unit: "gpu_hour" | "node_hour";
  readonly unit_price: Money;
};
  /** The promised size of the machine. */
readonly profile: {
  readonly memory_mib: number;
  readonly name: string;
  readonly vcpus: number;
} | null;
  /** For the whole of max_duration_seconds. */
readonly projected: {
  readonly amount_minor: string;
  readonly currency: string;
} | null;
};

export type App = {
  readonly created_at: string;
  readonly id: string;
  readonly name: string;
  readonly organization_id: string;
  readonly project_id: string;
  /** The slug of the organization that publishes it. */
readonly publisher: string;
  /** publisher/slug, which names it everywhere. */
readonly reference: string;
  readonly resource_name: string;
  readonly slug: string;
  readonly summary: string;
  readonly updated_at: string;
  /** Who finds the app: its project, its organization, or every organization. Entitlements add others to the first two. */
readonly visibility: "project" | "organization" | "platform";
};

export type AppEntitlement = {
  readonly app_id: string;
  readonly created_at: string;
  readonly id: string;
  readonly organization_id: string;
  /** Only this project of the organization; null: all of them. */
readonly project_id: string | null;
};

export type AppInstance = {
  readonly allocation_id: string;
  readonly app_reference: string;
  readonly app_version: string;
  readonly app_version_id: string;
  /** Containers that were ordered for the current start. */
readonly attempts: number;
  readonly created_at: string;
  readonly end_reason: string | null;
  readonly ended_at: string | null;
  readonly failure_code: string | null;
  readonly failure_reason: string | null;
  readonly id: string;
  readonly name: string;
  readonly organization_id: string;
  /** Launched together with its allocation, and released with it. */
readonly owns_allocation: boolean;
  readonly parameters: Readonly<Record<string, string | number | boolean>>;
  /** What its launch is at. */
readonly phase: string | null;
  /** The version that a rollback leads to. */
readonly previous_version: string | null;
  readonly project_id: string;
  readonly ready_at: string | null;
  readonly requested_by: string;
  readonly routes: readonly AppRoute[];
  readonly simulated: boolean;
  readonly state: "requested" | "launching" | "running" | "stopping" | "stopped" | "failed" | "releasing" | "released";
  readonly version: number;
  readonly version_change: ("upgrading" | "trying" | "returning") | null;
};

export type AppInstanceLogLine = {
  readonly at: string | null;
  readonly stream: "stdout" | "stderr";
  readonly text: string;
};

export type AppInstanceLogs = {
  readonly asked_at: string | null;
  /** When the host last answered; null: never. */
readonly fetched_at: string | null;
  readonly lines: readonly AppInstanceLogLine[];
  readonly simulated: boolean;
  /** There was more than fits into this answer or than the host keeps. */
readonly truncated: boolean;
};

export type AppInstanceMoment = {
  readonly at: string;
  readonly correlation_id: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly from_state: string | null;
  readonly id: string;
  readonly name: string;
  readonly to_state: string | null;
};

export type AppManifest = {
  /** What one control plane of the app serves. Instances belong to a project in any case. */
readonly control_plane_scope: "project" | "organization" | "platform";
  readonly endpoints: readonly {
  /** platform: a person who is signed in to the console; bearer: a token of a person or service account; none_internal: no route from outside. */
readonly auth: "platform" | "bearer" | "none_internal";
  /** Gets the public address of the endpoint. */
readonly base_path_env?: string;
  /** Answers 200 to 399 when the app is well. A connection is enough when left out. */
readonly health?: {
  /** 10 when left out. */
readonly every_seconds?: number;
  readonly path: string;
  /** 5 when left out. */
readonly timeout_seconds?: number;
};
  readonly kind: "browser" | "api" | "ssh";
  readonly name: string;
  /** Lower ports are for root, which no app is. */
readonly port: number;
}[];
  readonly lifecycle: {
  /** Time to end after it was asked to. */
readonly drain_seconds: number;
  /** Stops after this time without a request. */
readonly idle_stop_minutes?: number;
  /** Ready when this answers. The first endpoint with a health path when left out. */
readonly readiness?: {
  readonly endpoint: string;
  readonly path?: string;
};
  readonly start_timeout_seconds: number;
};
  readonly metadata: {
  readonly homepage?: string;
  /** A PNG as data URL. The console shows it and fetches nothing from elsewhere. */
readonly icon?: string;
  /** An SPDX expression. */
readonly license?: string;
  readonly name: string;
  readonly slug: string;
  readonly summary: string;
  readonly tags?: readonly string[];
  /** Semantic version: 1.2.3, or 1.2.3-rc.1. */
readonly version: string;
};
  readonly metering?: readonly {
  readonly name: string;
  /** What the project pays that runs the app, beside its allocation. It is part of the version: another price is another version. */
readonly price?: {
  /** Whole minor units: 15 in USD is 0.15 USD. */
readonly amount_minor: string;
  readonly currency: string;
  /** For how many units the amount is. */
readonly per: 1 | 1000 | 1000000;
};
  readonly source: {
  readonly endpoint: string;
  readonly kind: "requests";
} | {
  readonly endpoint: string;
  readonly field: string;
  readonly kind: "response_field";
};
  readonly unit: string;
}[];
  readonly operating_mode: "tenant_dedicated" | "platform_managed";
  readonly parameters?: {
  readonly additionalProperties: false;
  readonly properties: Readonly<Record<string, {
  readonly default?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly title: string;
  readonly type: "string";
  /** The flag that gets the value: --flag=value. A boolean is the flag alone, when true. */
readonly "x-arg"?: string;
  /** The variable that gets the value. */
readonly "x-env"?: string;
  readonly "x-ui"?: {
  readonly advanced?: boolean;
  readonly group?: string;
  readonly order?: number;
  readonly placeholder?: string;
  readonly widget?: "text" | "textarea" | "select" | "number" | "slider" | "switch";
};
} | {
  readonly default?: number;
  readonly description?: string;
  readonly maximum?: number;
  readonly minimum?: number;
  readonly title: string;
  readonly type: "integer";
  /** The flag that gets the value: --flag=value. A boolean is the flag alone, when true. */
readonly "x-arg"?: string;
  /** The variable that gets the value. */
readonly "x-env"?: string;
  readonly "x-ui"?: {
  readonly advanced?: boolean;
  readonly group?: string;
  readonly order?: number;
  readonly placeholder?: string;
  readonly widget?: "text" | "textarea" | "select" | "number" | "slider" | "switch";
};
} | {
  readonly default?: number;
  readonly description?: string;
  readonly maximum?: number;
  readonly minimum?: number;
  readonly title: string;
  readonly type: "number";
  /** The flag that gets the value: --flag=value. A boolean is the flag alone, when true. */
readonly "x-arg"?: string;
  /** The variable that gets the value. */
readonly "x-env"?: string;
  readonly "x-ui"?: {
  readonly advanced?: boolean;
  readonly group?: string;
  readonly order?: number;
  readonly placeholder?: string;
  readonly widget?: "text" | "textarea" | "select" | "number" | "slider" | "switch";
};
} | {
  readonly default?: boolean;
  readonly description?: string;
  readonly title: string;
  readonly type: "boolean";
  /** The flag that gets the value: --flag=value. A boolean is the flag alone, when true. */
readonly "x-arg"?: string;
  /** The variable that gets the value. */
readonly "x-env"?: string;
  readonly "x-ui"?: {
  readonly advanced?: boolean;
  readonly group?: string;
  readonly order?: number;
  readonly placeholder?: string;
  readonly widget?: "text" | "textarea" | "select" | "number" | "slider" | "switch";
};
}>>;
  readonly required?: readonly string[];
  readonly type: "object";
};
  readonly profile: "gpuaas.launchable_oci_workload";
  readonly resources: {
  /** Thousandths of a processor. */
readonly cpu_millis: number;
  /** No GPU when left out. */
readonly gpu?: {
  readonly max: number;
  /** Memory that each GPU needs. */
readonly memory_min_mib?: number;
  readonly min: number;
};
  readonly memory_mib: number;
  /** Processes and threads; 1,024 when left out. */
readonly pids?: number;
  /** The size of /tmp; 64 when left out. */
readonly scratch_mib?: number;
  /** The size of /dev/shm; 64 when left out. */
readonly shm_mib?: number;
};
  readonly runtime: {
  readonly args?: readonly string[];
  /** What the container may reach; none when left out. */
readonly egress?: "none" | "internet";
  /** Instead of that of the image. */
readonly entrypoint?: readonly string[];
  /** Plain values that everybody may read. Secrets have a section of their own. */
readonly env?: readonly {
  /** Names that begin with GPUAAS_ belong to the platform, and those with LD_ change how programs are loaded. */
readonly name: string;
  readonly value: string;
}[];
  /** The root file system of the container; read only when left out. */
readonly file_system?: {
  readonly kind: "read_only";
} | {
  readonly kind: "writable";
  readonly size_mib: number;
};
  /** Registry, repository and digest. A tag may mean another image tomorrow, so a reference with a tag is refused. */
readonly image: string;
  /** Never root. */
readonly user: {
  readonly gid: number;
  readonly uid: number;
};
};
  readonly schema: "gpuaas.app/v1";
  readonly secrets?: readonly {
  /** Names that begin with GPUAAS_ belong to the platform, and those with LD_ change how programs are loaded. */
readonly env: string;
  /** The platform makes one for each instance when nobody brings one. */
readonly generated?: boolean;
  readonly name: string;
  readonly required: boolean;
  readonly summary: string;
}[];
  /** It outlives the container. */
readonly storage?: readonly {
  readonly name: string;
  readonly path: string;
  readonly read_only?: boolean;
  /** A hard limit. */
readonly size_mib: number;
}[];
  readonly tests?: readonly {
  readonly endpoint: string;
  readonly expect_status: number;
  readonly expect_text?: string;
  readonly name: string;
  readonly path: string;
}[];
};

export type AppPushCredential = {
  readonly expires_at: string;
  readonly password: string;
  /** The name of the registry, as images carry it. */
readonly registry: string;
  /** The only repository that it opens: publisher/slug. */
readonly repository: string;
  readonly username: string;
};

export type AppRoute = {
  readonly auth: "browser_oidc" | "api_bearer";
  readonly endpoint: string;
  /** Who calls: people with a browser, or programs. */
readonly family: "browser" | "api";
  readonly id: string;
  /** Where it is; null where this installation runs no app-proxy. */
readonly url: string | null;
};

export type AppSignIn = {
  readonly expires_at: string;
  /** Where the browser goes next, with a code that works once. */
readonly redirect_url: string;
};

export type AppSigningKey = {
  readonly created_at: string;
  /** sha256 of the key in DER. */
readonly fingerprint: string;
  readonly id: string;
  readonly kind: "ecdsa-p256" | "ed25519";
  readonly name: string;
  readonly organization_id: string;
  readonly project_id: string;
  /** As PEM. */
readonly public_key: string;
};

export type AppSource = {
  readonly created_at: string;
  readonly id: string;
  /** The name of the registry, with its port where it has one. */
readonly registry: string;
  /** Only repositories below this path; empty: all of the registry. */
readonly repository: string;
};

export type AppUse = {
  readonly app_reference: string;
  /** Bodies of requests, and bytes of WebSockets, towards the app. */
readonly bytes_in: number;
  /** Bodies of answers, and bytes of WebSockets, towards the caller. */
readonly bytes_out: number;
  /** What the units cost by the prices of the versions that counted them, rounded; null where none has a price. The ledger rounds the sum of all hours and not each hour, so it may differ by less than a minor unit. */
readonly cost: Money | null;
  /** Requests that failed in the proxy, the node or the app, or that the app answered with 5xx. */
readonly failures: number;
  /** Instances that were used. */
readonly instances: number;
  readonly last_used_at: string;
  readonly requests: number;
  /** What the meters of the manifest counted, by their names. */
readonly units: Readonly<Record<string, number>>;
};

export type AppUseHour = {
  /** The version that the instance had when the hour was first reported. */
readonly app_version: string;
  /** Bodies of requests, and bytes of WebSockets, towards the app. */
readonly bytes_in: number;
  /** Bodies of answers, and bytes of WebSockets, towards the caller. */
readonly bytes_out: number;
  /** Of the last report of the app-proxy that is in these numbers. */
readonly correlation_id: string;
  /** What the units cost by the prices of the versions that counted them, rounded; null where none has a price. The ledger rounds the sum of all hours and not each hour, so it may differ by less than a minor unit. */
readonly cost: Money | null;
  readonly endpoint: string;
  /** Requests that failed in the proxy, the node or the app, or that the app answered with 5xx. */
readonly failures: number;
  readonly hour: string;
  readonly last_used_at: string;
  readonly operating_mode: string;
  readonly requests: number;
  /** What the meters of the manifest counted, by their names. */
readonly units: Readonly<Record<string, number>>;
};

export type AppVerification = {
  readonly asked_at: string;
  /** When it is tried next; null: not until it is asked for. */
readonly due_at: string | null;
  readonly tried_at: string | null;
  /** Tries without an answer since it was asked for. */
readonly tries: number;
  /** Why the last try gave no answer, such as a registry that cannot be reached. */
readonly trouble: string | null;
};

export type AppVersion = {
  readonly app_id: string;
  readonly app_reference: string;
  readonly channel: "dev" | "test" | "staging" | "prod";
  readonly created_at: string;
  readonly deprecated_at: string | null;
  readonly evidence: readonly {
  /** What was found, in a sentence. */
readonly detail: string;
  /** failed: it contradicts the version. missing: it is not there yet, so there is no answer. */
readonly result: "passed" | "failed" | "missing";
  /** What was looked at. */
readonly subject: "source" | "digest" | "signature" | "sbom";
}[];
  readonly id: string;
  readonly image_digest: string;
  readonly image_repository: string;
  readonly lifecycle_state: "published" | "promoted" | "deprecated" | "retired";
  readonly manifest: AppManifest;
  /** Of the manifest as canonical JSON. */
readonly manifest_digest: string;
  readonly resource_name: string;
  readonly retired_at: string | null;
  /** How often its lifecycle has changed; name it to refuse a change of another revision. */
readonly revision: number;
  readonly revocation_effect: ("stop" | "let_run") | null;
  readonly revocation_reason: string | null;
  readonly trust_state: "unverified" | "verified" | "failed_verification" | "revoked";
  readonly updated_at: string;
  readonly verification: AppVerification;
  /** When verification last gave an answer. */
readonly verified_at: string | null;
  /** Semantic version: 1.2.3, or 1.2.3-rc.1. */
readonly version: string;
};

export type ArchiveVerdict = {
  readonly archive_id: string;
  /** The first thing that does not fit. */
readonly broken: string | null;
  /** Audit chains whose links were recomputed. */
readonly chains: number;
  readonly intact: boolean;
  /** Rows that were read. */
readonly rows: number;
  readonly subject: "audit" | "allocations" | "attestations" | "node_tasks";
};

export type AttestationReceipt = {
  readonly attestation: {
  readonly allocation_id: string;
  readonly cuda_version: string;
  readonly disk_clean: Proof;
  readonly driver_version: string;
  /** How long each phase took, by its name. */
readonly durations_ms: Readonly<Record<string, number>>;
  readonly gpus: readonly GpuEvidence[];
  readonly isolation: Proof;
  readonly nvidia_smi: Proof;
  /** Whether the machine is simulated and does not exist. Older agents do not say. */
readonly simulated?: boolean;
  readonly ssh: {
  readonly address: string;
  readonly host_key_fingerprint: string;
  /** The public host keys of sshd, so that nobody has to trust one on first use. Older agents leave it out. */
readonly host_keys?: readonly string[];
  readonly port: number;
  readonly reachable: boolean;
  readonly username: string;
};
  readonly taken_at: string;
};
  readonly generation: number;
  readonly id: string;
  readonly passed: boolean;
  readonly problems: readonly string[];
  /** As the node signed it; anyone with its public key can verify it. */
readonly signed_result: Readonly<Record<string, unknown>>;
  /** The attested machine is simulated. */
readonly simulated: boolean;
  readonly taken_at: string;
  readonly task_id: string;
};

export type AuditEntry = {
  readonly action: string;
  readonly actor_address: string | null;
  readonly actor_id: string;
  readonly actor_kind: "user" | "service_account" | "node" | "system";
  readonly actor_role: string;
  readonly change: unknown;
  /** The database role that committed the row, as the database knows it; null in rows from before. */
readonly committed_by: string | null;
  readonly correlation_id: string;
  readonly created_at: string;
  readonly id: string;
  /** Whether something of this row was erased with a person: addresses, names, words that were typed. */
readonly is_erased: boolean;
  readonly organization_id: string | null;
  readonly project_id: string | null;
  readonly result: "success" | "failure";
  readonly target_id: string;
  readonly target_type: string;
  readonly user_agent: string | null;
};

export type AuditVerdict = {
  /** Links before these that lie in archives; `gpuaas ops archive verify` checks them. */
readonly archived: number;
  /** The first row that breaks the chain. */
readonly broken: {
  readonly audit_id: string;
  readonly sequence: string;
  readonly why: string;
} | null;
  /** The organization, or "platform". */
readonly chain: string;
  /** Rows whose particulars were erased with a person; the chain holds without them. */
readonly erased: number;
  /** The hash of the newest row. Keep it elsewhere to compare. */
readonly head: string | null;
  readonly intact: boolean;
  /** Checked rows. */
readonly rows: number;
  /** Rows that are not yet part of the chain; normally a second old. */
readonly unsealed: number;
};

export type AutoTopUp = {
  readonly added_this_month: Money;
  readonly amount: Money;
  readonly enabled: boolean;
  readonly failures: number;
  /** Why the last attempt failed. */
readonly last_failure: string | null;
  readonly monthly_limit: Money;
  /** After a failure: not before this time. */
readonly next_attempt_at: string | null;
  /** A payment that is being made. */
readonly pending: {
  readonly payment_id: string;
  /** Where a person has to confirm the payment, where the bank asks for that. */
readonly url: string | null;
} | null;
  readonly threshold: Money;
  readonly turned_off: "failures" | null;
  readonly version: number;
};

export type Availability = {
  /** How many allocations of this size fit now. */
readonly available: number;
  readonly gpu_count: number;
  readonly region: string;
};

export type BillingAccount = {
  readonly balance: Money;
  readonly charged_30_days: Money;
  readonly entries: number;
  readonly held: Money;
  readonly name: string;
  readonly organization_id: string;
  /** The name of the person whose personal organization it is; null for every other organization. */
readonly owner_name: string | null;
  /** When everything of the organization is released, if nothing is paid until then. */
readonly releases_at: string | null;
  readonly slug: string;
  readonly state: "healthy" | "low_balance" | "auto_release_pending" | "depleted";
};

export type BillingBalance = {
  readonly balance: Money;
  /** Usage up to this time is in the balance; null before the first charge. */
readonly charged_to: string | null;
  /** Whether the organization pays ahead: a launch needs a balance, and a spent one releases. */
readonly enforced: boolean;
  /** How many times as fast GPU time, and with it the runway, passes on simulated hosts. */
readonly gpu_time_speed: number;
  readonly held: Money;
  /** A balance at or below this is low, however long it lasts. */
readonly low_balance_threshold: {
  readonly amount_minor: string;
  readonly currency: string;
};
  /** The minimum runway for a launch, when it is enforced. */
readonly minimum_runway_minutes: number;
  readonly organization_id: string;
  readonly per_hour: Money;
  /** When everything is released, if nothing is paid until then. */
readonly releases_at: string | null;
  /** How long the balance lasts at that rate; null when nothing is active. */
readonly runway_seconds: number | null;
  /** How far the balance reaches, where the organization pays ahead; healthy where it does not. */
readonly state: "healthy" | "low_balance" | "auto_release_pending" | "depleted";
  /** What happens while the balance falls, the first first; nothing where it is not enforced. */
readonly steps: readonly {
  /** When, at the present rate; null when it has happened, and when nothing is active. */
readonly at: string | null;
  /** It happens when the balance lasts this long. */
readonly runway_seconds: number;
  readonly step: "warning" | "launches_refused" | "release_announced" | "depleted";
}[];
  /** Machines that are stopped for lack of money. They keep their disks until the release. */
readonly stopped_machines: number;
  /** When machines are stopped, if nothing is paid until then; null where nothing is announced, and where they are released without a stop. */
readonly stops_at: string | null;
};

export type BillingDetails = {
  readonly details: {
  readonly address_lines: readonly string[];
  /** The city. */
readonly city: string;
  /** Two letters of ISO 3166: DE. */
readonly country: string;
  readonly customer_type: "business" | "consumer";
  /** Where documents go; owners get them when it is null. */
readonly invoice_email: string | null;
  /** The name in the register of companies, or of the person. */
readonly legal_name: string;
  /** The postal code, where there is one. */
readonly postal_code: string | null;
  /** The VAT number or the like, as the tax office wrote it: DE123456788. */
readonly tax_id: string | null;
  readonly updated_at: string;
} | null;
  readonly organization_id: string;
};

export type BillingDocument = {
  /** Until when an invoice is to be paid. */
readonly due_at: string | null;
  readonly id: string;
  readonly issued_at: string;
  readonly kind: "invoice" | "credit_note" | "receipt" | "statement";
  readonly number: string;
  readonly organization_id: string;
  readonly period: {
  readonly from: string;
  readonly to: string;
} | null;
  readonly state: "final" | "paid" | "past_due" | "void";
  readonly tax: Money;
  readonly total: Money;
};

export type BillingForecast = {
  /** Today and the following days, to the end of the month or 14 days ahead, whichever is later. */
readonly days: readonly ForecastDay[];
  readonly days_used: number;
  readonly expected: Money | null;
  readonly high: Money | null;
  readonly low: Money | null;
  /** How the forecast is made, in one paragraph. */
readonly method: string;
  /** The current month, in UTC. */
readonly month: string;
  readonly month_to_date: Money;
  /** unavailable: there are fewer than 3 whole days of usage to go by. */
readonly state: "available" | "unavailable";
};

export type BillingIdle = {
  readonly amount: Money | null;
  /** A day in UTC. */
readonly from: string;
  /** The share of the charged time for which hosts reported how busy GPUs were. */
readonly observed_percent: number;
  /** The allocations with the highest idle cost; at most 20. */
readonly rows: readonly IdleAllocation[];
  /** unavailable: no host reported how busy its GPUs were. */
readonly state: "available" | "unavailable";
  /** A day in UTC. */
readonly to: string;
};

export type Branding = {
  /** The accent color; null for the default. */
readonly accent: {
  /** For dark backgrounds, as #rrggbb. */
readonly dark: string;
  /** For light backgrounds, as #rrggbb. */
readonly light: string;
} | null;
  /** A path of this server. */
readonly logo_url: string | null;
  /** The product name of this installation. */
readonly name: string;
  /** Where people find help. */
readonly support_url: string | null;
};

export type Breaker = {
  /** Hosts that automation may take within the window. */
readonly allowed: number;
  /** Hosts that automation would have taken, the oldest first. */
readonly held_back: readonly {
  readonly node_id: string;
  readonly node_name: string;
  readonly reason: string;
  readonly since: string;
  /** The source of the alert. Each source replaces its own alerts at its next check. */
readonly source: "health" | "presence" | "drift" | "attestation" | "operator" | "breaker";
}[];
  /** Hosts of the pool that are in service. */
readonly hosts: number;
  readonly id: string;
  /** What automation does with hosts: it quarantines slots. Each kind is counted separately. */
readonly kind: "quarantine";
  readonly region: string;
  /** When the first of the taken hosts leaves the window; null while there is room. */
readonly resumes_at: string | null;
  /** SKU and region form the pool: hosts that can replace each other. */
readonly sku: string;
  /** Hosts that automation has taken within the current window. */
readonly taken: number;
  /** Since when automation of this kind is stopped in this pool; null while it works. */
readonly tripped_at: string | null;
  readonly window_minutes: number;
};

export type Budget = {
  readonly created_at: string;
  readonly hard: {
  readonly amount_minor: string;
  readonly currency: string;
} | null;
  readonly held: {
  readonly amount_minor: string;
  readonly currency: string;
};
  readonly id: string;
  readonly name: string;
  /** The month, in UTC. */
readonly period: string;
  readonly scope: "organization" | "project" | "user" | "tag";
  readonly soft: {
  readonly amount_minor: string;
  readonly currency: string;
} | null;
  readonly spent: {
  readonly amount_minor: string;
  readonly currency: string;
};
  readonly state: "within" | "soft_reached" | "hard_reached";
  /** The project, the person, or the tag as key=value; null for the organization. */
readonly subject: string | null;
  /** The name of the project. */
readonly subject_name: string | null;
  readonly updated_at: string;
  readonly version: number;
};

export type CatalogApp = {
  readonly created_at: string;
  readonly id: string;
  readonly name: string;
  /** Whether your organization publishes it. */
readonly own: boolean;
  readonly publisher: string;
  /** publisher/slug */
readonly reference: string;
  readonly slug: string;
  readonly summary: string;
};

export type CatalogItem = {
  readonly allowed_gpu_counts: readonly number[];
  readonly availability: readonly Availability[];
  readonly billing_unit: "gpu_hour" | "node_hour";
  /** A whole node, or a virtual machine with some of its GPUs. */
readonly capacity_shape: "baremetal" | "gpu_slice";
  /** The image of an allocation that names none; null where there is no image. */
readonly default_image: string | null;
  readonly display_name: string;
  readonly gpu_memory_mib: number;
  /** As the driver reports it. */
readonly gpu_model: string;
  readonly gpus_total: number;
  readonly os_images: readonly string[];
  /** The price of one unit now; the price of a region comes first. */
readonly prices: readonly CurrentPrice[];
  readonly resource_profile: ResourceProfile;
  readonly sku: string;
  readonly vendor: string;
};

export type CatalogVersion = {
  readonly channel: "dev" | "test" | "staging" | "prod";
  readonly created_at: string;
  readonly id: string;
  /** Whether your project may launch it now. */
readonly launchable: boolean;
  readonly lifecycle_state: "published" | "promoted" | "deprecated" | "retired";
  readonly manifest: AppManifest;
  /** Why not. */
readonly reason: string | null;
  readonly trust_state: "unverified" | "verified" | "failed_verification" | "revoked";
  /** Semantic version: 1.2.3, or 1.2.3-rc.1. */
readonly version: string;
};

export type ConfirmedFactor = {
  readonly factor: SecondFactor;
  /** With the first factor alone. */
readonly recovery_codes: string | null;
};

export type ConsoleLine = {
  /** When the host wrote it, in the time of the control plane. */
readonly at: string;
  /** Grows with the order in which lines arrived. */
readonly id: string;
  /** Secrets were replaced before it was kept. */
readonly line: string;
};

export type ConsoleLog = {
  readonly allocation_id: string;
  readonly data: readonly ConsoleLine[];
  readonly has_more: boolean;
  readonly kept_since: string;
  readonly next_cursor: string | null;
  /** The machine does not exist, and its console is made up. */
readonly simulated: boolean;
  /** Why there are no lines, in a sentence; null where there are some. */
readonly unavailable: string | null;
};

export type Correlation = {
  readonly began_at: string | null;
  readonly correlation_id: string;
  /** The time of the latest record so far. */
readonly ended_at: string | null;
  /** False if there are more records than one answer holds. */
readonly is_whole: boolean;
  /** In time order. */
readonly moments: readonly CorrelationMoment[];
};

export type CorrelationMoment = {
  /** The actor: a person, a process, a workflow, a node. */
readonly actor: string | null;
  readonly at: string;
  /** Further details. */
readonly detail: Readonly<Record<string, unknown>>;
  /** An action, an event type, a task type, or a timeline step. */
readonly name: string;
  readonly organization_id: string | null;
  readonly project_id: string | null;
  /** Where it was recorded: the audit log, the outbox, the dead letters, the tasks of a node, or the timeline of an allocation. */
readonly source: "audit" | "event" | "dead_letter" | "task" | "allocation";
  /** The result. */
readonly state: string | null;
  readonly subject_id: string;
  readonly subject_type: string;
  /** The duration, where it is known. */
readonly took_ms: number | null;
};

export type Credit = {
  readonly amount: Money;
  readonly created_at: string;
  readonly expired: Money;
  /** Null: never. */
readonly expires_at: string | null;
  readonly id: string;
  readonly left: Money;
  readonly organization_id: string;
  readonly reason: string;
  readonly state: "open" | "used" | "expired";
};

export type CreditGrant = {
  readonly amount: Money;
  readonly balance: Money;
  readonly created_at: string;
  readonly expires_at: string;
  readonly id: string;
  readonly organization_id: string;
  readonly reason: string;
};

export type CurrentPrice = {
  readonly effective_from: string;
  readonly price_id: string;
  /** Null for the price of all regions without their own. */
readonly region: string | null;
  readonly unit_price: Money;
};

export type DeadLetter = {
  readonly attempts: number;
  readonly consumer: string | null;
  readonly correlation_id: string;
  readonly created_at: string;
  readonly event_id: string;
  readonly event_type: string;
  readonly organization_id: string | null;
  /** Whether the bus refused it, or a consumer failed on it. */
readonly origin: "publish" | "consume";
  readonly reason: string;
  readonly settled_at: string | null;
  readonly state: "open" | "requeued" | "discarded";
  /** The number of the dead letter. */
readonly stream_seq: string;
  /** The subject under which it was published as a dead letter: dlq.<domain>.… */
readonly subject: string;
};

export type DeadLetterDetail = {
  readonly attempts: number;
  readonly consumer: string | null;
  readonly correlation_id: string;
  readonly created_at: string;
  /** The published event: actor, time, cause and payload. */
readonly envelope: Readonly<Record<string, unknown>>;
  readonly event_id: string;
  readonly event_type: string;
  readonly organization_id: string | null;
  /** Whether the bus refused it, or a consumer failed on it. */
readonly origin: "publish" | "consume";
  readonly reason: string;
  readonly settled_at: string | null;
  readonly state: "open" | "requeued" | "discarded";
  /** The number of the dead letter. */
readonly stream_seq: string;
  /** The subject under which it was published as a dead letter: dlq.<domain>.… */
readonly subject: string;
};

export type DefaultProject = {
  /** Null when none was chosen, or the chosen one no longer exists. */
readonly project_id: string | null;
};

export type Department = {
  readonly created_at: string;
  readonly id: string;
  readonly is_default: boolean;
  readonly name: string;
  readonly organization_id: string;
  readonly resource_name: string;
  readonly slug: string;
  readonly state: "active" | "disabled";
  readonly updated_at: string;
  /** Grows with every change; send it back to change only the version that you saw. */
readonly version: number;
};

export type DepositLimits = {
  readonly day: {
  readonly left: {
  readonly amount_minor: string;
  readonly currency: string;
};
  readonly limit: {
  readonly amount_minor: string;
  readonly currency: string;
};
  readonly resets_at: string;
};
  /** When the next payment settles; null when none is on its way. */
readonly grows_at: string | null;
  readonly month: {
  readonly left: {
  readonly amount_minor: string;
  readonly currency: string;
};
  readonly limit: {
  readonly amount_minor: string;
  readonly currency: string;
};
  readonly resets_at: string;
};
  readonly settled_payments: number;
};

export type DocumentCheck = {
  readonly checked_at: string;
  readonly ok: boolean;
  readonly problem: string | null;
};

export type DocumentContent = {
  readonly balance: {
  readonly closing_minor: string;
  readonly opening_minor: string;
} | null;
  readonly currency: string;
  readonly customer: {
  readonly address_lines: readonly string[];
  readonly city: string | null;
  readonly country: string | null;
  readonly legal_name: string;
  readonly postal_code: string | null;
  readonly tax_id: string | null;
};
  readonly due_on: string | null;
  readonly issued_on: string;
  readonly kind: "invoice" | "credit_note" | "receipt" | "statement";
  readonly lines: readonly {
  readonly amount_minor: string;
  readonly day: string | null;
  readonly quantity_ms: string | null;
  readonly rate_micro: string | null;
  readonly text: string;
  readonly unit: string | null;
}[];
  readonly number: string;
  readonly period: {
  readonly from: string;
  readonly to: string;
} | null;
  readonly refers_to: string | null;
  readonly seller: {
  readonly address_lines: readonly string[];
  readonly city: string | null;
  readonly country: string | null;
  readonly legal_name: string;
  readonly postal_code: string | null;
  readonly tax_id: string | null;
} | null;
  readonly tax: {
  readonly country: string | null;
  readonly gross_minor: string;
  readonly net_minor: string;
  readonly note: string | null;
  readonly rate_basis_points: number;
  readonly tax_minor: string;
  readonly treatment: "standard" | "reverse_charge" | "outside_scope" | "not_registered";
} | null;
  readonly version: 1;
};

export type DocumentFile = {
  readonly content_base64: string;
  readonly file_name: string;
  readonly media_type: "application/pdf";
  readonly sha256: string;
};

export type DocumentWithContent = {
  readonly content: DocumentContent;
  readonly document: BillingDocument;
  /** Over the canonical JSON of the content. */
readonly sha256: string;
};

export type EffectivePolicy = {
  readonly definition: PolicyDefinition;
  readonly key: string;
  readonly source: {
  /** Set for the whole platform, overrides every other level. */
readonly hard: boolean;
  readonly level: "user" | "project" | "organization" | "plan" | "global" | "default";
  readonly subject_id: string | null;
};
  /** A number, true or false, or one of the choices, as the policy says. */
readonly value: number | boolean | string;
};

export type FactorsReset = {
  /** How many factors were removed. */
readonly removed: number;
};

export type FleetHealth = {
  /** Number of alerts, by effect. */
readonly alerts: {
  readonly blocks_sale: number;
  readonly blocks_transition: number;
  readonly informs: number;
};
  readonly lost_nodes: number;
  readonly nodes: Readonly<Record<string, number>>;
  /** When the active node that has been silent the longest last reported. */
readonly oldest_report_at: string | null;
  readonly open_tasks: number;
  readonly queued_allocations: number;
  /** Active, and not cordoned. */
readonly schedulable_nodes: number;
  /** Free slots that may be sold now. */
readonly sellable_slots: number;
  /** Active nodes that have never reported. */
readonly silent_nodes: number;
  readonly slots: Readonly<Record<string, number>>;
  readonly stuck_allocations: number;
};

export type FleetNode = {
  /** What the host can do besides being rented out whole, by its last discovery; null before the first discovery, or when its agent does not say. */
readonly abilities: (readonly ("slices" | "oci" | "reimage" | "partitions" | "fabric" | "ssh_certificates")[]) | null;
  /** The actions that are possible now; for the others, why not. */
readonly actions: readonly NodeAction[];
  /** A name or an IP address under which tenants reach the host. */
readonly address: string | null;
  readonly agent_version: string | null;
  /** Alerts about this node. */
readonly alerts: readonly NodeAlert[];
  readonly cordon_reason: string | null;
  readonly created_at: string;
  readonly drain_deadline_at: string | null;
  readonly enrolled_at: string | null;
  readonly gpus_total: number;
  readonly id: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly last_report_at: string | null;
  readonly name: string;
  readonly onboarding_mode: "manual" | "maas";
  readonly region: string;
  /** Whether operators allow new work on the node. */
readonly schedulable: boolean;
  /** Free slots that may be sold now: healthy, on a host that takes work. */
readonly sellable_slots: number;
  /** Whether the host is simulated, by its last discovery; null before the first discovery. */
readonly simulated: boolean | null;
  readonly sku: string;
  /** How many slots are in each state. */
readonly slots: Readonly<Record<string, number>>;
  readonly state: "bootstrap_issued" | "enrolling" | "active" | "offline" | "quarantined" | "draining" | "retired" | "removing" | "deleted";
  readonly state_reason: string | null;
  readonly topology_at: string | null;
  readonly updated_at: string;
  readonly version: number;
};

export type FleetTask = {
  readonly allocation_id: string | null;
  readonly correlation_id: string;
  readonly dispatched_at: string | null;
  readonly expires_at: string;
  readonly failure_code: string | null;
  readonly finished_at: string | null;
  readonly generation: number;
  readonly id: string;
  readonly issued_at: string;
  readonly state: "queued" | "dispatched" | "succeeded" | "failed" | "expired" | "cancelled";
  readonly task_type: string;
};

export type ForecastDay = {
  /** A day in UTC. */
readonly day: string;
  readonly expected: Money;
  readonly high: Money;
  readonly low: Money;
};

export type FullDecision = {
  readonly decided_at: string;
  /** The decision of the placement engine, with every host by name. */
readonly document: Readonly<Record<string, unknown>>;
  readonly outcome: "placed" | "queued" | "refused";
};

export type GpuEvidence = {
  /** Why it is not healthy, for example an Xid. */
readonly detail?: string;
  readonly healthy: boolean;
  readonly memory_mib: number;
  readonly model: string;
  readonly pci_address: string;
  readonly uuid: string;
};

/** By measure, one value for each GPU in the order of `gpus`; null where this GPU cannot tell. */
export type GpuValues = {
  readonly ecc_corrected_total?: readonly (number | null)[];
  readonly ecc_uncorrected_total?: readonly (number | null)[];
  readonly memory_clock_mhz?: readonly (number | null)[];
  readonly memory_temperature_celsius?: readonly (number | null)[];
  readonly memory_total_mib?: readonly (number | null)[];
  readonly memory_used_mib?: readonly (number | null)[];
  readonly memory_utilization?: readonly (number | null)[];
  readonly nvlink_receive_kib_s?: readonly (number | null)[];
  readonly nvlink_transmit_kib_s?: readonly (number | null)[];
  readonly power_limit_watts?: readonly (number | null)[];
  readonly power_watts?: readonly (number | null)[];
  readonly sm_clock_mhz?: readonly (number | null)[];
  readonly temperature_celsius?: readonly (number | null)[];
  readonly throttle?: readonly (number | null)[];
  readonly utilization?: readonly (number | null)[];
  readonly xid?: readonly (number | null)[];
};

export type HealthFinding = {
  /** What was found and what to do, in a sentence. */
readonly message: string;
  /** Stable, for programs: `outbox_age`. */
readonly name: string;
  /** The runbook to follow, as GET /api/v1/admin/runbooks/{runbook_id} takes it; null while it is ok. */
readonly runbook: string | null;
  readonly section: "processes" | "database" | "events" | "fleet" | "audit";
  readonly status: "ok" | "warn" | "bad";
  readonly unit: ("seconds" | "milliseconds" | "count" | "bytes") | null;
  readonly value: number | null;
};

export type HeldLease = {
  readonly allocation_id: string;
  readonly deadline_at: string | null;
  readonly generation: number;
  readonly slot_ids: readonly string[];
  readonly state: "provisioning" | "running" | "stopped" | "releasing" | "ended" | "unknown";
};

export type HistoryArchive = {
  /** Null while it is being written. */
readonly archived_at: string | null;
  readonly bytes: number | null;
  /** When another process had read the object and found the rows in it; they leave after that. */
readonly confirmed_at: string | null;
  /** Null when it begins with the oldest row. */
readonly from_at: string | null;
  readonly id: string;
  /** Where it lies in the object store. */
readonly object_key: string;
  /** When its rows left the database; null before that. */
readonly removed_at: string | null;
  readonly rows: number | null;
  readonly sha256: string | null;
  readonly started_at: string;
  readonly subject: "audit" | "allocations" | "attestations" | "node_tasks";
  readonly to_at: string;
};

export type HistoryTable = {
  /** With indexes and months. */
readonly bytes: number;
  /** How old rows leave: whole months are dropped, batches are deleted, or rows are swept without an archive. ever: none leaves, and the table does not lie in months. */
readonly kept_by: "months" | "batches" | "sweeps" | "ever";
  /** Months, with the rest. */
readonly parts: number;
  readonly retention_days: number | null;
  /** The policy that says how long rows are kept; null when they are kept for ever. */
readonly retention_policy: string | null;
  /** As the database estimates it. */
readonly rows_estimate: number;
  readonly table: string;
  /** Rows of the last day that came without a month of their own. */
readonly unplaced_rows: number;
};

export type HostCapability = {
  readonly ability: "slices" | "oci" | "reimage" | "partitions" | "fabric" | "ssh_certificates";
  readonly able: boolean;
  /** What is missing, in a sentence; null when the host is able. */
readonly why_not: string | null;
};

export type HostTopology = {
  /** What keeps the whole host from serving slices, in sentences. */
readonly blockers: readonly string[];
  /** What the host can do. An ability that is not listed is one that the host does not have. Older agents do not say. */
readonly capabilities?: readonly HostCapability[];
  readonly cpu_count: number;
  readonly cuda_version: string | null;
  readonly driver_version: string | null;
  readonly hostname: string;
  readonly kernel: string;
  readonly memory_mib: number;
  readonly numa_nodes: readonly {
  readonly cpus: string;
  readonly id: number;
  readonly memory_mib: number;
}[];
  readonly prerequisites: {
  readonly cloud_localds_available: boolean;
  readonly iommu_group_count: number;
  readonly iommu_kernel_args: readonly string[];
  readonly kvm_available: boolean;
};
  /** Whether the host is simulated: no such machine exists. Older agents do not say. */
readonly simulated?: boolean;
  readonly slots: readonly SlotCandidate[];
};

/** By measure; one that the host cannot tell is left out. */
export type HostValues = {
  readonly cpu_percent?: number;
  readonly disk_read_kib_s?: number;
  readonly disk_total_mib?: number;
  readonly disk_used_mib?: number;
  readonly disk_write_kib_s?: number;
  readonly memory_total_mib?: number;
  readonly memory_used_mib?: number;
  readonly network_receive_kib_s?: number;
  readonly network_transmit_kib_s?: number;
};

export type IdleAllocation = {
  readonly allocation_id: string;
  readonly amount: Money;
  /** How long all its GPUs were idle. */
readonly idle_ms: string;
  readonly name: string | null;
  /** How long that is known for. */
readonly observed_ms: string;
};

export type Invitation = {
  readonly accepted_by: string | null;
  readonly created_at: string;
  readonly email: string;
  readonly expires_at: string;
  readonly id: string;
  readonly invited_by: string;
  readonly organization_id: string;
  readonly resource_name: string;
  readonly role: "owner" | "admin" | "member" | "viewer" | "finance";
  readonly state: "pending" | "accepted" | "revoked" | "expired";
};

export type InvitationCreated = {
  readonly accepted_by: string | null;
  readonly created_at: string;
  readonly email: string;
  readonly expires_at: string;
  readonly id: string;
  readonly invited_by: string;
  readonly organization_id: string;
  readonly resource_name: string;
  readonly role: "owner" | "admin" | "member" | "viewer" | "finance";
  readonly state: "pending" | "accepted" | "revoked" | "expired";
  /** Accepts the invitation. Shown once; only its hash is stored. */
readonly token: string;
};

export type Invoice = {
  /** What finance may do with it now. */
readonly actions: readonly ("finalise" | "pay" | "void")[];
  readonly document_id: string | null;
  readonly due_at: string | null;
  readonly finalise_at: string;
  readonly gross: Money;
  readonly id: string;
  readonly net: Money;
  readonly note: string | null;
  /** Null while it is a draft. */
readonly number: string | null;
  readonly organization_id: string;
  readonly organization_name: string;
  readonly period: {
  readonly from: string;
  readonly to: string;
};
  readonly reminders: number;
  readonly state: "draft" | "final" | "past_due" | "paid" | "void";
  readonly tax: Money;
  readonly version: number;
};

export type Joined = {
  readonly organization_id: string;
  readonly resource_name: string;
  readonly role: "owner" | "admin" | "member" | "viewer" | "finance";
};

export type JumpHost = {
  /** Its name or address, for ssh -J. */
readonly host: string;
  /** Type and key, as OpenSSH writes them. */
readonly host_keys: readonly string[];
  /** The same as lines of a known_hosts file. */
readonly known_hosts: readonly string[];
  readonly port: number;
  /** The user to give to ssh. The key says who it is. */
readonly username: string;
};

export type LastRelease = {
  readonly organization_id: string;
  /** The last such release of the past 30 days; null when there was none. */
readonly release: {
  /** The most expensive first; at most 20. */
readonly allocations: readonly {
  readonly cost: {
  readonly amount_minor: string;
  readonly currency: string;
};
  readonly gpu_count: number;
  readonly id: string;
  readonly name: string;
  readonly project_id: string;
  readonly project_name: string;
  readonly released_at: string;
  readonly sku: string;
}[];
  /** What all of them had cost. */
readonly cost: {
  readonly amount_minor: string;
  readonly currency: string;
};
  /** How many allocations were released. */
readonly count: number;
  readonly from: string;
  readonly to: string;
} | null;
};

export type LedgerCheck = {
  readonly balance: Money;
  readonly checked_at: string;
  readonly entries: number;
  readonly ok: boolean;
  /** What does not match, beginning with the first wrong link of the chain or entry. */
readonly problem: string | null;
  readonly sum: Money;
};

export type LedgerLine = {
  readonly allocation_id: string | null;
  readonly allocation_name: string | null;
  readonly amount: Money;
  readonly app_instance_id: string | null;
  /** For app_units: the meter of the manifest and the version whose price it is, as tokens@1.2.0. */
readonly app_meter: string | null;
  /** The time of the entry; null for usage. */
readonly at: string | null;
  /** A day in UTC. */
readonly day: string;
  readonly id: string;
  readonly kind: "usage" | "top_up" | "refund" | "grant" | "correction" | "hold" | "hold_release" | "tax";
  readonly meter: ("gpu_time" | "storage" | "app_units") | null;
  readonly project_id: string | null;
  /** The project of usage; null for other lines. */
readonly project_name: string | null;
  /** Units of the price (GPUs, whole nodes, or GiB) times milliseconds; for app_units their number. */
readonly quantity_ms: string | null;
  readonly reason: string | null;
  /** Whether it is for a simulated host; null for lines without usage. */
readonly simulated: boolean | null;
  /** The SKU; storage; or the app, as publisher/slug. */
readonly sku: string | null;
  /** How many windows the line opens into. */
readonly windows: number | null;
};

export type LogLine = {
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
};

export type LoggedEvent = {
  readonly correlation_id: string;
  readonly created_at: string;
  /** The published event: actor, time, cause and payload. */
readonly envelope: Readonly<Record<string, unknown>>;
  readonly event_id: string;
  readonly event_type: string;
  /** Whether the relay has handed it to the bus. */
readonly is_published: boolean;
  /** The object of the event: events of one key stay in order. */
readonly key: string;
  readonly organization_id: string | null;
  readonly position: string;
  readonly project_id: string | null;
};

export type MaasDrift = {
  readonly kind: "unknown_deployment" | "machine_missing" | "machine_not_deployed" | "machine_failed" | "power_off" | "another_node";
  readonly message: string;
};

export type MaasJob = {
  readonly created_at: string;
  readonly ended_at: string | null;
  readonly hostname: string;
  readonly id: string;
  readonly kind: "onboard" | "reimage" | "decommission" | "commission" | "power_on" | "power_off";
  readonly node_id: string | null;
  readonly node_name: string | null;
  /** The step that was last begun. */
readonly phase: string;
  /** Why it was taken back. */
readonly problem: string | null;
  readonly reason: string;
  readonly site_id: string;
  readonly state: "queued" | "running" | "succeeded" | "failed";
  /** The id that MAAS gave the machine. */
readonly system_id: string;
  readonly updated_at: string;
};

export type MaasMachine = {
  /** The third layer: what is rented on the node. */
readonly allocations: readonly {
  readonly id: string;
  readonly state: string;
}[];
  readonly architecture: string;
  readonly cpus: number;
  /** Where the layers contradict each other; never while a job works on it. */
readonly drift: readonly MaasDrift[];
  readonly hostname: string;
  /** What is done to it now. */
readonly job: MaasJob | null;
  /** The first layer: what MAAS says of the machine. */
readonly maas: {
  readonly changed_at: string;
  readonly detail: string;
  readonly missing_since: string | null;
  readonly owner: string | null;
  readonly power: "on" | "off" | "error" | "unknown";
  /** In the words of MAAS. */
readonly status: string;
};
  readonly memory_mib: number;
  /** The second layer: the node that was made of it. */
readonly node: {
  readonly id: string;
  readonly name: string;
  readonly state: "bootstrap_issued" | "enrolling" | "active" | "offline" | "quarantined" | "draining" | "retired" | "removing" | "deleted";
} | null;
  readonly site_id: string;
  /** The id that MAAS gave the machine. */
readonly system_id: string;
  readonly tags: readonly string[];
};

export type MaasSite = {
  /** The authority of its certificate, where it is no public one. */
readonly ca_pem: string | null;
  readonly created_at: string;
  /** How disks are erased when a machine is given back: by themselves, written over whole, or at both ends. */
readonly erase: "secure" | "full" | "quick";
  readonly failing_since: string | null;
  readonly id: string;
  /** How many machines MAAS lists there. */
readonly machines: number;
  /** How many machines are worked on at once. */
readonly max_parallel: number;
  readonly name: string;
  /** How many of them are nodes. */
readonly nodes: number;
  readonly osystem: string;
  /** Only machines of this resource pool are seen; all when null. */
readonly pool: string | null;
  readonly problem: string | null;
  readonly region: string;
  /** The release of MAAS that answered last. */
readonly release: string | null;
  readonly revision: number;
  /** When it answered; noted at most every few minutes. */
readonly seen_at: string | null;
  readonly series: string;
  readonly updated_at: string;
  /** Where MAAS is, up to /MAAS. Only https is used, and http on this machine beside npm start. */
readonly url: string;
  /** Whom its key belongs to. */
readonly username: string | null;
};

export type Me = {
  readonly default_project_id: string | null;
  /** The display name of the person. */
readonly display_name: string | null;
  /** How many times as fast GPU time passes on simulated hosts; 1 where it passes as on real ones. */
readonly gpu_time_speed: number;
  readonly id: string;
  /** The first 200; GET /api/v1/organizations has all of them. */
readonly organizations: readonly {
  readonly id: string;
  readonly name: string;
  readonly resource_name: string;
  readonly role: "owner" | "admin" | "member" | "viewer" | "finance";
  readonly slug: string;
}[];
  /** What the caller may do, so that a console offers nothing that would be refused. */
readonly permissions: readonly {
  /** The ids of operations, as in the API description. */
readonly operations: readonly string[];
  /** The source of the rights: being signed in, a platform role, or this role in an organization. */
readonly role: "self" | "platform" | "viewer" | "member" | "admin" | "owner" | "finance";
}[];
  /** The longest life of a personal token that the policy allows. */
readonly personal_token_max_days: number;
  readonly platform_roles: readonly ("platform_superadmin" | "platform_ops" | "platform_finance" | "platform_support")[];
  /** Who this person is on every host; it never changes. */
readonly posix: {
  readonly gid: number;
  readonly uid: number;
  readonly username: string;
};
};

export type Member = {
  readonly created_at: string;
  /** The display name of the person. */
readonly display_name: string | null;
  readonly resource_name: string;
  readonly role: "owner" | "admin" | "member" | "viewer" | "finance";
  readonly user_id: string;
  /** The name of the person on hosts; it never changes. */
readonly username: string;
};

export type MetricPoint = {
  /** The beginning of the point. */
readonly at: string;
  readonly gpu: GpuValues;
  /** UUIDs of the GPUs, in the order of the lists in `gpu`. */
readonly gpus: readonly string[];
  readonly host: HostValues;
  /** Why there are no values of GPUs. */
readonly unavailable: string | null;
};

export type Money = {
  readonly amount_minor: string;
  readonly currency: string;
};

export type NegotiatedPrice = {
  readonly created_at: string;
  readonly effective_from: string;
  readonly effective_to: string | null;
  readonly id: string;
  readonly list_price: Money | null;
  readonly organization_id: string;
  readonly reason: string;
  /** The only region in which it is valid; null for all. */
readonly region: string | null;
  readonly sku: string;
  readonly state: "past" | "current" | "future";
  readonly unit_price: Money;
};

export type NewAuthenticator = {
  readonly expires_at: string;
  readonly id: string;
  /** The key for an app without a camera. It is shown here and never again. */
readonly secret: string;
  /** The same for a QR code (otpauth://). It is shown here and never again. */
readonly uri: string;
};

export type NewPasskey = {
  readonly expires_at: string;
  readonly id: string;
  /** What navigator.credentials.create wants, as PublicKeyCredentialCreationOptionsJSON of the W3C. */
readonly options: unknown;
};

export type NewPersonalToken = {
  readonly created_at: string;
  readonly expires_at: string;
  readonly id: string;
  readonly last_used_at: string | null;
  readonly name: string;
  /** The first characters of the token, to recognise it. */
readonly prefix: string;
  readonly revoked_at: string | null;
  readonly scopes: readonly ("organizations:read" | "organizations:write" | "organizations:delete" | "members:read" | "members:write" | "membership:leave" | "profile:read" | "profile:write" | "ssh_keys:read" | "ssh_keys:write" | "projects:read" | "projects:write" | "allocations:read" | "allocations:write" | "apps:read" | "apps:publish" | "apps:admin" | "storage:read" | "storage:write" | "usage:read" | "billing:read" | "billing:write" | "billing:pay" | "billing:admin" | "activity:read" | "audit:read" | "audit:admin" | "sessions:read" | "sessions:write" | "sessions:admin" | "tokens:read" | "tokens:write" | "factors:read" | "factors:write" | "service_accounts:read" | "service_accounts:write" | "webhooks:read" | "webhooks:write" | "policies:read" | "policies:admin" | "fleet:read" | "fleet:admin" | "organizations:admin" | "users:read" | "users:admin" | "roles:admin" | "events:read" | "events:admin")[];
  /** The token. It is shown here and never again. */
readonly token: string;
};

export type NewServiceAccountKey = {
  readonly created_at: string;
  readonly expires_at: string;
  readonly id: string;
  readonly last_used_at: string | null;
  readonly name: string;
  /** The private half as JSON Web Key, if the server generated it. It is shown here and never again. */
readonly private_key?: Readonly<Record<string, string>>;
  /** A public key as JSON Web Key: Ed25519 or P-256. */
readonly public_key: {
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
};
  readonly revoked_at: string | null;
  readonly service_account_id: string;
};

export type NewStorageLink = {
  readonly created_at: string;
  readonly created_by: string;
  readonly expires_at: string;
  readonly id: string;
  readonly last_opened_at: string | null;
  readonly namespace_id: string;
  /** How often it was opened. */
readonly opened: number;
  /** Where the file lies now. */
readonly path: string;
  readonly project_id: string;
  readonly revoked_at: string | null;
  readonly size_bytes: number;
  /** The file. The link follows it when it is renamed, and not what replaces it. */
readonly storage_object_id: string;
  /** Opens the file without a sign-in, until the link ends. Shown once. */
readonly url: string;
  /** Whether it opens the file now: not while the file lies in the trash. */
readonly works: boolean;
};

export type NewStorageToken = {
  readonly allocation_id: string;
  /** Where the machine calls the API. */
readonly base_url: string;
  readonly created_at: string;
  readonly created_by: string;
  readonly id: string;
  /** What it opens of the files of the project. */
readonly level: "read" | "write";
  readonly project_id: string;
  readonly revoked_at: string | null;
  /** The token itself, for the machine. Shown once. */
readonly token: string;
  /** Whether it is accepted now: the allocation has not ended, and nobody revoked it. */
readonly works: boolean;
};

export type NodeAction = {
  readonly action: "publish" | "cordon" | "uncordon" | "drain" | "resume" | "quarantine" | "clear" | "retire" | "readmit" | "reimage" | "remove" | "probe";
  readonly allowed: boolean;
  readonly why_not: string | null;
};

export type NodeAlert = {
  readonly allocation_id: string | null;
  /** What follows: nothing is placed there; operators cannot change the state of the host; or it is only shown. */
readonly effect: "blocks_sale" | "blocks_transition" | "informs";
  readonly id: string;
  /** Stable, for programs: `gpus_healthy`, `silent`, `orphan`. */
readonly kind: string;
  readonly message: string;
  readonly raised_by: string | null;
  readonly since: string;
  readonly slot_id: string | null;
  readonly slot_index: number | null;
  /** The source of the alert. Each source replaces its own alerts at its next check. */
readonly source: "health" | "presence" | "drift" | "attestation" | "operator" | "breaker";
  /** The text that tenants of the host see. */
readonly tenant_message: string | null;
};

export type NodeCondition = {
  readonly message: string;
  readonly reason: string;
  readonly since: string;
  readonly status: "True" | "False" | "Unknown";
  readonly type: string;
};

export type NodeDetail = {
  /** What the host can do besides being rented out whole, by its last discovery; null before the first discovery, or when its agent does not say. */
readonly abilities: (readonly ("slices" | "oci" | "reimage" | "partitions" | "fabric" | "ssh_certificates")[]) | null;
  /** The actions that are possible now; for the others, why not. */
readonly actions: readonly NodeAction[];
  /** A name or an IP address under which tenants reach the host. */
readonly address: string | null;
  readonly agent_version: string | null;
  /** Alerts about this node. */
readonly alerts: readonly NodeAlert[];
  readonly certificate: {
  readonly not_after: string;
  readonly revoked_at: string | null;
  readonly serial: string;
} | null;
  /** The last report of the node, and its assessment. */
readonly conditions: readonly NodeCondition[];
  readonly cordon_reason: string | null;
  readonly created_at: string;
  readonly drain_deadline_at: string | null;
  readonly enrolled_at: string | null;
  readonly gpus_total: number;
  readonly id: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly last_report_at: string | null;
  readonly name: string;
  readonly onboarding_mode: "manual" | "maas";
  readonly region: string;
  readonly report: {
  readonly boot_id: string;
  readonly clock_skew_ms: number;
  readonly gpu_utilization: (readonly number[]) | null;
  readonly leases: readonly HeldLease[];
  readonly reported_at: string;
  readonly running_tasks: readonly string[];
} | null;
  readonly resource_slots: readonly ResourceSlot[];
  /** Whether operators allow new work on the node. */
readonly schedulable: boolean;
  /** Free slots that may be sold now: healthy, on a host that takes work. */
readonly sellable_slots: number;
  /** Whether the host is simulated, by its last discovery; null before the first discovery. */
readonly simulated: boolean | null;
  readonly sku: string;
  /** How many slots are in each state. */
readonly slots: Readonly<Record<string, number>>;
  readonly state: "bootstrap_issued" | "enrolling" | "active" | "offline" | "quarantined" | "draining" | "retired" | "removing" | "deleted";
  readonly state_reason: string | null;
  readonly topology: HostTopology | null;
  readonly topology_at: string | null;
  readonly updated_at: string;
  readonly version: number;
};

export type NodeEnrolmentOffer = {
  /** The package that the command installs. Null when none is offered, and for a host that recovers: the agent is expected on the host. */
readonly agent_package: {
  readonly architectures: readonly ("x64" | "arm64")[];
  readonly version: string;
} | null;
  /** SHA-256 of the authority that the host pins; null where it has a trust file of its own. */
readonly ca_fingerprint: string | null;
  /** The same as user data for a cloud deployment. */
readonly cloud_init: string;
  readonly expires_at: string;
  /** The command to run on the host. */
readonly install_command: string;
  readonly node: FleetNode;
  /** Where the host enrols and reports. */
readonly node_url: string;
  readonly purpose: "enrol" | "recover";
  /** The enrolment token of this node; works once and is shown only here. */
readonly token: string;
};

export type NodeImage = {
  readonly current: boolean;
  readonly digest: string;
  readonly slug: string;
  readonly verified_at: string;
};

export type NodeMetrics = {
  /** Oldest first. */
readonly data: readonly MetricPoint[];
  readonly from: string;
  readonly node_id: string;
  readonly resolution_seconds: 10 | 300;
  /** The host is simulated, and so are these values. */
readonly simulated: boolean;
  /** host_local_probe: measured by the host, for whole nodes. slice_guest: measured inside the machine of a slice. unavailable: nothing is measured, and `unavailable` says why. */
readonly source: "host_local_probe" | "slice_guest" | "unavailable";
  readonly to: string;
  /** Why there is nothing to show, in a sentence. */
readonly unavailable: string | null;
};

export type NodeNow = {
  /** The last values, if they are not too old. */
readonly latest: MetricPoint | null;
  readonly name: string;
  readonly node_id: string;
  readonly region: string;
  readonly simulated: boolean;
  readonly sku: string;
  readonly state: string;
  /** Why there is nothing to show, in a sentence. */
readonly unavailable: string | null;
};

export type Notice = {
  readonly at: string;
  readonly correlation_id: string;
  readonly id: string;
  /** As in the event of this type. */
readonly payload: Readonly<Record<string, unknown>>;
  /** Whether the caller marked it as read. */
readonly read: boolean;
  /** The name of the allocation; null if the notice is about something else. */
readonly subject_name: string | null;
  readonly type: "provisioning.active" | "provisioning.queued" | "provisioning.failed" | "provisioning.releasing.completed" | "provisioning.release_failed" | "provisioning.idle" | "provisioning.drain_notice" | "provisioning.drain_called_off" | "tenancy.project_member.changed";
};

/** Everything up to this time counts as read, in every project. */
export type NoticesRead = {
  readonly read_until: string;
};

export type Notification = {
  readonly area: "compute" | "access" | "security" | "money" | "operations";
  readonly at: string;
  readonly correlation_id: string;
  readonly event_id: string;
  readonly id: string;
  readonly kind: "allocation_active" | "allocation_queued" | "allocation_failed" | "allocation_unreachable" | "gpu_failed" | "allocation_released" | "allocation_ended" | "allocation_release_failed" | "allocation_idle" | "allocation_attestation_failed" | "drain_notice" | "drain_called_off" | "organization_role_changed" | "project_role_changed" | "sign_in_changed" | "ssh_key_added" | "payment_received" | "payment_failed" | "payment_refunded" | "payment_disputed" | "auto_top_up_failed" | "auto_top_up_unconfirmed" | "balance_low" | "release_announced" | "balance_depleted" | "machines_stopped" | "balance_recovered" | "webhook_disabled" | "payment_unclear" | "node_lost" | "node_quarantined" | "slots_quarantined" | "breaker_tripped" | "dead_letter";
  /** A path of the console. */
readonly link: string | null;
  readonly organization_id: string | null;
  /** The facts of the event that led to it. */
readonly payload: Readonly<Record<string, unknown>>;
  readonly project_id: string | null;
  readonly read: boolean;
  /** It is about a machine of a simulated host: there is no such machine. */
readonly simulated: boolean;
  /** What it means and what to do, in a few sentences; empty where the title says all. */
readonly text: string;
  /** What happened, in one sentence. */
readonly title: string;
  /** Whether it is good news, to be noticed, or a problem. */
readonly tone: "good" | "notice" | "bad";
};

export type NotificationCount = {
  readonly limit: number;
  /** Counted up to `limit`. */
readonly unread: number;
};

export type NotificationPreference = {
  readonly area: "compute" | "access" | "security" | "money" | "operations";
  /** Whether it is shown among the notifications. */
readonly inbox: boolean;
  /** Whether the person has chosen nothing for this kind. */
readonly is_default: boolean;
  readonly kind: "allocation_active" | "allocation_queued" | "allocation_failed" | "allocation_unreachable" | "gpu_failed" | "allocation_released" | "allocation_ended" | "allocation_release_failed" | "allocation_idle" | "allocation_attestation_failed" | "drain_notice" | "drain_called_off" | "organization_role_changed" | "project_role_changed" | "sign_in_changed" | "ssh_key_added" | "payment_received" | "payment_failed" | "payment_refunded" | "payment_disputed" | "auto_top_up_failed" | "auto_top_up_unconfirmed" | "balance_low" | "release_announced" | "balance_depleted" | "machines_stopped" | "balance_recovered" | "webhook_disabled" | "payment_unclear" | "node_lost" | "node_quarantined" | "slots_quarantined" | "breaker_tripped" | "dead_letter";
  /** A mail for each, one mail a day with all of them, or none. */
readonly mail: "each" | "daily" | "none";
  /** Mail about money and security cannot be turned off. */
readonly mail_required: boolean;
  readonly title: string;
};

export type NotificationPreferences = {
  /** Where mails go; null while no address is known. */
readonly address: string | null;
  readonly data: readonly NotificationPreference[];
};

export type NotificationsRead = {
  /** How many became read. */
readonly read: number;
};

export type Organization = {
  readonly created_at: string;
  readonly currency: string;
  readonly id: string;
  readonly name: string;
  readonly resource_name: string;
  /** The role of the caller. */
readonly role: "owner" | "admin" | "member" | "viewer" | "finance";
  readonly slug: string;
  readonly type: "personal" | "enterprise";
  /** Grows with every change; send it back to change only the version that you saw. */
readonly version: number;
};

export type OsImage = {
  readonly active: boolean;
  /** Nodes that have exactly this digest. */
readonly cached_on: number;
  readonly created_at: string;
  readonly digest: string;
  readonly display_name: string;
  readonly driver_strategy: "preinstalled" | "cloud_init";
  readonly id: string;
  readonly size_bytes: number;
  readonly skus: readonly string[];
  readonly slug: string;
  readonly updated_at: string;
};

export type Overview = {
  /** Recent changes by people; null for a credential that may not read activity. */
readonly activity: (readonly Activity[]) | null;
  /** The latest allocations that have not ended. */
readonly current: readonly Allocation[];
  /** First steps that the caller has done. */
readonly getting_started: {
  readonly has_launched: boolean;
  readonly has_ssh_key: boolean;
  readonly has_teammates: boolean;
  readonly has_token: boolean;
};
  /** GPUs of the whole organization, in all of its projects. */
readonly gpu_quota: {
  /** GPUs of all allocations of the organization that are queued, requested, provisioning or active. */
readonly held: number;
  /** Where the limit is set. */
readonly level: "user" | "project" | "organization" | "plan" | "global" | "default";
  /** allocation.max_gpus_per_organization as it applies here. */
readonly limit: number;
};
  /** What the caller launched last in this project, each SKU once. */
readonly launch_again: readonly {
  readonly gpus: number;
  readonly region: string;
  readonly sku: string;
}[];
  /** Requested allocations that wait in the queue. */
readonly queued: number;
  /** All active allocations of the project. */
readonly running: {
  readonly allocations: number;
  readonly gpus: number;
  /** The sum of the hourly prices of all active allocations, one amount for each currency. */
readonly per_hour: readonly {
  readonly amount_minor: string;
  readonly currency: string;
}[];
};
  readonly states: AllocationCounts;
  /** Unread notices of the caller, counted up to 100; null where activity is null. */
readonly unread_notices: number | null;
};

export type PaymentMethod = {
  /** visa, mastercard and the like, in the words of the provider. */
readonly brand: string;
  /** The last month in which it can be charged. */
readonly expires: string;
  readonly id: string;
  /** Whether automatic top-ups charge this card. */
readonly is_default: boolean;
  readonly last4: string;
};

export type PaymentMethodSetup = {
  readonly expires_at: string;
  /** The provider's page on which the card is entered. */
readonly url: string;
};

export type PaymentOptions = {
  readonly limits: DepositLimits;
  readonly maximum: Money;
  readonly minimum: Money;
  readonly provider: "simulated" | "stripe" | "disabled";
  /** How long a payment can go back to where it came from. */
readonly refund_window_days: number;
  readonly tax_rate_basis_points: number;
};

export type PaymentRefund = {
  readonly amount: Money;
  readonly balance: Money;
  readonly created_at: string;
  readonly id: string;
  readonly organization_id: string;
  readonly reason: string;
  readonly session_id: string;
  readonly state: "requested" | "sent" | "refused" | "credited";
  readonly to: "payer" | "credit";
};

export type PaymentSession = {
  readonly amount: Money;
  readonly automatic: boolean;
  readonly created_at: string;
  readonly credited: Money;
  readonly disputed: Money;
  readonly expires_at: string;
  readonly id: string;
  readonly organization_id: string;
  readonly provider: "simulated" | "stripe" | "disabled";
  readonly refunded: Money;
  readonly requested_by: string;
  /** When it was added to the balance. */
readonly settled_at: string | null;
  readonly state: "open" | "paid" | "expired" | "disputed" | "charged_back" | "failed_reconcile";
  readonly tax: Money;
  /** The provider's page, for as long as it can be paid there. */
readonly url: string | null;
};

export type PersonalToken = {
  readonly created_at: string;
  readonly expires_at: string;
  readonly id: string;
  readonly last_used_at: string | null;
  readonly name: string;
  /** The first characters of the token, to recognise it. */
readonly prefix: string;
  readonly revoked_at: string | null;
  readonly scopes: readonly ("organizations:read" | "organizations:write" | "organizations:delete" | "members:read" | "members:write" | "membership:leave" | "profile:read" | "profile:write" | "ssh_keys:read" | "ssh_keys:write" | "projects:read" | "projects:write" | "allocations:read" | "allocations:write" | "apps:read" | "apps:publish" | "apps:admin" | "storage:read" | "storage:write" | "usage:read" | "billing:read" | "billing:write" | "billing:pay" | "billing:admin" | "activity:read" | "audit:read" | "audit:admin" | "sessions:read" | "sessions:write" | "sessions:admin" | "tokens:read" | "tokens:write" | "factors:read" | "factors:write" | "service_accounts:read" | "service_accounts:write" | "webhooks:read" | "webhooks:write" | "policies:read" | "policies:admin" | "fleet:read" | "fleet:admin" | "organizations:admin" | "users:read" | "users:admin" | "roles:admin" | "events:read" | "events:admin")[];
};

export type PlacementChange = {
  readonly change: "fewer_gpus" | "other_region" | "other_sku" | "wait";
  readonly gpus?: number;
  readonly region?: string;
  readonly sku?: string;
};

/** Why it was placed, or not. Hosts and other tenants are counted, never named. */
export type PlacementDecision = {
  readonly chosen: {
  readonly gpus: number;
  readonly image_cached: boolean;
  /** One, unless it is a whole host. */
readonly numa_groups: number;
} | null;
  readonly considered: number;
  readonly decided_at: string;
  readonly feasible: number;
  readonly nearest_miss: {
  readonly constraint: string;
  readonly message: string;
} | null;
  readonly outcome: "placed" | "queued" | "refused";
  readonly reasons: readonly PlacementReason[];
  /** The smallest changes with which it would fit now. */
readonly would_fit: readonly PlacementChange[];
};

export type PlacementReason = {
  /** The first criterion that did not fit, in the order of the checks; or `launch_failed` for hosts that fit and come last, because a launch failed there recently. */
readonly constraint: string;
  readonly message: string;
  /** Number of hosts. */
readonly nodes: number;
};

export type PlatformHealth = {
  readonly checked_at: string;
  readonly findings: readonly HealthFinding[];
  /** The worst of the findings. */
readonly status: "ok" | "warn" | "bad";
  readonly version: string;
};

export type PlatformRoleHolder = {
  readonly display_name: string | null;
  readonly roles: readonly {
  readonly granted_at: string;
  /** Who granted it; null if it was granted before this was recorded. */
readonly granted_by: string | null;
  readonly role: "platform_superadmin" | "platform_ops" | "platform_finance" | "platform_support";
}[];
  readonly state: "active" | "disabled" | "erased";
  readonly user_id: string;
  readonly username: string;
};

export type PolicyDefinition = {
  readonly choices?: readonly string[];
  /** A number, true or false, or one of the choices, as the policy says. */
readonly default: number | boolean | string;
  readonly description: string;
  readonly key: string;
  /** Where it may be set; left out: at every level. */
readonly levels?: readonly ("user" | "project" | "organization" | "plan" | "global")[];
  readonly maximum?: number;
  readonly minimum?: number;
  readonly owner: string;
  readonly type: "integer" | "boolean" | "choice";
  readonly unit?: string;
};

export type PolicySetting = {
  readonly hard: boolean;
  readonly id: string;
  readonly key: string;
  /** The most specific level that is set wins. */
readonly level: "user" | "project" | "organization" | "plan" | "global";
  readonly reason: string;
  readonly subject_id: string | null;
  readonly updated_at: string;
  /** A number, true or false, or one of the choices, as the policy says. */
readonly value: number | boolean | string;
};

export type Problem = {
  /** One of the error catalog; programs branch on this. */
readonly code: string;
  /** Finds this request in logs, traces, audit and events. */
readonly correlation_id: string;
  /** Facts that help to correct the request. */
readonly details?: unknown;
  /** What is wrong with this request and what to do. */
readonly message: string;
  readonly status: number;
  /** The title of the code; always the same for one code. */
readonly title: string;
  /** Names the kind of problem, and leads to what the docs say about it. */
readonly type: string;
};

export type Project = {
  readonly created_at: string;
  readonly department_id: string;
  readonly id: string;
  readonly name: string;
  readonly organization_id: string;
  readonly resource_name: string;
  readonly slug: string;
  readonly state: "active" | "archived" | "removing" | "deleted";
  readonly updated_at: string;
  /** Grows with every change; send it back to change only the version that you saw. */
readonly version: number;
};

export type Proof = {
  readonly detail: string;
  readonly passed: boolean;
};

export type PublicImage = {
  readonly digest: string;
  readonly display_name: string;
  readonly driver_strategy: "preinstalled" | "cloud_init";
  readonly skus: readonly string[];
  readonly slug: string;
};

export type QueueEntry = {
  readonly allocation_id: string;
  readonly deadline_at: string;
  readonly expected_start_at: string | null;
  readonly gpu_count: number;
  /** A host is reserved for it. */
readonly host_reserved: boolean;
  readonly organization_id: string;
  readonly position: number;
  readonly project_id: string;
  readonly region: string;
  readonly sku: string;
  readonly waiting_since: string;
  /** Priority in the queue: a lower number goes first. */
readonly weight: number;
};

export type Quote = {
  /** What the launch does to the account; null for callers who may not see it. */
readonly account: {
  readonly balance: {
  readonly amount_minor: string;
  readonly currency: string;
};
  readonly balance_after: {
  readonly amount_minor: string;
  readonly currency: string;
};
  readonly per_hour_after: {
  readonly amount_minor: string;
  readonly currency: string;
};
  readonly runway_seconds: number | null;
  readonly runway_seconds_after: number | null;
} | null;
  /** Whether balance and budgets allow the launch now. */
readonly affordable: boolean;
  /** The budgets that count this launch. Budgets of the organization are shown to those who see its account. */
readonly budgets: readonly {
  /** Whether its hard threshold refuses the launch. */
readonly blocks: boolean;
  readonly counted: {
  readonly amount_minor: string;
  readonly currency: string;
};
  readonly hard: {
  readonly amount_minor: string;
  readonly currency: string;
} | null;
  readonly id: string;
  readonly name: string;
  readonly scope: "organization" | "project" | "user" | "tag";
  readonly soft: {
  readonly amount_minor: string;
  readonly currency: string;
} | null;
}[];
  readonly created_at: string;
  /** When it would end by itself; null when it has no end. */
readonly ends: {
  /** How long the allocation would be active at most. */
readonly after_seconds: number;
  readonly because: "max_spend" | "max_duration";
  readonly cost: {
  readonly amount_minor: string;
  readonly currency: string;
};
} | null;
  readonly expires_at: string;
  readonly gpus: number;
  /** What the launch sets aside; nothing where the organization does not pay ahead. */
readonly hold: {
  readonly amount_minor: string;
  readonly currency: string;
};
  readonly id: string;
  readonly price: {
  readonly per_hour: Money;
  readonly price_id: string | null;
  readonly unit: "gpu_hour" | "node_hour";
  readonly unit_price: Money;
};
  readonly project_id: string;
  readonly region: string;
  readonly sku: string;
  readonly why_not: string | null;
};

export type RecordingCast = {
  /** Lines of asciicast. The first page begins with the header. */
readonly cast: string;
  /** Where the next page begins; null after the last one. */
readonly next: string | null;
};

export type RecordingVerdict = {
  readonly broken: {
  readonly problem: string;
  readonly sequence: number;
} | null;
  /** Chunks that were checked and are as they were stored. */
readonly chunks: number;
  readonly intact: boolean;
  readonly recording_id: string;
};

export type RecordingView = {
  readonly expires_at: string;
  readonly recording: TerminalRecordingInfo;
  readonly view_id: string;
};

export type RecoveryCodes = {
  /** Ten codes, separated by spaces. They are shown here and never again. */
readonly recovery_codes: string;
};

export type Region = {
  readonly active: boolean;
  readonly created_at: string;
  readonly name: string;
  readonly slug: string;
};

export type ResourceProfile = {
  /** The fabric between the GPUs of several nodes. Unless it is none, a slot needs a virtual function of it. */
readonly fabric: "ib" | "roce" | "none";
  /** Sizes of virtual machine. The first one of a GPU count is the default. */
readonly slice_vm_profiles: readonly VmProfile[];
};

export type ResourceSlot = {
  /** The actions that are possible now; for the others, why not. */
readonly actions: readonly SlotAction[];
  readonly allocation_id: string | null;
  readonly fabric_vf_pci_address: string | null;
  readonly generation: number;
  readonly gpu_memory_mib: number;
  readonly gpu_model: string;
  readonly gpu_uuid: string;
  readonly health_detail: string | null;
  readonly health_state: "healthy" | "degraded" | "failed" | "unknown";
  readonly id: string;
  readonly mac_address: string | null;
  readonly numa_node: number;
  readonly nvme_device: string | null;
  readonly pci_address: string;
  readonly private_ip: string | null;
  readonly slot_index: number;
  readonly state: "disabled" | "available" | "reserved" | "in_use" | "cleaning" | "cleanup_blocked" | "quarantined";
  readonly state_reason: string | null;
  readonly updated_at: string;
  readonly version: number;
  /** Since when it has not been proven that the slot was wiped after its last use; it is not sold meanwhile. */
readonly wipe_owed_since: string | null;
  /** The task whose result, signed by the node, proves the wipe that is owed. */
readonly wipe_proof_task_id: string | null;
  /** An operator returned the slot to sale without proof of the wipe; shown until the next wipe is proven. */
readonly wipe_waived: WipeWaiver | null;
};

export type RevenueRow = {
  readonly amount: Money;
  /** A day in UTC. */
readonly day: string;
  /** How many organizations were charged. */
readonly organizations: number;
  /** Units of the price (GPUs, whole nodes, or GiB) times milliseconds. */
readonly quantity_ms: string;
  readonly sku: string;
};

export type RevenueSku = {
  readonly amount: Money;
  /** Units of the price (GPUs, whole nodes, or GiB) times milliseconds. */
readonly quantity_ms: string;
  readonly sku: string;
};

export type RevenueTotal = {
  /** The highest amount first. */
readonly skus: readonly RevenueSku[];
  readonly total: Money;
};

export type Runbook = {
  /** What it is about: `events`, `nodes`, `billing`. */
readonly category: string;
  /** Stable, for programs and links: `node-lost`. */
readonly id: string;
  /** The domain of the product that owns it. */
readonly owner: string;
  /** Where this installation serves it: `/docs/runbooks/node-lost`. */
readonly page: string;
  readonly severity: "critical" | "warning" | "info";
  /** What leads here: alerts of Prometheus, findings of the health of the platform, sources of alerts of nodes, kinds of incidents. One that ends in * stands for all that begin so. */
readonly signals: readonly string[];
  /** What it means, in a sentence. */
readonly summary: string;
  readonly title: string;
};

export type RunbookPage = {
  /** What it is about: `events`, `nodes`, `billing`. */
readonly category: string;
  /** Stable, for programs and links: `node-lost`. */
readonly id: string;
  /** The domain of the product that owns it. */
readonly owner: string;
  /** Where this installation serves it: `/docs/runbooks/node-lost`. */
readonly page: string;
  readonly severity: "critical" | "warning" | "info";
  /** What leads here: alerts of Prometheus, findings of the health of the platform, sources of alerts of nodes, kinds of incidents. One that ends in * stands for all that begin so. */
readonly signals: readonly string[];
  /** What it means, in a sentence. */
readonly summary: string;
  /** The whole page, as Markdown. */
readonly text: string;
  readonly title: string;
};

export type SealedCount = {
  /** The key that sealed them. */
readonly key_id: string;
  /** The purpose of the values: `issuer`, `task-signers`. */
readonly purpose: string;
  /** Whether that key seals now, only opens, or is missing from the keyring of this process. */
readonly state: "current" | "former" | "missing";
  /** The table that holds them. */
readonly table: string;
  readonly values: number;
};

export type SecondFactor = {
  readonly created_at: string;
  readonly id: string;
  /** totp: an authenticator app that shows codes. passkey: a key on a device (WebAuthn). */
readonly kind: "totp" | "passkey";
  readonly last_used_at: string | null;
  readonly name: string;
};

export type SecondFactors = {
  /** Oldest first; at most 10. */
readonly factors: readonly SecondFactor[];
  /** False if another identity provider keeps the factors: manage them there. */
readonly managed: boolean;
  /** Whether passkeys can be added: browsers make them for a domain with TLS, not for an IP address. */
readonly passkeys: boolean;
  /** Recovery codes that are left. */
readonly recovery_codes_left: number;
  /** Whether a policy requires a second factor for sensitive operations. */
readonly required: boolean;
};

export type Seller = {
  readonly seller: {
  readonly address_lines: readonly string[];
  /** The city. */
readonly city: string;
  /** Two letters of ISO 3166: DE. */
readonly country: string;
  /** The name in the register of companies, or of the person. */
readonly legal_name: string;
  /** The postal code, where there is one. */
readonly postal_code: string | null;
  /** The VAT number or the like, as the tax office wrote it: DE123456788. */
readonly tax_id: string | null;
  readonly updated_at: string;
} | null;
};

export type ServiceAccount = {
  readonly created_at: string;
  readonly description: string | null;
  readonly id: string;
  readonly name: string;
  readonly organization_id: string;
  /** The projects where it may act. It sees nothing else. */
readonly project_ids: readonly string[];
  readonly resource_name: string;
  /** Pinned to one project, or bounded by an organization and a list of its projects. */
readonly scope: "project" | "organization";
  readonly scopes: readonly ("organizations:read" | "organizations:write" | "organizations:delete" | "members:read" | "members:write" | "membership:leave" | "profile:read" | "profile:write" | "ssh_keys:read" | "ssh_keys:write" | "projects:read" | "projects:write" | "allocations:read" | "allocations:write" | "apps:read" | "apps:publish" | "apps:admin" | "storage:read" | "storage:write" | "usage:read" | "billing:read" | "billing:write" | "billing:pay" | "billing:admin" | "activity:read" | "audit:read" | "audit:admin" | "sessions:read" | "sessions:write" | "sessions:admin" | "tokens:read" | "tokens:write" | "factors:read" | "factors:write" | "service_accounts:read" | "service_accounts:write" | "webhooks:read" | "webhooks:write" | "policies:read" | "policies:admin" | "fleet:read" | "fleet:admin" | "organizations:admin" | "users:read" | "users:admin" | "roles:admin" | "events:read" | "events:admin")[];
  readonly slug: string;
  readonly state: "active" | "disabled" | "deleted";
  readonly updated_at: string;
  readonly version: number;
};

export type ServiceAccountKey = {
  readonly created_at: string;
  readonly expires_at: string;
  readonly id: string;
  readonly last_used_at: string | null;
  readonly name: string;
  /** A public key as JSON Web Key: Ed25519 or P-256. */
readonly public_key: {
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
};
  readonly revoked_at: string | null;
  readonly service_account_id: string;
};

export type SessionsRevoked = {
  /** How many sessions were ended. */
readonly revoked: number;
};

export type SignIn = {
  readonly authorization_endpoint: string;
  /** The public client that command lines sign in as. */
readonly client_id: string;
  /** Null when the provider has no device flow. */
readonly device_authorization_endpoint: string | null;
  /** The OpenID provider whose tokens count here. */
readonly issuer: string;
  readonly revocation_endpoint: string | null;
  /** The scopes to request. */
readonly scope: string;
  /** What to send as acr_values for a sign-in with a second factor; null where it is not known. */
readonly second_factor_acr: string | null;
  readonly token_endpoint: string;
};

export type SignedSshCertificate = {
  readonly allocation_id: string;
  /** The line of an id_…-cert.pub file. */
readonly certificate: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly id: string;
  /** Of the public key that it is for. */
readonly key_fingerprint: string;
  readonly organization_id: string;
  /** It opens this allocation and nothing else. */
readonly principals: readonly string[];
  readonly project_id: string;
  readonly revoked_at: string | null;
  /** In decimal digits: it is larger than JSON numbers hold. */
readonly serial: string;
  /** Who may use it. */
readonly user_id: string;
  /** The login on the machine. */
readonly username: string;
};

/** xid_79: A GPU has fallen off the bus: gpu_unhealthy at launch, a condition while it is in use. gpu_missing: One GPU is missing: gpu_missing for an allocation that was promised it. gpu_mismatch: One GPU was swapped for another: gpu_mismatch for an allocation that was promised the old one. driver_unavailable: The driver is missing and its packages cannot be fetched: driver_unavailable. wrong_driver: Driver and libraries have different versions, so nvidia-smi fails: driver_unavailable. dirty_disk: A disk keeps old data: disk_dirty before a launch, wipe_unverified after a release. leaky_bridge: One guest can reach another: isolation_failed. deaf_guest: A guest ignores its shutdown and is destroyed when its time is over. hung_guest: A guest ignores its shutdown and cannot be destroyed: guest_hung, until a forced release ends it. vfio_stuck: A device does not change its driver: vfio_stuck, at bind and at unbind. image_unavailable: The image cannot be fetched: image_unavailable. slow_image: The image download is ten times slower. disk_full: The disk has no room for the image: disk_full. machine_failed: The virtual machine does not start: machine_failed. ssh_unreachable: The machine is up, but its SSH port does not answer: ssh_unreachable. user_remains: A process of the user does not end: user_remains. mirror_away: The machine of a slice cannot install its driver at the first boot: guest_setup_failed. silent_guest: Machines of slices report no measurements. idle_guest: No GPU computes: utilization is zero. overheating: A GPU is too hot and slows down: a condition that informs, and a throttle reason in its measurements. memory_errors: Memory errors of a GPU could not be corrected: gpu_unhealthy at launch, a condition while it is in use. container_crash: A container ends with an error right after its start: container_failed. container_hung: A launch of a container makes no progress until it is called off. agent_lost: The agent is stopped and nothing reports; running machines continue. */
export type SimulatedFaultName = "xid_79" | "gpu_missing" | "gpu_mismatch" | "driver_unavailable" | "wrong_driver" | "dirty_disk" | "leaky_bridge" | "deaf_guest" | "hung_guest" | "vfio_stuck" | "image_unavailable" | "slow_image" | "disk_full" | "machine_failed" | "ssh_unreachable" | "user_remains" | "mirror_away" | "silent_guest" | "idle_guest" | "overheating" | "memory_errors" | "container_crash" | "container_hung" | "agent_lost";

export type SimulatedNode = {
  readonly agent: "running" | "stopped";
  readonly faults: readonly {
  readonly fault: SimulatedFaultName;
  readonly once: boolean;
  readonly since: string;
  readonly slot_index: number;
}[];
  readonly gpu_model: string;
  readonly gpus_total: number;
  readonly name: string;
  readonly node_id: string;
  /** Allocations that run there, as the simulator sees it. */
readonly running: readonly string[];
};

export type Sku = {
  readonly active: boolean;
  readonly allowed_gpu_counts: readonly number[];
  readonly billing_unit: "gpu_hour" | "node_hour";
  /** A whole node, or a virtual machine with some of its GPUs. */
readonly capacity_shape: "baremetal" | "gpu_slice";
  readonly created_at: string;
  readonly display_name: string;
  readonly gpu_memory_mib: number;
  /** As the driver reports it. */
readonly gpu_model: string;
  readonly gpus_total: number;
  readonly resource_profile: ResourceProfile;
  readonly sku: string;
  readonly updated_at: string;
  readonly vendor: string;
};

export type SkuPrice = {
  readonly created_at: string;
  readonly effective_from: string;
  readonly id: string;
  readonly region: string | null;
  readonly sku: string;
  readonly state: "past" | "current" | "future";
  readonly unit_price: Money;
};

export type SlotAction = {
  readonly action: "enable" | "disable" | "quarantine" | "clear" | "clear_unproven";
  readonly allowed: boolean;
  readonly why_not: string | null;
};

export type SlotCandidate = {
  /** Why this one could not be handed out as it is; empty when it could. */
readonly blockers: readonly string[];
  readonly fabric_vf_pci_address: string | null;
  readonly gpu_memory_mib: number;
  readonly gpu_model: string;
  readonly gpu_uuid: string;
  readonly mac_address: string | null;
  readonly numa_node: number;
  readonly nvme_device: string | null;
  readonly pci_address: string;
  readonly private_ip: string | null;
  readonly slot_index: number;
};

export type SshCertificate = {
  readonly allocation_id: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly id: string;
  /** Of the public key that it is for. */
readonly key_fingerprint: string;
  readonly organization_id: string;
  readonly project_id: string;
  readonly revoked_at: string | null;
  /** In decimal digits: it is larger than JSON numbers hold. */
readonly serial: string;
  /** Who may use it. */
readonly user_id: string;
};

export type SshKey = {
  readonly bits: number;
  readonly comment: string;
  readonly created_at: string;
  /** SHA256:…, as ssh-keygen -lf prints it. */
readonly fingerprint: string;
  readonly id: string;
  /** When an allocation with this key last became active. */
readonly last_used_at: string | null;
  readonly name: string;
  readonly project_id: string | null;
  /** When the owner proved to hold the private half. At the jump host a proven key names its owner alone. */
readonly proven_at: string | null;
  /** Type and key, without the comment. */
readonly public_key: string;
  readonly resource_name: string;
  /** As OpenSSH calls it: ssh-ed25519, ecdsa-sha2-nistp256, … */
readonly type: string;
  /** The owner; null for a key of a project. */
readonly user_id: string | null;
};

export type SshPlatformKey = {
  readonly created_at: string;
  /** SHA256:…, as ssh-keygen -lf prints it. */
readonly fingerprint: string;
  /** jump_host: the host key of the jump host. user_authority: the key that signs certificates. */
readonly kind: "jump_host" | "user_authority";
  readonly number: number;
  /** Type and key, as OpenSSH writes them. */
readonly public_key: string;
  readonly retired_at: string | null;
  readonly state: "announced" | "current" | "retired";
  readonly used_from: string | null;
};

export type StorageAddress = {
  readonly expires_at: string;
  /** To be sent as they are. */
readonly headers: Readonly<Record<string, string>>;
  readonly method: "GET" | "PUT";
  readonly size_bytes: number;
  /** Works without a token, for one part or one download, until it expires. */
readonly url: string;
};

export type StorageDeletion = {
  readonly entries: number;
  readonly id: string;
  readonly path: string;
  readonly size_bytes: number;
};

export type StorageGrant = {
  readonly created_at: string;
  readonly expires_at: string | null;
  readonly granted_by: string;
  readonly grantee_id: string;
  readonly grantee_kind: "user" | "service_account" | "project";
  readonly id: string;
  readonly level: "read" | "write" | "manage";
  readonly namespace_id: string;
  readonly path: string;
  /** The project that owns the namespace. */
readonly project_id: string;
  readonly revoked_at: string | null;
};

export type StorageLink = {
  readonly created_at: string;
  readonly created_by: string;
  readonly expires_at: string;
  readonly id: string;
  readonly last_opened_at: string | null;
  readonly namespace_id: string;
  /** How often it was opened. */
readonly opened: number;
  /** Where the file lies now. */
readonly path: string;
  readonly project_id: string;
  readonly revoked_at: string | null;
  readonly size_bytes: number;
  /** The file. The link follows it when it is renamed, and not what replaces it. */
readonly storage_object_id: string;
  /** Whether it opens the file now: not while the file lies in the trash. */
readonly works: boolean;
};

export type StorageNamespace = {
  readonly created_at: string;
  readonly id: string;
  readonly kind: "shared" | "users" | "workloads" | "datasets" | "checkpoints" | "artifacts";
  /** What the caller may do there. */
readonly level: "read" | "write" | "manage";
  readonly name: string;
  readonly path: string;
  readonly project_id: string;
  /** Files in it, and those of it in the trash. */
readonly stored_bytes: number;
};

export type StorageObject = {
  /** sha256:HEX of a file of one part. sha256-parts:HEX of a longer one: the SHA-256 of the SHA-256 of its parts, in order. Empty for a folder. */
readonly checksum: string;
  readonly content_type: string;
  readonly created_at: string;
  readonly created_by: string;
  readonly deleted_at: string | null;
  readonly id: string;
  readonly is_folder: boolean;
  readonly name: string;
  readonly namespace_id: string;
  /** The size of every part but the last. */
readonly part_bytes: number;
  readonly path: string;
  readonly project_id: string;
  /** When it leaves the trash for good. */
readonly purge_at: string | null;
  readonly size_bytes: number;
  readonly updated_at: string;
};

export type StoragePrice = {
  readonly created_at: string;
  readonly currency: string;
  readonly effective_from: string;
  readonly id: string;
  /** Minor units for one GiB and hour, times a million: 3000 in USD is 0.00003 USD. */
readonly rate_micro: string;
  readonly state: "past" | "current" | "future";
};

export type StorageToken = {
  readonly allocation_id: string;
  readonly created_at: string;
  readonly created_by: string;
  readonly id: string;
  /** What it opens of the files of the project. */
readonly level: "read" | "write";
  readonly project_id: string;
  readonly revoked_at: string | null;
  /** Whether it is accepted now: the allocation has not ended, and nobody revoked it. */
readonly works: boolean;
};

export type StorageUpload = {
  readonly created_at: string;
  readonly expires_at: string;
  readonly id: string;
  /** The size of every part but the last. */
readonly part_bytes: number;
  readonly part_count: number;
  /** Those that have arrived; an upload is resumed with the others. */
readonly parts: readonly {
  readonly number: number;
  /** SHA-256 in hex. */
readonly sha256: string;
  readonly size_bytes: number;
}[];
  readonly path: string;
  readonly project_id: string;
  readonly size_bytes: number;
};

export type StorageUploadGone = {
  readonly id: string;
  readonly path: string;
};

export type StorageUsage = {
  /** What storing costs now; null where it is free. */
readonly price: {
  readonly currency: string;
  /** Minor units for one GiB and hour, times a million. */
readonly rate_micro: string;
} | null;
  readonly project_id: string;
  readonly quota_bytes: number;
  /** Whether the balance of the organization is spent: uploads and copies are refused, downloads and deletions work, and nothing is deleted. */
readonly read_only: boolean;
  /** Uploads that are under way. */
readonly reserved_bytes: number;
  /** Files, and those in the trash. */
readonly stored_bytes: number;
};

export type StuckAllocation = {
  readonly allocation_id: string;
  /** The phase whose usual duration it is compared with. */
readonly limit_seconds: number;
  readonly node_id: string | null;
  readonly organization_id: string;
  /** The latest timeline entry. */
readonly phase: string;
  readonly region: string;
  /** How long it has been in this phase. */
readonly seconds: number;
  readonly since: string;
  readonly sku: string;
  readonly state: string;
  /** The 99th percentile of this phase; null without recent data. */
readonly usual_seconds: number | null;
};

export type TaskSigner = {
  readonly effective_at: string;
  readonly id: string;
  /** The raw Ed25519 key in base64url. */
readonly public_key: string;
  readonly published_at: string;
  readonly retires_at: string | null;
  readonly state: "staged" | "active" | "grace" | "retired" | "revoked";
  readonly version: number;
};

export type TerminalRecordingInfo = {
  readonly allocation_id: string;
  readonly began_at: string | null;
  readonly chunks: number;
  readonly columns: number;
  readonly created_at: string;
  readonly duration_ms: number;
  readonly end_reason: ("exited" | "closed_by_user" | "closed_by_admin" | "closed_by_operator" | "rights_lost" | "allocation_ended" | "time_over" | "idle" | "never_opened" | "shell_failed" | "node_lost" | "api_unreachable" | "recorder_failed" | "recording_full") | null;
  readonly ended_at: string | null;
  /** The id of its session, too. */
readonly id: string;
  /** metadata: who, when and how much, without a word of it. */
readonly kind: "metadata" | "output";
  readonly name: string;
  readonly organization_id: string;
  /** Output of the shell, without what the format adds. */
readonly output_bytes: number;
  readonly project_id: string;
  readonly records_input: boolean;
  readonly rows: number;
  /** Of the last chunk. It covers all chunks. */
readonly sha256: string | null;
  /** recording: the session goes on. complete: it has its last chunk. partial: it ends with the last chunk that was stored. removed: its retention is over. */
readonly state: "recording" | "complete" | "partial" | "removed";
  readonly stored_bytes: number;
  /** Whose session it was. */
readonly user_id: string;
};

export type TerminalSession = {
  readonly allocation_id: string;
  readonly columns: number;
  readonly created_at: string;
  readonly end_reason: ("exited" | "closed_by_user" | "closed_by_admin" | "closed_by_operator" | "rights_lost" | "allocation_ended" | "time_over" | "idle" | "never_opened" | "shell_failed" | "node_lost" | "api_unreachable" | "recorder_failed" | "recording_full") | null;
  readonly ended_at: string | null;
  /** The shell ends then, at the latest. */
readonly expires_at: string;
  /** A client is connected and types. */
readonly has_writer: boolean;
  readonly id: string;
  readonly kind: "shell" | "ssh" | "forward";
  readonly name: string;
  readonly opened_at: string | null;
  readonly organization_id: string;
  /** Of the machine, for a session of kind forward. */
readonly port: number | null;
  readonly project_id: string;
  /** Null while no gateway has reported. */
readonly received_bytes: number | null;
  readonly recording: "off" | "metadata" | "output";
  readonly rows: number;
  /** Null while no gateway has reported. */
readonly sent_bytes: number | null;
  /** The GPUs of its machine are simulated. */
readonly simulated: boolean;
  /** The certificate that opened it through the jump host; null for all others. */
readonly ssh_certificate_id: string | null;
  /** The key that opened it through the jump host; null for all others. */
readonly ssh_key_id: string | null;
  readonly state: "opening" | "open" | "ended";
  /** Whose session it is. Only this person types into it. */
readonly user_id: string;
  readonly version: number;
  /** Clients that only read. */
readonly watchers: number;
};

export type TerminalToken = {
  readonly expires_at: string;
  readonly name: string;
  readonly recording: "off" | "metadata" | "output";
  readonly role: "writer" | "watcher";
  readonly session_id: string;
  /** Works once, within five minutes, as the second offer in Sec-WebSocket-Protocol. */
readonly token: string;
  /** Where the WebSocket is opened, wss or ws. The token never goes into it. */
readonly url: string;
};

export type TimelineItem = {
  readonly at: string;
  readonly correlation_id: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
  readonly from_state: string | null;
  readonly id: string;
  readonly kind: "transition" | "phase" | "task" | "note";
  readonly name: string;
  readonly to_state: string | null;
  readonly version: number | null;
};

export type UsagePoint = {
  readonly amount: Money;
  /** When the hour, day or month begins, in UTC. */
readonly at: string;
  /** The id or slug of the group; empty when everything is one group. */
readonly key: string;
  readonly meter: ("gpu_time" | "storage" | "app_units") | null;
  /** The display name of the group, if it has one. */
readonly name: string | null;
  /** Units of the price (GPUs, whole nodes, or GiB) times milliseconds; of GPU time alone where the group has several meters. */
readonly quantity_ms: string;
};

export type UsageProof = {
  /** The allocation; for a line of storage the project, for units of an app the instance. */
readonly allocation_id: string;
  readonly attestations: readonly {
  readonly generation: number;
  /** UUIDs of the GPUs of the machine. */
readonly gpus: readonly string[];
  readonly node_id: string;
  /** When the node proved the machine ready; evidence before it does not count, in microseconds since 1970. */
readonly taken_at: string;
}[];
  readonly before: {
  /** What was charged before the first window. */
readonly charged_minor: string;
  /** The exact price of everything before the first window, times 3,600,000,000,000. */
readonly exact: string;
};
  /** The day of the line, in UTC. */
readonly day: string;
  /** Every record that the windows rest on, oldest first; none for storage and apps. */
readonly evidence: readonly {
  /** The usage record as the node signed it, in canonical JSON (RFC 8785). */
readonly record: string;
  /** The Ed25519 public key of the node, in base64url. */
readonly result_key: string;
}[];
  readonly format: "gpuaas-usage-proof-1";
  readonly line_id: string;
  /** The links of the chain that hold the entries of these windows, in order. */
readonly links: readonly {
  /** The balance after the link. */
readonly balance_minor: string;
  /** The entries as they were hashed, each with its fields separated by U+001F. For units of an app: instance, meter, time in microseconds, organization, version, endpoint, operating mode, correlation id, and what was counted so far. */
readonly entries: readonly string[];
  /** SHA-256 over all of it. */
readonly hash: string;
  /** The hash of the link before. */
readonly hash_before: string;
  /** The amount held after the link. */
readonly held_minor: string;
  /** The number of the link in the chain of the organization. */
readonly number: string;
}[];
  /** What the line is counted by; gpu_time where an older proof does not say it. */
readonly meter?: "gpu_time" | "storage" | "app_units";
  /** Further windows of the line. */
readonly next_cursor: string | null;
  /** No more GPUs than this are charged. */
readonly ordered_gpus: number;
  readonly organization_id: string;
  /** For storage: what the server noted whenever the stored bytes of the project changed; for units of an app: what it noted whenever more was counted. Oldest first. No host signs them. */
readonly readings?: readonly string[];
  /** When the release was accepted or the cap was reached; evidence after it does not count, in microseconds since 1970. */
readonly stop_at: string | null;
  /** Oldest first. */
readonly windows: readonly {
  readonly id: string;
  /** The window as it was hashed: its fields, separated by U+001F. */
readonly text: string;
}[];
};

export type UsageReport = {
  /** A day in UTC. */
readonly from: string;
  readonly group_by: "project" | "user" | "sku" | "meter" | "allocation" | "day" | "none";
  /** Days in order, other groups by cost, highest first; at most 1,000. */
readonly rows: readonly {
  readonly amount: Money;
  /** The id, slug or day of the group; empty when everything is one group. */
readonly key: string;
  readonly meter: ("gpu_time" | "storage" | "app_units") | null;
  /** The display name of the group, if it has one. */
readonly name: string | null;
  /** Of the one meter of the group; of GPU time alone where it has several. For app_units their number. */
readonly quantity_ms: string;
  /** Whether the allocation is on a simulated host; null where a group is not one allocation. */
readonly simulated: boolean | null;
}[];
  /** A day in UTC. */
readonly to: string;
  readonly total: Money;
};

export type UsageWindow = {
  readonly amount: Money;
  readonly charged: Money;
  readonly from: string;
  readonly id: string;
  readonly price_id: string | null;
  /** Units times milliseconds; the number of units for unit, thousand_units and million_units. */
readonly quantity_ms: string;
  /** Minor units for one of the unit (a GPU and hour, or a million tokens), times a million. */
readonly rate_micro: string;
  readonly to: string;
  readonly unit: "gpu_hour" | "node_hour" | "gib_hour" | "unit" | "thousand_units" | "million_units";
};

export type VmProfile = {
  readonly gpus: number;
  readonly memory_mib: number;
  readonly name: string;
  readonly vcpus: number;
};

export type Webhook = {
  readonly created_at: string;
  readonly description: string;
  readonly disabled_reason: string | null;
  readonly enabled: boolean;
  /** Only events of these types; all of them when it is empty. */
readonly event_types: readonly ("apps.artifact.deprecated" | "apps.artifact.failed_verification" | "apps.artifact.promoted" | "apps.artifact.published" | "apps.artifact.retired" | "apps.artifact.revoked" | "apps.artifact.verified" | "apps.instance.failed" | "apps.instance.launching" | "apps.instance.released" | "apps.instance.rolled_back" | "apps.instance.running" | "apps.instance.stopped" | "apps.instance.upgraded" | "apps.instance.upgrading" | "billing.auto_release_pending" | "billing.balance_depleted" | "billing.balance_recovered" | "billing.low_balance_warning" | "billing.machines_stopped" | "payments.auto_top_up_action_required" | "payments.auto_top_up_failed" | "payments.balance_credited" | "payments.disputed" | "payments.failed" | "payments.refunded" | "provisioning.active" | "provisioning.attested" | "provisioning.drain_called_off" | "provisioning.drain_notice" | "provisioning.failed" | "provisioning.idle" | "provisioning.queued" | "provisioning.release_failed" | "provisioning.releasing.completed" | "storage.grant.created" | "storage.grant.revoked" | "storage.namespace.created" | "storage.object.deleted" | "tenancy.invitation.accepted" | "tenancy.member.changed" | "tenancy.project_member.changed" | "terminal.session.ended" | "terminal.session.opened")[];
  readonly failing_since: string | null;
  readonly id: string;
  readonly organization_id: string;
  /** Until when the former secret signs as well. */
readonly secret_overlap_until: string | null;
  /** Where events are posted: an https address that everybody can reach. */
readonly url: string;
};

export type WebhookDelivery = {
  readonly attempts: number;
  readonly created_at: string;
  /** When it is tried next. */
readonly due_at: string | null;
  readonly event_id: string;
  readonly event_type: string;
  readonly id: string;
  readonly outcome: "waiting" | "delivered" | "failed";
  /** Why the last try failed. */
readonly reason: string | null;
  readonly response_status: number | null;
  readonly settled_at: string | null;
  /** The last tries, oldest first. */
readonly tries: readonly {
  readonly at: string;
  readonly reason: string | null;
  readonly status: number | null;
  readonly took_ms: number;
}[];
};

export type WebhookWithSecret = {
  readonly created_at: string;
  readonly description: string;
  readonly disabled_reason: string | null;
  readonly enabled: boolean;
  /** Only events of these types; all of them when it is empty. */
readonly event_types: readonly ("apps.artifact.deprecated" | "apps.artifact.failed_verification" | "apps.artifact.promoted" | "apps.artifact.published" | "apps.artifact.retired" | "apps.artifact.revoked" | "apps.artifact.verified" | "apps.instance.failed" | "apps.instance.launching" | "apps.instance.released" | "apps.instance.rolled_back" | "apps.instance.running" | "apps.instance.stopped" | "apps.instance.upgraded" | "apps.instance.upgrading" | "billing.auto_release_pending" | "billing.balance_depleted" | "billing.balance_recovered" | "billing.low_balance_warning" | "billing.machines_stopped" | "payments.auto_top_up_action_required" | "payments.auto_top_up_failed" | "payments.balance_credited" | "payments.disputed" | "payments.failed" | "payments.refunded" | "provisioning.active" | "provisioning.attested" | "provisioning.drain_called_off" | "provisioning.drain_notice" | "provisioning.failed" | "provisioning.idle" | "provisioning.queued" | "provisioning.release_failed" | "provisioning.releasing.completed" | "storage.grant.created" | "storage.grant.revoked" | "storage.namespace.created" | "storage.object.deleted" | "tenancy.invitation.accepted" | "tenancy.member.changed" | "tenancy.project_member.changed" | "terminal.session.ended" | "terminal.session.opened")[];
  readonly failing_since: string | null;
  readonly id: string;
  readonly organization_id: string;
  /** What signatures are made with (whsec_…). It is shown once. */
readonly secret: string;
  /** Until when the former secret signs as well. */
readonly secret_overlap_until: string | null;
  /** Where events are posted: an https address that everybody can reach. */
readonly url: string;
};

export type WipeWaiver = {
  readonly at: string;
  readonly by: string;
  readonly reason: string;
};

export type Workflow = {
  readonly began_at: string;
  readonly correlation_id: string | null;
  readonly ended_at: string | null;
  readonly organization_id: string | null;
  readonly reason: string | null;
  /** Usually the id of its object, such as an allocation. */
readonly run_id: string;
  /** undone: a step failed, and the steps before it were rolled back. cancelled: the same, because an operator cancelled it. stuck: the rollback failed; an operator must look and retry it. */
readonly state: "running" | "done" | "undone" | "cancelled" | "stuck";
  /** The current step, or the one that ended the run. */
readonly step: string | null;
  readonly version: number;
  /** The name of the workflow, such as allocation.provision. */
readonly workflow: string;
};

export type WorkflowAction = {
  readonly action: "retry" | "cancel";
  readonly allowed: boolean;
  readonly why_not: string | null;
};

export type WorkflowDetail = {
  /** The actions that are possible now; for the others, why not. */
readonly actions: readonly WorkflowAction[];
  /** All attempts so far, in time order. */
readonly attempts: readonly WorkflowStep[];
  readonly began_at: string;
  readonly correlation_id: string | null;
  readonly doing: ("queued" | "working" | "pausing" | "waiting" | "stuck") | null;
  readonly ended_at: string | null;
  /** Requests of people so far, in time order. */
readonly orders: readonly WorkflowOrder[];
  readonly organization_id: string | null;
  /** All steps in order, as planned at the start. */
readonly plan: readonly {
  /** Attempts before the step fails. */
readonly attempts: number;
  /** A step of kind failure runs only when a later step fails. */
readonly kind: "step" | "wait" | "failure";
  readonly name: string;
  /** Whether the step can be rolled back. */
readonly undoes: boolean;
}[];
  readonly reason: string | null;
  /** Usually the id of its object, such as an allocation. */
readonly run_id: string;
  /** undone: a step failed, and the steps before it were rolled back. cancelled: the same, because an operator cancelled it. stuck: the rollback failed; an operator must look and retry it. */
readonly state: "running" | "done" | "undone" | "cancelled" | "stuck";
  /** The current step, or the one that ended the run. */
readonly step: string | null;
  /** Whether it is rolling back. */
readonly undoing: boolean;
  /** When the pause ends, or until when an answer is awaited. */
readonly until: string | null;
  readonly version: number;
  /** The name of the workflow, such as allocation.provision. */
readonly workflow: string;
};

export type WorkflowOrder = {
  readonly action: "retry" | "cancel";
  readonly at: string;
  /** Who asked for it. */
readonly by: string;
  readonly reason: string;
};

export type WorkflowStep = {
  readonly began_at: string;
  /** halt: it will not be retried. */
readonly end: "ok" | "halt" | "failed";
  readonly ended_at: string;
  readonly name: string;
  readonly reason: string | null;
  /** ask: a request was sent, and its answer is awaited. */
readonly work: "do" | "ask" | "undo";
};
