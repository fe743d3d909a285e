# Emitted from the contract by `npm run gen`; changes are lost.
from __future__ import annotations

from .._problem import GpuaasError


class AccessGrantExistsError(GpuaasError):
    """The person has a grant for this allocation already."""

    code = "access_grant_exists"
    status = 409
    retryable = False


class AccessGrantLimitError(GpuaasError):
    """The allocation has as many grants as the policy allows."""

    code = "access_grant_limit"
    status = 409
    retryable = False


class AccessGrantNotFoundError(GpuaasError):
    """There is no such access grant."""

    code = "access_grant_not_found"
    status = 404
    retryable = False


class AccountDisabledError(GpuaasError):
    """An operator has disabled this account."""

    code = "account_disabled"
    status = 401
    retryable = False


class AdjustmentDecidedError(GpuaasError):
    """The adjustment was entered, rejected or has expired."""

    code = "adjustment_decided"
    status = 409
    retryable = False


class AdjustmentInvalidError(GpuaasError):
    """The line cannot be corrected by this amount; the message says why."""

    code = "adjustment_invalid"
    status = 422
    retryable = False


class AdjustmentNotFoundError(GpuaasError):
    """There is no such adjustment."""

    code = "adjustment_not_found"
    status = 404
    retryable = False


class AdminRequiredError(GpuaasError):
    """Only operators of the platform may do this."""

    code = "admin_required"
    status = 403
    retryable = False


class AgentReleaseAlreadyExistsError(GpuaasError):
    """This bundle exists already."""

    code = "agent_release_already_exists"
    status = 409
    retryable = False


class AgentReleaseInvalidError(GpuaasError):
    """The bundle does not have the declared size and digest."""

    code = "agent_release_invalid"
    status = 422
    retryable = False


class AgentReleaseNotFoundError(GpuaasError):
    """There is no such release of the node agent."""

    code = "agent_release_not_found"
    status = 404
    retryable = False


class AlertNotFoundError(GpuaasError):
    """There is no such alert, or it was cleared already."""

    code = "alert_not_found"
    status = 404
    retryable = False


class AllocationAlreadyReleasingError(GpuaasError):
    """The allocation is being released already."""

    code = "allocation_already_releasing"
    status = 409
    retryable = False


class AllocationConcurrencyLimitError(GpuaasError):
    """The caller holds as many allocations as its policy allows."""

    code = "allocation_concurrency_limit"
    status = 409
    retryable = False


class AllocationGroupNotFoundError(GpuaasError):
    """There is no such allocation group."""

    code = "allocation_group_not_found"
    status = 404
    retryable = False


class AllocationNotActiveError(GpuaasError):
    """The allocation is not active."""

    code = "allocation_not_active"
    status = 409
    retryable = False


class AllocationNotFoundError(GpuaasError):
    """There is no such allocation."""

    code = "allocation_not_found"
    status = 404
    retryable = False


class AlreadyMemberError(GpuaasError):
    """This person belongs to the organization already."""

    code = "already_member"
    status = 409
    retryable = False


class AmountOutOfBoundsError(GpuaasError):
    """The amount is more or less than a policy allows."""

    code = "amount_out_of_bounds"
    status = 422
    retryable = False


class AppAlreadyEntitledError(GpuaasError):
    """The organization or project is entitled to the app already."""

    code = "app_already_entitled"
    status = 409
    retryable = False


class AppEntitlementNotFoundError(GpuaasError):
    """There is no such entitlement."""

    code = "app_entitlement_not_found"
    status = 404
    retryable = False


class AppInstanceChangingError(GpuaasError):
    """The app instance is being moved to another version already."""

    code = "app_instance_changing"
    status = 409
    retryable = False


class AppInstanceLimitError(GpuaasError):
    """The allocation runs as many app instances as it may."""

    code = "app_instance_limit"
    status = 409
    retryable = False


class AppInstanceNotFoundError(GpuaasError):
    """There is no such app instance."""

    code = "app_instance_not_found"
    status = 404
    retryable = False


class AppInstanceNotOnHostError(GpuaasError):
    """The app instance has no container on a host that could be asked."""

    code = "app_instance_not_on_host"
    status = 409
    retryable = False


class AppLimitReachedError(GpuaasError):
    """There are as many apps or versions as the policy allows."""

    code = "app_limit_reached"
    status = 409
    retryable = False


class AppManifestInvalidError(GpuaasError):
    """The manifest contradicts itself or the app; details names each place."""

    code = "app_manifest_invalid"
    status = 422
    retryable = False


class AppNoPreviousVersionError(GpuaasError):
    """The app instance has no version to go back to."""

    code = "app_no_previous_version"
    status = 409
    retryable = False


class AppNotFoundError(GpuaasError):
    """There is no such app."""

    code = "app_not_found"
    status = 404
    retryable = False


class AppNotLaunchableError(GpuaasError):
    """This version of the app may not be launched now; the message says why."""

    code = "app_not_launchable"
    status = 409
    retryable = False


class AppNotSupportedError(GpuaasError):
    """The app cannot run on this allocation; the message says why."""

    code = "app_not_supported"
    status = 409
    retryable = False


class AppParametersInvalidError(GpuaasError):
    """The parameters do not fit the manifest of the app; details names each one."""

    code = "app_parameters_invalid"
    status = 422
    retryable = False


class AppRegistryAbsentError(GpuaasError):
    """The installation has no registry of its own to push to."""

    code = "app_registry_absent"
    status = 409
    retryable = False


class AppRouteNotFoundError(GpuaasError):
    """There is no such app, or the caller may not use it."""

    code = "app_route_not_found"
    status = 404
    retryable = False


class AppSigningKeyExistsError(GpuaasError):
    """The project has pinned this key already."""

    code = "app_signing_key_exists"
    status = 409
    retryable = False


class AppSigningKeyInvalidError(GpuaasError):
    """This is no public key that signatures of images are checked with."""

    code = "app_signing_key_invalid"
    status = 422
    retryable = False


class AppSigningKeyNotFoundError(GpuaasError):
    """There is no such signing key."""

    code = "app_signing_key_not_found"
    status = 404
    retryable = False


class AppSlugTakenError(GpuaasError):
    """The organization already publishes an app with this slug."""

    code = "app_slug_taken"
    status = 409
    retryable = False


class AppSourceExistsError(GpuaasError):
    """Images may come from there already."""

    code = "app_source_exists"
    status = 409
    retryable = False


class AppSourceNotFoundError(GpuaasError):
    """There is no such source of images."""

    code = "app_source_not_found"
    status = 404
    retryable = False


class AppVersionExistsError(GpuaasError):
    """The app already has this version; a published version never changes."""

    code = "app_version_exists"
    status = 409
    retryable = False


