const ATOM = String.raw`[^\s\p{Cc}\p{Cf}\p{Cs}()<>[\]:;@\\,".]+`;
const LABEL = String.raw`[\p{L}\p{N}\p{M}-]{1,63}`;

/**
 * One e-mail address and nothing that a mail server could read as more: no lists, groups, comments, quotes or routes,
 * and nothing that is not seen. At most 253 characters: a dot-atom of at most 64, `@`, and a domain whose labels are
 * letters, digits and hyphens of any script (RFC 5321, RFC 6531) and which need not have a dot.
 */
export const ONE_ADDRESS = new RegExp(
  `^(?=.{1,253}$)(?=.{1,64}@)${ATOM}(?:\\.${ATOM})*@${LABEL}(?:\\.${LABEL})*$`,
  'u',
);
