import { type Branding, brandingGet, type SignIn, signInGet, versionGet } from '@gpuaas/contract';
import { plainBranding } from '../../../edge/console/branding.ts';
import { handlers, type Mounted } from '../../../kernel/act.ts';
import { Fault } from '../../../kernel/fault.ts';
import { product, readProvenance } from '../../release.ts';
import type { RouteParts } from './parts.ts';

const version = handlers<object>()(versionGet, async () => ({ ...readProvenance() }));
const branding = handlers<{ readonly branding: Branding }>()(brandingGet, async (parts) => parts.branding);
const signIn = handlers<{ readonly describe: (() => Promise<SignIn>) | undefined }>()(
  signInGet,
  async ({ describe }) =>
    describe?.() ??
    new Fault('service_unavailable', 'This installation knows whose tokens count, but not where people sign in.'),
);

/** What the installation says of itself. */
export const installationRoutes = ({ settings }: RouteParts): readonly Mounted[] => [
  version({}),
  branding({ branding: settings.branding ?? plainBranding(product) }),
  signIn({ describe: settings.signIn }),
];