class AppVersionNotFoundError(GpuaasError):
    """There is no such version of an app."""

    code = "app_version_not_found"
    status = 404
    retryable = False


class AppVersionUntrustedError(GpuaasError):
    """The version is not verified, and prod takes verified versions only."""

    code = "app_version_untrusted"
    status = 409
    retryable = False


class ArchiveNotFoundError(GpuaasError):
    """There is no such archive, or it is still being written."""

    code = "archive_not_found"
    status = 404
    retryable = False


class AssertionInvalidError(GpuaasError):
    """The assertion is malformed, expired, for another audience or signed with a wrong key."""

    code = "assertion_invalid"
    status = 401
    retryable = False


class AssertionReplayedError(GpuaasError):
    """The assertion was used before: sign a new one."""

    code = "assertion_replayed"
    status = 401
    retryable = False


class BreakerNotFoundError(GpuaasError):
    """There is no such breaker: automation has taken nothing of such a pool yet."""

    code = "breaker_not_found"
    status = 404
    retryable = False


class BudgetAlreadyExistsError(GpuaasError):
    """There is a budget for this organization, project, person or tag already."""

    code = "budget_already_exists"
    status = 409
    retryable = False


class BudgetExceededError(GpuaasError):
    """A hard budget does not allow this launch or extension; who sees the account finds what is counted in the details."""

    code = "budget_exceeded"
    status = 402
    retryable = False


class BudgetInvalidError(GpuaasError):
    """The thresholds or the subject of the budget do not fit; the message says how."""

    code = "budget_invalid"
    status = 422
    retryable = False


class BudgetLimitReachedError(GpuaasError):
    """The organization has as many budgets as the policy allows."""

    code = "budget_limit_reached"
    status = 409
    retryable = False


class BudgetNotFoundError(GpuaasError):
    """There is no such budget."""

    code = "budget_not_found"
    status = 404
    retryable = False


class BudgetTagLockedError(GpuaasError):
    """A hard budget counts by this tag, so only those who see to the account take it off."""

    code = "budget_tag_locked"
    status = 409
    retryable = False


class CurrencyMismatchError(GpuaasError):
    """The account uses another currency."""

    code = "currency_mismatch"
    status = 409
    retryable = False


class CursorInvalidError(GpuaasError):
    """The page cursor was not made by this list, or by an older version of it."""

    code = "cursor_invalid"
    status = 400
    retryable = False


class DepartmentDisabledError(GpuaasError):
    """The department takes no new projects."""

    code = "department_disabled"
    status = 409
    retryable = False


class DepartmentIsDefaultError(GpuaasError):
    """The default department cannot be disabled."""

    code = "department_is_default"
    status = 409
    retryable = False


class DepartmentNotFoundError(GpuaasError):
    """There is no such department."""

    code = "department_not_found"
    status = 404
    retryable = False


class DepartmentSlugTakenError(GpuaasError):
    """Another department of the organization already uses this slug."""

    code = "department_slug_taken"
    status = 409
    retryable = False


class DepositLimitExceededError(GpuaasError):
    """The organization has not paid for long, so it may add less in a day or month; details say how much and until when."""

    code = "deposit_limit_exceeded"
    status = 422
    retryable = False


class DocumentNotFoundError(GpuaasError):
    """There is no such document."""

    code = "document_not_found"
    status = 404
    retryable = False


class DurationInvalidError(GpuaasError):
    """The allocation would last or wait longer than the policy allows, or it has no end to move."""

    code = "duration_invalid"
    status = 422
    retryable = False


class EventAlreadySettledError(GpuaasError):
    """The event was already requeued or discarded."""

    code = "event_already_settled"
    status = 409
    retryable = False


class EventNotCommittedError(GpuaasError):
    """The outbox holds no such event: it is older than its retention, or no process committed it. Discard the letter."""

    code = "event_not_committed"
    status = 409
    retryable = False


class EventNotFoundError(GpuaasError):
    """There is no such failed event."""

    code = "event_not_found"
    status = 404
    retryable = False


class FactorAttemptsExceededError(GpuaasError):
    """Too many wrong codes or passkeys were tried for this account."""

    code = "factor_attempts_exceeded"
    status = 429
    retryable = True


class FactorCodeWrongError(GpuaasError):
    """The code of the second factor is wrong, or was used before."""

    code = "factor_code_wrong"
    status = 422
    retryable = False


class FactorLimitError(GpuaasError):
    """The account has as many second factors as it can have."""

    code = "factor_limit"
    status = 409
    retryable = False


class FactorNotFoundError(GpuaasError):
    """There is no such second factor."""

    code = "factor_not_found"
    status = 404
    retryable = False


class FactorsElsewhereError(GpuaasError):
    """Another identity provider keeps the account: its second factors are managed there."""

    code = "factors_elsewhere"
    status = 409
    retryable = False


class GpuCountInvalidError(GpuaasError):
    """The SKU is not sold in this count; details names those that it is sold in."""

    code = "gpu_count_invalid"
    status = 422
    retryable = False


class IdempotencyInProgressError(GpuaasError):
    """A request with this key is still running."""

    code = "idempotency_in_progress"
    status = 409
    retryable = True


class IdempotencyKeyInvalidError(GpuaasError):
    """The Idempotency-Key is empty, too long, or contradicts its alias."""

    code = "idempotency_key_invalid"
    status = 400
    retryable = False


class IdempotencyKeyMissingError(GpuaasError):
    """A write needs an Idempotency-Key header."""

    code = "idempotency_key_missing"
    status = 400
    retryable = False


class IdempotencyKeyReusedError(GpuaasError):
    """The key was used before with another request, or the answer to this one was erased."""

    code = "idempotency_key_reused"
    status = 422
    retryable = False


class IllegalTransitionError(GpuaasError):
    """The object is in a state that does not allow this."""

    code = "illegal_transition"
    status = 409
    retryable = False


class InsufficientBalanceError(GpuaasError):
    """The balance does not cover this."""

    code = "insufficient_balance"
    status = 402
    retryable = False


class InsufficientPermissionsError(GpuaasError):
    """The caller is known, but its role does not include this."""

    code = "insufficient_permissions"
    status = 403
    retryable = False


class InternalError(GpuaasError):
    """An internal error; the correlation id finds it in the logs."""

    code = "internal_error"
    status = 500
    retryable = True


class InvalidRequestError(GpuaasError):
    """The request could not be read."""

    code = "invalid_request"
    status = 400
    retryable = False


class InvitationInvalidError(GpuaasError):
    """The invitation is unknown, used, revoked or too old; the answer is always the same."""

    code = "invitation_invalid"
    status = 404
    retryable = False


