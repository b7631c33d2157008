/** The answer of POST {auth_url}/tokens (policy §5, rule 3), with the members that Keystone's v2.0 API gives it. */
export interface TokenResponse {
  readonly access: {
    readonly token: {
      readonly id: string;
      /** ISO 8601, UTC, whole seconds. */
      readonly expires: string;
      /** ISO 8601, UTC. */
      readonly issued_at: string;
      readonly tenant: {
        readonly description: string;
        readonly enabled: true;
        readonly id: string;
        readonly name: string;
      };
      readonly audit_ids: readonly string[];
    };
    /** Empty: the embedded identity knows no services. */
    readonly serviceCatalog: readonly never[];
    readonly user: {
      readonly id: string;
      readonly name: string;
      readonly username: string;
      readonly roles: readonly { readonly name: string }[];
      readonly roles_links: readonly never[];
    };
    readonly metadata: { readonly is_admin: 0; readonly roles: readonly string[] };
  };
}
