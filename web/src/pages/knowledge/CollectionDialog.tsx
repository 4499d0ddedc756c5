/** Makes a collection, or changes its name, words and credential. */
import { useState } from "react";
import { useCredentials } from "../../credentials/credentialApi";
import { useCredentialTypes } from "../../credentials/credentialTypes";
import { Field, FormDialog, Input, Select, TextArea } from "../../ui";
import {
  type Collection,
  createCollection,
  EMBEDDERS,
  updateCollection,
  usesLocalEmbeddings,
} from "./knowledgeApi";

const BUILT_IN = "\u0000built-in";

interface Props {
  collection?: Collection;
  onClose: () => void;
  onDone: (collection: Collection | undefined) => void;
}

export function CollectionDialog({ collection, onClose, onDone }: Props) {
  const credentials = useCredentials();
  const types = useCredentialTypes();
  const usable = (credentials.data ?? []).filter((credential) => credential.type in EMBEDDERS);
  const [name, setName] = useState(collection?.name ?? "");
  const [description, setDescription] = useState(collection?.description ?? "");
  const [credential, setCredential] = useState(collection?.credentialId ?? undefined);
  const [model, setModel] = useState(collection?.embeddingModel ?? "");
  const chosen = usable.find((one) => one.id === credential);
  // A collection keeps its kind of vectors: the built-in model cannot take over from another one.
  const isFixed =
    collection !== undefined &&
    (Boolean(collection.credentialId) || !usesLocalEmbeddings(collection));
  const save = async () => {
    const words = { name: name.trim(), description: description.trim() };
    const using = credential ? { credentialId: credential } : {};
    if (collection) {
      await updateCollection(collection.id, { ...words, ...using });
      return onDone(undefined);
    }
    onDone(
      await createCollection({
        ...words,
        ...using,
        ...(credential && model.trim() ? { embeddingModel: model.trim() } : {}),
      }),
    );
  };
  return (
    <FormDialog
      title={collection ? `Edit ${collection.name}` : "New collection"}
      action={collection ? "Save" : "Create collection"}
      invalid={name.trim() === ""}
      onSubmit={save}
      onClose={onClose}
    >
      <Field
        label="Name"
        required
        problem={name.trim() === "" ? "Enter a name." : undefined}
        hint="Nodes refer to the collection by this name."
      >
        <Input
          value={name}
          onChange={(event) => setName(event.target.value)}
          maxLength={128}
          placeholder="handbook"
          autoFocus
        />
      </Field>
      <Field label="Description">
        <TextArea
          rows={2}
          value={description}
          onChange={(event) => setDescription(event.target.value)}
          maxLength={1000}
        />
      </Field>
      <Field
        label="Embeddings"
        hint={
          usable.length === 0
            ? "The built-in model runs on this server. To use a provider, create a credential for it first."
            : "The built-in model runs on this server and needs no API key."
        }
      >
        <Select
          label="Embeddings"
          value={credential ?? (isFixed ? undefined : BUILT_IN)}
          onChange={(next) => setCredential(next === BUILT_IN ? undefined : next)}
          placeholder="Select a credential"
          options={[
            ...(isFixed ? [] : [{ value: BUILT_IN, label: "Built-in model" }]),
            ...usable.map((one) => ({
              value: one.id,
              label: one.name,
              hint: types.find(one.type).name,
            })),
          ]}
        />
      </Field>
      {!collection && credential && (
        <Field
          label="Embedding model"
          hint="Used for all documents in the collection. It cannot be changed later."
        >
          <Input
            value={model}
            onChange={(event) => setModel(event.target.value)}
            maxLength={200}
            placeholder={chosen ? EMBEDDERS[chosen.type] : "Provider default"}
          />
        </Field>
      )}
    </FormDialog>
  );
}