class InvitationLimitReachedError(GpuaasError):
    """Too many invitations of this organization wait to be accepted."""

    code = "invitation_limit_reached"
    status = 409
    retryable = False


class InvitationNotFoundError(GpuaasError):
    """There is no such invitation."""

    code = "invitation_not_found"
    status = 404
    retryable = False


class InvitationPendingError(GpuaasError):
    """This address has an invitation that can still be accepted."""

    code = "invitation_pending"
    status = 409
    retryable = False


class InvoiceNotFoundError(GpuaasError):
    """There is no such invoice."""

    code = "invoice_not_found"
    status = 404
    retryable = False


class InvoicePastDueError(GpuaasError):
    """An invoice is past due, and launches wait until it is paid."""

    code = "invoice_past_due"
    status = 402
    retryable = False


class LastFactorError(GpuaasError):
    """A policy asks for a second factor, so the last one cannot be removed."""

    code = "last_factor"
    status = 409
    retryable = False


class LastOperatorError(GpuaasError):
    """This is the last superadmin: make another person a superadmin first."""

    code = "last_operator"
    status = 409
    retryable = False


class LastOwnerError(GpuaasError):
    """An organization needs an owner: make another member an owner first."""

    code = "last_owner"
    status = 409
    retryable = False


class LedgerLineNotFoundError(GpuaasError):
    """There is no such line in the ledger."""

    code = "ledger_line_not_found"
    status = 404
    retryable = False


class LogRangeInvalidError(GpuaasError):
    """The range of time ends before it begins."""

    code = "log_range_invalid"
    status = 422
    retryable = False


class MaasJobNotFoundError(GpuaasError):
    """There is no such job."""

    code = "maas_job_not_found"
    status = 404
    retryable = False


class MaasMachineBusyError(GpuaasError):
    """Another job of the machine is open."""

    code = "maas_machine_busy"
    status = 409
    retryable = False


class MaasMachineNotFoundError(GpuaasError):
    """MAAS lists no such machine at this site."""

    code = "maas_machine_not_found"
    status = 404
    retryable = False


class MaasMachineUnsuitedError(GpuaasError):
    """The state of the machine, or of its node, does not allow this."""

    code = "maas_machine_unsuited"
    status = 409
    retryable = False


class MaasSiteAlreadyExistsError(GpuaasError):
    """There is a MAAS site of this name already."""

    code = "maas_site_already_exists"
    status = 409
    retryable = False


class MaasSiteInUseError(GpuaasError):
    """Machines of the site are nodes, or are worked on."""

    code = "maas_site_in_use"
    status = 409
    retryable = False


class MaasSiteNotFoundError(GpuaasError):
    """There is no such MAAS site."""

    code = "maas_site_not_found"
    status = 404
    retryable = False


class MaasUrlRefusedError(GpuaasError):
    """This address of MAAS is not used: it is not https."""

    code = "maas_url_refused"
    status = 400
    retryable = False


class MaxSpendTooLowError(GpuaasError):
    """The cap on spending does not last for one window of accrual."""

    code = "max_spend_too_low"
    status = 422
    retryable = False


class MemberNotFoundError(GpuaasError):
    """There is no such member."""

    code = "member_not_found"
    status = 404
    retryable = False


class MethodNotAllowedError(GpuaasError):
    """The path exists, but not with this method."""

    code = "method_not_allowed"
    status = 405
    retryable = False


class MetricsRangeInvalidError(GpuaasError):
    """The range ends before it begins, or has more points than one answer: ask for less time or a coarser resolution."""

    code = "metrics_range_invalid"
    status = 422
    retryable = False


class NodeAlreadyExistsError(GpuaasError):
    """A node of this name is enrolled already."""

    code = "node_already_exists"
    status = 409
    retryable = False


class NodeCertificateInvalidError(GpuaasError):
    """The connection carries no certificate of this node, or one that was revoked."""

    code = "node_certificate_invalid"
    status = 401
    retryable = False


class NodeCsrInvalidError(GpuaasError):
    """The certificate request cannot be read, or does not prove its key."""

    code = "node_csr_invalid"
    status = 422
    retryable = False


class NodeInUseError(GpuaasError):
    """The node still serves allocations."""

    code = "node_in_use"
    status = 409
    retryable = False


class NodeKeyUnprovenError(GpuaasError):
    """The host does not prove the key by which the node is known: only that host can recover as this node."""

    code = "node_key_unproven"
    status = 403
    retryable = False


class NodeNotFoundError(GpuaasError):
    """There is no such node."""

    code = "node_not_found"
    status = 404
    retryable = False


class NodeNotReadyError(GpuaasError):
    """The host is not ready for work yet; details say what is missing."""

    code = "node_not_ready"
    status = 409
    retryable = False


class NodeOfflineError(GpuaasError):
    """The node does not answer."""

    code = "node_offline"
    status = 409
    retryable = True


class NodeResultInvalidError(GpuaasError):
    """The result is not signed by the node, or is not about this task."""

    code = "node_result_invalid"
    status = 422
    retryable = False


class NodeTaskNotFoundError(GpuaasError):
    """The node has no such task."""

    code = "node_task_not_found"
    status = 404
    retryable = False


class NodeTaskSettledError(GpuaasError):
    """The task has ended already, in another way."""

    code = "node_task_settled"
    status = 409
    retryable = False


class NodeTokenInvalidError(GpuaasError):
    """The enrolment token is unknown, used, expired or meant for another node."""

    code = "node_token_invalid"
    status = 401
    retryable = False


class NotificationRequiredError(GpuaasError):
    """Mail of this kind cannot be turned off: it is about money or security."""

    code = "notification_required"
    status = 409
    retryable = False


class OrganizationGpuLimitError(GpuaasError):
    """The organization holds as many GPUs as its policy allows; details list what is counted."""

    code = "organization_gpu_limit"
    status = 409
    retryable = False


class OrganizationLimitReachedError(GpuaasError):
    """The person owns as many organizations as the policy allows."""

    code = "organization_limit_reached"
    status = 409
    retryable = False


class OrganizationNotEmptyError(GpuaasError):
    """The organization still has projects."""

    code = "organization_not_empty"
    status = 409
    retryable = False


class OrganizationNotFoundError(GpuaasError):
    """There is no such organization."""

    code = "organization_not_found"
    status = 404
    retryable = False


class OrganizationSlugTakenError(GpuaasError):
    """Another organization already uses this slug."""

    code = "organization_slug_taken"
    status = 409
    retryable = False


class OriginRefusedError(GpuaasError):
    """A request that a browser makes with its cookie must come from a page of ours."""

    code = "origin_refused"
    status = 403
    retryable = False


