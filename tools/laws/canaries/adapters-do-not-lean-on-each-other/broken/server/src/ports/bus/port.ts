export interface Bus {
  close(): void;
}
