import type { Fault } from '../../kernel/fault.ts';
import type { SealedValues } from '../../kernel/secrets/sealed-values.ts';

/**
 * The certificate authority for nodes and for processes of ours. A certificate says who is connected and nothing about what
 * it may do; tasks are signed by keys of another kind. Certificates are short-lived, and the control plane refuses revoked ones
 * within seconds without asking the authority.
 */
export interface Certificates {
  /** False where no authority was configured: nothing can be issued then. */
  readonly isOpen: boolean;
  /** For the key of the request, under the node's names and no others, for client authentication only. */
  certifyNode(order: {
    readonly nodeId: string;
    readonly csr: string;
    readonly ttlMs: number;
  }): Promise<IssuedCertificate | CsrRefused>;
  /** For a listener of ours: a new key, these DNS names and addresses, for server authentication only. */
  certifyServer(order: { readonly names: readonly string[]; readonly ttlMs: number }): Promise<ServerCertificate>;
  /**
   * For a process of ours that calls another one or that nodes call: for the key of the request, under the URI of the process
   * and these DNS names and addresses, for client and server authentication.
   */
  certifyProcess(order: {
    readonly process: string;
    readonly names: readonly string[];
    readonly csr: string;
    readonly ttlMs: number;
  }): Promise<IssuedCertificate | CsrRefused>;
  authority(): Promise<Authority>;
  /** Its keys, where it keeps them sealed in our database. */
  readonly sealed?: SealedValues;
  /** Throws unless certificates can be issued now. */
  check(): Promise<void>;
  close(): Promise<void>;
}

export type CsrRefused = Fault<'node_csr_invalid'>;

export interface IssuedCertificate {
  /** Leaf first, then what leads to the root; without the root. */
  readonly chain: string;
  /** In hex, lower case, as it is compared with what a connection shows. */
  readonly serial: string;
  readonly notBefore: Date;
  readonly notAfter: Date;
}
export interface ServerCertificate {
  /** With the root at its end, so that an agent that knows only a fingerprint finds it there. */
  readonly chain: string;
  readonly privateKey: string;
  readonly notAfter: Date;
}
export interface Authority {
  /** What is trusted, in PEM. */
  readonly roots: string;
  /** `sha256:` and the hash of the root, in hex: what an agent pins when it enrols. */
  readonly fingerprint: string;
}

/** The authority that we are ourselves. */
export interface EmbeddedAuthority extends Certificates {
  readonly sealed: SealedValues;
  /** Issues from a new intermediate from now on. What the old one issued stays good until it expires. */
  rotate(): Promise<void>;
}