class OsImageAlreadyExistsError(GpuaasError):
    """There is an image of this name already."""

    code = "os_image_already_exists"
    status = 409
    retryable = False


class OsImageNotCachedError(GpuaasError):
    """Some hosts that take work do not have this image yet; details name them."""

    code = "os_image_not_cached"
    status = 409
    retryable = False


class OsImageNotFoundError(GpuaasError):
    """There is no such image."""

    code = "os_image_not_found"
    status = 404
    retryable = False


class OwnershipRequiredError(GpuaasError):
    """Only the owner may do this."""

    code = "ownership_required"
    status = 403
    retryable = False


class PasskeyWrongError(GpuaasError):
    """The passkey was not accepted: its challenge was used or too old, or its answer is wrong."""

    code = "passkey_wrong"
    status = 422
    retryable = False


class PasskeysUnavailableError(GpuaasError):
    """Browsers make no passkeys here: that takes a domain and TLS."""

    code = "passkeys_unavailable"
    status = 409
    retryable = False


class PayloadTooLargeError(GpuaasError):
    """The body is larger than this operation accepts."""

    code = "payload_too_large"
    status = 413
    retryable = False


class PaymentMethodInUseError(GpuaasError):
    """Automatic top-ups charge this card: choose another one, or turn them off first."""

    code = "payment_method_in_use"
    status = 409
    retryable = False


class PaymentMethodNotFoundError(GpuaasError):
    """There is no such saved card, or none to charge."""

    code = "payment_method_not_found"
    status = 404
    retryable = False


class PaymentNotFoundError(GpuaasError):
    """There is no such payment."""

    code = "payment_not_found"
    status = 404
    retryable = False


class PaymentRefusedError(GpuaasError):
    """The payment provider refused to begin the payment; the message says why."""

    code = "payment_refused"
    status = 409
    retryable = False


class PaymentsDisabledError(GpuaasError):
    """This installation takes no payments: ask for credit instead."""

    code = "payments_disabled"
    status = 409
    retryable = False


class PeriodInvalidError(GpuaasError):
    """The dates are not a valid period, or the period is too long."""

    code = "period_invalid"
    status = 422
    retryable = False


class PersonalTokenExpiryInvalidError(GpuaasError):
    """The token would live longer than the policy allows."""

    code = "personal_token_expiry_invalid"
    status = 422
    retryable = False


class PersonalTokenNotFoundError(GpuaasError):
    """There is no such personal access token."""

    code = "personal_token_not_found"
    status = 404
    retryable = False


class PersonalTokenRefusedError(GpuaasError):
    """Personal access tokens may not call this operation: sign in instead."""

    code = "personal_token_refused"
    status = 403
    retryable = False


class PlatformRoleNotFoundError(GpuaasError):
    """The person does not have this role."""

    code = "platform_role_not_found"
    status = 404
    retryable = False


class PolicyLevelInvalidError(GpuaasError):
    """The level and the subject do not fit together."""

    code = "policy_level_invalid"
    status = 400
    retryable = False


class PolicyNotFoundError(GpuaasError):
    """There is no such policy, or no such setting of it."""

    code = "policy_not_found"
    status = 404
    retryable = False


class PolicyOutOfBoundsError(GpuaasError):
    """The value lies outside what the policy allows."""

    code = "policy_out_of_bounds"
    status = 422
    retryable = False


class PriceAlreadyExistsError(GpuaasError):
    """There is a price for this region, currency and moment already."""

    code = "price_already_exists"
    status = 409
    retryable = False


class PriceBackdatedError(GpuaasError):
    """A price cannot take effect in the past."""

    code = "price_backdated"
    status = 422
    retryable = False


class PriceNotFoundError(GpuaasError):
    """There is no such negotiated price."""

    code = "price_not_found"
    status = 404
    retryable = False


class ProbeRequiredError(GpuaasError):
    """A health probe must pass first; details say since when."""

    code = "probe_required"
    status = 409
    retryable = False


class ProjectMismatchError(GpuaasError):
    """X-Project-ID and the project in the path are not the same."""

    code = "project_mismatch"
    status = 400
    retryable = False


class ProjectNotFoundError(GpuaasError):
    """There is no such project."""

    code = "project_not_found"
    status = 404
    retryable = False


class ProjectRequiredError(GpuaasError):
    """The request names no project: send X-Project-ID."""

    code = "project_required"
    status = 400
    retryable = False


class ProjectSlugTakenError(GpuaasError):
    """Another project of the organization already uses this slug."""

    code = "project_slug_taken"
    status = 409
    retryable = False


class QuoteExpiredError(GpuaasError):
    """The quote is too old: ask for a new one."""

    code = "quote_expired"
    status = 409
    retryable = False


class QuoteMismatchError(GpuaasError):
    """The quote is for another SKU, number of GPUs or region."""

    code = "quote_mismatch"
    status = 422
    retryable = False


class QuoteNotFoundError(GpuaasError):
    """There is no such quote."""

    code = "quote_not_found"
    status = 404
    retryable = False


class QuoteUsedError(GpuaasError):
    """The quote was used by a launch before: ask for a new one."""

    code = "quote_used"
    status = 409
    retryable = False


class RateLimitExceededError(GpuaasError):
    """Too many requests in this lane; Retry-After says when to come back."""

    code = "rate_limit_exceeded"
    status = 429
    retryable = True


class RecordingDamagedError(GpuaasError):
    """A chunk of the recording is missing or was changed; verify names it."""

    code = "recording_damaged"
    status = 409
    retryable = False


class RecordingRemovedError(GpuaasError):
    """The recording was removed at the end of its retention; its digests are kept."""

    code = "recording_removed"
    status = 409
    retryable = False


class RecordingViewInvalidError(GpuaasError):
    """The view is unknown, too old or of another person: open the recording again."""

    code = "recording_view_invalid"
    status = 409
    retryable = False


class RefundExceedsPaymentError(GpuaasError):
    """More would go back than was paid and has not gone back yet."""

    code = "refund_exceeds_payment"
    status = 422
    retryable = False


class RefundWindowExceededError(GpuaasError):
    """The payment is too old for a refund to the card; a credit is possible."""

    code = "refund_window_exceeded"
    status = 409
    retryable = False


class RegionAlreadyExistsError(GpuaasError):
    """There is a region of this name already."""

    code = "region_already_exists"
    status = 409
    retryable = False


class RegionNotFoundError(GpuaasError):
    """There is no such region."""

    code = "region_not_found"
    status = 404
    retryable = False


class RequestTimeoutError(GpuaasError):
    """The request was not received completely in time."""

    code = "request_timeout"
    status = 408
    retryable = True


