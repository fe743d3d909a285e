import type { Branding, PolicyKey, SignIn } from '@gpuaas/contract';
import type { OwnRegistry } from '../../domains/apps/index.ts';
import type { NodeDoor } from '../../domains/nodes/index.ts';
import type { SimulatedFleet } from '../../domains/simulator/index.ts';
import type { GatewayAddresses } from '../../domains/terminal/index.ts';
import type { IsTrustedProxy } from '../../edge/gate/proxies.ts';
import type { KeySource } from '../../edge/http/admission/authentication.ts';
import type { Tenants } from '../../edge/http/admission/tenancy.ts';
import type { Common } from '../../kernel/process/process.ts';
import type { Keyring } from '../../kernel/secrets/keyring.ts';
import type { SealedValues } from '../../kernel/secrets/sealed-values.ts';
import type { BusDepths } from '../../ports/bus/port.ts';
import type { Accounts } from '../../ports/identity-provider/port.ts';
import type { Ports } from '../../ports/open.ts';
import type { SagaRuns } from '../../ports/sagas/port.ts';
import type { ConsoleSettings } from './console.ts';
import type { FactorsOfAccounts } from './factors.ts';

/** The ports and the common parts that the api is put together from. */
export type ApiParts = Pick<Ports, 'database' | 'cache' | 'maas' | 'objects' | 'payments' | 'storage' | 'webhooks'> &
  Omit<Common<unknown>, 'config'>;

/** What an installation decides about its api. */
export interface ApiSettings {
  readonly region: string;
  readonly issuer: string;
  /** By what name the people of that issuer are kept; the issuer itself when left out. */
  readonly issuerName?: string;
  /** How that issuer is asked for a second factor, and how its tokens say that there was one; see the port. */
  readonly secondFactorAcr?: string | undefined;
  readonly audience: string;
  readonly keys: KeySource;
  /** Where people sign in; left out where only the keys of the issuer are known. */
  readonly signIn?: () => Promise<SignIn>;
  /** How this installation presents itself; left out, as the product does. */
  readonly branding?: Branding;
  /** Where callers reach this installation. */
  readonly publicUrl: string;
  /** Where hosts enrol; the public address where nothing else is said. */
  readonly nodeDoor?: () => Promise<NodeDoor>;
  /** Encrypts what is kept in the database; without it no tokens are issued to service accounts. */
  readonly keyring?: Keyring;
  /** What others than the domains keep sealed, and the keys that an operator has given up. */
  readonly sealed?: readonly SealedValues[];
  readonly lostKeys?: readonly string[];
  /** Lets browsers sign in; left out where it cannot. */
  readonly console?: ConsoleSettings;
  /** Whose forwarded headers are believed; nobody's when left out. */
  readonly isTrustedProxy?: IsTrustedProxy;
  readonly policies?: Partial<Record<PolicyKey, number | boolean | string>>;
  /** The runs of sagas, to be looked at; left out where the engine is not known here. */
  readonly runs?: SagaRuns;
  /** How far consumers of events are behind; left out where the bus is not known here. */
  readonly depths?: BusDepths;
  /** A fleet that can be broken on purpose; without it the routes of the simulator do not exist. */
  readonly simulator?: SimulatedFleet;
  /** The accounts of our own provider; left out where people have theirs with another one. */
  readonly accounts?: Accounts;
  /** Their second factors. */
  readonly factors?: FactorsOfAccounts;
  /** Where terminal gateways are reached; left out where none runs, and then nobody gets a terminal. */
  readonly terminalGateway?: GatewayAddresses | undefined;
  /** Where people reach the SSH jump host of the gateways; left out where they are none. */
  readonly jumpHost?: { readonly host: string; readonly port: number } | undefined;
  /** The address of apps; left out where no app-proxy runs. */
  readonly appsUrl?: string | undefined;
  /** The registry that images of apps are pushed to; left out where this installation has none. */
  readonly ownRegistry?: OwnRegistry | undefined;
  /** Stands in for the domain that says whose things are, where a test wants to be lied to. */
  readonly tenants?: Tenants;
}
