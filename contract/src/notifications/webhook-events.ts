import type { EventKind } from '../event.ts';
import {
  appInstanceFailed,
  appInstanceLaunching,
  appInstanceReleased,
  appInstanceRolledBack,
  appInstanceRunning,
  appInstanceStopped,
  appInstanceUpgraded,
  appInstanceUpgrading,
} from '../events/app-instances.ts';
import {
  appArtifactDeprecated,
  appArtifactFailedVerification,
  appArtifactPromoted,
  appArtifactPublished,
  appArtifactRetired,
  appArtifactRevoked,
  appArtifactVerified,
} from '../events/apps.ts';
import {
  autoReleasePending,
  balanceDepleted,
  balanceRecovered,
  lowBalanceWarning,
  machinesStopped,
} from '../events/billing.ts';
import {
  autoTopUpActionRequired,
  autoTopUpFailed,
  balanceCredited,
  paymentDisputed,
  paymentFailed,
  paymentRefunded,
} from '../events/payments.ts';
import { invitationAccepted, memberChanged, projectMemberChanged } from '../events/people.ts';
import {
  provisioningActive,
  provisioningAttested,
  provisioningDrainCalledOff,
  provisioningDrainNotice,
  provisioningFailed,
  provisioningIdle,
  provisioningQueued,
  provisioningReleaseFailed,
  provisioningReleasingCompleted,
} from '../events/provisioning.ts';
import {
  storageGrantCreated,
  storageGrantRevoked,
  storageNamespaceCreated,
  storageObjectDeleted,
} from '../events/storage.ts';
import { terminalSessionEnded, terminalSessionOpened } from '../events/terminal.ts';

/** Events of an organization that its webhooks can get. What concerns hosts and operators alone is not among them. */
export const webhookEvents: readonly { readonly event: EventKind }[] = [
  { event: appArtifactDeprecated },
  { event: appArtifactFailedVerification },
  { event: appArtifactPromoted },
  { event: appArtifactPublished },
  { event: appArtifactRetired },
  { event: appArtifactRevoked },
  { event: appArtifactVerified },
  { event: appInstanceFailed },
  { event: appInstanceLaunching },
  { event: appInstanceReleased },
  { event: appInstanceRolledBack },
  { event: appInstanceRunning },
  { event: appInstanceStopped },
  { event: appInstanceUpgraded },
  { event: appInstanceUpgrading },
  { event: autoReleasePending },
  { event: autoTopUpActionRequired },
  { event: autoTopUpFailed },
  { event: balanceCredited },
  { event: balanceDepleted },
  { event: machinesStopped },
  { event: balanceRecovered },
  { event: invitationAccepted },
  { event: lowBalanceWarning },
  { event: memberChanged },
  { event: paymentDisputed },
  { event: paymentFailed },
  { event: paymentRefunded },
  { event: projectMemberChanged },
  { event: provisioningActive },
  { event: provisioningAttested },
  { event: provisioningDrainCalledOff },
  { event: provisioningDrainNotice },
  { event: provisioningFailed },
  { event: provisioningIdle },
  { event: provisioningQueued },
  { event: provisioningReleaseFailed },
  { event: provisioningReleasingCompleted },
  { event: storageGrantCreated },
  { event: storageGrantRevoked },
  { event: storageNamespaceCreated },
  { event: storageObjectDeleted },
  { event: terminalSessionEnded },
  { event: terminalSessionOpened },
];

export const webhookEventTypes: readonly string[] = webhookEvents.map(({ event }) => event.type).sort();