class ResourceNotFoundError(GpuaasError):
    """There is no such object."""

    code = "resource_not_found"
    status = 404
    retryable = False


class RouteNotFoundError(GpuaasError):
    """There is no such path."""

    code = "route_not_found"
    status = 404
    retryable = False


class RunbookNotFoundError(GpuaasError):
    """There is no such runbook, and no runbook for such a signal."""

    code = "runbook_not_found"
    status = 404
    retryable = False


class SecondFactorMissingError(GpuaasError):
    """To require a second factor of others, sign in with a second factor first."""

    code = "second_factor_missing"
    status = 409
    retryable = False


class SecondPersonRequiredError(GpuaasError):
    """Another person has to approve what you asked for."""

    code = "second_person_required"
    status = 403
    retryable = False


class ServiceAccountKeyInvalidError(GpuaasError):
    """The key cannot be used, or would live longer than the policy allows."""

    code = "service_account_key_invalid"
    status = 422
    retryable = False


class ServiceAccountKeyNotFoundError(GpuaasError):
    """There is no such key."""

    code = "service_account_key_not_found"
    status = 404
    retryable = False


class ServiceAccountNotFoundError(GpuaasError):
    """There is no such service account."""

    code = "service_account_not_found"
    status = 404
    retryable = False


class ServiceAccountPinnedError(GpuaasError):
    """The account is pinned to its project; its list of projects cannot change."""

    code = "service_account_pinned"
    status = 409
    retryable = False


class ServiceAccountRefusedError(GpuaasError):
    """Service accounts may not call this operation."""

    code = "service_account_refused"
    status = 403
    retryable = False


class ServiceAccountSlugTakenError(GpuaasError):
    """Another service account here already uses this slug."""

    code = "service_account_slug_taken"
    status = 409
    retryable = False


class ServiceUnavailableError(GpuaasError):
    """A service that this request needs does not answer."""

    code = "service_unavailable"
    status = 503
    retryable = True


class SessionNotFoundError(GpuaasError):
    """There is no such session."""

    code = "session_not_found"
    status = 404
    retryable = False


class SkuAlreadyExistsError(GpuaasError):
    """A SKU of this name exists already, or existed before."""

    code = "sku_already_exists"
    status = 409
    retryable = False


class SkuInvalidError(GpuaasError):
    """Counts, shape and sizes of machine do not fit together; details name what."""

    code = "sku_invalid"
    status = 422
    retryable = False


class SkuNotFoundError(GpuaasError):
    """No SKU has this name."""

    code = "sku_not_found"
    status = 404
    retryable = False


class SkuUnavailableError(GpuaasError):
    """No capacity of this SKU and size is available now."""

    code = "sku_unavailable"
    status = 409
    retryable = True


class SlotInUseError(GpuaasError):
    """The slot is in use: release its allocation first."""

    code = "slot_in_use"
    status = 409
    retryable = False


class SlotNotFoundError(GpuaasError):
    """The host has no such slot."""

    code = "slot_not_found"
    status = 404
    retryable = False


class SlotsBlockedError(GpuaasError):
    """The host or its slots cannot be published; details say why."""

    code = "slots_blocked"
    status = 409
    retryable = False


class SshCertificateNotFoundError(GpuaasError):
    """There is no such SSH certificate."""

    code = "ssh_certificate_not_found"
    status = 404
    retryable = False


class SshKeyExistsError(GpuaasError):
    """The owner has this key already."""

    code = "ssh_key_exists"
    status = 409
    retryable = False


class SshKeyInvalidError(GpuaasError):
    """This is not a public key that we accept; the message says why."""

    code = "ssh_key_invalid"
    status = 400
    retryable = False


class SshKeyLimitError(GpuaasError):
    """The owner has as many keys as the policy allows."""

    code = "ssh_key_limit"
    status = 409
    retryable = False


class SshKeyNotFoundError(GpuaasError):
    """There is no such SSH key."""

    code = "ssh_key_not_found"
    status = 404
    retryable = False


class SshKeyProofInvalidError(GpuaasError):
    """The signature does not prove that the caller holds the key; the message says why."""

    code = "ssh_key_proof_invalid"
    status = 422
    retryable = False


class StaleGenerationError(GpuaasError):
    """The request names an older generation of the lease."""

    code = "stale_generation"
    status = 409
    retryable = False


class StepUpRequiredError(GpuaasError):
    """This operation needs a recent sign-in."""

    code = "step_up_required"
    status = 403
    retryable = False


class StorageAccessDeniedError(GpuaasError):
    """The caller may see this in storage but not change it."""

    code = "storage_access_denied"
    status = 403
    retryable = False


class StorageChecksumMismatchError(GpuaasError):
    """What has arrived has another checksum than the caller expects."""

    code = "storage_checksum_mismatch"
    status = 422
    retryable = False


class StorageFolderNotEmptyError(GpuaasError):
    """The folder is not empty: delete it with everything in it (recursive)."""

    code = "storage_folder_not_empty"
    status = 409
    retryable = False


class StorageGrantExistsError(GpuaasError):
    """The grantee has a grant on this namespace already: revoke it first."""

    code = "storage_grant_exists"
    status = 409
    retryable = False


class StorageGrantNotFoundError(GpuaasError):
    """There is no such grant."""

    code = "storage_grant_not_found"
    status = 404
    retryable = False


class StorageGranteeNotFoundError(GpuaasError):
    """The organization has no such person, service account or project."""

    code = "storage_grantee_not_found"
    status = 404
    retryable = False


class StorageIsFolderError(GpuaasError):
    """The path is a folder, and this needs a file."""

    code = "storage_is_folder"
    status = 409
    retryable = False


class StorageLimitReachedError(GpuaasError):
    """There are as many uploads, namespaces, grants, links or storage tokens as the policy allows."""

    code = "storage_limit_reached"
    status = 409
    retryable = False


class StorageLinkNotFoundError(GpuaasError):
    """There is no such link."""

    code = "storage_link_not_found"
    status = 404
    retryable = False


class StorageObjectNotFoundError(GpuaasError):
    """There is nothing at this path, or the caller may not see it."""

    code = "storage_object_not_found"
    status = 404
    retryable = False


class StoragePathInvalidError(GpuaasError):
    """The path names no place in storage; the message says why."""

    code = "storage_path_invalid"
    status = 400
    retryable = False


class StoragePathOccupiedError(GpuaasError):
    """Something else is at this path."""

    code = "storage_path_occupied"
    status = 409
    retryable = False


class StorageQuotaExceededError(GpuaasError):
    """The project would store more than its quota."""

    code = "storage_quota_exceeded"
    status = 409
    retryable = False


