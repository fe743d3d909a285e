/** What operators call an organization. All personal organizations have the same name, so each is called by its person. */
export const tenantName = ({
  name,
  owner_name,
}: {
  readonly name: string;
  readonly owner_name: string | null;
}): string => (owner_name === null ? name : `${owner_name} (personal)`);
