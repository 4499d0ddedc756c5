/** The first step of a new credential: what it is for. */
import { KeyRound } from "lucide-react";
import { useMemo, useState } from "react";
import { useCatalogue } from "../api/catalogue";
import layout from "../shared/layout.module.css";
import { SearchInput } from "../ui";
import styles from "./CredentialTypePicker.module.css";
import { type CredentialType, useCredentialTypes } from "./credentialTypes";

export function CredentialTypePicker({ onChoose }: { onChoose: (type: string) => void }) {
  const catalogue = useCatalogue();
  const [text, setText] = useState("");
  const types = useCredentialTypes();
  const kinds = useMemo(
    () =>
      types.list(
        catalogue.all.flatMap((type) => (type.credentials ?? []).map((used) => used.kind)),
      ),
    [catalogue, types],
  );
  const words = text.toLowerCase().split(/\s+/);
  const found = kinds.filter((kind) =>
    words.every((word) => `${kind.name} ${kind.id}`.toLowerCase().includes(word)),
  );
  const groups = [...new Set(found.map((kind) => kind.group))];
  return (
    <div className={layout.stack}>
      <SearchInput
        label="Search services"
        placeholder="Search services"
        value={text}
        onChange={setText}
        autoFocus
      />
      <div className={styles.list}>
        {groups.map((group) => (
          <section key={group} aria-label={group}>
            <h3 className={styles.group}>{group}</h3>
            <div className={styles.kinds}>
              {found
                .filter((kind) => kind.group === group)
                .map((kind: CredentialType) => (
                  <button
                    key={kind.id}
                    type="button"
                    className={styles.kind}
                    onClick={() => onChoose(kind.id)}
                  >
                    <KeyRound size={14} aria-hidden />
                    {kind.name}
                  </button>
                ))}
            </div>
          </section>
        ))}
        {found.length === 0 && (
          <p className={layout.quiet}>
            No services match “{text}”. <em>Any service</em> has generic types for every API:
            header, bearer token, username and password, OAuth 2.
          </p>
        )}
      </div>
    </div>
  );
}