class StorageReadOnlyError(GpuaasError):
    """The balance of the organization is spent, so its projects store nothing more. What is stored stays."""

    code = "storage_read_only"
    status = 402
    retryable = False


class StorageTokenNotFoundError(GpuaasError):
    """The allocation has no such storage token."""

    code = "storage_token_not_found"
    status = 404
    retryable = False


class StorageTooManyEntriesError(GpuaasError):
    """The folder has more entries than one change may touch: take its folders one by one."""

    code = "storage_too_many_entries"
    status = 409
    retryable = False


class StorageUploadIncompleteError(GpuaasError):
    """Parts of the upload are missing; details names the first ones."""

    code = "storage_upload_incomplete"
    status = 409
    retryable = False


class StorageUploadNotFoundError(GpuaasError):
    """There is no such upload; it may have expired."""

    code = "storage_upload_not_found"
    status = 404
    retryable = False


class StripeSignatureInvalidError(GpuaasError):
    """The webhook was not signed by the payment provider, or is too old."""

    code = "stripe_signature_invalid"
    status = 400
    retryable = False


class TaskSignerNotFoundError(GpuaasError):
    """There is no such task-signing key."""

    code = "task_signer_not_found"
    status = 404
    retryable = False


class TaxIdInvalidError(GpuaasError):
    """The tax id does not have the form or the check digits of its country."""

    code = "tax_id_invalid"
    status = 422
    retryable = False


class TerminalNotRecordedError(GpuaasError):
    """The session had to be recorded and its recording failed or is full: open a new one."""

    code = "terminal_not_recorded"
    status = 409
    retryable = False


class TerminalPortRefusedError(GpuaasError):
    """Policy does not allow connections to this port; details name the ports that it allows."""

    code = "terminal_port_refused"
    status = 422
    retryable = False


class TerminalRecordingConflictError(GpuaasError):
    """The chunk does not follow the last one of the recording, or another gateway copy records the session."""

    code = "terminal_recording_conflict"
    status = 409
    retryable = False


class TerminalRecordingNotFoundError(GpuaasError):
    """There is no such recording."""

    code = "terminal_recording_not_found"
    status = 404
    retryable = False


class TerminalRecordingRequiredError(GpuaasError):
    """Policy demands that sessions are recorded, and this kind of session cannot be: use a terminal."""

    code = "terminal_recording_required"
    status = 403
    retryable = False


class TerminalSessionEndedError(GpuaasError):
    """The terminal session has ended: open a new one."""

    code = "terminal_session_ended"
    status = 409
    retryable = False


class TerminalSessionInUseError(GpuaasError):
    """Another client types into the session: take it over, watch it, or open a new one."""

    code = "terminal_session_in_use"
    status = 409
    retryable = False


class TerminalSessionLimitError(GpuaasError):
    """Too many terminal sessions are open; details list them."""

    code = "terminal_session_limit"
    status = 409
    retryable = False


class TerminalSessionNotFoundError(GpuaasError):
    """There is no such terminal session."""

    code = "terminal_session_not_found"
    status = 404
    retryable = False


class TerminalTokenInvalidError(GpuaasError):
    """The token of a terminal is unknown, was used before, is too old or for another allocation."""

    code = "terminal_token_invalid"
    status = 401
    retryable = False


class TerminalUnsupportedError(GpuaasError):
    """This installation or this machine offers no terminals; the message says why."""

    code = "terminal_unsupported"
    status = 409
    retryable = False


class TokenExpiredError(GpuaasError):
    """The token was valid and no longer is."""

    code = "token_expired"
    status = 401
    retryable = False


class TokenInvalidError(GpuaasError):
    """The token is malformed, has a wrong signature, issuer or audience, or was revoked."""

    code = "token_invalid"
    status = 401
    retryable = False


class TokenMissingError(GpuaasError):
    """The request carries no bearer token."""

    code = "token_missing"
    status = 401
    retryable = False


class TooManyPaymentsError(GpuaasError):
    """Too many payments of the organization wait to be paid: use one of them, or wait."""

    code = "too_many_payments"
    status = 409
    retryable = False


class TooManyStreamsError(GpuaasError):
    """Too many event streams are open; close one, or come back later."""

    code = "too_many_streams"
    status = 429
    retryable = True


class TooManyWebhooksError(GpuaasError):
    """The organization has as many webhooks as one may have."""

    code = "too_many_webhooks"
    status = 409
    retryable = False


class TopologyMissingError(GpuaasError):
    """The host has not reported its hardware yet: run a discovery first."""

    code = "topology_missing"
    status = 409
    retryable = False


class UnsupportedMediaTypeError(GpuaasError):
    """The body must be application/json."""

    code = "unsupported_media_type"
    status = 415
    retryable = False


class UserAlreadyExistsError(GpuaasError):
    """A user of this name exists already."""

    code = "user_already_exists"
    status = 409
    retryable = False


class UserErasedError(GpuaasError):
    """This person was erased and cannot be changed."""

    code = "user_erased"
    status = 409
    retryable = False


class UserHasAllocationsError(GpuaasError):
    """The person still has allocations: release them first."""

    code = "user_has_allocations"
    status = 409
    retryable = False


class UserNotFoundError(GpuaasError):
    """There is no such user."""

    code = "user_not_found"
    status = 404
    retryable = False


class ValidationError(GpuaasError):
    """One or more fields are missing, unknown or out of range; details names each."""

    code = "validation_error"
    status = 400
    retryable = False


class VersionConflictError(GpuaasError):
    """The object was changed by someone else since it was read."""

    code = "version_conflict"
    status = 409
    retryable = True


class WebhookNotFoundError(GpuaasError):
    """There is no such webhook."""

    code = "webhook_not_found"
    status = 404
    retryable = False


class WebhookOffError(GpuaasError):
    """The webhook is turned off: turn it on before an event is posted again."""

    code = "webhook_off"
    status = 409
    retryable = False


class WebhookUrlRefusedError(GpuaasError):
    """Events are not posted to this address: it is not https, or not public."""

    code = "webhook_url_refused"
    status = 400
    retryable = False


class WipeUnprovenError(GpuaasError):
    """No proof is stored that the slot was wiped after its last use."""

    code = "wipe_unproven"
    status = 409
    retryable = False


class WorkflowNotFoundError(GpuaasError):
    """There is no such workflow run."""

    code = "workflow_not_found"
    status = 404
    retryable = False


