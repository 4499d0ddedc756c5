/** Says why nothing can be embedded yet, and offers the way out that is nearest. */
import type { LocalModel } from "../../api/localModels";
import { useIsAdmin } from "../../api/session";
import { LocalModelStatus } from "../../shared/LocalModelStatus";
import layout from "../../shared/layout.module.css";
import styles from "./Knowledge.module.css";

interface Props {
  /** The collection uses the model on the server. */
  isLocal: boolean;
  model: LocalModel | undefined;
  canEdit: boolean;
}

export function EmbeddingNotice({ isLocal, model, canEdit }: Props) {
  const isAdmin = useIsAdmin();
  if (!isLocal || !model) {
    return (
      <div className={layout.note}>
        {canEdit
          ? "This collection was embedded with another model. Click Edit and select a credential for it to add and search documents here."
          : "This collection was embedded with another model. An editor can select a credential for it."}{" "}
        Workflows can fill and search the collection without one.
      </div>
    );
  }
  return (
    <section className={styles.embed} aria-label="Built-in embedding model">
      <div className={layout.fill}>
        <div className={layout.name}>Documents are embedded on this server</div>
        <div className={layout.quiet}>
          {model.state === "downloading"
            ? "The built-in embedding model is being downloaded. You can leave this page."
            : `The built-in embedding model needs no API key. ${isAdmin ? "Download it once" : "Ask an administrator to download it once"}, or click Edit and select a credential.`}
        </div>
      </div>
      <LocalModelStatus model={model} />
    </section>
  );
}