by_code: dict[str, type[GpuaasError]] = {
    "access_grant_exists": AccessGrantExistsError,
    "access_grant_limit": AccessGrantLimitError,
    "access_grant_not_found": AccessGrantNotFoundError,
    "account_disabled": AccountDisabledError,
    "adjustment_decided": AdjustmentDecidedError,
    "adjustment_invalid": AdjustmentInvalidError,
    "adjustment_not_found": AdjustmentNotFoundError,
    "admin_required": AdminRequiredError,
    "agent_release_already_exists": AgentReleaseAlreadyExistsError,
    "agent_release_invalid": AgentReleaseInvalidError,
    "agent_release_not_found": AgentReleaseNotFoundError,
    "alert_not_found": AlertNotFoundError,
    "allocation_already_releasing": AllocationAlreadyReleasingError,
    "allocation_concurrency_limit": AllocationConcurrencyLimitError,
    "allocation_group_not_found": AllocationGroupNotFoundError,
    "allocation_not_active": AllocationNotActiveError,
    "allocation_not_found": AllocationNotFoundError,
    "already_member": AlreadyMemberError,
    "amount_out_of_bounds": AmountOutOfBoundsError,
    "app_already_entitled": AppAlreadyEntitledError,
    "app_entitlement_not_found": AppEntitlementNotFoundError,
    "app_instance_changing": AppInstanceChangingError,
    "app_instance_limit": AppInstanceLimitError,
    "app_instance_not_found": AppInstanceNotFoundError,
    "app_instance_not_on_host": AppInstanceNotOnHostError,
    "app_limit_reached": AppLimitReachedError,
    "app_manifest_invalid": AppManifestInvalidError,
    "app_no_previous_version": AppNoPreviousVersionError,
    "app_not_found": AppNotFoundError,
    "app_not_launchable": AppNotLaunchableError,
    "app_not_supported": AppNotSupportedError,
    "app_parameters_invalid": AppParametersInvalidError,
    "app_registry_absent": AppRegistryAbsentError,
    "app_route_not_found": AppRouteNotFoundError,
    "app_signing_key_exists": AppSigningKeyExistsError,
    "app_signing_key_invalid": AppSigningKeyInvalidError,
    "app_signing_key_not_found": AppSigningKeyNotFoundError,
    "app_slug_taken": AppSlugTakenError,
    "app_source_exists": AppSourceExistsError,
    "app_source_not_found": AppSourceNotFoundError,
    "app_version_exists": AppVersionExistsError,
    "app_version_not_found": AppVersionNotFoundError,
    "app_version_untrusted": AppVersionUntrustedError,
    "archive_not_found": ArchiveNotFoundError,
    "assertion_invalid": AssertionInvalidError,
    "assertion_replayed": AssertionReplayedError,
    "breaker_not_found": BreakerNotFoundError,
    "budget_already_exists": BudgetAlreadyExistsError,
    "budget_exceeded": BudgetExceededError,
    "budget_invalid": BudgetInvalidError,
    "budget_limit_reached": BudgetLimitReachedError,
    "budget_not_found": BudgetNotFoundError,
    "budget_tag_locked": BudgetTagLockedError,
    "currency_mismatch": CurrencyMismatchError,
    "cursor_invalid": CursorInvalidError,
    "department_disabled": DepartmentDisabledError,
    "department_is_default": DepartmentIsDefaultError,
    "department_not_found": DepartmentNotFoundError,
    "department_slug_taken": DepartmentSlugTakenError,
    "deposit_limit_exceeded": DepositLimitExceededError,
    "document_not_found": DocumentNotFoundError,
    "duration_invalid": DurationInvalidError,
    "event_already_settled": EventAlreadySettledError,
    "event_not_committed": EventNotCommittedError,
    "event_not_found": EventNotFoundError,
    "factor_attempts_exceeded": FactorAttemptsExceededError,
    "factor_code_wrong": FactorCodeWrongError,
    "factor_limit": FactorLimitError,
    "factor_not_found": FactorNotFoundError,
    "factors_elsewhere": FactorsElsewhereError,
    "gpu_count_invalid": GpuCountInvalidError,
    "idempotency_in_progress": IdempotencyInProgressError,
    "idempotency_key_invalid": IdempotencyKeyInvalidError,
    "idempotency_key_missing": IdempotencyKeyMissingError,
    "idempotency_key_reused": IdempotencyKeyReusedError,
    "illegal_transition": IllegalTransitionError,
    "insufficient_balance": InsufficientBalanceError,
    "insufficient_permissions": InsufficientPermissionsError,
    "internal_error": InternalError,
    "invalid_request": InvalidRequestError,
    "invitation_invalid": InvitationInvalidError,
    "invitation_limit_reached": InvitationLimitReachedError,
    "invitation_not_found": InvitationNotFoundError,
    "invitation_pending": InvitationPendingError,
    "invoice_not_found": InvoiceNotFoundError,
    "invoice_past_due": InvoicePastDueError,
    "last_factor": LastFactorError,
    "last_operator": LastOperatorError,
    "last_owner": LastOwnerError,
    "ledger_line_not_found": LedgerLineNotFoundError,
    "log_range_invalid": LogRangeInvalidError,
    "maas_job_not_found": MaasJobNotFoundError,
    "maas_machine_busy": MaasMachineBusyError,
    "maas_machine_not_found": MaasMachineNotFoundError,
    "maas_machine_unsuited": MaasMachineUnsuitedError,
    "maas_site_already_exists": MaasSiteAlreadyExistsError,
    "maas_site_in_use": MaasSiteInUseError,
    "maas_site_not_found": MaasSiteNotFoundError,
    "maas_url_refused": MaasUrlRefusedError,
    "max_spend_too_low": MaxSpendTooLowError,
    "member_not_found": MemberNotFoundError,
    "method_not_allowed": MethodNotAllowedError,
    "metrics_range_invalid": MetricsRangeInvalidError,
    "node_already_exists": NodeAlreadyExistsError,
    "node_certificate_invalid": NodeCertificateInvalidError,
    "node_csr_invalid": NodeCsrInvalidError,
    "node_in_use": NodeInUseError,
    "node_key_unproven": NodeKeyUnprovenError,
    "node_not_found": NodeNotFoundError,
    "node_not_ready": NodeNotReadyError,
    "node_offline": NodeOfflineError,
    "node_result_invalid": NodeResultInvalidError,
    "node_task_not_found": NodeTaskNotFoundError,
    "node_task_settled": NodeTaskSettledError,
    "node_token_invalid": NodeTokenInvalidError,
    "notification_required": NotificationRequiredError,
    "organization_gpu_limit": OrganizationGpuLimitError,
    "organization_limit_reached": OrganizationLimitReachedError,
    "organization_not_empty": OrganizationNotEmptyError,
    "organization_not_found": OrganizationNotFoundError,
    "organization_slug_taken": OrganizationSlugTakenError,
    "origin_refused": OriginRefusedError,
    "os_image_already_exists": OsImageAlreadyExistsError,
    "os_image_not_cached": OsImageNotCachedError,
    "os_image_not_found": OsImageNotFoundError,
    "ownership_required": OwnershipRequiredError,
    "passkey_wrong": PasskeyWrongError,
    "passkeys_unavailable": PasskeysUnavailableError,
    "payload_too_large": PayloadTooLargeError,
    "payment_method_in_use": PaymentMethodInUseError,
    "payment_method_not_found": PaymentMethodNotFoundError,
    "payment_not_found": PaymentNotFoundError,
    "payment_refused": PaymentRefusedError,
    "payments_disabled": PaymentsDisabledError,
    "period_invalid": PeriodInvalidError,
    "personal_token_expiry_invalid": PersonalTokenExpiryInvalidError,
    "personal_token_not_found": PersonalTokenNotFoundError,
    "personal_token_refused": PersonalTokenRefusedError,
    "platform_role_not_found": PlatformRoleNotFoundError,
    "policy_level_invalid": PolicyLevelInvalidError,
    "policy_not_found": PolicyNotFoundError,
    "policy_out_of_bounds": PolicyOutOfBoundsError,
    "price_already_exists": PriceAlreadyExistsError,
    "price_backdated": PriceBackdatedError,
    "price_not_found": PriceNotFoundError,
    "probe_required": ProbeRequiredError,
    "project_mismatch": ProjectMismatchError,
    "project_not_found": ProjectNotFoundError,
    "project_required": ProjectRequiredError,
    "project_slug_taken": ProjectSlugTakenError,
    "quote_expired": QuoteExpiredError,
    "quote_mismatch": QuoteMismatchError,
    "quote_not_found": QuoteNotFoundError,
    "quote_used": QuoteUsedError,
    "rate_limit_exceeded": RateLimitExceededError,
    "recording_damaged": RecordingDamagedError,
    "recording_removed": RecordingRemovedError,
    "recording_view_invalid": RecordingViewInvalidError,
    "refund_exceeds_payment": RefundExceedsPaymentError,
    "refund_window_exceeded": RefundWindowExceededError,
    "region_already_exists": RegionAlreadyExistsError,
    "region_not_found": RegionNotFoundError,
    "request_timeout": RequestTimeoutError,
    "resource_not_found": ResourceNotFoundError,
    "route_not_found": RouteNotFoundError,
    "runbook_not_found": RunbookNotFoundError,
    "second_factor_missing": SecondFactorMissingError,
    "second_person_required": SecondPersonRequiredError,
    "service_account_key_invalid": ServiceAccountKeyInvalidError,
    "service_account_key_not_found": ServiceAccountKeyNotFoundError,
    "service_account_not_found": ServiceAccountNotFoundError,
    "service_account_pinned": ServiceAccountPinnedError,
    "service_account_refused": ServiceAccountRefusedError,
    "service_account_slug_taken": ServiceAccountSlugTakenError,
    "service_unavailable": ServiceUnavailableError,
    "session_not_found": SessionNotFoundError,
    "sku_already_exists": SkuAlreadyExistsError,
    "sku_invalid": SkuInvalidError,
    "sku_not_found": SkuNotFoundError,
    "sku_unavailable": SkuUnavailableError,
    "slot_in_use": SlotInUseError,
    "slot_not_found": SlotNotFoundError,
    "slots_blocked": SlotsBlockedError,
    "ssh_certificate_not_found": SshCertificateNotFoundError,
    "ssh_key_exists": SshKeyExistsError,
    "ssh_key_invalid": SshKeyInvalidError,
    "ssh_key_limit": SshKeyLimitError,
    "ssh_key_not_found": SshKeyNotFoundError,
    "ssh_key_proof_invalid": SshKeyProofInvalidError,
    "stale_generation": StaleGenerationError,
    "step_up_required": StepUpRequiredError,
    "storage_access_denied": StorageAccessDeniedError,
    "storage_checksum_mismatch": StorageChecksumMismatchError,
    "storage_folder_not_empty": StorageFolderNotEmptyError,
    "storage_grant_exists": StorageGrantExistsError,
    "storage_grant_not_found": StorageGrantNotFoundError,
    "storage_grantee_not_found": StorageGranteeNotFoundError,
    "storage_is_folder": StorageIsFolderError,
    "storage_limit_reached": StorageLimitReachedError,
    "storage_link_not_found": StorageLinkNotFoundError,
    "storage_object_not_found": StorageObjectNotFoundError,
    "storage_path_invalid": StoragePathInvalidError,
    "storage_path_occupied": StoragePathOccupiedError,
    "storage_quota_exceeded": StorageQuotaExceededError,
    "storage_read_only": StorageReadOnlyError,
    "storage_token_not_found": StorageTokenNotFoundError,
    "storage_too_many_entries": StorageTooManyEntriesError,
    "storage_upload_incomplete": StorageUploadIncompleteError,
    "storage_upload_not_found": StorageUploadNotFoundError,
    "stripe_signature_invalid": StripeSignatureInvalidError,
    "task_signer_not_found": TaskSignerNotFoundError,
    "tax_id_invalid": TaxIdInvalidError,
    "terminal_not_recorded": TerminalNotRecordedError,
    "terminal_port_refused": TerminalPortRefusedError,
    "terminal_recording_conflict": TerminalRecordingConflictError,
    "terminal_recording_not_found": TerminalRecordingNotFoundError,
    "terminal_recording_required": TerminalRecordingRequiredError,
    "terminal_session_ended": TerminalSessionEndedError,
    "terminal_session_in_use": TerminalSessionInUseError,
    "terminal_session_limit": TerminalSessionLimitError,
    "terminal_session_not_found": TerminalSessionNotFoundError,
    "terminal_token_invalid": TerminalTokenInvalidError,
    "terminal_unsupported": TerminalUnsupportedError,
    "token_expired": TokenExpiredError,
    "token_invalid": TokenInvalidError,
    "token_missing": TokenMissingError,
    "too_many_payments": TooManyPaymentsError,
    "too_many_streams": TooManyStreamsError,
    "too_many_webhooks": TooManyWebhooksError,
    "topology_missing": TopologyMissingError,
    "unsupported_media_type": UnsupportedMediaTypeError,
    "user_already_exists": UserAlreadyExistsError,
    "user_erased": UserErasedError,
    "user_has_allocations": UserHasAllocationsError,
    "user_not_found": UserNotFoundError,
    "validation_error": ValidationError,
    "version_conflict": VersionConflictError,
    "webhook_not_found": WebhookNotFoundError,
    "webhook_off": WebhookOffError,
    "webhook_url_refused": WebhookUrlRefusedError,
    "wipe_unproven": WipeUnprovenError,
    "workflow_not_found": WorkflowNotFoundError,
}
